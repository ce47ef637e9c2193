/* test_optional_data.c - as test_optional.c, for groups, FASTA, texts, generators, bzip2 and data
 * larger than memory. */
#include "oracle.h"
#include "ordo_bz.h"
#include "ordo_external_lines.h"
#include "ordo_text.h"
#include "subsets.h"
#include "tapes.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST = 20000,
    ROOM = 1 << 18
};

static struct { /* the arguments that are no arrays */
    size_t    n, k, count, capacity, groups;
    ordo_type group_type;
    uint64_t  flags;
    uint32_t  nans, kind;
} p;

static ordo_ctx *plain; /* for calls that prepare a case */
static double    reals[MOST];
static uint32_t  words[MOST], weights[MOST];
static char      bytes[MOST];
static uint64_t  offsets[MOST + 1];

#define LENGTH(list) (sizeof(list) / sizeof *(list))
#define SWEEP(runner, ...) sweep(#runner, &(subset_call){.run = run_##runner, __VA_ARGS__})

static void sweep(const char *name, const subset_call *call)
{
    subsets_case("%s n=%zu k=%zu count=%zu capacity=%zu flags=%llu nans=%u kind=%u", name, p.n, p.k,
                 p.count, p.capacity, (unsigned long long)p.flags, p.nans, p.kind);
    subsets_sweep(call);
}

/* Keys with ties and NaNs, and a text of two letters. */
static void set_keys(size_t n)
{
    test_rng rng = {n};
    memset(&p, 0, sizeof p);
    p.n = n;
    for (size_t i = 0; i < n; i++) {
        uint64_t const draw = test_rng_below(&rng, n / 3 + 4);
        oracle_put_bits(ORDO_U64, reals, i, UINT64_C(0x7ff8000000000000));
        if (draw != 1)
            reals[i] = (double)draw;
        words[i] = (uint32_t)draw;
        weights[i] = (uint32_t)(draw % 5);
        bytes[i] = draw % 2 ? 'b' : 'a';
    }
}

enum {
    CAPACITIES = 5
};

/* The places for a result that needs `need`: too many, enough, none, one, one too few. */
static size_t capacity(size_t need, size_t i)
{
    return (size_t[CAPACITIES]){need + 1, need, 0, 1, need - (need > 0)}[i];
}

/* ---- Groups ---- */

enum { /* arrays of the calls on groups */
    GROUP_KEYS,
    UNIQUE,
    SIZES,
    COUNT,
    KEYS,
    RESULT,
    INDEX,
    FOUND
};

typedef enum group_verb {
    COUNTS,
    ROWS, /* argsort without keys */
    ARGSORT,
    RANK,
    QUANTILES,
    WEIGHTED,
    MEDIAN,
    TOPK
} group_verb;

static ordo_status run_groups(ordo_ctx *ctx, void *const *a)
{
    static const double   q[] = {0.5, 0.1};
    bool const            by_reals = p.group_type == ORDO_F64;
    ordo_type const       type = by_reals ? ORDO_U32 : ORDO_F64;
    ordo_group_opts const opts = ORDO_OPTS(ordo_group_opts, .flags = p.flags);
    ordo_group_opts const weighted =
        ORDO_OPTS(ordo_group_opts, .weights = weights, .weight_type = ORDO_U32);
    ordo_groups const g = {sizeof g,   a[GROUP_KEYS], p.group_type, p.nans,
                           p.capacity, a[UNIQUE],     a[SIZES],     a[COUNT]};
    switch ((group_verb)p.kind) {
    case COUNTS:
        return ordo_group_counts(ctx, &g, p.n, NULL);
    case ROWS:
        return ordo_group_argsort(ctx, &g, (ordo_type)0, NULL, p.n, ORDO_U32, a[RESULT], &opts);
    case ARGSORT: /* NULL is allowed as keys, but gives other results */
        return ordo_group_argsort(ctx, &g, ORDO_U32, words, p.n, ORDO_U32, a[RESULT], &opts);
    case RANK:
        return ordo_group_rank(ctx, &g, type, a[KEYS], p.n, ORDO_U32, a[RESULT], &opts);
    case QUANTILES:
        return ordo_group_quantiles(ctx, &g, type, a[KEYS], p.n, q, p.k, a[RESULT], NULL);
    case WEIGHTED:
        return ordo_group_quantiles(ctx, &g, type, a[KEYS], p.n, q, p.k, a[RESULT], &weighted);
    case MEDIAN:
        return ordo_group_median(ctx, &g, type, a[KEYS], p.n, a[RESULT], NULL);
    default:
        return ordo_group_topk(ctx, &g, type, a[KEYS], p.n, p.k, a[RESULT], ORDO_U64, a[INDEX],
                               a[FOUND], &opts);
    }
}

