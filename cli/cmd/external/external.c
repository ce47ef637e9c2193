/* external.c - commands on data larger than memory: when, and the calls of the library.
 *
 * A regular file goes through the library's external calls if memory for all of it would exceed the
 * limit of -S. Other inputs do so always, because their size is not known. Records are always
 * handled here. The external calls use no disk if the data fit. */
#define _XOPEN_SOURCE 700

#include "cli/cmd/external/external.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* Bytes of memory that a command takes for a byte of its file, at most. A digit and a newline
     * become a number of 8 bytes, its index, and scratch for both. */
    MEMORY_OF_BYTE = 16
};

typedef struct external {
    execution           *e;
    external_input       in;
    external_output      out;
    ordo_elements        elements;
    ordo_source          from;
    ordo_sink            to;
    ordo_external_opts   opts;
    ordo_external_report report;
    char                *resume;   /* the directory of --resume */
    char                 part[40]; /* the name of its output until that is complete */
} external;

/* ---- When ---- */

static const char *records_wrong(const options *o)
{
    const int type = o->key_type != NULL ? ordo_type_parse(o->key_type) : 0;

    if (o->record_size == 0)
        return o->key_type != NULL || o->key_offset != 0
                   ? "--key-type and --key-offset need --record-size"
                   : NULL;
    if (o->key_type == NULL)
        return "--record-size needs --key-type: " NAMES_TYPES_OR;
    if (type != 0 && (o->record_size < ordo_type_size((ordo_type)type) ||
                      o->key_offset > o->record_size - ordo_type_size((ordo_type)type)))
        return "the key at --key-offset does not end inside --record-size bytes";
    if (o->dtype != NULL || o->text || o->fasta || o->from != FORMAT_AUTO || o->check ||
        o->groups_file != NULL || o->index || o->with_index || o->nans != 0)
        return "--record-size reads raw records: it cannot be used with --dtype, --from, --text, "
               "--fasta, --check, --groups, --index, --with-index and --nans";
    return format_asked(o) == FORMAT_NPY || o->format == FORMAT_TEXT
               ? "--record-size writes raw records: the only --format is raw"
               : NULL;
}

/* Whether other arrays take part, which are read into memory. */
static bool is_beside(const options *o)
{
    return o->groups_file != NULL || o->then_files != NULL || o->weights_file != NULL;
}

const char *external_wrong(const execution *e)
{
    const options *const o = &e->o;
    const char *const    records = records_wrong(o);

    if (records != NULL)
        return records;
    if (o->resume && (strings_option(o) != NULL || csv_option(o) != NULL))
        return "--resume is for npy, raw and record files";
    if (o->resume && (is_beside(o) || o->check || o->sorted || o->algorithm != 0))
        return "--resume cannot be used with --groups, --then, --weights, --check, --sorted and "
               "--algorithm";
    return NULL;
}

uint64_t external_limit(const execution *e)
{
    const uint64_t limit = pieces_limit(e->o.common.memory_limit);

    return limit < EXTERNAL_LEAST ? EXTERNAL_LEAST : limit;
}

/* Whether numbers may be handled in pieces. */
static bool may_take(const execution *e)
{
    const options *const o = &e->o;
    const bool special = o->check || o->sorted || o->algorithm != 0 || profile_wanted(&o->common) ||
                         ((o->index || o->with_index) && e->command != &command_topk);

    return (e->command->flags & EXTERNAL) != 0 && strings_option(o) == NULL &&
           csv_option(o) == NULL && !is_beside(o) && !special;
}

const char *external_memory_hint(const execution *e)
{
    const options *const o = &e->o;
    const bool           lines_fit =
        o->text && !o->line.debug && (e->command == &command_sort || e->command == &command_unique);

    if (o->common.memory_limit != 0 || o->line.memory != 0)
        return "; -S is the limit";
    return may_take(e) || lines_fit || csv_option(o) != NULL
               ? "; give -S SIZE: what does not fit goes to temporary files"
               : "";
}

bool external_takes(const execution *e)
{
    const options *const o = &e->o;

    if ((e->command->flags & EXTERNAL) == 0 || strings_option(o) != NULL || csv_option(o) != NULL)
        return false;
    if (o->record_size != 0 || o->resume)
        return true;
    if (!may_take(e) || (o->common.memory_limit == 0 && o->directories.n == 0))
        return false;
    const uint64_t bytes = source_bytes(e->paths, e->path_count);
    return bytes == UINT64_MAX || bytes > external_limit(e) / MEMORY_OF_BYTE;
}

