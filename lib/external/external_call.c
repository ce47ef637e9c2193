/* external_call.c - begins and ends calls on external data, and plans their memory.
 *
 * Memory: three buffers, the scratch of a sort of one buffer, the index of the temporary files
 * (runs.h) and the leftover elements of each run (ranges.h). external_plan_sort() chooses the
 * largest buffers with which all of them stay within the limit. */
#define _GNU_SOURCE
#include "external/external_call.h"

#include "backend/tuning.h"
#include "external/disk/crc32c.h"
#include "external/disk/files.h"
#include "external/disk/ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LEAST_BLOCK = ORDO_TUNE(4 << 10, 64), /* bytes of the elements of a block */
    MOST_BLOCK = 1 << 20,
    LEAST_STAGING = ORDO_TUNE(64 << 10, 64),
    MOST_STAGING = 1 << 20,
    UNKNOWN_RUNS = 256 /* planned for a source of unknown size */
};

/* ---- Arguments ---- */

static ordo_status read_elements(external_call *c, const ordo_elements *elements)
{
    ordo_exec *const exec = c->exec;
    ordo_elements    given;
    TRY(api_read_struct(exec, &given, sizeof given, elements, "elements"));
    TRY(api_check_type(exec, (ordo_type)given.type, "elements.type"));
    FAIL_IF(given.reserved != 0, ORDO_E_VERSION, "elements.reserved is not 0; expected 0");
    ordo_type const type = (ordo_type)given.type;
    size_t const    key = ordo_type_size(type), size = given.size != 0 ? given.size : key;
    FAIL_IF(size < key || given.key_offset > size - key, ORDO_E_ARG,
            "elements have %zu bytes and a %s key at byte %zu; expected a key inside the element",
            size, ordo_type_name(type), given.key_offset);
    c->kind = (element_kind){.size = size,
                             .key_offset = given.key_offset,
                             .type = type,
                             .descending = (c->opts.flags & ORDO_DESCENDING) != 0,
                             .keys_only = size == key};
    return ORDO_OK;
}

/* The bytes that a regular file has behind its position; 0 for other files. */
static uint64_t bytes_ahead(int fd)
{
    struct stat status;
    off_t const at = lseek(fd, 0, SEEK_CUR);
    bool const  is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    return is_file && at >= 0 && status.st_size > at ? (uint64_t)(status.st_size - at) : 0;
}

ordo_status external_arguments(external_call *c, const ordo_elements *elements,
                               const ordo_source *from, const ordo_external_opts *opts,
                               ordo_external_report *report)
{
    ordo_exec *const exec = c->exec;
    uint64_t const   known = ORDO_DESCENDING | ORDO_SPILL_IN_MEMORY | ORDO_UNIQUE;
    FAIL_IF(elements == NULL || from == NULL, ORDO_E_ARG, "%s is NULL; expected a struct",
            elements == NULL ? "elements" : "from");
    TRY(api_opts_read(exec, &c->opts, sizeof c->opts, opts));
    TRY(api_check_report(exec, report));
    c->wanted = report;
    TRY(api_read_struct(exec, &c->from, sizeof c->from, from, "from"));
    FAIL_IF((c->opts.flags & ~known) != 0, ORDO_E_VERSION,
            "opts.flags is %#llx; expected only bits of %#llx", (unsigned long long)c->opts.flags,
            (unsigned long long)known);
    FAIL_IF(c->from.reserved != 0, ORDO_E_VERSION, "from.reserved is not 0; expected 0");
    TRY(read_elements(c, elements));
    FAIL_IF(c->opts.memory != 0 && c->opts.memory < EXTERNAL_LEAST_MEMORY, ORDO_E_ARG,
            "opts.memory is %llu bytes; expected 0 or at least %d",
            (unsigned long long)c->opts.memory, EXTERNAL_LEAST_MEMORY);
    FAIL_IF(c->opts.most_runs == 1, ORDO_E_ARG, "opts.most_runs is 1; expected 0 or at least 2");
    FAIL_IF(c->opts.directory_count > SPILL_MOST_DIRECTORIES, ORDO_E_ARG,
            "opts.directory_count is %zu; expected at most %d", c->opts.directory_count,
            SPILL_MOST_DIRECTORIES);
    FAIL_IF(c->opts.directory_count > 0 && c->opts.directories == NULL, ORDO_E_ARG,
            "opts.directories is NULL; expected %zu names", c->opts.directory_count);
    FAIL_IF(
        c->opts.resume_directory != NULL && c->resumes == NULL, ORDO_E_UNSUPPORTED,
        "opts.resume_directory is %s; expected NULL: only sort, argsort and rank can be resumed",
        c->opts.resume_directory);
    c->sums = c->opts.resume_directory != NULL;
    c->from.name = c->from.name != NULL ? c->from.name : "the source";
    c->source_bytes = c->from.read == NULL ? bytes_ahead(c->from.fd) : c->from.bytes;
    if (c->opts.memory == 0)
        c->opts.memory = ordo_external_memory();
    return ORDO_OK;
}