static bool is_quantile(void) { return p.kind >= QUANTILES && p.kind <= MEDIAN; }

/* With fewer places than groups only *count and results for each row can be had. `out` of quantiles
 * is needed; 0 results of each group need no place. */
static ordo_status expect_groups(unsigned given)
{
    unsigned const places = p.kind == TOPK && p.k > 0 ? 1u << RESULT | 1u << INDEX : 0;
    unsigned const limited = 1u << UNIQUE | 1u << SIZES | 1u << FOUND | places;
    bool const     refused = (given & limited) != 0 || (is_quantile() && p.k > 0);
    return p.capacity < p.groups && refused ? ORDO_E_ARG : ORDO_OK;
}

/* A call with every capacity. */
static void sweep_groups(void)
{
    bool const   by_row = p.kind >= ROWS && p.kind <= RANK, by_reals = p.group_type == ORDO_F64;
    size_t const capacities[] = {p.n + 1, p.n, 0, 1, p.groups - (p.groups > 0), p.groups};
    size_t const key = by_reals ? sizeof *words : sizeof *reals;
    size_t const keys = p.kind >= RANK ? p.n : 0;
    size_t const one_of = p.n <= 5 ? 3 : p.n <= 40 ? 11 : p.n <= 1000 ? 53 : 499;
    char         says[40];
    snprintf(says, sizeof says, "%zu groups", p.groups);
    for (size_t i = 0; i < LENGTH(capacities); i++) {
        size_t const c = p.capacity = capacities[i];
        subset_call  call = {
             .run = run_groups,
             ARRAYS(by_reals ? IN(reals, p.n) : IN(words, p.n),
                    subset_maybe(c * ordo_type_size(p.group_type)), MAYBE(uint64_t, c),
                    MAYBE(size_t, 1), by_reals ? IN(words, keys) : IN(reals, keys),
                    subset_maybe(c * p.k * key), MAYBE(uint64_t, c * p.k), MAYBE(uint64_t, c)),
             .expect = expect_groups,
             .says = says,
             .one_of = one_of,
             .again = i > 0};
        call.arrays = p.kind == COUNTS ? COUNT + 1 : p.kind < TOPK ? RESULT + 1 : FOUND + 1;
        if (is_quantile())
            call.array[RESULT] = subset_out(c * p.k * sizeof(double));
        else if (by_row) {
            call.array[RESULT] = OUT(uint32_t, p.n);
            call.array[RESULT].spoilt = c < p.groups;
            if (p.kind != RANK) /* places behind the last row of a group */
                call.array[RESULT].varies = (p.n - p.count) * sizeof(uint32_t);
        }
        sweep("groups", &call);
        if (i > 0)
            continue;
        CHECK_EQ_U64(p.groups, *(const size_t *)subsets_result(COUNT));
        CHECK_EQ_U64(p.groups * ordo_type_size(p.group_type), subsets_written(UNIQUE));
        CHECK_EQ_U64(p.groups * sizeof(uint64_t), subsets_written(SIZES));
    }
}

static void count_groups(void)
{
    bool seen[MOST / 3 + 4] = {false};
    p.groups = p.count = 0;
    for (size_t i = 0; i < p.n; i++) {
        if (p.group_type == ORDO_F64 && words[i] == 1 && p.nans == ORDO_NANS_OMIT)
            continue;
        p.count++;
        p.groups += !seen[words[i]];
        seen[words[i]] = true;
    }
}

