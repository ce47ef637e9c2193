/* bench_sort.c - `ordo bench sort`, on the host and on a GPU: key types, distributions, number
 * of keys, named algorithms, pairs, small arrays, single calls, threads, a table of a few types and
 * distributions, and on a GPU many lengths. Section rough is in bench_rough.c.
 *
 * Each call sorts a fresh copy in place; the copy is not timed. CUB's radix sort is not in
 * place: it reads the original and writes to another array. */
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"

#include <stdio.h>
#include <string.h>

/* `batch` consecutive arrays of n keys, then as many values. */
typedef struct sort_args {
    ordo_type      type;
    char          *keys;
    size_t         n, batch, size;
    size_t         value_size; /* 0: no values */
    ordo_sort_opts opts;
} sort_args;

/* Everything that must stay valid until the question is measured. */
typedef struct sort_case {
    bench_question question;
    bench_restore  restore;
    sort_args      args;
    bench_peer_ask peers;
} sort_case;

/* Peers of the longer sections: the base, the textbook radix sort, and the fastest others. */
static const char main_peers[] = "std::sort,lsd radix,vqsort,gnu parallel,tbb parallel_sort,"
                                 "boost block_indirect";

static const char table_peers[] = "vqsort,gnu parallel,tbb parallel_sort,boost block_indirect";

/* The base of speed-ups. */
static const char *reference(const bench *b)
{
    return bench_pick(b, "std::sort", "CUB's radix sort");
}

static ordo_status call_sort(ordo_ctx *ctx, const void *what)
{
    const sort_args *const a = what;
    const size_t           stride = a->n * a->size;
    ordo_status            status = ORDO_OK;

    for (size_t i = 0; i < a->batch && status == ORDO_OK; i++)
        status = ordo_sort(ctx, a->type, a->keys + i * stride, a->n, &a->opts);
    return status;
}

static ordo_status call_pairs(ordo_ctx *ctx, const void *what)
{
    const sort_args *const a = what;
    return ordo_sort_pairs(ctx, a->type, a->keys, a->n, a->keys + a->n * a->size, a->value_size,
                           &a->opts);
}

/* The unsorted keys are in b->src and are sorted in b->dst. Peers on a GPU read them from
 * b->src. */
static void ask_sort(const bench *b, ordo_type type, size_t n, size_t batch, sort_case *c)
{
    const size_t size = ordo_type_size(type), bytes = n * size;

    *c = (sort_case){
        .question = bench_ask("sort", type, n),
        .restore = bench_restore_dst(b, bytes * batch),
        .args = {.type = type,
                 .keys = b->dst,
                 .n = n,
                 .batch = batch,
                 .size = size,
                 .opts =
                     ORDO_OPTS(ordo_sort_opts, .flags = bench_flags(b), .stream = bench_stream(b))},
        .peers = {.op = BENCH_PEER_SORT,
                  .type = type,
                  .task = {.keys = b->place == NULL ? b->dst : b->src, .out = b->dst, .n = n},
                  .batch = batch,
                  .stride = bytes,
                  .out_stride = bytes,
                  .only = bench_pick(b, NULL, "cub radix,cub radix 64,cub merge"),
                  .base = bench_pick(b, "std::sort", "cub radix")},
    };
    c->question.bytes = 2 * bytes;
    c->question.answer = b->dst;
    c->question.answer_bytes = bytes * batch;
    c->question.batch = batch;
    c->question.prepare = bench_restore_call;
    c->question.prepare_what = &c->restore;
}

static bool measure_all(bench *b, const sort_case *c)
{
    return bench_measure_auto(b, &c->peers, call_sort, &c->args, &c->question);
}

static bool run_types(bench *b)
{
    bench_heading_over(b, "Sort, key types, uniform", reference(b), b->set.n, "keys", 6);
    for (int type = ORDO_I8; type <= ORDO_F64; type++) {
        sort_case c;
        ask_sort(b, (ordo_type)type, b->set.n, 1, &c);
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name(c.args.type));
        if (!bench_generate(b, ORDO_DIST_UNIFORM, c.args.type, b->src, b->set.n, 0) ||
            !measure_all(b, &c))
            return false;
    }
    return bench_summary(b, "auto", false);
}

