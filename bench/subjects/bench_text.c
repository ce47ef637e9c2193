/* bench_text.c - `ordo bench text`: suffix arrays, transforms and searches of texts.
 *
 * English is WordNet and the files of the Unicode character database, source text is /usr/include
 * and /usr/share/doc, where they are installed. Files of the folders english, source, dna and
 * proteins in $ORDO_BENCH_TEXTS come before these. The first bytes of each text are used; a text
 * that is too short is repeated with other letters. All other texts are measured on a GPU, and on
 * the host in section repeats: DNA and proteins, random letters without files, and repetitive
 * texts. Transforms and patterns are in b->flags: the copy writes to b->dst. Zero bytes become
 * blanks, because sdsl takes none. */
#define _GNU_SOURCE /* nftw */
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"
#include "bench/harness/bench_cuda.h"
#include "bench/harness/bench_peers.h"
#include "cli/base/cli.h"
#include "ordo_text.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FOLDER = 1000,           /* most bytes of the name of a folder */
    PATTERN = 20,            /* bytes of a pattern */
    PATTERNS = 1000000,      /* most of them */
    DOUBLING_MOST = 1 << 25, /* bytes; more take several times as long as all others together */
    MSD_MOST = 1 << 20       /* the same; its time depends on the length of the common prefixes */
};

typedef struct corpus {
    const char *name;
    const char *folders[4];
    const char *letters;                   /* of text that no file has */
    void (*fill)(uint8_t *text, size_t n); /* of a text that is computed */
    size_t period;                         /* or of so many letters, repeated */
} corpus;

static void fill_period(uint8_t *text, size_t n, size_t period)
{
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        text[i] = i < period ? (uint8_t)('a' + (state >> 33) % 26) : text[i - period];
    }
}

static void fill_random(uint8_t *text, size_t n)
{
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        text[i] = (uint8_t)(state >> 56);
    }
}

static void fill_equal(uint8_t *text, size_t n) { memset(text, 'a', n); }

static void fill_thue_morse(uint8_t *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text[i] = (uint8_t)('a' + __builtin_popcountll(i) % 2);
}

/* ab, aba, abaab, ...: each word is followed by the word before it. */
static void fill_fibonacci(uint8_t *text, size_t n)
{
    size_t before = 1, length = 2;
    for (size_t i = 0; i < n && i < 2; i++)
        text[i] = (uint8_t)('a' + i);
    while (length < n) {
        const size_t more = before < n - length ? before : n - length;
        memcpy(text + length, text, more);
        before = length;
        length += more;
    }
}

#define LATIN "abcdefghijklmnopqrstuvwxyz"
static const corpus corpora[] = {
    {"english", {"/usr/share/wordnet", "/usr/share/unicode", NULL}, LATIN, NULL, 0},
    {"source", {"/usr/include", "/usr/share/doc", "/usr/local/cuda/include", NULL}, LATIN, NULL, 0},
    {"dna", {NULL}, "ACGT", NULL, 0},
    {"proteins", {NULL}, "ACDEFGHIKLMNPQRSTVWY", NULL, 0},
    {"random", {NULL}, NULL, fill_random, 0},
    {"equal", {NULL}, NULL, fill_equal, 0},
    {"period_2", {NULL}, NULL, NULL, 2},
    {"period_7", {NULL}, NULL, NULL, 7},
    {"period_100", {NULL}, NULL, NULL, 100},
    {"period", {NULL}, NULL, NULL, 1000},
    {"thue_morse", {NULL}, NULL, fill_thue_morse, 0},
    {"fibonacci", {NULL}, NULL, fill_fibonacci, 0},
};
enum {
    CORPORA = sizeof corpora / sizeof *corpora,
    HOST_CORPORA = 2 /* that are measured on the host, but for section repeats */
};

static size_t corpora_of(const bench *b) { return b->place == NULL ? HOST_CORPORA : CORPORA; }

/* Writes the folder of the caller's own files of a corpus. */
static bool own_folder(const corpus *c, char *folder)
{
    const char *const own = getenv("ORDO_BENCH_TEXTS");
    return own != NULL && snprintf(folder, FOLDER, "%s/%s", own, c->name) < FOLDER;
}