ordo_status external_sink(external_call *c, const ordo_sink *to)
{
    ordo_exec *const exec = c->exec;
    FAIL_IF(to == NULL, ORDO_E_ARG, "to is NULL; expected a struct");
    TRY(api_read_struct(exec, &c->to, sizeof c->to, to, "to"));
    FAIL_IF(c->to.reserved != 0, ORDO_E_VERSION, "to.reserved is not 0; expected 0");
    c->to.name = c->to.name != NULL ? c->to.name : "the sink";
    return ORDO_OK;
}

/* ---- Memory ---- */

size_t external_sort_scratch(external_call *c, size_t n)
{
    size_t            bytes = 0;
    ordo_status const status =
        c->kind.keys_only ? ordo_sort_scratch(c->inner, c->kind.type, n, NULL, &bytes)
                          : ordo_sort_records_scratch(c->inner, n, c->kind.size, c->kind.key_offset,
                                                      c->kind.type, NULL, &bytes);
    return status == ORDO_OK ? bytes : SIZE_MAX / 2;
}

/* The runs that a source of known size makes. */
static size_t runs_of(const external_call *c, size_t capacity)
{
    return c->source_bytes != 0 ? (size_t)(c->source_bytes / (capacity * c->kind.size)) + 1
                                : UNKNOWN_RUNS;
}

/* The elements of a block for buffers of `capacity` elements. A buffer holds two blocks of each run
 * that is read at once: of all runs, or if such blocks are too small, of groups of runs. */
static size_t choose_block(const external_call *c, size_t capacity)
{
    size_t const buffer = capacity * c->kind.size, count = runs_of(c, capacity);
    size_t const of_all = buffer / (2 * count + 2),
                 of_group = buffer / (2 * external_root(count) + 4);
    size_t const bytes = of_all >= LEAST_BLOCK ? of_all : ordo_max(of_group, LEAST_BLOCK);
    return ordo_max(ordo_min(ordo_min(bytes, MOST_BLOCK) / c->kind.size, capacity / 4), 1);
}

/* Whether the second phase can read all runs at once, so that no longer runs are needed. */
static bool is_flat(const external_call *c, size_t capacity)
{
    return runs_of(c, capacity) <= capacity / (2 * choose_block(c, capacity));
}

/* All memory of a call with buffers of `capacity` elements. The index of a source of known size is
 * made at once (external_index_blocks()), others grow by half. Longer runs have a second index. */
static size_t memory_of(external_call *c, size_t capacity)
{
    size_t const size = c->kind.size, block_n = choose_block(c, capacity);
    size_t const most_runs = capacity / (2 * block_n);
    bool const   is_known = c->source_bytes != 0;
    size_t const blocks = is_known ? (size_t)(c->source_bytes / size) / block_n + 2 * most_runs
                                   : most_runs * (capacity / block_n);
    size_t const index = !is_known              ? RUNS_BLOCK_MEMORY * 3 / 2
                         : is_flat(c, capacity) ? RUNS_BLOCK_MEMORY
                                                : 3 * RUNS_BLOCK_MEMORY;
    return PIPELINE_BUFFERS * capacity * size + external_sort_scratch(c, capacity) +
           blocks * index +
           ranges_memory(&c->kind, most_runs, block_n, c->staging, c->exec->threads) + c->staging +
           block_most(&c->kind, block_n);
}

