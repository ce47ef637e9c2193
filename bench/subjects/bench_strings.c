/* bench_strings.c - `ordo bench strings`: words of 15 random letters, strings of 1 to 500 random
 * characters, and protein records.
 *
 * Each text is sorted twice: as C strings (an array of pointers, in place) and as bytes with
 * offsets (to an array of indices). Peers compare with strcmp and memcmp. The copy moves half of
 * the bytes of text, pointers and answer. */
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"
#include "bench/harness/bench_peers.h"
#include "cli/base/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORD = 15,
    LONG_SHARE = 10 /* n / LONG_SHARE long strings */
};

/* The same strings as bytes with n + 1 offsets, and ended by zero bytes. */
typedef struct text {
    size_t    n, length; /* length: total bytes */
    char     *bytes, *ended;
    uint64_t *offsets;
} text;

typedef struct strings_args {
    const text  *t;
    const char **pointers;
    uint32_t    *index;
    ordo_strings strings;
    uint32_t     algorithm;
} strings_args;

enum {
    AUTO,
    SAMPLE,
    ALGORITHMS
};

static ordo_status call_pointers(ordo_ctx *ctx, const void *what)
{
    const strings_args *const a = what;
    return ordo_sort_pointers(ctx, a->pointers, a->t->n,
                              &ORDO_OPTS(ordo_sort_opts, .algorithm = a->algorithm));
}

static ordo_status call_argsort(ordo_ctx *ctx, const void *what)
{
    const strings_args *const a = what;
    return ordo_argsort_strings(ctx, &a->strings, a->t->n, ORDO_U32, a->index,
                                &ORDO_OPTS(ordo_sort_opts, .algorithm = a->algorithm));
}

static void free_text(text *t)
{
    free(t->bytes);
    free(t->ended);
    free(t->offsets);
    *t = (text){0};
}

static bool allocate(text *t)
{
    t->bytes = cli_alloc(t->length, 1, "the strings");
    t->ended = cli_alloc(t->length + t->n, 1, "the strings");
    return t->bytes != NULL && t->ended != NULL;
}

static void end_strings(text *t)
{
    char *to = t->ended;

    for (size_t i = 0; i < t->n; i++) {
        const size_t length = (size_t)(t->offsets[i + 1] - t->offsets[i]);
        memcpy(to, t->bytes + t->offsets[i], length);
        to[length] = '\0';
        to += length + 1;
    }
}

static bool make_words(bench *b, size_t n, text *t)
{
    *t = (text){.n = n, .length = n * WORD};
    t->offsets = cli_alloc(n + 1, sizeof *t->offsets, "the strings");
    if (t->offsets == NULL || !allocate(t) ||
        !bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U8, t->bytes, t->length, 0))
        return false;
    for (size_t i = 0; i < t->length; i++)
        t->bytes[i] = (char)('a' + (unsigned char)t->bytes[i] % 26);
    for (size_t i = 0; i <= n; i++)
        t->offsets[i] = i * WORD;
    end_strings(t);
    return true;
}

static bool make_strings(bench *b, ordo_dist dist, size_t n, text *t)
{
    ordo_ctx *const     ctx = bench_context(b, b->set.threads);
    const ordo_gen_opts opts = ORDO_OPTS(ordo_gen_opts, .seed = b->set.seed);

    *t = (text){.n = n};
    t->offsets = cli_alloc(n + 1, sizeof *t->offsets, "the strings");
    if (ctx == NULL || t->offsets == NULL)
        return false;
    bool ok = ordo_gen_strings(ctx, dist, n, t->offsets, NULL, 0, &opts) == ORDO_OK;
    if (ok) {
        t->length = (size_t)t->offsets[n];
        if (!allocate(t))
            return false;
        ok = ordo_gen_strings(ctx, dist, n, t->offsets, t->bytes, t->length, &opts) == ORDO_OK;
    }
    if (!ok) {
        cli_error("bench: cannot generate %zu strings: %s", n, ordo_last_error(ctx));
        return false;
    }
    end_strings(t);
    return true;
}

/* The unsorted pointers are in b->src and are sorted in b->dst. Indices also go to b->dst. */
static strings_args args_of(const bench *b, const text *t, ordo_algorithm algorithm)
{
    return (strings_args){
        .t = t,
        .pointers = (const char **)(void *)b->dst,
        .index = (uint32_t *)(void *)b->dst,
        .strings = {.struct_size = sizeof(ordo_strings), .bytes = t->bytes, .offsets = t->offsets},
        .algorithm = algorithm,
    };
}

static void make_pointers(const bench *b, const text *t)
{
    const char **const pointers = (const char **)(void *)b->src;
    const char        *at = t->ended;

    for (size_t i = 0; i < t->n; i++) {
        pointers[i] = at;
        at += t->offsets[i + 1] - t->offsets[i] + 1;
    }
}

