/* cmd_search.c - `ordo index` and `ordo search`: an FM-index of a text in a file, and where
 * patterns occur in that text. */
#define _GNU_SOURCE
#include "cli/cmd/text/search_lines.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char index_help[] =
    "Examples:\n"
    "  ordo index book.txt -o book.fm\n"
    "  ordo search book.fm whale --count\n\n"
    "Usage: ordo index [FILE] -o INDEX [options]\n"
    "Writes an index of a text with which ordo search finds patterns without the text. The text\n"
    "is all bytes of FILE, fewer than 2^32; stdin if FILE is '-' or not given. The index is\n"
    "a little smaller than a text of words. Memory: about 25 bytes for each byte of the text.\n\n"
    "Index:\n"
    "  -o, --output FILE the index; default: stdout, if that is not a terminal\n"
    "  --sample N        store every N-th position, 1 to 4096 (64): fewer make a smaller index\n"
    "                    and a slower search for positions\n";

static const char search_help[] =
    "Examples:\n"
    "  ordo search book.fm whale                 # the positions of whale, from 0\n"
    "  ordo search book.fm whale ship --count    # how often each of them occurs\n"
    "  ordo search book.fm -f words.txt --count\n"
    "  ordo search book.fm whale --context 1     # the lines with whale, and a line around each\n\n"
    "Usage: ordo search INDEX [PATTERN]... [options]\n"
    "Prints the positions of patterns in the text of an index that ordo index wrote, one line\n"
    "for each occurrence, in ascending order. A pattern is a sequence of bytes, and occurrences\n"
    "may overlap. With several patterns a tab and the pattern follow. A query reads only the "
    "parts\n"
    "of the index that it needs.\n\n"
    "Search:\n"
    "  -f, --file FILE   read patterns from a file, one per line\n"
    "  --count           print how often each pattern occurs, one line for each pattern\n"
    "  --locate          print positions; the default\n"
    "  --line            print the lines in which a pattern begins, each once, as grep -F does\n"
    "  -C, --context N   the same with N lines before and after each, and -- between lines that\n"
    "                    are apart\n"
    "  --check           first read the whole index and refuse it if a byte is damaged\n"
    "  -o, --output FILE the output file; default: stdout\n\n"
    "Exit status: 0 if a pattern occurs, 1 if none does, 2 after an error.\n";

static const option_spec index_specs[] = {TEXT("output", 'o', out),
                                          COUNT("sample", 0, sample, 1, 4096), COMMON_OPTIONS};
static const option_spec search_specs[] = {TEXT("output", 'o', out),
                                           TEXT("file", 'f', pattern_file),
                                           FLAG("count", count_only),
                                           FLAG("locate", locate),
                                           FLAG("check", check_order),
                                           FLAG("line", whole_lines),
                                           COUNT("context", 'C', context, 0, UINT32_MAX),
                                           COMMON_OPTIONS};

static const char *index_wrong(execution *e)
{
    e->o.format = FORMAT_RAW; /* not to a terminal */
    return NULL;
}

static bool prints_lines(const options *o) { return o->whole_lines || o->context != OPTION_UNSET; }

static const char *search_wrong(execution *e)
{
    const options *const o = &e->o;

    if (o->operands.n == 0)
        return "the index is missing, as in 'ordo search book.fm whale'";
    if (o->operands.n == 1 && o->pattern_file == NULL)
        return "the pattern is missing, as in 'ordo search book.fm whale'";
    if (o->operands.n > 1 && o->pattern_file != NULL)
        return "--file gives the patterns: no pattern may follow the index";
    if (o->count_only && o->locate)
        return "--count and --locate cannot be used together";
    if (prints_lines(o) && (o->count_only || o->locate))
        return "--line and --context print lines: --count and --locate cannot be used with them";
    e->o.format = FORMAT_TEXT;
    return NULL;
}

static bool index_work(execution *e)
{
    const ordo_fm_opts opts = ORDO_OPTS(ordo_fm_opts, .sample = (uint32_t)e->o.sample);
    ordo_fm           *fm = NULL;
    size_t             n, bytes;
    char *const        text = read_whole_text(e, 0, &n);

    if (text == NULL)
        return false;
    call_begin("indexing");
    if (!call_done(e, "index", ordo_fm_build(e->ctx, text, n, &opts, &fm)))
        return false;
    const void *const data = ordo_fm_data(fm, &bytes);
    const bool        ok = finish_output(e, output_bytes(&e->out, data, bytes));
    ordo_fm_free(fm);
    return ok;
}

typedef struct patterns {
    lines     from; /* of a file, or copies of the operands */
    uint64_t *first, *results;
} patterns;

static bool copy_operands(const execution *e, lines *out)
{
    const size_t n = e->path_count - 1;
    size_t       bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += strlen(e->paths[i + 1]);
    *out = (lines){.n = n, .line_end = '\n'};
    out->bytes = cli_alloc(bytes, 1, "the patterns");
    out->offsets = cli_alloc(n + 1, sizeof *out->offsets, "the patterns");
    if (out->bytes == NULL || out->offsets == NULL)
        return false;
    out->offsets[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(e->paths[i + 1]);
        memcpy(out->bytes + out->offsets[i], e->paths[i + 1], length);
        out->offsets[i + 1] = out->offsets[i] + length;
    }
    return true;
}

