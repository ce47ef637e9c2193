/* context.c - the context of a command and its calls (see context.h). */
#include "cli/ui/context.h"

#include "cli/base/workers.h"

#include <stdlib.h>

enum {
    MOST_GPUS = 8
};

static const char *command_name;
static ordo_ctx   *context;

/* Cancels again: the library may have tested for ordo_cancel() just before the signal came. */
static int on_progress(void *user, double done)
{
    (void)user;
    progress_at(done);
    return signals_pending();
}

/* The GPUs of --gpu-share; false after a message. */
static bool read_gpu_shares(const char *command, const char *text, ordo_device_share *devices,
                            size_t *count)
{
    *count = 0;
    if (text == NULL)
        return true;
    double *const shares = option_list(command, "--gpu-share", text, 1, count);
    if (shares == NULL)
        return false;
    const bool fits = *count <= MOST_GPUS;
    for (size_t i = 0; i < *count && fits; i++)
        devices[i] = (ordo_device_share){i + 1, shares[i]};
    free(shares);
    if (!fits)
        cli_error("%s: --gpu-share: there are %zu shares; expected at most %d, one for each GPU",
                  command, *count, MOST_GPUS);
    return fits;
}

/* The share of --cpu-share as the library takes it: -1 for no share. False after a message. */
static bool read_cpu_share(const char *command, const char *text, double *share)
{
    size_t count;
    *share = 0;
    if (text == NULL)
        return true;
    double *const list = option_list(command, "--cpu-share", text, 1, &count);
    if (list == NULL)
        return false;
    *share = list[0] > 0 ? list[0] : -1;
    free(list);
    return count == 1 || cli_fail("%s: --cpu-share: '%s' is not one number from 0 to 1", command,
                                  cli_quoted(text));
}

/* ORDO_THREADS, which the library has accepted; 0: not set. */
static size_t threads_of_environment(void)
{
    const char *const text = getenv("ORDO_THREADS");
    return text != NULL ? (size_t)strtoul(text, NULL, 10) : 0;
}

ordo_ctx *context_open(const char *command, const common_options *common)
{
    ordo_device_share devices[MOST_GPUS];
    size_t            device_count;
    const int         gpu = common->device >= FIRST_GPU ? common->device - FIRST_GPU + 1 : 0;
    double            cpu_share;
    ordo_ctx         *created;
    if (!read_gpu_shares(command, common->gpu_share, devices, &device_count) ||
        !read_cpu_share(command, common->cpu_share, &cpu_share))
        return NULL;
    const ordo_status status = ordo_ctx_create(
        &created,
        &ORDO_OPTS(ordo_ctx_opts, .where = (uint32_t)(gpu > 0 ? ORDO_CUDA : common->device),
                   .device = (uint64_t)gpu, .device_limit = (size_t)common->device_memory,
                   .cpu_share = cpu_share, .threads = (uint32_t)common->threads,
                   .mem_limit = (size_t)common->memory_limit, .progress = on_progress,
                   .progress_interval = progress_delay() > 0 ? 0 : -1,
                   .profile = profile_wanted(common), .devices = devices,
                   .device_count = device_count, .device_sms = (uint32_t)common->gpu_sms));
    command_name = command;
    if (status != ORDO_OK) {
        cli_error("%s: %s", command, ordo_last_error(NULL));
        return NULL;
    }
    workers_limit(common->threads > 0 ? (size_t)common->threads : threads_of_environment());
    signals_catch();
    return context = created;
}

void context_close(void)
{
    ordo_ctx_free(context);
    context = NULL;
}

void call_begin(const char *what)
{
    progress_start(what);
    signals_in_call(context);
}

bool call_end(ordo_status status) { return call_end_about(command_name, status); }

bool call_end_about(const char *subject, ordo_status status)
{
    progress_end();
    signals_in_call(NULL);
    if (status == ORDO_OK)
        return true;
    const char *const last = ordo_last_error(context);
    const char *const why = last[0] != '\0' ? last : ordo_status_text(status);
    return status == ORDO_E_NOMEM ? cli_fail("%s: not enough memory: %s", subject, why)
                                  : cli_fail("%s: %s", subject, why);
}