size_t external_index_blocks(const external_call *c)
{
    return c->source_bytes != 0 && is_flat(c, c->capacity)
               ? (size_t)(c->source_bytes / c->kind.size) / c->block_n + runs_of(c, c->capacity)
               : 0;
}

ordo_status external_buffers(external_call *c, size_t capacity, size_t element_bytes)
{
    c->capacity = capacity;
    for (size_t i = 0; i < PIPELINE_BUFFERS; i++) {
        c->buffers[i] = malloc(capacity * element_bytes);
        if (c->buffers[i] == NULL)
            return ordo_fail(c->exec, ORDO_E_NOMEM, "the system refused a buffer of %zu bytes",
                             capacity * element_bytes);
    }
    return ORDO_OK;
}

void external_free_buffers(external_call *c)
{
    for (size_t i = 0; i < PIPELINE_BUFFERS; i++) {
        free(c->buffers[i]);
        c->buffers[i] = NULL;
    }
}

/* The largest buffers that fit, with `flat` of those whose runs are all read at once; 0: none fit.
 * Smaller buffers do not always take less memory: their blocks are smaller, and the index has more
 * of them. */
static size_t largest_fitting(external_call *c, size_t most, bool flat)
{
    size_t n = most;
    while (n > 0 && ((flat && !is_flat(c, n)) || memory_of(c, n) > c->opts.memory))
        n -= ordo_div_up(n, 64);
    return n;
}

size_t external_staging(uint64_t wanted)
{
    return ordo_min(ordo_max((size_t)wanted, LEAST_STAGING), MOST_STAGING);
}

ordo_status external_plan_sort(external_call *c)
{
    size_t const size = c->kind.size;
    c->staging = external_staging(c->opts.memory / 64);
    size_t most = (size_t)c->opts.memory / (PIPELINE_BUFFERS * size);
    if (c->source_bytes != 0) /* no larger than the data */
        most = ordo_min(most, (size_t)(c->source_bytes / size) + 1);
    size_t fits = largest_fitting(c, most, true);
    if (fits < 4)
        fits = largest_fitting(c, most, false);
    if (fits < 4 && (c->source_bytes == 0 || fits <= c->source_bytes / size))
        return ordo_fail(c->exec, ORDO_E_NOMEM,
                         "%llu bytes of memory are too few to sort elements of %zu bytes",
                         (unsigned long long)c->opts.memory, size);
    c->block_n = choose_block(c, fits);
    return external_buffers(c, fits, size);
}

/* ---- Begin and end ---- */

/* The share of the call that is done. Each element counts once when it is read from the source and
 * once when it is written to the sink. */
static double share_done(external_call *c)
{
    uint64_t const read = atomic_load(&c->read), written = atomic_load(&c->written);
    uint64_t const all = c->source_bytes != 0 ? c->source_bytes / c->kind.size : 2 * read + 1;
    double const   share = 0.5 * (double)(read + written) / (double)(all + 1);
    return share < 1 ? share : 1;
}

static uint64_t all_read(external_call *c)
{
    return atomic_load(&c->bytes_in) + atomic_load(&c->spill.read);
}

static uint64_t all_written(external_call *c)
{
    return atomic_load(&c->bytes_out) + atomic_load(&c->spill.written);
}

static void end_phase(external_call *c)
{
    ordo_external_report *const r = &c->report;
    if (c->step.name[0] == 0)
        return;
    c->step.seconds = external_seconds(c->step_begin);
    c->step.read = all_read(c) - c->step.read;
    c->step.written = all_written(c) - c->step.written;
    if (r->steps < ORDO_EXTERNAL_STEPS)
        r->step[r->steps] = c->step;
    r->steps++;
    c->step.name[0] = 0;
}

void external_phase(external_call *c, const char *name, uint64_t bytes)
{
    end_phase(c);
    c->step = (ordo_external_step){.read = all_read(c), .written = all_written(c)};
    strncpy(c->step.name, name, sizeof c->step.name - 1);
    c->step_bytes = bytes;
    c->step_begin = api_clock_ticks();
}