/* Whether the corpus is measured: on a GPU not if it should have files, but has none. */
static bool is_there(const bench *b, const corpus *c)
{
    char folder[FOLDER];
    bool found = b->place == NULL || c->folders[0] == NULL;
    if (own_folder(c, folder))
        found = found || access(folder, R_OK) == 0;
    for (size_t i = 0; c->folders[i] != NULL && !found; i++)
        found = access(c->folders[i], R_OK) == 0;
    return found;
}

/* What nftw appends to. */
static struct {
    uint8_t *bytes;
    size_t   n, most;
} reading;

static int append_file(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)place;
    FILE *const file = kind == FTW_F ? fopen(path, "rb") : NULL;
    if (file != NULL) {
        reading.n += fread(reading.bytes + reading.n, 1, reading.most - reading.n, file);
        fclose(file);
    }
    return reading.n == reading.most;
}

/* Fills text with n bytes. */
static void fill_corpus(uint8_t *text, const corpus *c, size_t n)
{
    if (c->fill != NULL || c->period > 0) {
        if (c->period > 0)
            fill_period(text, n, c->period);
        else
            c->fill(text, n);
        return;
    }
    reading.bytes = text;
    reading.n = 0;
    reading.most = n;
    char folder[FOLDER];
    if (own_folder(c, folder))
        nftw(folder, append_file, 16, FTW_PHYS);
    for (size_t i = 0; c->folders[i] != NULL && reading.n < n; i++)
        nftw(c->folders[i], append_file, 16, FTW_PHYS);
    for (size_t i = 0; i < reading.n; i++)
        reading.bytes[i] = reading.bytes[i] == 0 ? ' ' : reading.bytes[i];
    const size_t period = reading.n;
    uint64_t     state = 1;
    for (size_t i = period; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const bool fresh = period == 0 || state >> 59 == 0;
        reading.bytes[i] = fresh ? (uint8_t)c->letters[(state >> 33) % strlen(c->letters)]
                                 : reading.bytes[i - period];
    }
}

/* Fills b->src with n bytes of text. */
static bool read_corpus(const bench *b, const corpus *c, size_t n)
{
    if (b->place == NULL) {
        fill_corpus((uint8_t *)b->src, c, n);
        return true;
    }
    char *const text = bench_host_array(n);
    bool        ok = text != NULL;
    if (ok)
        fill_corpus((uint8_t *)text, c, n);
    ok = ok && bench_cuda_upload(b->src, text, n);
    free(text);
    return ok;
}

typedef struct text_call {
    const void    *text;
    size_t         n;
    void          *out;
    const void    *sa;
    uint32_t       algorithm;
    uint64_t       primary;
    const ordo_fm *fm;
    const void    *patterns;
    uint64_t      *offsets;
    size_t         count;
    uint64_t      *first; /* of ordo_fm_locate, with room for `most` positions */
    size_t         most;
    uint64_t       flags; /* of arrays on a GPU */
    void          *stream;
} text_call;

static text_call call_on(const bench *b, const void *text)
{
    return (text_call){.text = text,
                       .n = b->set.n,
                       .out = b->dst,
                       .flags = bench_flags(b),
                       .stream = bench_stream(b)};
}

static ordo_text_opts opts_of(const text_call *c)
{
    return ORDO_OPTS(ordo_text_opts, .flags = c->flags, .algorithm = c->algorithm,
                     .stream = c->stream);
}

static ordo_status call_suffix(ordo_ctx *ctx, const void *what)
{
    const text_call *const c = what;
    const ordo_text_opts   opts = opts_of(c);
    return ordo_suffix_array(ctx, c->text, c->n, ORDO_U32, c->out, &opts);
}

static ordo_status call_check(ordo_ctx *ctx, const void *what)
{
    const text_call *const c = what;
    const ordo_text_opts   opts = opts_of(c);
    return ordo_suffix_check(ctx, c->text, c->n, ORDO_U32, c->sa, &opts);
}

static ordo_status call_lcp(ordo_ctx *ctx, const void *what)
{
    const text_call *const c = what;
    const ordo_text_opts   opts = opts_of(c);
    return ordo_lcp(ctx, c->text, c->n, ORDO_U32, c->sa, c->out, &opts);
}

static ordo_status call_bwt(ordo_ctx *ctx, const void *what)
{
    const text_call *const c = what;
    const ordo_text_opts   opts = opts_of(c);
    uint64_t               primary;
    return ordo_bwt(ctx, c->text, c->n, c->out, &primary, &opts);
}