/* All distributions for two types. On the host, those of bench_dist.every_type for all types. */
static bool has_rows(const bench *b, const bench_dist *d, ordo_type type)
{
    const ordo_type second = b->place == NULL ? ORDO_F32 : ORDO_U64;
    return type == ORDO_U32 || type == second || (b->place == NULL && d->every_type);
}

static bool run_distribution(bench *b, const bench_dist *d, ordo_type type)
{
    sort_case c;

    ask_sort(b, type, b->set.n, 1, &c);
    c.peers.only = bench_pick(b, NULL, "cub radix,cub radix 64");
    c.question.dist = d->name;
    snprintf(c.question.label, sizeof c.question.label, "%s %s", d->name, ordo_type_name(type));
    return bench_generate_k(b, d->dist, type, b->src, b->set.n, d->k) && measure_all(b, &c);
}

static bool run_distributions(bench *b)
{
    bench_heading_over(b, "Sort, distributions", reference(b), b->set.n, "keys", 14);
    for (int type = ORDO_I8; type <= ORDO_F64; type++)
        for (const bench_dist *d = bench_dists; d->name != NULL; d++)
            if (has_rows(b, d, (ordo_type)type) && !run_distribution(b, d, (ordo_type)type))
                return false;
    return bench_summary(b, "auto", true);
}

/* Real keys are seldom uniform: four types, four distributions, and the fastest peers alone. Many
 * keys are sorted by all threads only, because one thread would take minutes. */
static bool run_table(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_U64, ORDO_F32, ORDO_F64};
    static const char      dists[] = "signed,few,zipf,loguniform";
    const bool             is_long = b->set.n > 20000000 && b->set.threads > 1;

    bench_heading(b, "Sort, four types and distributions", b->set.n, "keys", 14);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (const bench_dist *d = bench_dists; d->name != NULL; d++) {
            sort_case c;
            if (!bench_selected(dists, d->name))
                continue;
            ask_sort(b, types[t], b->set.n, 1, &c);
            c.peers.only = table_peers;
            c.peers.base = "vqsort";
            c.question.dist = d->name;
            snprintf(c.question.label, sizeof c.question.label, "%s %s", d->name,
                     ordo_type_name(types[t]));
            if (!bench_generate_k(b, d->dist, types[t], b->src, b->set.n, d->k))
                return false;
            if (!is_long ? !measure_all(b, &c)
                         : !bench_add_peers(b, &c.peers, b->set.threads) ||
                               !bench_add(b, "auto", b->set.threads, BENCH_CONTENDER, call_sort,
                                          &c.args) ||
                               !bench_measure(b, &c.question))
                return false;
        }
    return bench_summary(b, "auto", true);
}

static bool run_n(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F64};

    bench_heading_over(b, "Sort, number of keys n, uniform", reference(b), 0, "n, keys", 17);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (size_t n = bench_first_n(b); n <= b->set.n; n = bench_next_n(b, n)) {
            const size_t batch = bench_batch(n);
            sort_case    c;
            char         count[32];
            ask_sort(b, types[t], n, batch, &c);
            c.peers.only = bench_pick(b, main_peers, c.peers.only);
            snprintf(c.question.label, sizeof c.question.label, "%s %s", bench_count(count, n),
                     ordo_type_name(types[t]));
            if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, n * batch, 0) ||
                !measure_all(b, &c))
                return false;
        }
    }
    return bench_summary(b, "auto", false);
}

/* The experiment of the ballot counting poster: the split radix sort with its block scan by ballots
 * and in shared memory, one key per thread as in the poster, and 16 keys. */
static bool run_split(bench *b)
{
    bench_heading_over(b, "Split radix sort (ballot poster), keys per thread, uniform u32",
                       "the split in blocks with the scan in shared memory", 0, "n", 13);
    for (size_t n = bench_first_n(b); n <= b->set.n; n = bench_next_n(b, n)) {
        sort_case c;
        ask_sort(b, ORDO_U32, n, 1, &c);
        c.peers.op = BENCH_PEER_SPLIT;
        c.peers.only = NULL;
        c.peers.base = "split, shared";
        c.args.opts.algorithm = ORDO_ALGORITHM_SPLIT;
        sort_args whole = c.args;
        whole.opts.algorithm = ORDO_ALGORITHM_GLOBAL;
        bench_count(c.question.label, n);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, n, 0) ||
            !bench_add_peers(b, &c.peers, 1) || !bench_add_both(b, "split", call_sort, &c.args) ||
            !bench_add_both(b, "global", call_sort, &whole) || !bench_measure(b, &c.question))
            return false;
    }
    return true;
}

