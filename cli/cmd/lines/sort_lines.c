/* sort_lines.c - `ordo sort` of lines: the options of sort(1), in the C locale. */
#define _DEFAULT_SOURCE /* getentropy */

#include "cli/cmd/lines/sort_lines.h"

#include "cli/base/as_sort.h"
#include "cli/cmd/external/external.h"
#include "cli/lines/key_encode.h"
#include "cli/lines/line_sort.h"
#include "ordo_external_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* In memory a sort of whole lines holds the text, for each line its first bytes and its place (16
 * bytes) and the scratch of a sort of pairs (36), and perhaps the mapped output. A sort by keys
 * holds the text, the offsets of the lines (8), their order (4), the scratch of the string sort
 * (32), the bytes of the keys, up to twice while they are copied together, and their offsets
 * (8). */
enum {
    WHOLE_LINE = 16 + 36,        /* of memory for each line */
    KEYED_LINE = 8 + 4 + 32 + 8, /* the same with keys */
    KEYED_TEXT = 4,              /* times the text: itself, keys, and keys while they are copied */
    KEY_TEXT = 6,                /* the same of a key of any kind: -V takes most */
    SEED_BYTES = 64,             /* of --random-source that make the seed */
    SORT_LEAST = 64 << 20,       /* bytes: sort(1) takes longer lines than a smaller limit allows */
    SORT_SEED_BYTES = 16,        /* of --random-source that sort(1) needs */
    AHEAD_SHARE = 8,             /* of the limit that the beginning of a pipe may take, */
    AHEAD_LEAST = 1 << 20        /* and bytes that it always may */
};

/* The options that order lines by all keys, and the places of their flags in the options. */
static const struct {
    char   option[3];
    size_t at;
} ordering[] = {{"-b", offsetof(options, line.blanks)}, {"-d", offsetof(options, line.dictionary)},
                {"-f", offsetof(options, line.fold)},   {"-g", offsetof(options, line.general)},
                {"-h", offsetof(options, line.human)},  {"-i", offsetof(options, line.printable)},
                {"-M", offsetof(options, line.month)},  {"-n", offsetof(options, line.numeric)},
                {"-R", offsetof(options, line.random)}, {"-V", offsetof(options, line.version)},
                {"-r", offsetof(options, descending)}};

enum {
    ORDERINGS = sizeof ordering / sizeof ordering[0]
};

static bool is_given(const options *o, size_t i)
{
    return *(const bool *)((const char *)o + ordering[i].at);
}

/* The letters of these options; each at most once. */
static void make_letters(const options *o, char *letters)
{
    static const char words[] = "ghMnRV"; /* of --sort */

    for (size_t i = 0; i < ORDERINGS; i++) {
        const char  letter = ordering[i].option[1];
        const char *word = strchr(words, letter);
        if (is_given(o, i) || (word != NULL && (o->line.words >> (word - words) & 1) != 0))
            *letters++ = letter;
    }
    *letters = '\0';
}

const char *ordering_option(const options *o)
{
    for (size_t i = 0; i < ORDERINGS - 1; i++)
        if (is_given(o, i))
            return ordering[i].option;
    return o->line.words != 0 ? "--sort" : NULL;
}

const char *lines_option(const options *o)
{
    const line_flags *const f = &o->line;
    const char *const       ordered = ordering_option(o);
    const bool              numbers = o->dtype != NULL || o->from != 0 || o->skip_bad || o->fasta;

    return o->text                 ? "--text"
           : ordered != NULL       ? ordered
           : f->keys.n > 0         ? "-k"
           : f->separator          ? "-t"
           : f->zero               ? "-z"
           : f->merge              ? "-m"
           : f->debug              ? "--debug"
           : o->stable && !numbers ? "-s"
                                   : NULL;
}

/* The seed of -R: --seed, the first bytes of --random-source, or a random one. False after a
 * message. */