/* Tells the caller's function what the call is doing. */
static void tell_phase(external_call *c)
{
    if (c->opts.watch == NULL || c->step.name[0] == 0)
        return;
    c->opts.watch(c->opts.watch_user,
                  &ORDO_OPTS(ordo_external_phase, .name = c->step.name,
                             .done = all_read(c) - c->step.read, .all = c->step_bytes,
                             .seconds = external_seconds(c->step_begin)));
}

static int watch_inner(void *user, double done)
{
    external_call *const c = user;
    (void)done;
    tell_phase(c);
    return ordo_poll(c->exec, share_done(c)) ? 1 : 0;
}

ordo_status external_begin(external_call *c)
{
    bool const given = c->opts.directory_count > 0;
    c->directory = spill_default();
    bool const kept = c->opts.resume_directory != NULL;
    spill_init(&c->spill,
               kept    ? &c->opts.resume_directory
               : given ? c->opts.directories
                       : &c->directory,
               given && !kept ? (unsigned)c->opts.directory_count : 1,
               (c->opts.flags & ORDO_SPILL_IN_MEMORY) != 0, &c->failure);
    c->spill.kept = kept;
    TRY(api_sibling(c->ctx,
                    &ORDO_OPTS(ordo_ctx_opts, .where = (uint32_t)c->ctx->plan.where,
                               .threads = c->exec->threads, .progress = watch_inner,
                               .progress_user = c),
                    &c->inner));
    c->inner->arena.lean = true; /* opts.memory has room for the scratch of one call */
    return ORDO_OK;
}

void external_end(external_call *c)
{
    ordo_ctx_free(c->inner);
    spill_close(&c->spill);
    external_free_buffers(c);
}

ordo_status external_status(external_call *c)
{
    ordo_status const status = (ordo_status)atomic_load(&c->failure.status);
    return status == ORDO_OK ? ORDO_OK : ordo_fail(c->exec, status, "%s", c->failure.text);
}

void external_adopt(external_call *c, external_call *part)
{
    ordo_external_report *const to = &c->report, *const from = &part->report;
    end_phase(c);
    end_phase(part);
    for (uint64_t i = 0; i < from->steps; i++, to->steps++)
        if (to->steps < ORDO_EXTERNAL_STEPS && i < ORDO_EXTERNAL_STEPS)
            to->step[to->steps] = from->step[i];
    to->runs += from->runs;
    to->levels += from->levels;
    to->ranges += from->ranges;
    to->unpacked += from->unpacked;
    to->packed += from->packed;
    atomic_fetch_add(&c->spill.written, atomic_load(&part->spill.written));
    atomic_fetch_add(&c->spill.read, atomic_load(&part->spill.read));
}

ordo_status external_report(external_call *c)
{
    end_phase(c);
    c->report.n = atomic_load(&c->read);
    c->report.read = all_read(c);
    c->report.written = all_written(c);
    c->report.spilled = atomic_load(&c->spill.written);
    c->report.memory = c->opts.memory;
    if (c->wanted == NULL)
        return ORDO_OK;
    return api_copy_out(c->exec, c->wanted, &c->report, sizeof c->report);
}

/* ---- Steps ---- */

/* Calls the source's function until `bytes` bytes have arrived or the data end. */
static bool call_source(external_call *c, char *into, size_t bytes, size_t *got)
{
    for (*got = 0; *got < bytes && !failure_seen(&c->failure);) {
        ptrdiff_t const now = c->from.read(c->from.user, into + *got, bytes - *got);
        if (now == 0)
            return true;
        if (now < 0 || (size_t)now > bytes - *got)
            return failure_record_errno(&c->failure, now < 0 ? errno : EINVAL, "reading %s failed",
                                        c->from.name);
        *got += (size_t)now;
    }
    return !failure_seen(&c->failure);
}