static bool read_patterns(const execution *e, lines *out)
{
    const char *const   file = e->o.pattern_file;
    const lines_request request = {.paths = &file, .n = 1, .line_end = '\n', .option = "--file"};

    return file != NULL ? lines_read(&request, out) : copy_operands(e, out);
}

/* A number, and with several patterns a tab and the pattern. */
static bool write_line(execution *e, const lines *from, size_t pattern, uint64_t number)
{
    char      text[32];
    const int length =
        snprintf(text, sizeof text, from->n > 1 ? "%llu\t" : "%llu", (unsigned long long)number);

    if (!output_bytes(&e->out, text, (size_t)length))
        return false;
    const size_t size = (size_t)(from->offsets[pattern + 1] - from->offsets[pattern]);
    return output_line(&e->out, from->bytes + from->offsets[pattern], from->n > 1 ? size : 0);
}

static bool print_counts(execution *e, const ordo_fm *fm, patterns *p)
{
    const lines *const from = &p->from;
    bool               ok = true;

    p->results = cli_alloc(from->n, sizeof *p->results, "the counts");
    if (p->results == NULL)
        return false;
    call_begin("searching");
    if (!call_done(e, "search",
                   ordo_fm_count(e->ctx, fm, from->bytes, from->offsets, from->n, p->results)))
        return false;
    for (size_t i = 0; i < from->n && ok; i++) {
        e->no &= p->results[i] == 0;
        ok = write_line(e, from, i, p->results[i]);
    }
    return finish_output(e, ok);
}

/* Prints the lines of the positions, of all patterns together. */
static bool print_lines(execution *e, const ordo_fm *fm, uint64_t *positions, size_t count)
{
    call_begin("sorting");
    if (!call_end(ordo_sort(e->ctx, ORDO_U64, positions, count, NULL)))
        return false;
    call_begin("reading lines");
    return search_print_lines(&e->out, e->ctx, fm, positions, count,
                              e->o.context != OPTION_UNSET ? &e->o.context : NULL);
}

static bool print_positions(execution *e, const ordo_fm *fm, patterns *p)
{
    const lines *const from = &p->from;
    const bool         whole = prints_lines(&e->o);
    bool               ok = true;

    p->first = cli_alloc(from->n + 1, sizeof *p->first, "the patterns");
    if (p->first == NULL)
        return false;
    call_begin("searching");
    if (!call_end(
            ordo_fm_locate(e->ctx, fm, from->bytes, from->offsets, from->n, p->first, NULL, 0)))
        return false;
    const size_t all = (size_t)p->first[from->n];
    p->results = cli_alloc(all, sizeof *p->results, "the positions");
    if (p->results == NULL)
        return false;
    call_begin("locating");
    if (!call_done(e, "search",
                   ordo_fm_locate(e->ctx, fm, from->bytes, from->offsets, from->n, p->first,
                                  p->results, all)))
        return false;
    if (whole)
        ok = print_lines(e, fm, p->results, all);
    for (size_t i = 0; i < from->n && ok && !whole; i++)
        for (uint64_t k = p->first[i]; k < p->first[i + 1] && ok; k++)
            ok = write_line(e, from, i, p->results[k]);
    e->no = all == 0;
    return finish_output(e, ok);
}

/* A page of a mapped index cannot be read. */
static void page_lost(int signal_number)
{
    static const char text[] = "ordo search: the index cannot be read or has become shorter\n";

    (void)signal_number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(2);
}

/* Maps a regular file that begins as an index does. NULL: it is another file. The process ends
 * soon, so nothing unmaps it. */
static const char *map_index(const char *path, size_t *bytes)
{
    static const char magic[] = "ordo fm\n";
    const int         fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat       facts;
    char              start[sizeof magic - 1];
    void             *map = MAP_FAILED;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) &&
        pread(fd, start, sizeof start, 0) == (ssize_t)sizeof start &&
        memcmp(start, magic, sizeof start) == 0)
        map = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    (void)close(fd);
    if (map == MAP_FAILED)
        return NULL;
    *bytes = (size_t)facts.st_size;
    (void)madvise(map, *bytes, MADV_RANDOM);
    (void)signal(SIGBUS, page_lost);
    return map;
}

static bool search_work(execution *e)
{
    size_t      bytes;
    patterns    p = {0};
    ordo_fm    *fm = NULL;
    const char *data = e->o.check_order ? NULL : map_index(e->paths[0], &bytes);

    if (data == NULL)
        data = read_whole_text(e, 0, &bytes);
    if (data == NULL)
        return false;
    call_begin("loading");
    const ordo_status status =
        (e->o.check_order ? ordo_fm_load : ordo_fm_view)(e->ctx, data, bytes, &fm);
    bool ok = call_end_about(e->paths[0] != NULL ? cli_quoted(e->paths[0]) : "stdin", status);
    timing_mark(&e->t, "load");
    ok = ok && read_patterns(e, &p.from);
    e->no = true;
    ok = ok && (e->o.count_only ? print_counts : print_positions)(e, fm, &p);
    ordo_fm_free(fm);
    lines_free(&p.from);
    free(p.first);
    free(p.results);
    return ok;
}

const command command_index = {"index", index_help,  index_specs, WRITES | FEW | NO_ARRAY,
                               0,       index_wrong, index_work};
const command command_search = {
    "search", search_help,  search_specs, WRITES | FEW | NO_ARRAY | MANY_FILES,
    0,        search_wrong, search_work};