static bool make_seed(const line_flags *f, uint64_t *seed)
{
    source s;

    *seed = f->seed;
    if (f->random_file == NULL)
        return f->seed != OPTION_UNSET || getentropy(seed, sizeof *seed) == 0 ||
               cli_fail("sort: -R: the system gives no random bytes; give --seed N");
    bool ok = source_open(&s, f->random_file) && source_fill(&s, SEED_BYTES);
    if (ok && cli_is_sort() && s.end < SORT_SEED_BYTES)
        ok = cli_fail("%s: end of file", sort_name_quoted(f->random_file));
    if (ok && s.end == 0)
        ok = cli_fail("%s: --random-source needs at least one byte, but the file is empty", s.name);
    *seed = 0;
    for (size_t i = 0; ok && i < s.end && i < SEED_BYTES; i++)
        *seed = (*seed ^ (unsigned char)s.block[i]) * UINT64_C(0x100000001b3) + 1;
    source_close(&s);
    return ok;
}

/* What is wrong with the options of lines, as `wrong` returns it. */
const char *lines_wrong(execution *e)
{
    const options *const    o = &e->o;
    const line_flags *const f = &o->line;
    char                    letters[16];

    make_letters(o, letters);
    bool random = strchr(letters, 'R') != NULL;
    for (size_t i = 0; i < f->keys.n; i++)
        random |= strchr(f->keys.texts[i], 'R') != NULL;
    if (!cli_is_sort() && !random && (f->random_file != NULL || f->seed != OPTION_UNSET))
        return "--seed and --random-source need -R";
    if (f->random_file != NULL && f->seed != OPTION_UNSET)
        return "--seed and --random-source cannot be used together";
    if (!cli_is_sort() && o->check && f->debug)
        return "--debug shows sorted lines: it cannot be used with --check";
    line_request request = {.letters = letters,
                            .keys = f->keys.texts,
                            .n = f->keys.n,
                            .separator = f->separator,
                            .zero = f->zero,
                            .stable = o->stable,
                            .unique = o->unique};
    return (!random || make_seed(f, &request.seed)) && line_order_make(&request, &e->order) ? NULL
                                                                                            : "";
}

/* Says that the order of the locale is not used, where a person may read it. */
static void note_locale(const execution *e)
{
    static const char *const names[] = {"LC_ALL", "LC_COLLATE", "LANG"};
    const char              *value = NULL, *name = NULL;

    for (size_t i = 0; (value == NULL || value[0] == '\0') && i < 3; i++)
        value = getenv(name = names[i]);
    const bool other = value != NULL && value[0] != '\0' && strcmp(value, "C") != 0 &&
                       strncmp(value, "C.", 2) != 0 && strcmp(value, "POSIX") != 0;
    if (other && (e->o.line.debug || isatty(STDERR_FILENO)))
        cli_error("sort: lines are compared byte by byte, as in the C locale; %s=%s is not used",
                  name, cli_quoted(value));
    else if (e->o.line.debug)
        cli_error("sort: lines are compared byte by byte");
}

unsigned thread_count(const execution *e)
{
    ordo_info info = ORDO_OPTS(ordo_info, .isa = NULL);
    return ordo_ctx_info(e->ctx, &info) == ORDO_OK ? info.threads : 1;
}

static bool show_index(execution *e, ordo_type type, const void *index, size_t n)
{
    const lines *const l = &e->lines;
    bool               ok = true;

    for (size_t i = 0; ok && i < n; i++) {
        const size_t line = index_at(type, index, i);
        ok = line_show_keys(&e->order, l->bytes + l->offsets[line],
                            (size_t)(l->offsets[line + 1] - l->offsets[line]), &e->out);
    }
    return ok;
}

/* ---- In memory ---- */

/* Sorts into index, drops ties where asked for, and writes. */
static bool write_order(execution *e, line_keys *keys, ordo_type type, void *index,
                        const ordo_sort_opts *opts)
{
    const ordo_strings strings = lines_strings(&e->lines);
    size_t             n = e->n;

    call_begin("sorting");
    const bool ok =
        call_done(e, "sort",
                  e->order.n > 0 ? line_sort(e->ctx, &e->order, &e->lines, keys, type, index, opts)
                                 : ordo_argsort_strings(e->ctx, &strings, n, type, index, opts));
    if (ok && e->o.unique)
        n = line_unique(&e->lines, keys, type, index);
    return ok && finish_output(e, e->o.line.debug
                                      ? show_index(e, type, index, n)
                                      : lines_write_index(&e->lines, type, index, n, &e->out));
}

