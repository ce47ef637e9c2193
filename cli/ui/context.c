/* context.c - the context of a command and its calls (see context.h). */
#include "cli/ui/context.h"

static const char *command_name;
static ordo_ctx   *context;

/* Cancels again: the library may have tested for ordo_cancel() just before the signal came. */
static int on_progress(void *user, double done)
{
    (void)user;
    progress_at(done);
    return signals_pending();
}

ordo_ctx *context_open(const char *command, const common_options *common)
{
    const int         gpu = common->device >= FIRST_GPU ? common->device - FIRST_GPU + 1 : 0;
    ordo_ctx         *created;
    const ordo_status status = ordo_ctx_create(
        &created,
        &ORDO_OPTS(ordo_ctx_opts, .where = (uint32_t)(gpu > 0 ? ORDO_CUDA : common->device),
                   .device = (uint64_t)gpu, .device_limit = (size_t)common->device_memory,
                   .cpu_share = common->cpu_share, .threads = (uint32_t)common->threads,
                   .mem_limit = (size_t)common->memory_limit, .progress = on_progress,
                   .profile = profile_wanted(common)));
    command_name = command;
    if (status != ORDO_OK) {
        cli_error("%s: %s: %s", command, ordo_status_text(status), ordo_last_error(NULL));
        return NULL;
    }
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

bool call_end(ordo_status status)
{
    progress_end();
    signals_in_call(NULL);
    if (status == ORDO_OK)
        return true;
    const char *const why = ordo_last_error(context);
    return cli_fail("%s: %s", command_name, why[0] != '\0' ? why : ordo_status_text(status));
}