/* ---- Calls ---- */

/* The directory of --resume: its name depends on the command, the input and the output. The folder
 * of -T is made if it does not exist. Binary results in a regular file are kept too, beside the
 * output, unless the library writes them only at the end (rank) or the command changes them. */
static bool name_resume(external *x)
{
    const execution *const e = x->e;
    const char *const      folder = pieces_folder(e);
    struct stat            st;
    uint64_t               hash = UINT64_C(14695981039346656037); /* FNV-1a */

    if (fstat(x->in.s.fd, &st) != 0 || !S_ISREG(st.st_mode) || x->in.bytes == 0 || x->in.swapped)
        return cli_fail("%s: --resume needs one regular file that is npy, raw or records",
                        x->in.s.name);
    char text[256];
    snprintf(text, sizeof text, "%s %llu %llu %d %d %llu %llu ", e->command->name,
             (unsigned long long)st.st_dev, (unsigned long long)st.st_ino, e->o.descending,
             e->o.unique, (unsigned long long)e->o.record_size,
             (unsigned long long)e->o.key_offset);
    const char *const parts[] = {text, e->out.target != NULL ? e->out.target : ""};
    for (size_t i = 0; i < 2; i++)
        for (const char *c = parts[i]; *c != '\0'; c++)
            hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    const size_t size = strlen(folder) + 64;
    x->resume = malloc(size);
    if (x->resume == NULL)
        return cli_fail("not enough memory");
    snprintf(x->resume, size, "%s/ordo-resume-%016llx", folder, (unsigned long long)hash);
    snprintf(x->part, sizeof x->part, ".ordo-part-%016llx", (unsigned long long)hash);
    x->opts.resume_directory = x->resume;
    if (e->o.directories.n > 0)
        (void)mkdir(folder, 0777); /* the library names a folder that cannot be used */
    if (!e->out.replaces || e->out.pack != CODEC_NONE || e->out.format == FORMAT_TEXT ||
        e->command == &command_rank || e->o.one_based)
        return true;
    x->out.kept = true;
    return output_keep(&x->e->out, x->part);
}

/* Begins a library call. A signal cancels a sort with --resume, so that a message can say where its
 * parts are. Other work it ends at once: a thread may wait for a pipe, and files without names need
 * no clean-up. */
static void begin(const external *x)
{
    if (x->e->o.resume)
        call_begin(x->e->command->name);
    else
        progress_start(x->e->command->name);
}

/* After a failure: says where the parts of the result are, or drops them if there are none. */
static void keep_or_drop(external *x, ordo_status status)
{
    const bool kept = access(x->resume, F_OK) == 0;

    if (!kept && x->out.kept)
        temp_keep(&x->e->out.temp, false);
    if (kept && status != ORDO_E_ARG)
        cli_error("%s: the sorted parts are in %s%s%s: give the same command again to go on, or "
                  "remove them",
                  x->e->command->name, x->resume, x->out.kept ? " and " : "",
                  x->out.kept ? x->e->out.temp.path : "");
}

/* Ends a library call. What a callback found wrong is a better message than that of the library. */
static bool ended(external *x, ordo_status status)
{
    const bool ok = status == ORDO_OK;
    if (!ok && (x->in.why[0] != '\0' || x->out.told)) {
        (void)call_end(ORDO_OK);
        if (x->in.why[0] != '\0' && x->in.why[0] != '\n')
            cli_error("%s", x->in.why);
        return false;
    }
    const bool dies = signals_pending(); /* in call_end() */
    if (!ok && x->resume != NULL && dies)
        keep_or_drop(x, status);
    if (!call_end(status)) {
        if (x->resume != NULL)
            keep_or_drop(x, status);
        return false;
    }
    timing_mark(&x->e->t, x->e->command->name);
    return true;
}

static ordo_status call(external *x)
{
    const execution *const e = x->e;

    if (e->command == &command_argsort)
        return ordo_external_argsort(e->ctx, &x->elements, &x->from, x->out.type, &x->to, &x->opts,
                                     &x->report);
    if (e->command == &command_rank)
        return ordo_external_rank(e->ctx, &x->elements, &x->from, (ordo_ties)e->o.ties, x->out.type,
                                  &x->to, &x->opts, &x->report);
    if (e->command == &command_topk)
        return ordo_external_topk(e->ctx, &x->elements, &x->from, e->o.k, &x->to, &x->opts,
                                  &x->report);
    return ordo_external_sort(e->ctx, &x->elements, &x->from, &x->to, &x->opts, &x->report);
}