static bool run_algorithms(bench *b)
{
    bench_algorithm algorithms[] = {
        {"auto", 1, ORDO_ALGORITHM_AUTO, false},
        {"radix", 1, ORDO_ALGORITHM_RADIX, false},
        {"sample", 1, ORDO_ALGORITHM_SAMPLE, false},
        {"merge", 1, ORDO_ALGORITHM_MERGE, false},
        {"bitonic", 1, ORDO_ALGORITHM_BITONIC, false},
        {"split", 1, ORDO_ALGORITHM_SPLIT, false},
        {"windows", 1, ORDO_ALGORITHM_WINDOWS, false},
        {"rough", 1, ORDO_ALGORITHM_ROUGH, b->place != NULL}, /* one thread would sort all keys */
        {"halving", 1, ORDO_ALGORITHM_HALVING, b->place != NULL},
        {"bubble", 2, ORDO_ALGORITHM_BUBBLE, b->place != NULL},
    };
    enum {
        COUNT = sizeof algorithms / sizeof *algorithms
    };

    bench_heading_over(b, "Sort, named algorithms, uniform u32", reference(b), 0, "n", 13);
    for (size_t n = bench_first_n(b); n <= b->set.n; n = bench_next_n(b, n)) {
        const size_t batch = b->place == NULL && n < 10000 ? 16 : 1;
        sort_case    c;
        sort_args    args[COUNT];
        ask_sort(b, ORDO_U32, n, batch, &c);
        c.peers.only = bench_pick(b, "std::sort", NULL);
        bench_count(c.question.label, n);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, n * batch, 0) ||
            !bench_add_peers(b, &c.peers, 1))
            return false;
        for (size_t i = 0; i < COUNT; i++) {
            args[i] = c.args;
            args[i].opts.algorithm = (uint32_t)algorithms[i].algorithm;
            if (!algorithms[i].out && !bench_add_both(b, algorithms[i].name, call_sort, &args[i]))
                return false;
        }
        if (!bench_measure(b, &c.question))
            return false;
        bench_drop_slow(b, algorithms, COUNT, (double)bench_next_n(b, n) / (double)n);
    }
    return true;
}

/* Keys, then values. On the host the values are indices, so a peer that sorts by key and value
 * gives the stable answer. On a GPU they are random, because all peers are stable. */
static bool make_pairs(bench *b, ordo_type type, size_t n)
{
    char *const values = b->src + n * ordo_type_size(type);

    if (b->place != NULL)
        return bench_generate(b, ORDO_DIST_UNIFORM, type, b->src, 2 * n, 0);
    for (size_t i = 0; i < n; i++) {
        if (type == ORDO_U32)
            ((uint32_t *)(void *)values)[i] = (uint32_t)i;
        else
            ((uint64_t *)(void *)values)[i] = i;
    }
    return bench_generate(b, ORDO_DIST_UNIFORM, type, b->src, n, 0);
}

static void ask_pairs(const bench *b, ordo_type type, size_t n, sort_case *c)
{
    ask_sort(b, type, n, 1, c);
    const size_t bytes = n * c->args.size;
    c->question.op = "sort_pairs";
    c->question.bytes = 4 * bytes;
    c->question.answer_bytes = 2 * bytes;
    c->restore.bytes[0] = 2 * bytes; /* keys and values */
    c->args.value_size = c->args.size;
    c->peers.op = BENCH_PEER_PAIRS;
    c->peers.task.values = (char *)c->peers.task.keys + bytes;
    c->peers.base = bench_pick(b, "std::stable_sort", "cub radix");
}

static bool pairs_once(bench *b, ordo_type type, size_t n, const char *label)
{
    sort_case c;

    ask_pairs(b, type, n, &c);
    snprintf(c.question.label, sizeof c.question.label, "%s", label);
    return make_pairs(b, type, n) &&
           bench_measure_auto(b, &c.peers, call_pairs, &c.args, &c.question);
}