static void test_groups(void)
{
    static const size_t k_count[] = {1, 1, 1, 1, 3, 3, 1, 5}; /* of the verbs */
    size_t const        most = p.n > 40 ? 3 : p.n, ks[] = {1, 0, 2, most, most + 1};
    for (uint32_t form = 0; form < 3; form++) {
        p.group_type = form < 2 ? ORDO_F64 : ORDO_U32;
        p.nans = form == 1 ? ORDO_NANS_OMIT : ORDO_NANS_LAST;
        count_groups();
        for (p.kind = COUNTS; p.kind <= TOPK; p.kind++)
            for (size_t i = 0; i < k_count[p.kind]; i++) {
                p.k = ks[i];
                p.flags = i % 2 ? ORDO_DESCENDING : 0;
                sweep_groups();
            }
    }
}

/* ---- FASTA ---- */

static ordo_fasta records; /* the numbers of a text */

static ordo_status run_fasta(ordo_ctx *ctx, void *const *a)
{
    ordo_fasta list = records;
    list.starts = a[1];
    list.headers = a[2];
    list.header_offsets = a[3];
    list.sequences = a[4];
    list.sequence_offsets = a[5];
    ordo_status const status = ordo_parse_fasta(ctx, a[0], p.k, &list);
    CHECK(list.n == records.n && list.header_bytes == records.header_bytes &&
          list.sequence_bytes == records.sequence_bytes && list.bad_line == 0);
    return status;
}

/* Bytes and offsets are given together; offsets of no byte may be alone. */
static bool is_half(unsigned given, size_t first, uint64_t count)
{
    unsigned const pair = given >> first & 3;
    return pair == 1 || (pair == 2 && count > 0);
}

static ordo_status expect_fasta(unsigned given)
{
    bool const half =
        is_half(given, 2, records.header_bytes) || is_half(given, 4, records.sequence_bytes);
    return half ? ORDO_E_ARG : ORDO_OK;
}

static void test_fasta(void)
{
    static const char *const texts[] = {"", ">\n>\r\n", ">\nAC\nG\n>\nT", ">a\n>b\n",
                                        ">a\nACGT\nAC\n>b\n\n>c\r\nGG\r\n"};
    for (p.kind = 0; p.kind < LENGTH(texts); p.kind++) {
        subset_call call = {.run = run_fasta, .expect = expect_fasta, .arrays = 6};
        p.k = strlen(texts[p.kind]);
        records = (ordo_fasta){.struct_size = sizeof records};
        CHECK_STATUS(ORDO_OK, ordo_parse_fasta(plain, texts[p.kind], p.k, &records), plain);
        subset_array const arrays[] = {
            subset_in(texts[p.kind], p.k),        MAYBE(uint64_t, records.n + 1),
            subset_maybe(records.header_bytes),   MAYBE(uint64_t, records.n + 1),
            subset_maybe(records.sequence_bytes), MAYBE(uint64_t, records.n + 1)};
        memcpy(call.array, arrays, sizeof arrays);
        for (size_t i = 1; i < call.arrays; i++)
            call.array[i].spoilt = true;
        sweep("fasta", &call);
        for (size_t i = 1; i < call.arrays; i++)
            CHECK_EQ_U64(call.array[i].bytes, subsets_written(i));
    }
}

/* ---- Texts ---- */

static ordo_fm *fm;

static ordo_status run_text(ordo_ctx *ctx, void *const *a)
{
    switch (p.kind) {
    case 0:
        return ordo_suffix_array(ctx, a[0], p.n, ORDO_U32, a[1], NULL);
    case 1:
        return ordo_suffix_check(ctx, a[0], p.n, ORDO_U32, a[1], NULL);
    case 2:
        return ordo_lcp(ctx, a[0], p.n, ORDO_U32, a[1], a[2], NULL);
    case 3:
        return ordo_bwt(ctx, a[0], p.n, a[1], a[2], NULL);
    default:
        return ordo_unbwt(ctx, a[0], p.n, p.k, a[1], NULL);
    }
}