/* Makes a call that writes `expected` results of a type (UINT64_MAX: not known). */
static bool stream(external *x, ordo_type type, uint64_t expected)
{
    external_output *const out = &x->out;

    out->in = &x->in;
    out->type = type;
    if (out->element == 0)
        out->element = ordo_type_size(type);
    if (!external_output_open(out, x->e, expected, &x->to))
        return false;
    begin(x);
    return ended(x, call(x)) && pieces_finish(x->e, external_output_end(out), &x->report);
}

static bool sort(external *x)
{
    const options *const o = &x->e->o;

    x->out.lines = x->in.lines;
    x->out.unique = o->unique;
    x->out.element = x->in.element;
    if (x->in.lines) {
        x->elements.type = ORDO_U64;
        x->elements.size = x->in.element;
    } else {
        x->opts.flags |= descending_flag(x->e) | (o->unique ? ORDO_UNIQUE : 0);
    }
    return stream(x, x->in.type, o->unique ? UINT64_MAX : x->in.n);
}

/* As `ordo merge` in memory: each file must be sorted, then all are. */
static bool merge(external *x)
{
    execution *const e = x->e;

    for (size_t f = 0; f < e->path_count; f++)
        if (!check_file_sorted(e, e->paths[f]))
            return false;
    return sort(x);
}

static bool unique(external *x)
{
    execution *const e = x->e;
    tie_counter      ties;

    if (!e->o.only && !e->o.runs) {
        e->o.unique = true;
        return sort(x);
    }
    count_ties_begin(&ties, e, x->in.type);
    x->out.start = lseek(e->out.fd, 0, SEEK_CUR);
    x->opts.flags |= descending_flag(e);
    x->to = ORDO_OPTS(ordo_sink, .write = count_ties, .user = &ties, .name = e->out.name);
    begin(x);
    const ordo_status status = call(x);
    x->out.told = ties.told;
    return ended(x, status) && pieces_finish(x->e, count_ties_end(&ties), &x->report);
}

/* argsort and rank. */
static bool positions(external *x)
{
    const bool      known = x->in.n != UINT64_MAX;
    const ordo_type type = index_type(x->e->o.index_type, known ? (size_t)x->in.n : 0);

    x->out.add_one = x->e->o.one_based;
    x->opts.flags |= descending_flag(x->e);
    return stream(x, type, x->in.n);
}

/* topk --index and --with-index. */
static bool topk_index(external *x)
{
    const options *const   o = &x->e->o;
    external_output *const out = &x->out;
    const bool             known = x->in.n != UINT64_MAX && o->nans != ORDO_NANS_OMIT;
    indexed_keys *const    keys = cli_alloc(1, sizeof *keys, "a piece of the keys");

    if (keys == NULL)
        return false;
    out->in = &x->in;
    out->type = index_type(o->index_type, x->in.n != UINT64_MAX ? (size_t)x->in.n : 0);
    out->element = ordo_type_size(out->type);
    out->drop_nans = o->nans == ORDO_NANS_OMIT;
    if (o->with_index && x->e->out.format != FORMAT_TEXT) {
        free(keys);
        return cli_fail("topk: --with-index writes text only: leave out --format, or let the name "
                        "of the output file end in .txt");
    }
    bool ok = external_output_open(out, x->e,
                                   !known           ? UINT64_MAX
                                   : x->in.n < o->k ? x->in.n
                                                    : o->k,
                                   &x->to);
    external_index(keys, out, &x->from, &x->to, &x->elements);
    if (ok)
        begin(x);
    ok = ok && ended(x, call(x)) && pieces_finish(x->e, external_output_end(out), &x->report);
    free(keys);
    return ok;
}

static bool topk(external *x)
{
    const options *const o = &x->e->o;
    const bool           exact = o->nans != ORDO_NANS_OMIT && x->in.n != UINT64_MAX;
    const uint64_t       k = x->in.n < o->k ? x->in.n : o->k;

    x->opts.flags |= o->smallest ? 0 : ORDO_DESCENDING;
    if (o->index || o->with_index)
        return topk_index(x);
    x->out.drop_nans = o->nans == ORDO_NANS_OMIT;
    x->out.element = x->in.element;
    return stream(x, x->in.type, exact ? k : UINT64_MAX);
}

/* ---- Few results ---- */