static bool run_pairs(bench *b)
{
    bench_heading_over(b, "Sort pairs of equal width, uniform keys",
                       bench_pick(b, "std::stable_sort", reference(b)), b->set.n, "pairs", 9);
    return pairs_once(b, ORDO_U32, b->set.n, "u32/u32") &&
           pairs_once(b, ORDO_U64, b->set.n, "u64/u64") && bench_summary(b, "auto", false);
}

/* Section n sorts few keys without values. */
static bool run_small_pairs(bench *b)
{
    b->unit = 1e-6;
    bench_heading_over(b, "Sort few pairs, u32/u32, uniform, time of one call", reference(b), 0,
                       "n", 9);
    for (size_t n = 256; n <= (size_t)1 << 16; n *= 16) {
        char count[32];
        if (!pairs_once(b, ORDO_U32, n, bench_count(count, n)))
            return false;
    }
    return true;
}

enum {
    MERGED = 1 << 17 /* CUB's merge sort takes longer than its radix sort above this length */
};

/* One length of keys or pairs on a GPU. The values of pairs are uniform. */
static bool length_once(bench *b, const bench_dist *d, ordo_type type, size_t n, bool is_pairs)
{
    const char *const name = ordo_type_name(type);
    sort_case         c;
    char              count[32];

    if (is_pairs)
        ask_pairs(b, type, n, &c);
    else
        ask_sort(b, type, n, 1, &c);
    if (n > MERGED)
        c.peers.only = "cub radix,cub radix 64";
    c.question.dist = d->name;
    snprintf(c.question.label, sizeof c.question.label, "%s %s%s%s %s", bench_count(count, n), name,
             is_pairs ? "/" : "", is_pairs ? name : "", d->name);
    return (!is_pairs || make_pairs(b, type, n)) &&
           bench_generate_k(b, d->dist, type, b->src, n, d->k) &&
           bench_add_all_peers(b, &c.peers) &&
           bench_add(b, "auto", b->set.threads, BENCH_CONTENDER, is_pairs ? call_pairs : call_sort,
                     &c.args) &&
           bench_measure(b, &c.question);
}

static bool run_lengths(bench *b, const char *what, const ordo_type *types, size_t count,
                        bool is_pairs)
{
    b->unit = 1e-6;
    bench_heading_over(b, what, reference(b), 0, "n, keys", 33);
    for (size_t t = 0; t < count; t++)
        for (const bench_dist *d = bench_dists; d->name != NULL; d++)
            for (size_t n = 1024; n <= bench_last_length(b, d); n = bench_next_length(n))
                if (!length_once(b, d, types[t], n, is_pairs))
                    return false;
    bench_print_lengths(b, stdout);
    return true;
}

static bool run_key_lengths(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F32};
    return run_lengths(b, "Sort, lengths, keys of four bytes", types, 2, false);
}

static bool run_wide_lengths(bench *b)
{
    static const ordo_type types[] = {ORDO_U64, ORDO_F64};
    return run_lengths(b, "Sort, lengths, keys of eight bytes", types, 2, false);
}

static bool run_pair_lengths(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_U64};
    return run_lengths(b, "Sort pairs, lengths", types, 2, true);
}

static bool run_small(bench *b)
{
    static const size_t    sizes[] = {1,  2,  3,  4,  6,   8,   12,  16,  24,
                                      32, 48, 64, 96, 128, 192, 256, 500, 1000};
    static const ordo_type types[] = {ORDO_U32, ORDO_F64};

    b->unit = 1e-6;
    bench_heading(b,
                  "Sort, small arrays, time of one call in a warm context; speed-up over std::sort",
                  0, "n, keys", 9);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const size_t n = sizes[i], batch = bench_batch(n);
            sort_case    c;
            ask_sort(b, types[t], n, batch, &c);
            c.peers.only = "std::sort,vqsort,boost pdqsort";
            snprintf(c.question.label, sizeof c.question.label, "%zu %s", n,
                     ordo_type_name(types[t]));
            if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, n * batch, 0) ||
                !bench_add_peers(b, &c.peers, 1) ||
                !bench_add(b, "auto", 1, BENCH_CONTENDER, call_sort, &c.args) ||
                !bench_measure(b, &c.question))
                return false;
        }
    }
    return true;
}