static void test_texts(void)
{
    static uint32_t    suffixes[MOST];
    static char        transform[MOST];
    subset_array const text = subset_in(bytes, p.n);
    subset_array       sa = OUT(uint32_t, p.n), back = subset_out(p.n);
    sa.spoilt = back.spoilt = true;
    SWEEP(text, ARRAYS(text, sa));
    memcpy(suffixes, subsets_result(1), p.n * sizeof *suffixes);
    p.kind = 1;
    SWEEP(text, ARRAYS(text, IN(suffixes, p.n)));
    p.kind = 2;
    SWEEP(text, ARRAYS(text, IN(suffixes, p.n), OUT(uint32_t, p.n)));
    p.kind = 3;
    SWEEP(text, ARRAYS(text, subset_out(p.n), ONE(uint64_t, 1)));
    memcpy(transform, subsets_result(1), p.n);
    memcpy(&p.k, subsets_result(2), sizeof p.k);
    p.kind = 4;
    SWEEP(text, ARRAYS(subset_in(transform, p.n), back));
}

static ordo_status run_fm_count(ordo_ctx *ctx, void *const *a)
{
    return ordo_fm_count(ctx, fm, a[0], a[1], p.count, a[2]);
}

static ordo_status run_fm_locate(ordo_ctx *ctx, void *const *a)
{
    return ordo_fm_locate(ctx, fm, a[0], a[1], p.count, a[2], a[3], p.capacity);
}

static ordo_status run_fm_extract(ordo_ctx *ctx, void *const *a)
{
    return ordo_fm_extract(ctx, fm, p.k, p.count, a[0]);
}

/* p.k is the number of positions. */
static ordo_status expect_locate(unsigned given)
{
    return (given >> 3 & 1) != 0 && p.capacity < p.k ? ORDO_E_ARG : ORDO_OK;
}

static void test_fm(void)
{
    static const char     patterns[] = "aba";
    static const uint64_t ends[] = {0, 1, 3, 3}; /* "a", "ba", "" */
    uint64_t              first[LENGTH(ends)];
    CHECK_STATUS(ORDO_OK, ordo_fm_build(plain, bytes, p.n, NULL, &fm), plain);
    for (p.count = 0; p.count < LENGTH(ends); p.count++) {
        subset_array const text = subset_in(patterns, ends[p.count]);
        subset_array const cuts = IN(ends, p.count > 0 ? p.count + 1 : 0);
        CHECK_STATUS(ORDO_OK, ordo_fm_locate(plain, fm, patterns, ends, p.count, first, NULL, 0),
                     plain);
        SWEEP(fm_count, ARRAYS(text, cuts, OUT(uint64_t, p.count)));
        p.k = first[p.count];
        for (size_t i = 0; i < CAPACITIES; i++) {
            subset_array starts = ONE(uint64_t, p.count + 1);
            starts.reported = true;
            p.capacity = capacity(p.k, i);
            SWEEP(fm_locate, ARRAYS(text, cuts, starts, MAYBE(uint64_t, p.capacity)),
                  .expect = expect_locate, .one_of = p.n > 1000 ? 5 : 1, .again = i > 0);
        }
    }
    for (size_t i = 0; i < 2 * CAPACITIES; i++) {
        p.count = capacity(p.n, i / 2);
        p.k = i % 2 ? p.n / 2 : 0;
        SWEEP(fm_extract, ARRAYS(subset_out(p.count)),
              .status = p.k + p.count > p.n ? ORDO_E_ARG : ORDO_OK);
    }
    ordo_fm_free(fm);
}

/* ---- Generators and bzip2 ---- */

static ordo_status run_gen_strings(ordo_ctx *ctx, void *const *a)
{
    return ordo_gen_strings(ctx, (ordo_dist)p.kind, p.n, a[0], a[1], p.capacity, NULL);
}

static ordo_status expect_gen_strings(unsigned given)
{
    return (given >> 1 & 1) != 0 && p.capacity < p.k ? ORDO_E_ARG : ORDO_OK;
}