static bool select_keys(external *x)
{
    const options *const o = &x->e->o;
    const uint64_t      *k = o->list;
    const size_t         size = ordo_type_size(x->in.type);
    uint64_t *const      places = new_results(x->e, ORDO_U64, o->count, "the places");
    char *const          keys = new_results(x->e, ORDO_U64, o->count, "the selected elements");

    if (places == NULL || keys == NULL)
        return false;
    for (size_t j = 0; j < o->count; j++) {
        if (k[j] > x->in.n)
            return cli_fail("select: -k %llu is too large; expected at most %llu, the number of "
                            "elements in %s",
                            (unsigned long long)k[j], (unsigned long long)x->in.n, x->in.s.name);
        places[j] = k[j] - 1;
    }
    x->opts.flags |= descending_flag(x->e);
    begin(x);
    if (!ended(x, ordo_external_select(x->e->ctx, &x->elements, &x->from, places, o->count, keys,
                                       &x->opts, &x->report)))
        return false;
    for (size_t j = 0; j < o->count && o->nans == ORDO_NANS_OMIT; j++)
        if (count_nans(x->in.type, keys + j * size, 1) > 0)
            return cli_fail("select: -k %llu is too large: %s has fewer elements that are not NaN",
                            (unsigned long long)k[j], x->in.s.name);
    return pieces_finish(x->e, put_measures(x->e, x->in.type, keys, o->count), &x->report);
}

static bool quantiles(external *x)
{
    const options *const o = &x->e->o;
    const ordo_method    method =
        o->method != NULL ? (ordo_method)ordo_method_parse(o->method) : ORDO_METHOD_DEFAULT;
    double *const values = new_results(x->e, ORDO_F64, o->count, "the quantiles");

    if (values == NULL)
        return false;
    begin(x);
    const ordo_status status =
        x->e->command == &command_median
            ? ordo_external_median(x->e->ctx, &x->elements, &x->from, values, (ordo_nans)o->nans,
                                   &x->opts, &x->report)
            : ordo_external_quantiles(x->e->ctx, &x->elements, &x->from, o->list, o->count, values,
                                      (ordo_nans)o->nans, method, &x->opts, &x->report);
    return ended(x, status) &&
           pieces_finish(x->e, put_measures(x->e, ORDO_F64, values, o->count), &x->report);
}

static bool run(external *x)
{
    const execution *const e = x->e;

    x->opts.flags = 0;
    x->elements =
        ORDO_OPTS(ordo_elements, .type = (uint32_t)x->in.type, .size = (size_t)e->o.record_size,
                  .key_offset = (size_t)e->o.key_offset);
    if (e->command == &command_select && e->o.nans == ORDO_NANS_PROPAGATE)
        return cli_fail("select: --nans propagate needs all data in memory: leave out -S");
    if (e->o.resume && !name_resume(x))
        return false;
    return e->command == &command_sort      ? sort(x)
           : e->command == &command_merge   ? merge(x)
           : e->command == &command_unique  ? unique(x)
           : e->command == &command_argsort ? positions(x)
           : e->command == &command_rank    ? positions(x)
           : e->command == &command_topk    ? topk(x)
           : e->command == &command_select  ? select_keys(x)
                                            : quantiles(x);
}

/* After a wrong guess about the text: reads all of the text, then begins again. */
static bool run_again(external *x)
{
    output *const out = &x->e->out;

    out->used = 0;
    if (x->out.start >= 0 && x->e->out.replaces &&
        (lseek(out->fd, x->out.start, SEEK_SET) < 0 || ftruncate(out->fd, x->out.start) != 0))
        return output_trouble(out, errno);
    x->out = (external_output){.e = x->e};
    return external_text_survey(&x->in) && external_rewind(&x->in, &x->from) && run(x);
}

/* Bytes that the command holds beside the call of the library. */
static uint64_t own_memory(const external_input *in)
{
    return pieces_own(in->e, &in->s) + (in->in_block ? in->s.end : 0) +
           (in->format == FORMAT_TEXT ? external_text_memory(in) : 0);
}

bool external_work(execution *e)
{
    const options *const o = &e->o;
    external             x = {.e = e};

    x.report.struct_size = sizeof x.report;
    bool ok = external_open(&x.in, e);
    timing_mark(&e->t, "open");
    e->in.format = x.in.format;
    if (o->record_size != 0)
        e->o.format = FORMAT_RAW;
    ok = ok && open_output(e) && external_rewind(&x.in, &x.from);
    x.opts = pieces_opts(e, external_limit(e), ok ? own_memory(&x.in) : 0);
    x.opts.watch_user = &x.in;
    ok = ok && (run(&x) || (x.in.guess_wrong && run_again(&x)));
    external_close(&x.in);
    free(x.resume);
    return ok;
}