bool external_read_bytes(external_call *c, char *into, size_t bytes, size_t *got)
{
    bool const ok = c->from.read != NULL
                        ? call_source(c, into, bytes, got)
                        : read_fully(c->from.fd, c->from.name, into, bytes, got, &c->failure);
    if (ok)
        atomic_fetch_add(&c->bytes_in, *got);
    if (ok && c->sums && c->from.read == NULL)
        c->sum_in = crc32c_more(c->sum_in, into, *got);
    return ok;
}

bool external_read(external_call *c, char *elements, size_t *n)
{
    size_t const size = c->kind.size, bytes = c->capacity * size;
    size_t       got;
    if (!external_read_bytes(c, elements, bytes, &got))
        return false;
    *n = got / size;
    if (got % size != 0)
        return failure_record(&c->failure, ORDO_E_ARG,
                              "%s ends inside an element: %zu bytes follow element %llu; expected "
                              "a multiple of %zu bytes",
                              c->from.name, got % size,
                              (unsigned long long)(atomic_load(&c->read) + *n), size);
    atomic_fetch_add(&c->read, *n);
    return true;
}

bool external_write(external_call *c, const void *results, size_t bytes)
{
    const char *const from = results;
    atomic_fetch_add(&c->bytes_out, bytes);
    if (c->sums && c->to.write == NULL)
        c->sum_out = crc32c_more(c->sum_out, results, bytes);
    if (c->to.write == NULL)
        return write_fully(c->to.fd, c->to.name, from, bytes, &c->failure);
    for (size_t done = 0; done < bytes && !failure_seen(&c->failure);) {
        ptrdiff_t const now = c->to.write(c->to.user, from + done, bytes - done);
        if (now <= 0 || (size_t)now > bytes - done)
            return failure_record_errno(&c->failure, now < 0 ? errno : EINVAL, "writing %s failed",
                                        c->to.name);
        done += (size_t)now;
    }
    return !failure_seen(&c->failure);
}

ptrdiff_t external_hand_on(external_call *c, external_call *from)
{
    failure *const f = &from->failure;
    failure_record(&c->failure, (ordo_status)atomic_load(&f->status), "%s", f->text);
    errno = EIO;
    return -1;
}

bool external_inner_done(external_call *c, ordo_status status)
{
    return status == ORDO_OK ||
           failure_record(&c->failure, status, "%s", ordo_last_error(c->inner));
}

bool external_sort_piece(external_call *c, const piece *p)
{
    const element_kind *const kind = &c->kind;
    ordo_sort_opts const      opts =
        ORDO_OPTS(ordo_sort_opts, .flags = kind->descending ? ORDO_DESCENDING : 0);
    return external_inner_done(c, kind->keys_only
                                      ? ordo_sort(c->inner, kind->type, p->elements, p->n, &opts)
                                      : ordo_sort_records(c->inner, p->elements, p->n, kind->size,
                                                          kind->key_offset, kind->type, &opts));
}

bool external_check_space(external_call *c, uint64_t first)
{
    if (c->source_bytes <= first)
        return true;
    double const packed = (double)atomic_load(&c->spill.written) / (double)first;
    return spill_check_space(&c->spill, (uint64_t)(packed * (double)(c->source_bytes - first)));
}

static bool goes_on(void *owner)
{
    external_call *const c = owner;
    tell_phase(c);
    return !ordo_poll(c->exec, share_done(c));
}

bool external_goes_on(external_call *c)
{
    return goes_on(c) || failure_record(&c->failure, ORDO_E_CANCELLED, "cancelled");
}

bool external_pipeline(external_call *c, void *user, bool (*read)(void *, piece *),
                       bool (*work)(void *, piece *), bool (*write)(void *, const piece *))
{
    double         busy[PIPELINE_BUFFERS] = {0};
    pipeline const p = {.read = read,
                        .work = work,
                        .write = write,
                        .user = user,
                        .goes_on = goes_on,
                        .owner = c,
                        .buffers = {c->buffers[0], c->buffers[1], c->buffers[2]},
                        .failure = &c->failure,
                        .busy = busy};
    bool const     ok = pipeline_run(&p);
    c->step.read_busy += busy[0];
    c->step.work_busy += busy[1];
    c->step.write_busy += busy[2];
    return ok;
}