static ordo_status call_unbwt(ordo_ctx *ctx, const void *what)
{
    const text_call *const c = what;
    const ordo_text_opts   opts = opts_of(c);
    return ordo_unbwt(ctx, c->text, c->n, c->primary, c->out, &opts);
}

static ordo_status call_count(ordo_ctx *ctx, const void *what)
{
    const text_call *const c = what;
    return ordo_fm_count(ctx, c->fm, c->patterns, c->offsets, c->count, c->out);
}

static ordo_status call_locate(ordo_ctx *ctx, const void *what)
{
    const text_call *const c = what;
    return ordo_fm_locate(ctx, c->fm, c->patterns, c->offsets, c->count, c->first, c->out, c->most);
}

static bench_question ask(const char *op, const corpus *c, size_t n, void *answer, size_t bytes)
{
    bench_question q = bench_ask(op, ORDO_U8, n);
    q.dist = c->name;
    q.answer = answer;
    q.answer_bytes = bytes;
    q.bytes = n + bytes;
    snprintf(q.label, sizeof q.label, "%s", c->name);
    return q;
}

/* The algorithms of a call: the default one, and on the host the others if the text is short. */
static bool add_algorithms(bench *b, const text_call *call, text_call *doubling, text_call *msd)
{
    const bool host = b->place == NULL;

    *doubling = *msd = *call;
    doubling->algorithm = ORDO_TEXT_DOUBLING;
    msd->algorithm = ORDO_TEXT_MSD;
    return bench_add_both(b, "auto", call_suffix, call) &&
           (!host || call->n > DOUBLING_MOST ||
            bench_add_both(b, "doubling", call_suffix, doubling)) &&
           (!host || call->n > MSD_MOST || bench_add_both(b, "msd", call_suffix, msd));
}

/* `all`: with the algorithms that take long for repetitive texts. */
static bool measure_suffix(bench *b, const corpus *c, bool all)
{
    const size_t         n = b->set.n;
    const text_call      call = call_on(b, b->src);
    text_call            doubling, msd;
    const bench_peer_ask peers = {.op = BENCH_PEER_SUFFIX,
                                  .type = ORDO_U8,
                                  .task = {.keys = b->src, .out = b->dst, .n = n},
                                  .base = "divsufsort"};
    bench_question       q = ask("suffix_array", c, n, b->dst, n * sizeof(uint32_t));
    q.out_type = ORDO_U32;
    return read_corpus(b, c, n) && bench_add_all_peers(b, &peers) &&
           (all ? add_algorithms(b, &call, &doubling, &msd)
                : bench_add_both(b, "auto", call_suffix, &call)) &&
           bench_measure(b, &q);
}

static bool run_suffix(bench *b)
{
    bench_heading(b, "Suffix arrays; speed-up over libdivsufsort", b->set.n, "text", 10);
    for (size_t i = 0; i < corpora_of(b); i++)
        if (is_there(b, &corpora[i]) && !measure_suffix(b, &corpora[i], true))
            return false;
    return bench_summary(b, "auto", false);
}

/* On the host: the texts that section suffix leaves to GPUs. */
static bool run_repeats(bench *b)
{
    bench_heading(b, "Suffix arrays of other texts; speed-up over libdivsufsort", b->set.n, "text",
                  10);
    for (size_t i = HOST_CORPORA; i < CORPORA; i++)
        if (is_there(b, &corpora[i]) && !measure_suffix(b, &corpora[i], false))
            return false;
    return bench_summary(b, "auto", false);
}