/* Lines that are whole numbers, each as ordo writes it: the numbers are enough. */
static bool sort_plain(execution *e, plain_numbers *numbers, ordo_sort_opts opts)
{
    opts.flags &= ~(uint64_t)ORDO_DESCENDING;
    opts.flags |= e->order.keys[0].reverse ? ORDO_DESCENDING : 0;
    e->n = numbers->n;
    timing_mark(&e->t, "read");
    call_begin("sorting");
    bool ok =
        call_done(e, "sort", ordo_sort(e->ctx, numbers->type, numbers->values, numbers->n, &opts));
    if (ok && e->o.unique)
        numbers->n = drop_ties(numbers->type, numbers->values, numbers->n);
    progress_start("writing");
    ok = ok && finish_output(e, output_text(&e->out, numbers->type, numbers->values, numbers->n,
                                            e->order.line_end, NULL, NULL));
    progress_end();
    free(numbers->values);
    return ok;
}

static bool sort_in_memory(execution *e, ordo_sort_opts opts)
{
    line_keys keys = {.words.words = NULL};

    e->n = e->lines.n;
    const ordo_type type = index_type(0, e->n);
    timing_mark(&e->t, "read");
    if (e->order.n > 0)
        opts.flags &= ~(uint64_t)ORDO_DESCENDING; /* the keys hold the direction */
    progress_start("reading keys");
    bool ok = line_keys_make(&e->order, &e->lines, thread_count(e), &keys);
    progress_end();
    if (e->order.n > 0)
        timing_mark(&e->t, "keys");
    void *const index = ok ? new_results(e, type, e->n, "the order of the lines") : NULL;
    if (index != NULL && !e->o.unique && !e->o.line.debug)
        output_reserve(&e->out, lines_size(&e->lines));
    ok = index != NULL && write_order(e, &keys, type, index, &opts);
    line_keys_free(&keys);
    return ok;
}

/* Whole lines, by their first bytes. PREFIX_TOO_LONG: nothing was done. */
static prefix_result sort_prefixes(execution *e, line_prefixes *p, const ordo_sort_opts *opts)
{
    const prefix_result made = line_prefix_cut(p);

    if (made != PREFIX_MADE)
        return made;
    e->n = p->n;
    timing_mark(&e->t, "read");
    if (!e->o.unique)
        output_reserve(&e->out, p->length);
    call_begin("sorting");
    bool ok = call_done(e, "sort", line_prefix_sort(e->ctx, p, opts));
    if (ok && e->o.unique)
        line_prefix_unique(p);
    ok = ok && finish_output(e, line_prefix_write(p, &e->out));
    line_prefix_free(p);
    return ok ? PREFIX_MADE : PREFIX_FAILED;
}

/* ---- Larger than memory ---- */

typedef struct piece_job { /* the user of the callbacks */
    execution *e;
    source    *from;
    bool       read_failed, write_failed; /* after a message */
} piece_job;

/* As ordo_line_format.key. */
static ptrdiff_t encode(void *user, const char *line, size_t length, void *into, size_t room)
{
    const piece_job *const job = user;
    key_bytes              out = {.data = into, .capacity = room, .fixed = true};

    return (ptrdiff_t)(key_encode(&job->e->order, line, length, &out) ? out.used : out.wanted);
}

/* As ordo_source.read. */
static ptrdiff_t read_in(void *user, void *into, size_t bytes)
{
    piece_job *const job = user;
    size_t           got;

    job->read_failed = !source_read(job->from, into, bytes, &got);
    errno = EIO;
    return job->read_failed ? -1 : (ptrdiff_t)got;
}