static bool add_threads(bench *b, const bench_peer_ask *peers, bench_call *call,
                        const strings_args *args, bool every_count)
{
    if (!every_count)
        return bench_add_all_peers(b, peers) && bench_add_both(b, "auto", call, &args[AUTO]) &&
               bench_add_both(b, "sample", call, &args[SAMPLE]);
    for (unsigned i = 0; i < b->thread_count_count; i++)
        if (!bench_add_peers(b, peers, b->thread_counts[i]))
            return false;
    for (unsigned i = 0; i < b->thread_count_count; i++)
        if (!bench_add(b, "auto", b->thread_counts[i], BENCH_CONTENDER, call, &args[AUTO]))
            return false;
    return true;
}

/* The copy uses b->src and b->dst, so their size is the limit. */
static size_t bytes_to_copy(const bench *b, size_t bytes)
{
    const size_t most = 2 * (b->src_bytes < b->dst_bytes ? b->src_bytes : b->dst_bytes);
    return bytes < most ? bytes : most;
}

static bool measure_pointers(bench *b, const char *name, const text *t, bool every_count)
{
    const strings_args   args[ALGORITHMS] = {args_of(b, t, ORDO_ALGORITHM_AUTO),
                                             args_of(b, t, ORDO_ALGORITHM_SAMPLE)};
    const size_t         bytes = t->n * sizeof(char *);
    const bench_restore  restore = bench_restore_dst(b, bytes);
    const bench_peer_ask peers = {
        .op = BENCH_PEER_POINTERS, .task = {.keys = b->dst, .n = t->n}, .base = "std::sort"};
    bench_question q = bench_ask("sort_pointers", 0, t->n);

    make_pointers(b, t);
    q.dist = name;
    q.bytes = bytes_to_copy(b, 2 * bytes + t->length);
    q.answer = b->dst;
    q.answer_bytes = bytes;
    q.prepare = bench_restore_call;
    q.prepare_what = &restore;
    snprintf(q.label, sizeof q.label, "%s, pointers", name);
    return add_threads(b, &peers, call_pointers, args, every_count) && bench_measure(b, &q);
}

static bool measure_offsets(bench *b, const char *name, const text *t, bool every_count)
{
    const strings_args   args[ALGORITHMS] = {args_of(b, t, ORDO_ALGORITHM_AUTO),
                                             args_of(b, t, ORDO_ALGORITHM_SAMPLE)};
    const bench_peer_ask peers = {
        .op = BENCH_PEER_STRINGS,
        .task = {.keys = t->bytes, .values = t->offsets, .out = b->dst, .n = t->n},
        .base = "std::sort"};
    bench_question q = bench_ask("argsort_strings", 0, t->n);

    q.dist = name;
    q.out_type = ORDO_U32;
    q.bytes = bytes_to_copy(b, t->length + t->n * (sizeof(uint64_t) + sizeof(uint32_t)));
    q.answer = b->dst;
    q.answer_bytes = t->n * sizeof(uint32_t);
    snprintf(q.label, sizeof q.label, "%s, offsets", name);
    return add_threads(b, &peers, call_argsort, args, every_count) && bench_measure(b, &q);
}

static bool measure_both(bench *b, const char *name, const text *t, bool every_count)
{
    return measure_pointers(b, name, t, every_count) && measure_offsets(b, name, t, every_count);
}

static bool run_words(bench *b)
{
    text t;

    bench_heading(b, "Words of 15 letters; speed-up over std::sort with strcmp or memcmp", b->set.n,
                  "strings", 17);
    const bool ok = make_words(b, b->set.n, &t) && measure_both(b, "words", &t, false);
    free_text(&t);
    return ok && bench_summary(b, "auto", false);
}

static bool run_long(bench *b, const char *title, const char *name, ordo_dist dist)
{
    const size_t n = b->set.n / LONG_SHARE;
    text         t;

    bench_heading(b, title, n, "strings", 17);
    const bool ok = make_strings(b, dist, n, &t) && measure_both(b, name, &t, false);
    free_text(&t);
    return ok && bench_summary(b, "auto", false);
}

static bool run_strings(bench *b)
{
    return run_long(b, "Random strings of 1 to 500 characters; speed-up over std::sort", "strings",
                    ORDO_DIST_STRINGS);
}

static bool run_fasta(bench *b)
{
    return run_long(b, "Protein records; speed-up over std::sort", "fasta", ORDO_DIST_FASTA);
}

static bool run_n(bench *b)
{
    bench_heading(b, "Words of 15 letters, number of strings n; speed-up over std::sort", 0, "n",
                  17);
    for (size_t n = 1000; n <= b->set.n; n *= 10) {
        text       t;
        const bool ok = make_words(b, n, &t) && measure_both(b, "words", &t, false);
        free_text(&t);
        if (!ok)
            return false;
    }
    return true;
}

static bool run_threads(bench *b)
{
    text t;

    bench_heading(b, "Words of 15 letters, number of threads; speed-up over std::sort", b->set.n,
                  "strings", 17);
    const bool ok = make_words(b, b->set.n, &t) && measure_both(b, "words", &t, true);
    free_text(&t);
    return ok;
}

const bench_section bench_strings_sections[] = {
    {"words", 16, 16, 0, run_words, true},     {"strings", 16, 16, 0, run_strings, true},
    {"fasta", 16, 16, 0, run_fasta, true},     {"n", 16, 16, 0, run_n, true},
    {"threads", 16, 16, 0, run_threads, true}, {NULL, 0, 0, 0, NULL, false},
};