/* Single calls. Before each call other memory is read, which the caches then hold, and the next of
 * SINGLES arrays is copied to b->dst. */
enum {
    SINGLES = 1000,
    OTHER_BYTES = 1 << 18 /* several times a first-level cache */
};

typedef struct single_input {
    const bench *b;
    size_t       bytes, call_number;
    uint64_t     seen; /* so that the compiler keeps the reads */
} single_input;

static ordo_status next_single(ordo_ctx *ctx, const void *what)
{
    single_input *const a = *(single_input *const *)what;
    const bench *const  b = a->b;

    (void)ctx;
    a->seen += bench_read(b->src + b->src_bytes - OTHER_BYTES, OTHER_BYTES);
    memcpy(b->dst, b->src + a->call_number * a->bytes, a->bytes);
    return ORDO_OK;
}

static bool run_single(bench *b)
{
    static const size_t    sizes[] = {16, 64, 256};
    static const ordo_type types[] = {ORDO_U32, ORDO_F64};

    b->unit = 1e-6;
    bench_heading_over(b, "Sort, single calls with other work between them", reference(b), 0,
                       "n, keys", 9);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            single_input        input = {.b = b, .bytes = sizes[i] * ordo_type_size(types[t])};
            single_input *const place = &input;
            sort_case           c;
            ask_sort(b, types[t], sizes[i], 1, &c);
            c.question.prepare = next_single;
            c.question.prepare_what = &place;
            c.question.singles = SINGLES;
            c.question.call_number = &input.call_number;
            snprintf(c.question.label, sizeof c.question.label, "%zu %s", sizes[i],
                     ordo_type_name(types[t]));
            if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, sizes[i] * SINGLES, 0) ||
                !bench_add_peers(b, &c.peers, 1) ||
                !bench_add_both(b, "auto", call_sort, &c.args) || !bench_measure(b, &c.question))
                return false;
        }
    }
    return true;
}

static bool run_threads(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_U64, ORDO_F64};

    bench_heading(b, "Sort, number of threads, uniform; speed-up over std::sort", b->set.n, "keys",
                  6);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        sort_case c;
        ask_sort(b, types[t], b->set.n, 1, &c);
        c.peers.only = main_peers;
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name(types[t]));
        if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, b->set.n, 0))
            return false;
        for (unsigned i = 0; i < b->thread_count_count; i++)
            if (!bench_add_peers(b, &c.peers, b->thread_counts[i]))
                return false;
        for (unsigned i = 0; i < b->thread_count_count; i++)
            if (!bench_add(b, "auto", b->thread_counts[i], BENCH_CONTENDER, call_sort, &c.args))
                return false;
        if (!bench_measure(b, &c.question))
            return false;
    }
    return true;
}

const bench_section bench_sort_sections[] = {
    {"types", 8, 8, 0, run_types, true},   {"distributions", 8, 8, 0, run_distributions, true},
    {"n", 8, 8, 0, run_n, true},           {"algorithms", 4, 4, 0, run_algorithms, true},
    {"pairs", 16, 16, 0, run_pairs, true}, {"small", 8, 8, 0, run_small, true},
    {"single", 8, 8, 0, run_single, true}, {"threads", 8, 8, 0, run_threads, true},
    {"rough", 4, 4, 0, bench_rough, true}, {"table", 8, 8, 0, run_table, true},
    {NULL, 0, 0, 0, NULL, false},
};

const bench_section bench_cuda_sort_sections[] = {
    {"types", 8, 8, 0, run_types, true},
    {"distributions", 8, 8, 0, run_distributions, true},
    {"n", 8, 8, 0, run_n, true},
    {"algorithms", 4, 4, 0, run_algorithms, true},
    {"pairs", 16, 16, 0, run_pairs, true},
    {"small", 8, 8, 0, run_small_pairs, true},
    {"rough", 4, 4, 0, bench_rough, true},
    {"split", 4, 4, 0, run_split, true},
    {"lengths", 4, 4, 0, run_key_lengths, true},
    {"lengths_wide", 8, 8, 0, run_wide_lengths, true},
    {"lengths_pairs", 16, 16, 0, run_pair_lengths, true},
    {NULL, 0, 0, 0, NULL, false},
};
