/* bench_machine.c - reads CPU, caches, memory, kernel, GPUs and compiler from the library, /proc,
 * /sys and uname().
 *
 * A value that the system does not tell stays empty. */
#define _GNU_SOURCE
#include "bench/harness/bench_machine.h"
#include "cli/base/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Reads the value of the first line "name : value", the form of /proc/cpuinfo. */
static bool read_field(const char *path, const char *name, char *value, size_t size)
{
    const size_t length = strlen(name);
    char         line[512];
    bool         found = false;
    FILE *const  file = fopen(path, "r");

    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        const char *const colon = strchr(line, ':');
        if (strncmp(line, name, length) != 0 || colon == NULL)
            continue;
        const char *const text = colon + 1 + strspn(colon + 1, " \t");
        snprintf(value, size, "%.*s", (int)strcspn(text, "\n"), text);
        found = true;
    }
    fclose(file);
    return found;
}

static bool read_line(const char *path, char *value, size_t size)
{
    FILE *const file = fopen(path, "r");

    if (file == NULL)
        return false;
    const bool found = fgets(value, (int)size, file) != NULL;
    fclose(file);
    if (found)
        value[strcspn(value, "\n")] = '\0';
    return found;
}

/* The name of an ARM core by its part number in /proc/cpuinfo; NULL if unknown. */
static const char *arm_core(unsigned long part)
{
    static const struct {
        unsigned long part;
        const char   *name;
    } cores[] = {
        {0xd03, "Cortex-A53"},  {0xd07, "Cortex-A57"},  {0xd08, "Cortex-A72"},
        {0xd0b, "Cortex-A76"},  {0xd0c, "Neoverse-N1"}, {0xd40, "Neoverse-V1"},
        {0xd49, "Neoverse-N2"}, {0xd4f, "Neoverse-V2"}, {0xd8e, "Neoverse-N3"},
        {0xd84, "Neoverse-V3"},
    };
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (cores[i].part == part)
            return cores[i].name;
    return NULL;
}

static void read_cpu(char *cpu, size_t size)
{
    char implementer[32], part[32];

    if (read_field("/proc/cpuinfo", "model name", cpu, size))
        return;
    if (!read_field("/proc/cpuinfo", "CPU implementer", implementer, sizeof implementer) ||
        !read_field("/proc/cpuinfo", "CPU part", part, sizeof part)) {
        snprintf(cpu, size, "unknown");
        return;
    }
    const char *const name =
        strtoul(implementer, NULL, 16) == 0x41 ? arm_core(strtoul(part, NULL, 16)) : NULL;
    if (name != NULL)
        snprintf(cpu, size, "ARM %s", name);
    else
        snprintf(cpu, size, "CPU implementer %s, part %s", implementer, part);
}

static void read_caches(char *caches, size_t size)
{
    size_t used = 0;

    caches[0] = '\0';
    for (int index = 0; index < 8; index++) {
        char path[96], level[8], type[24], amount[24];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", index);
        if (!read_line(path, level, sizeof level))
            break;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", index);
        if (!read_line(path, type, sizeof type) || strcmp(type, "Instruction") == 0)
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        if (!read_line(path, amount, sizeof amount))
            continue;
        const int length = snprintf(caches + used, size - used, "%sL%s%s %s", used > 0 ? ", " : "",
                                    level, strcmp(type, "Data") == 0 ? "d" : "", amount);
        if (length < 0 || (size_t)length >= size - used)
            break;
        used += (size_t)length;
    }
}

/* "a\nb\n" as "a;b". */
static void read_gpus(const char *lines, char *gpus, size_t size)
{
    snprintf(gpus, size, "%s", lines);
    for (size_t end = strlen(gpus); end > 0 && gpus[end - 1] == '\n'; end--)
        gpus[end - 1] = '\0';
    for (char *at = strchr(gpus, '\n'); at != NULL; at = strchr(at, '\n'))
        *at = ';';
}

size_t bench_memory_available(void)
{
    size_t available = SIZE_MAX;
    char   text[64];

    if (read_field("/proc/meminfo", "MemAvailable", text, sizeof text))
        available = (size_t)strtoull(text, NULL, 10) * 1024;
    if (read_line("/sys/fs/cgroup/memory.max", text, sizeof text) && text[0] != 'm') {
        const unsigned long long limit = strtoull(text, NULL, 10);
        available = limit < available ? (size_t)limit : available;
    }
    return available;
}

bool bench_machine_read(ordo_ctx *ctx, bench_machine *out)
{
    ordo_info      info = {.struct_size = sizeof info};
    struct utsname system;
    struct tm      utc;
    const time_t   moment = time(NULL);
    char           text[64];

    if (ordo_ctx_info(ctx, &info) != ORDO_OK) {
        cli_error("bench: ordo_ctx_info failed: %s", ordo_last_error(ctx));
        return false;
    }
    *out = (bench_machine){.cpus = info.cpus, .affinity = info.affinity, .cgroup = info.cgroup};
    snprintf(out->isa, sizeof out->isa, "%s", info.isa);
    read_cpu(out->cpu, sizeof out->cpu);
    read_caches(out->caches, sizeof out->caches);
    read_gpus(info.devices, out->gpus, sizeof out->gpus);
    read_field("/proc/driver/nvidia/version", "NVRM version", out->driver, sizeof out->driver);
    if (read_field("/proc/meminfo", "MemTotal", text, sizeof text))
        out->memory = strtoull(text, NULL, 10) * 1024;
    if (uname(&system) == 0)
        snprintf(out->kernel, sizeof out->kernel, "%s %s %s", system.sysname, system.release,
                 system.machine);
    if (gmtime_r(&moment, &utc) != NULL)
        strftime(out->date, sizeof out->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
#if defined(__clang__)
    snprintf(out->compiler, sizeof out->compiler, "clang %s", __clang_version__);
#else
    snprintf(out->compiler, sizeof out->compiler, "gcc %s", __VERSION__);
#endif
    for (size_t end = strlen(out->compiler); end > 0 && out->compiler[end - 1] == ' '; end--)
        out->compiler[end - 1] = '\0';
    return true;
}