static void test_gen(void)
{
    for (p.kind = ORDO_DIST_STRINGS; p.n <= 1000 && p.kind <= ORDO_DIST_FASTA; p.kind++) {
        CHECK_STATUS(ORDO_OK,
                     ordo_gen_strings(plain, (ordo_dist)p.kind, p.n, offsets, NULL, 0, NULL),
                     plain);
        p.k = offsets[p.n];
        for (size_t i = 0; i < CAPACITIES; i++) {
            p.capacity = capacity(p.k, i);
            SWEEP(gen_strings, ARRAYS(ONE(uint64_t, p.n + 1), subset_maybe(p.capacity)),
                  .expect = expect_gen_strings, .again = i > 0);
        }
    }
}

static char   packed[ROOM];
static size_t packed_bytes;

static const ordo_bz_opts level_1 = {.struct_size = sizeof level_1, .level = 1};

/* kind 0 compresses, kind 1 decompresses. After an error *written is 0. */
static ordo_status run_bz(ordo_ctx *ctx, void *const *a)
{
    ordo_status const status =
        p.kind == 0
            ? ordo_bz_compress(ctx, a[0], p.n, a[1], p.capacity, a[2], &level_1, a[3])
            : ordo_bz_decompress(ctx, a[0], packed_bytes, a[1], p.capacity, a[2], NULL, a[3]);
    CHECK(status == ORDO_OK || a[2] == NULL || *(size_t *)a[2] == 0);
    return status;
}

static ordo_status run_bz_reader(ordo_ctx *ctx, void *const *a)
{
    ordo_bz_reader *reader = NULL;
    CHECK_STATUS(ORDO_OK, ordo_bz_reader_open(ctx, &reader), ctx);
    ordo_status const status =
        ordo_bz_reader_read(ctx, reader, a[0], packed_bytes, a[1], a[2], p.capacity, a[3]);
    ordo_bz_reader_free(reader);
    return status;
}

static void test_bz(void)
{
    static const ordo_bz_report empty = {.struct_size = sizeof empty};
    testkit_case("bzip2 without a context");
    for (p.kind = 0; p.kind < 2; p.kind++) {
        packed_bytes = 1;
        CHECK_STATUS(ORDO_E_ARG, run_bz(NULL, (void *[]){bytes, packed, &packed_bytes, NULL}),
                     NULL);
    }
    CHECK_STATUS(ORDO_OK,
                 ordo_bz_compress(plain, bytes, p.n, packed, ROOM, &packed_bytes, &level_1, NULL),
                 plain);
    subset_array const text = subset_in(bytes, p.n), archive = subset_in(packed, packed_bytes);
    subset_array       written = ONE(size_t, 1), report = MAYBE(ordo_bz_report, 1);
    written.spoilt = true;
    report.from = &empty;
    for (p.kind = 0; p.n <= 1000 && p.kind < 2; p.kind++) {
        size_t const need = p.kind == 0 ? packed_bytes : p.n;
        for (size_t i = 0; i < CAPACITIES; i++) {
            subset_array out = subset_out(capacity(need, i));
            p.capacity = out.bytes;
            out.varies = p.capacity > need ? p.capacity - need : 0;
            out.spoilt = true;
            SWEEP(bz, ARRAYS(p.kind == 0 ? text : archive, out, written, report),
                  .status = p.capacity < need ? ORDO_E_ARG : ORDO_OK, .again = i > 0);
        }
    }
    for (p.capacity = 0; p.capacity <= p.n + 1; p.capacity += p.n / 2 + 1)
        SWEEP(bz_reader, ARRAYS(archive, written, subset_out(p.capacity), written));
}

/* ---- Data larger than memory ---- */

enum {
    EXTERNAL_SORT,
    EXTERNAL_ARGSORT,
    EXTERNAL_RANK,
    EXTERNAL_UNIQUE,
    EXTERNAL_MERGE,
    EXTERNAL_TOPK,
    EXTERNAL_SELECT,
    EXTERNAL_QUANTILES,
    EXTERNAL_MEDIAN,
    EXTERNAL_LINES,
    BZ_COMPRESS,
    BZ_DECOMPRESS
};