/* As ordo_sink.write. */
static ptrdiff_t write_out(void *user, const void *from, size_t bytes)
{
    piece_job *const job = user;

    job->write_failed = !output_bytes(&job->e->out, from, bytes);
    errno = EIO;
    return job->write_failed ? -1 : (ptrdiff_t)bytes;
}

/* bytes: of the text; UINT64_MAX: not known. */
static bool sort_in_pieces(execution *e, source *from, uint64_t bytes, uint64_t limit)
{
    ordo_external_report   report = ORDO_OPTS(ordo_external_report, .n = 0);
    ordo_external_opts     opts = pieces_opts(e, limit, pieces_own(e, from) + from->end);
    piece_job              job = {.e = e, .from = from};
    const bool             keyed = e->order.n > 0;
    const ordo_line_format format =
        ORDO_OPTS(ordo_line_format, .key = keyed ? encode : NULL,
                  .end = (unsigned char)e->order.line_end, .user = &job);

    opts.flags = (e->o.unique ? ORDO_UNIQUE : 0) | (cli_is_sort() ? ORDO_SPILL_IN_MEMORY : 0) |
                 (!keyed && e->order.reverse ? ORDO_DESCENDING : 0);
    opts.most_runs = e->o.line.batch;
    /* Not call_begin(): a signal ends the process at once, because a thread may wait for input. */
    progress_start("sorting");
    const ordo_status status = ordo_external_sort_lines(
        e->ctx, &format,
        &ORDO_OPTS(ordo_source, .read = read_in, .user = &job,
                   .bytes = bytes != UINT64_MAX ? bytes + e->path_count : 0, .name = "the input"),
        &ORDO_OPTS(ordo_sink, .write = write_out, .user = &job, .name = e->out.name), &opts,
        &report);
    return pieces_finish(e, pieces_called(e, status, job.read_failed || job.write_failed), &report);
}

bool sort_text(execution *e, size_t length, const lines_request *request, bool may_be_plain,
               const ordo_sort_opts *opts)
{
    plain_numbers numbers;

    if (may_be_plain && line_plain_text(&e->lines, length, &numbers) == PLAIN_MADE)
        return sort_plain(e, &numbers, *opts);
    line_prefixes prefixes = {.text = e->lines.bytes,
                              .length = length,
                              .line_end = request->line_end,
                              .threads = request->threads};
    if (e->order.n == 0 && !e->o.line.debug && opts->algorithm == ORDO_ALGORITHM_AUTO &&
        line_prefix_fits(&prefixes)) {
        const prefix_result done = sort_prefixes(e, &prefixes, opts);
        if (done != PREFIX_TOO_LONG)
            return done == PREFIX_MADE;
    }
    return lines_cut(&e->lines, length, request->threads) && sort_in_memory(e, *opts);
}

/* Sorts files in memory. */
static bool sort_files(execution *e, const lines_request *request, const ordo_sort_opts *opts)
{
    const bool    may_be_plain = line_plain_fits(&e->order) && !e->o.line.debug;
    plain_numbers numbers;
    size_t        length;

    const plain_result plain = may_be_plain ? line_plain_files(request, &numbers) : PLAIN_NOT;
    if (plain == PLAIN_MADE)
        return sort_plain(e, &numbers, *opts);
    return lines_load(request, &e->lines, &length) &&
           sort_text(e, length, request, plain == PLAIN_UNSEEN, opts);
}

/* The bytes that a sort in memory takes for so many bytes and lines: about, or with `most`
 * at most. */
static uint64_t memory_needed(const line_order *order, uint64_t bytes, uint64_t count, bool most)
{
    const double text = (double)bytes, n = (double)count;
    const double copies = most ? 1 + (double)order->n * KEY_TEXT : KEYED_TEXT;
    const double needed = order->n > 0 ? text * copies + n * KEYED_LINE : 2 * text + n * WHOLE_LINE;

    return needed < 1e18 ? (uint64_t)needed : UINT64_MAX;
}

/* Whether files of `size` bytes can be sorted in memory. A limit that was given holds for lines of
 * any length: if that matters, they are counted. Otherwise the first lines are an estimate. */