static bool run_bwt(bench *b)
{
    const size_t n = b->set.n;

    bench_heading(b, "Burrows-Wheeler transform; speed-up over libdivsufsort", n, "text", 10);
    for (size_t i = 0; i < corpora_of(b); i++) {
        if (!is_there(b, &corpora[i]))
            continue;
        const text_call      call = call_on(b, b->src);
        const bench_peer_ask peers = {.op = BENCH_PEER_BWT,
                                      .type = ORDO_U8,
                                      .task = {.keys = b->src, .out = b->dst, .n = n},
                                      .base = "divsufsort"};
        const bench_question q = ask("bwt", &corpora[i], n, b->dst, n);
        if (!read_corpus(b, &corpora[i], n) || !bench_add_all_peers(b, &peers) ||
            !bench_add_both(b, "auto", call_bwt, &call) || !bench_measure(b, &q))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_unbwt(bench *b)
{
    const size_t    n = b->set.n;
    ordo_ctx *const ctx = bench_context(b, b->set.threads);

    if (ctx == NULL)
        return false;
    bench_heading(b, "Inverse transform; speed-up over libdivsufsort", n, "text", 10);
    for (size_t i = 0; i < corpora_of(b); i++) {
        if (!is_there(b, &corpora[i]))
            continue;
        text_call            call = call_on(b, b->flags);
        const ordo_text_opts opts = opts_of(&call);
        if (!read_corpus(b, &corpora[i], n))
            return false;
        if (ordo_bwt(ctx, b->src, n, b->flags, &call.primary, &opts) != ORDO_OK)
            return cli_fail("bench: %s", ordo_last_error(ctx));
        const bench_peer_ask peers = {
            .op = BENCH_PEER_UNBWT,
            .type = ORDO_U8,
            .task = {.keys = b->flags, .out = b->dst, .n = n, .count = (size_t)call.primary},
            .base = "divsufsort"};
        const bench_question q = ask("unbwt", &corpora[i], n, b->dst, n);
        if (!bench_add_all_peers(b, &peers) || !bench_add_both(b, "auto", call_unbwt, &call) ||
            !bench_measure(b, &q))
            return false;
    }
    return bench_summary(b, "auto", false);
}

/* A call on a suffix array, which is in b->flags. */
static bool measure_sorted(bench *b, const char *op, ordo_status (*run)(ordo_ctx *, const void *),
                           size_t answer_bytes)
{
    const size_t    n = b->set.n;
    ordo_ctx *const ctx = bench_context(b, b->set.threads);

    if (ctx == NULL)
        return false;
    for (size_t i = 0; i < corpora_of(b); i++) {
        if (!is_there(b, &corpora[i]))
            continue;
        text_call call = call_on(b, b->src);
        call.sa = b->flags;
        const ordo_text_opts opts = opts_of(&call);
        if (!read_corpus(b, &corpora[i], n))
            return false;
        if (ordo_suffix_array(ctx, b->src, n, ORDO_U32, b->flags, &opts) != ORDO_OK)
            return cli_fail("bench: %s", ordo_last_error(ctx));
        bench_question q = ask(op, &corpora[i], n, b->dst, answer_bytes);
        q.out_type = ORDO_U32;
        q.bytes = n + n * sizeof(uint32_t) + answer_bytes;
        if (!bench_add_both(b, "auto", run, &call) || !bench_measure(b, &q))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_lcp(bench *b)
{
    const size_t n = b->set.n;
    bench_heading(b, "Common prefixes of neighbours in a suffix array", n, "text", 10);
    return measure_sorted(b, "lcp", call_lcp, n * sizeof(uint32_t));
}

static bool run_check(bench *b)
{
    bench_heading(b, "Checks of a suffix array", b->set.n, "text", 10);
    return measure_sorted(b, "suffix_check", call_check, 0);
}

/* Patterns of `length` bytes from random places of the text, in b->flags. */
static void draw_patterns(bench *b, uint64_t *offsets, size_t count, size_t length)
{
    uint64_t state = b->set.seed;
    for (size_t i = 0; i <= count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        offsets[i] = i * length;
        if (i < count)
            memcpy(b->flags + offsets[i], b->src + (state >> 20) % (b->set.n - length + 1), length);
    }
}

static bool measure_count(bench *b, ordo_ctx *ctx, const corpus *c, const ordo_fm *fm,
                          uint64_t *offsets, size_t count)
{
    const size_t n = b->set.n, length = PATTERN < n ? PATTERN : n;
    char *const  counts = b->dst;

    (void)ctx;
    draw_patterns(b, offsets, count, length);
    const text_call call = {
        .fm = fm, .patterns = b->flags, .offsets = offsets, .count = count, .out = counts};
    const bench_peer_ask peers = {.op = BENCH_PEER_FM_COUNT,
                                  .type = ORDO_U8,
                                  .task = {.keys = b->src,
                                           .values = b->flags,
                                           .out = counts,
                                           .ranks = &length,
                                           .count = count,
                                           .n = n},
                                  .base = "csa_wt"};
    bench_question       q = ask("fm_count", c, n, counts, count * sizeof(uint64_t));
    q.k = (double)count;
    q.bytes = count * length;
    return bench_add_all_peers(b, &peers) && bench_add_both(b, "auto", call_count, &call) &&
           bench_measure(b, &q);
}

/* As many of the patterns as b->dst has room for the positions of. */
static bool measure_locate(bench *b, ordo_ctx *ctx, const corpus *c, const ordo_fm *fm,
                           uint64_t *offsets, size_t count)
{
    const size_t    n = b->set.n, length = PATTERN < n ? PATTERN : n;
    uint64_t *const first = cli_alloc(count + 1, sizeof *first, "the occurrences");
    bool            ok = first != NULL;

    draw_patterns(b, offsets, count, length);
    text_call call = {.fm = fm,
                      .patterns = b->flags,
                      .offsets = offsets,
                      .count = count,
                      .first = first,
                      .out = b->dst,
                      .most = n * sizeof(uint32_t) / sizeof(uint64_t)};
    if (ok && ordo_fm_locate(ctx, fm, b->flags, offsets, count, first, NULL, 0) != ORDO_OK)
        ok = cli_fail("bench: %s", ordo_last_error(ctx));
    while (ok && first[call.count] > call.most)
        call.count--;
    const size_t   found = ok ? (size_t)first[call.count] : 0;
    bench_question q = ask("fm_locate", c, n, b->dst, found * sizeof(uint64_t));
    q.k = (double)found;
    q.bytes = found * sizeof(uint64_t);
    ok = ok && bench_add_both(b, "auto", call_locate, &call) && bench_measure(b, &q);
    free(first);
    return ok;
}

/* Builds an index of each corpus and measures searches in it. */
static bool search_all(bench *b, size_t count,
                       bool (*measure)(bench *, ordo_ctx *, const corpus *, const ordo_fm *,
                                       uint64_t *, size_t))
{
    ordo_ctx *const ctx = bench_context(b, b->set.threads);
    uint64_t *const offsets = cli_alloc(count + 1, sizeof *offsets, "the patterns");
    bool            ok = ctx != NULL && offsets != NULL;

    for (size_t i = 0; i < HOST_CORPORA && ok; i++) {
        ordo_fm *fm = NULL;
        ok = read_corpus(b, &corpora[i], b->set.n) &&
             ordo_fm_build(ctx, b->src, b->set.n, NULL, &fm) == ORDO_OK;
        if (!ok)
            cli_error("bench: %s", ordo_last_error(ctx));
        ok = ok && measure(b, ctx, &corpora[i], fm, offsets, count);
        ordo_fm_free(fm);
    }
    free(offsets);
    return ok && bench_summary(b, "auto", false);
}

static bool run_search(bench *b)
{
    const size_t count = b->set.n / 8 < PATTERNS ? b->set.n / 8 : PATTERNS;
    bench_heading(b, "Counts of patterns of 20 bytes; speed-up over sdsl", count, "text", 10);
    return search_all(b, count, measure_count);
}

static bool run_locate(bench *b)
{
    const size_t count = b->set.n / 8 < PATTERNS ? b->set.n / 8 : PATTERNS;
    bench_heading(b, "Positions of patterns of 20 bytes", count, "text", 10);
    return search_all(b, count, measure_locate);
}

/* The copy beside a suffix array reads 2.5 bytes per key. */
const bench_section bench_text_sections[] = {
    {"suffix", 3, 4, 0, run_suffix, true},  {"check", 5, 5, 4, run_check, false},
    {"lcp", 5, 5, 4, run_lcp, false},       {"bwt", 1, 4, 0, run_bwt, true},
    {"unbwt", 1, 4, 1, run_unbwt, true},    {"search", 1, 4, 3, run_search, true},
    {"locate", 1, 4, 3, run_locate, false}, {"repeats", 3, 4, 0, run_repeats, true},
    {NULL, 0, 0, 0, NULL, false},
};

const bench_section bench_cuda_text_sections[] = {
    {"suffix", 3, 4, 0, run_suffix, false}, {"check", 5, 5, 4, run_check, false},
    {"lcp", 5, 5, 4, run_lcp, false},       {"bwt", 1, 4, 0, run_bwt, false},
    {"unbwt", 1, 4, 1, run_unbwt, false},   {NULL, 0, 0, 0, NULL, false},
};