static struct {
    tape   in, out, counts;
    char   room[2][ROOM], first[2][ROOM]; /* of the sinks; and what the first call wrote there */
    size_t first_bytes[2];
    bool   is_first;
} tapes;

/* Arrays: elements, source, report, then a sink, positions or a result, and the same again. */
static ordo_status run_external(ordo_ctx *ctx, void *const *a)
{
    static const ordo_external_opts opts = {
        .struct_size = sizeof opts, .memory = 8 << 20, .flags = ORDO_SPILL_IN_MEMORY};
    static const ordo_line_format lines = {.struct_size = sizeof lines, .end = 'b'};
    tapes.in.at = tapes.out.at = tapes.counts.at = 0;
    switch (p.kind) {
    case EXTERNAL_SORT:
        return ordo_external_sort(ctx, a[0], a[1], a[3], &opts, a[2]);
    case EXTERNAL_ARGSORT:
        return ordo_external_argsort(ctx, a[0], a[1], ORDO_U32, a[3], &opts, a[2]);
    case EXTERNAL_RANK:
        return ordo_external_rank(ctx, a[0], a[1], ORDO_TIES_MIN, ORDO_U32, a[3], &opts, a[2]);
    case EXTERNAL_UNIQUE:
        return ordo_external_unique(ctx, a[0], a[1], a[3], a[4], &opts, a[2]);
    case EXTERNAL_MERGE:
        return ordo_external_merge(ctx, a[0], a[1], p.count, a[3], &opts, a[2]);
    case EXTERNAL_TOPK:
        return ordo_external_topk(ctx, a[0], a[1], p.k, a[3], &opts, a[2]);
    case EXTERNAL_SELECT:
        return ordo_external_select(ctx, a[0], a[1], a[3], p.count, a[4], &opts, a[2]);
    case EXTERNAL_QUANTILES:
        return ordo_external_quantiles(ctx, a[0], a[1], a[3], p.count, a[4], ORDO_NANS_LAST,
                                       ORDO_METHOD_DEFAULT, &opts, a[2]);
    case EXTERNAL_MEDIAN:
        return ordo_external_median(ctx, a[0], a[1], a[3], ORDO_NANS_LAST, &opts, a[2]);
    case EXTERNAL_LINES:
        return ordo_external_sort_lines(ctx, a[0] != NULL ? &lines : NULL, a[1], a[3], &opts, a[2]);
    case BZ_COMPRESS:
        return ordo_bz_compress_stream(ctx, a[1], a[3], &level_1, a[2]);
    default:
        return ordo_bz_decompress_stream(ctx, a[1], a[3], NULL, a[2]);
    }
}

/* A call with some of the arrays writes the same to its sinks. */
static void check_sinks(void *const *a)
{
    for (size_t i = 0; i < 2; i++) {
        const tape *const t = i == 0 ? &tapes.out : &tapes.counts;
        if (tapes.is_first) {
            memcpy(tapes.first[i], t->bytes, t->at);
            tapes.first_bytes[i] = t->at;
        }
        if (p.kind == BZ_DECOMPRESS && a[3] == NULL)
            continue; /* the data are only tested */
        CHECK_EQ_U64(tapes.first_bytes[i], t->at);
        CHECK_BYTES(tapes.first[i], t->bytes, t->at, 1);
    }
    tapes.is_first = false;
    if (p.kind < EXTERNAL_LINES && p.kind != EXTERNAL_MERGE && a[2] != NULL)
        CHECK_EQ_U64(p.n, ((const ordo_external_report *)a[2])->n);
}