static bool fits_memory(const execution *e, const lines_request *request, uint64_t size,
                        uint64_t limit)
{
    const bool asked = e->o.line.memory != 0;
    char       sample[PIECES_SAMPLE];

    if (!asked) {
        const size_t got = pieces_sample(request->paths[0], sample);
        const size_t ends = lines_count_ends(sample, got, request->line_end) + 1;
        const double n = got > 0 ? (double)size * (double)ends / (double)got : 1;
        return memory_needed(&e->order, size, (uint64_t)n, false) <= limit;
    }
    return memory_needed(&e->order, size, 0, true) <= limit &&
           (memory_needed(&e->order, size, size, true) <= limit ||
            memory_needed(&e->order, size,
                          source_lines(request->paths, request->n, request->line_end),
                          true) <= limit);
}

/* Whether a text of unknown size, of which s->block has the beginning, can be sorted in memory. */
static bool beginning_fits(const execution *e, const source *s, uint64_t limit)
{
    const bool   asked = e->o.line.memory != 0;
    const size_t n = lines_count_ends(s->block, s->end, s->line_end);

    return s->ended && memory_needed(&e->order, s->end, n, asked) <=
                           limit + (asked ? 0 : AHEAD_LEAST * AHEAD_SHARE);
}

/* Sorts in memory if that stays within the limit. The size of a pipe is not known: its beginning is
 * read first. */
static bool sort_by_size(execution *e, const lines_request *request, const ordo_sort_opts *opts)
{
    const uint64_t limit = pieces_limit(e->o.line.memory);
    const uint64_t size = source_bytes(request->paths, request->n);
    source         s;

    if (e->o.line.debug || (size != UINT64_MAX && fits_memory(e, request, size, limit)))
        return sort_files(e, request, opts);
    progress_start("reading");
    bool ok =
        source_open_lines(&s, request->paths, request->n, request->line_end, request->option) &&
        (size != UINT64_MAX || source_fill(&s, (size_t)(limit / AHEAD_SHARE) + AHEAD_LEAST));
    progress_end();
    if (ok && size == UINT64_MAX && beginning_fits(e, &s, limit)) {
        e->lines = (lines){.line_end = request->line_end, .bytes = source_take(&s), .name = s.name};
        ok = sort_text(e, s.end, request, line_plain_fits(&e->order), opts);
    } else if (e->o.line.compressor != NULL) {
        ok = ok && sort_in_runs(e, &s, request, limit, opts);
    } else {
        ok = ok && sort_in_pieces(e, &s, size, sort_memory(e));
    }
    source_close(&s);
    return ok;
}

uint64_t sort_memory(const execution *e)
{
    const uint64_t limit = pieces_limit(e->o.line.memory);

    return cli_is_sort() && limit < SORT_LEAST ? SORT_LEAST : limit;
}

merge_request sort_merge_request(const execution *e, const lines_request *request)
{
    return (merge_request){.order = &e->order,
                           .files = *request,
                           .unique = e->o.unique,
                           .debug = e->o.line.debug,
                           .memory = sort_memory(e),
                           .batch = e->o.line.batch,
                           .folder = e->o.directories.n > 0 ? e->o.directories.texts[0] : NULL,
                           .program = e->o.line.compressor};
}

static bool merge_files(execution *e, const lines_request *request)
{
    const merge_request merge = sort_merge_request(e, request);
    const bool          ok = line_merge(&merge, &e->out);

    timing_mark(&e->t, "merge");
    return finish_output(e, ok) && ok;
}

bool sort_lines(execution *e, ordo_sort_opts opts)
{
    const lines_request request = {.paths = e->paths,
                                   .n = e->path_count,
                                   .line_end = e->order.line_end,
                                   .option = e->o.text_option,
                                   .threads = thread_count(e)};

    if (!cli_is_sort())
        note_locale(e);
    return e->o.line.merge ? merge_files(e, &request) : sort_by_size(e, &request, &opts);
}
