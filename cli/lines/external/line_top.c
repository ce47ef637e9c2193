/* line_top.c - the first k lines of a file in order, in one pass (see line_merge.h).
 *
 * Threads look through pieces of the file for candidates: lines that come before the k-th line so
 * far. The first 8 bytes usually decide. When the candidates have as many bytes as the k lines,
 * both are sorted together, and the first k remain. */
#include "cli/lines/external/line_merge.h"

#include "cli/base/workers.h"
#include "cli/io/source.h"
#include "cli/io/text/text_lines.h"

#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 16 << 20,      /* bytes of the file that are looked through at a time      */
    PART_LEAST = 1 << 18,  /* bytes for a thread                                       */
    CANDIDATES = 32 << 20, /* fewer bytes of memory of candidates are not sorted yet   */
    MEMORY_OF_LINE = 64,   /* that is kept, beside its bytes: its place, and to sort it */
    /* Shares under a limit. A digit and a newline of a piece take 48 bytes as a candidate and as a
     * line. */
    PIECE_SHARE = 256,
    CANDIDATES_SHARE = 8
};

typedef struct candidate {
    const char *begin, *end;
    size_t      line; /* in its part, from 0 */
} candidate;

typedef struct part { /* of a piece: whole lines */
    const char *begin, *end;
    const char *limit; /* the k-th line so far, [limit, limit_end); NULL: there are fewer */
    const char *limit_end;
    bool        descending, no_memory;
    size_t      lines, n, capacity;
    candidate  *found;
} part;

typedef struct kept_lines {
    line_top top;
    size_t   byte_capacity, offset_capacity, place_capacity;
} kept_lines;

typedef struct search {
    kept_lines  kept; /* the first lines so far, `sorted` of them in order; then candidates */
    size_t      sorted;
    uint64_t    k;
    bool        descending;
    ordo_ctx   *ctx;
    ordo_status status; /* of its last call */
    part        parts[WORKERS_MOST];
} search;

/* ---- Candidates ---- */

static bool add_candidate(part *p, const char *begin, const char *end)
{
    if (p->n == p->capacity && !cli_grow(&p->found, p->n + 1, &p->capacity, sizeof *p->found))
        return false;
    p->found[p->n++] = (candidate){begin, end, p->lines};
    return true;
}

static void look_through(void *argument)
{
    part *const    p = argument;
    const size_t   size = p->limit != NULL ? (size_t)(p->limit_end - p->limit) : 0;
    const uint64_t limit = size > 0 ? line_word(p->limit, size, size) : 0;

    for (const char *line = p->begin, *end; line < p->end && !p->no_memory; line = end + 1) {
        end = memchr(line, '\n', (size_t)(p->end - line));
        end = end != NULL ? end : p->end;
        const uint64_t word =
            p->limit != NULL ? line_word(line, (size_t)(end - line), (size_t)(p->end - line)) : 0;
        bool before = p->limit == NULL || (p->descending ? word > limit : word < limit);
        if (!before && word == limit) {
            const int order = lines_compare(line, (size_t)(end - line), p->limit, size);
            before = p->descending ? order > 0 : order < 0;
        }
        p->no_memory = before && !add_candidate(p, line, end);
        p->lines++;
    }
}

/* ---- The lines so far ---- */

static bool append(kept_lines *k, const char *begin, const char *end, uint64_t place)
{
    line_top *const t = &k->top;
    const size_t    length = (size_t)(end - begin), used = (size_t)t->offsets[t->n];

    if ((used + length >= k->byte_capacity &&
         !cli_grow(&t->bytes, used + length + 1, &k->byte_capacity, 1)) ||
        (t->n + 2 > k->offset_capacity &&
         !(cli_grow(&t->places, t->n + 2, &k->place_capacity, sizeof *t->places) &&
           cli_grow(&t->offsets, t->n + 2, &k->offset_capacity, sizeof *t->offsets))))
        return false;
    if (length > 0)
        memcpy(t->bytes + used, begin, length);
    t->places[t->n++] = place;
    t->offsets[t->n] = used + length;
    return true;
}

/* The array of offsets has its first element. False: not enough memory. */
static bool start(kept_lines *k)
{
    *k = (kept_lines){.top.offsets = calloc(1, sizeof(uint64_t)), .offset_capacity = 1};
    return k->top.offsets != NULL;
}