/* A call whose fourth and fifth array are these. */
static void sweep_external(size_t sources, subset_array fourth, subset_array fifth,
                           ordo_status status)
{
    static const ordo_external_report empty = {.struct_size = sizeof empty};
    static const ordo_bz_report       empty_bz = {.struct_size = sizeof empty_bz};
    static const ordo_elements        elements = {.struct_size = sizeof elements, .type = ORDO_U32};
    static tape                       none = {.bytes = packed};
    ordo_source const from[] = {ORDO_OPTS(ordo_source, .read = tape_read, .user = &tapes.in),
                                ORDO_OPTS(ordo_source, .read = tape_read, .user = &none)};
    bool const        is_bz = p.kind >= BZ_COMPRESS;
    subset_array      report = subset_maybe(is_bz ? sizeof empty_bz : sizeof empty);
    report.from = is_bz ? (const void *)&empty_bz : &empty;
    report.varies = report.bytes;
    tapes.is_first = true;
    SWEEP(external,
          ARRAYS(IN(&elements, is_bz ? 0u : 1u), IN(from, sources), report, fourth, fifth),
          .check = check_sinks, .status = status, .one_of = p.n > 5 ? 3 : 1);
}

static void test_external(void)
{
    static const double   q[] = {0.5, 0.1};
    static const uint64_t positions[] = {0, 0};
    subset_array const    none = subset_in(NULL, 0);
    size_t const          ks[] = {0, 1, 2, p.n, p.n + 1};
    tapes.out = (tape){.bytes = tapes.room[0], .size = ROOM};
    tapes.counts = (tape){.bytes = tapes.room[1], .size = ROOM};
    tapes.in = (tape){.bytes = (char *)words, .size = p.n * sizeof *words};
    ordo_sink const    to[] = {ORDO_OPTS(ordo_sink, .write = tape_write, .user = &tapes.out),
                               ORDO_OPTS(ordo_sink, .write = tape_write, .user = &tapes.counts)};
    subset_array const sink = IN(to, 1);
    for (p.kind = EXTERNAL_SORT; p.kind <= EXTERNAL_RANK; p.kind++)
        sweep_external(1, sink, none, ORDO_OK);
    p.kind = EXTERNAL_UNIQUE;
    sweep_external(1, sink, IN(to + 1, 1), ORDO_OK);
    p.kind = EXTERNAL_TOPK;
    for (size_t i = 0; i < LENGTH(ks); i++) {
        p.k = ks[i];
        sweep_external(1, sink, none, ORDO_OK);
    }
    for (p.count = 0; p.count <= LENGTH(q); p.count++) {
        p.kind = EXTERNAL_SELECT;
        sweep_external(1, IN(positions, p.count), OUT(uint32_t, p.count),
                       p.n == 0 && p.count > 0 ? ORDO_E_ARG : ORDO_OK);
        p.kind = EXTERNAL_QUANTILES;
        sweep_external(1, IN(q, p.count), OUT(double, p.count), ORDO_OK);
    }
    p.kind = EXTERNAL_MEDIAN;
    sweep_external(1, ONE(double, 1), none, ORDO_OK);
    CHECK_STATUS(ORDO_OK, ordo_sort(plain, ORDO_U32, words, p.n, NULL), plain);
    p.kind = EXTERNAL_MERGE;
    for (p.count = 0; p.count <= 2; p.count++)
        sweep_external(p.count, sink, none, ORDO_OK);
    tapes.in = (tape){.bytes = bytes, .size = p.n};
    for (p.kind = EXTERNAL_LINES; p.kind <= BZ_COMPRESS; p.kind++)
        sweep_external(1, sink, none, ORDO_OK);
    subset_array maybe = MAYBE(ordo_sink, 1);
    maybe.from = to;
    p.kind = BZ_DECOMPRESS;
    memcpy(packed, tapes.first[0], tapes.first_bytes[0]);
    tapes.in = (tape){.bytes = packed, .size = tapes.first_bytes[0]};
    sweep_external(1, maybe, none, ORDO_OK);
}

int main(void)
{
    static void (*const tests[])(void) = {test_texts, test_fm,       test_gen,
                                          test_bz,    test_external, test_groups};
    static size_t const sizes[] = {0, 1, 2, 5, 40, 1000, MOST};
    testkit_start();
    subsets_start();
    plain = test_context_make(1);
    test_fasta();
    for (size_t t = 0; t < LENGTH(tests); t++)
        for (size_t i = 0; i < LENGTH(sizes); i++) {
            set_keys(sizes[i]);
            tests[t]();
        }
    ordo_ctx_free(plain);
    subsets_end();
    return testkit_done();
}
