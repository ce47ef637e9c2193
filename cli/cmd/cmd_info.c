/* cmd_info.c - `ordo info`: what the library found on this machine. */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */

#include "cli/cmd/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Examples:\n"
    "  ordo info\n"
    "  ordo info --json\n"
    "  ORDO_ISA=generic ordo info\n"
    "  ordo info --paths             # the ways in which calls are done\n\n"
    "Usage: ordo info [options]\n"
    "Prints what ordo found on this machine and what it will use.\n\n"
    "Options:\n"
    "* --paths           instead, for each call on the CPU and, if the plugin for GPUs is there,\n"
    "                    on a GPU, the paths in the order in which they are tried: the name, the\n"
    "                    reason to take it, and the path that takes over if scratch is refused;\n"
    "                    --explain names the path of a call\n"
    "* --json            the same as one line of JSON, on stdout\n"
    "  --threads N, --device D, --memory-limit S, --device-memory S, --gpu-sms N\n"
    "                    as for the other commands\n"
    "  -h, --help[=all]  print the most used options; all: this text\n\n"
    "Exit status: 0 success, 2 error.\n";

static uint64_t memory_bytes(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static void print_text(const ordo_info *info, bool cuda)
{
    printf("ordo     %s\n", ordo_version());
    printf("isa      %s (available: %s)\n", info->isa, info->isa_all);
    printf("threads  %u (CPUs online: %u, allowed by affinity: %u, by cgroup: ", info->threads,
           info->cpus, info->affinity);
    if (info->cgroup != 0)
        printf("%u)\n", info->cgroup);
    else
        printf("no limit)\n");
    printf("memory   %.1f GiB (scratch limit: ", (double)memory_bytes() / (1 << 30));
    if (info->mem_limit != 0)
        printf("%llu bytes)\n", (unsigned long long)info->mem_limit);
    else
        printf("none)\n");
    printf("cpu      usable\n");
    cli_line(stdout, "cuda     %s%s", cuda ? "usable" : "not usable: ", info->cuda);
    for (const char *line = info->devices; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        cli_line(stdout, "  %.*s", (int)length, line);
        line += length + (line[length] != '\0');
    }
    if (info->device_sms != 0)
        printf("  in use: %llu multiprocessors\n", (unsigned long long)info->device_sms);
    if (info->calibration_note[0] != '\0')
        cli_line(stdout, "tune     not used: %s", info->calibration_note);
}

static void print_json(const ordo_info *info, bool cuda)
{
    putchar('{');
    json_field(stdout, "version", ordo_version());
    json_field(stdout, "isa", info->isa);
    json_field(stdout, "isa_all", info->isa_all);
    printf("\"threads\": %u, \"cpus\": %u, \"affinity\": %u, \"cgroup\": %u, ", info->threads,
           info->cpus, info->affinity, info->cgroup);
    printf("\"memory_bytes\": %llu, \"memory_limit\": %llu, \"cuda\": %s, ",
           (unsigned long long)memory_bytes(), (unsigned long long)info->mem_limit,
           cuda ? "true" : "false");
    json_field(stdout, "cuda_reason", info->cuda);
    fputs("\"devices\": ", stdout);
    json_string(stdout, info->devices);
    printf(", \"device_sms\": %llu}\n", (unsigned long long)info->device_sms);
}

static void print_paths(const ordo_ctx *ctx)
{
    const ordo_path *path;

    for (size_t i = 0; (path = ordo_path_at(ctx, i)) != NULL; i++)
        printf("%-4s %-10s %-10s %s%s%s\n", path->backend, path->verb, path->name, path->when,
               path->fallback != NULL ? "; without scratch: " : "",
               path->fallback != NULL ? path->fallback : "");
}

static void print_paths_json(const ordo_ctx *ctx)
{
    const ordo_path *path;

    putchar('[');
    for (size_t i = 0; (path = ordo_path_at(ctx, i)) != NULL; i++) {
        fputs(i > 0 ? ", {" : "{", stdout);
        json_field(stdout, "backend", path->backend);
        json_field(stdout, "verb", path->verb);
        json_field(stdout, "name", path->name);
        json_field(stdout, "when", path->when);
        fputs("\"fallback\": ", stdout);
        json_string(stdout, path->fallback != NULL ? path->fallback : "");
        putchar('}');
    }
    fputs("]\n", stdout);
}

static bool work(execution *e)
{
    ordo_info         info = {.struct_size = sizeof info};
    const ordo_status status = ordo_ctx_info(e->ctx, &info);

    if (status != ORDO_OK)
        return cli_fail("info: %s", ordo_status_text(status));
    if (e->o.show)
        (e->o.common.json ? print_paths_json : print_paths)(e->ctx);
    else
        (e->o.common.json ? print_json : print_text)(&info, info.cuda[0] == '\0');
    return true;
}

static const option_spec specs[] = {FLAG("paths", show), COMMON_OPTIONS};

const command command_info = {"info", help, specs, 0, 0, NULL, work};