/* Sorts the lines and keeps the first k. */
static bool keep_first(search *s)
{
    line_top *const    t = &s->kept.top;
    const ordo_strings strings = ORDO_OPTS(ordo_strings, .bytes = t->bytes, .offsets = t->offsets);
    const ordo_sort_opts opts =
        ORDO_OPTS(ordo_sort_opts, .flags = (s->descending ? ORDO_DESCENDING : 0) | ORDO_STABLE);
    const size_t    n = t->n, k = s->k < n ? (size_t)s->k : n;
    uint64_t *const order = cli_alloc(n, sizeof *order, "the order of the lines");
    kept_lines      kept;

    if (order == NULL)
        return false;
    bool room = start(&kept);
    s->status = ordo_argsort_strings(s->ctx, &strings, n, ORDO_U64, order, &opts);
    for (size_t i = 0; s->status == ORDO_OK && room && i < k; i++)
        room = append(&kept, t->bytes + t->offsets[order[i]], t->bytes + t->offsets[order[i] + 1],
                      t->places[order[i]]);
    free(order);
    kept.top.lines = t->lines;
    line_top_free(t);
    s->kept = kept;
    s->sorted = kept.top.n;
    return room ? s->status == ORDO_OK : cli_fail("topk: not enough memory for %zu lines", k);
}

/* Divides piece[0..length), whole lines, among the threads. */
static size_t divide(search *s, const char *piece, size_t length)
{
    const line_top *const t = &s->kept.top;
    const bool            full = s->k > 0 && s->sorted == s->k;
    const size_t          n = workers_parts(length, PART_LEAST, (unsigned)workers_count());
    size_t                begins[WORKERS_MOST + 1];

    lines_divide(piece, length, '\n', n, begins);
    for (size_t i = 0; i < n; i++) {
        part *const p = &s->parts[i];
        p->begin = piece + begins[i];
        p->end = piece + begins[i + 1];
        p->descending = s->descending;
        p->limit = full ? t->bytes + t->offsets[s->sorted - 1] : NULL;
        p->limit_end = full ? t->bytes + t->offsets[s->sorted] : NULL;
        p->lines = p->n = 0;
    }
    return n;
}

/* Bytes of memory of the first n lines, or of all. */
static uint64_t memory_of(const line_top *t, size_t n)
{
    return t->offsets[n] + (uint64_t)n * MEMORY_OF_LINE;
}

static bool take_piece(search *s, const char *piece, size_t length)
{
    line_top *const t = &s->kept.top;
    const size_t    n = divide(s, piece, length);
    bool            room = true;

    workers_each(s->parts, n, sizeof s->parts[0], look_through);
    for (size_t i = 0; i < n; i++) {
        const part *const p = &s->parts[i];
        room = room && !p->no_memory;
        for (size_t j = 0; room && s->k > 0 && j < p->n; j++)
            room =
                append(&s->kept, p->found[j].begin, p->found[j].end, t->lines + p->found[j].line);
        t->lines += p->lines;
    }
    if (!room)
        return cli_fail("topk: not enough memory for the lines");
    const uint64_t kept = memory_of(t, s->sorted),
                   least = source_piece_bytes(CANDIDATES, CANDIDATES_SHARE);
    return source_allows("topk", 2 * kept) &&
           (memory_of(t, t->n) - kept <= (kept > least ? kept : least) || keep_first(s));
}

bool line_top_find(ordo_ctx *ctx, const char *path, uint64_t k, bool descending, line_top *out,
                   ordo_status *status)
{
    search *const s = calloc(1, sizeof *s);
    source        from;

    *out = (line_top){.n = 0};
    *status = ORDO_OK;
    if (s == NULL || !start(&s->kept)) {
        free(s);
        return cli_fail("topk: not enough memory");
    }
    s->k = k;
    s->descending = descending;
    s->ctx = ctx;
    progress_start("reading");
    bool         ok = source_open(&from, path), more = ok;
    const size_t piece = source_piece_bytes(PIECE, PIECE_SHARE);
    for (size_t wanted = piece; ok && more;) {
        const size_t got = source_piece(&from, wanted);
        ok = got != SIZE_MAX && (got == 0 || take_piece(s, from.block, got));
        if (ok)
            source_skip(&from, got, 0);
        more = got > 0 || !from.ended;
        wanted = got > 0 ? piece : 2 * wanted; /* a line may be longer than a piece */
    }
    progress_end();
    source_close(&from);
    ok = ok && keep_first(s);
    for (size_t i = 0; i < WORKERS_MOST; i++)
        free(s->parts[i].found);
    *status = s->status;
    if (ok)
        *out = s->kept.top;
    else
        line_top_free(&s->kept.top);
    free(s);
    return ok;
}

void line_top_free(line_top *top)
{
    free(top->bytes);
    free(top->offsets);
    free(top->places);
    *top = (line_top){.n = 0};
}
