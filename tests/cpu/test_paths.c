/* test_paths.c - the map of paths: which row of its table does each call, for every verb, type,
 * length and distribution, 1 and 4 threads, and each ISA of this machine. paths/ISA.txt is what the
 * thresholds of the build as shipped give; after a change, TEST_PATHS_WRITE=1 writes it anew, and
 * its diff shows what the change does. */
#define _GNU_SOURCE
#include "ordo_gen.h"
#include "testkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TEST_PATHS
#define TEST_PATHS "paths" /* the folder; set by the build */
#endif

enum {
    LENGTHS = 6,
    MOST = 1000000, /* the greatest length, which takes long: only for some types */
    TYPES = 10,
    ROW = 256,
    WIDEST = 8 /* bytes of a key */
};

#ifdef ORDO_TINY
static const bool is_tiny = true;
#else
static const bool is_tiny = false;
#endif

static const size_t lengths[LENGTHS] = {10, 100, 1000, 10000, 100000, MOST};

static const struct {
    const char *name;
    ordo_dist   dist;
    uint64_t    k;
} dists[] = {{"uniform", ORDO_DIST_UNIFORM, 0},     {"loguniform", ORDO_DIST_LOGUNIFORM, 0},
             {"few", ORDO_DIST_FEW, 100},           {"zipf", ORDO_DIST_ZIPF, 100},
             {"zero", ORDO_DIST_ZERO, 0},           {"sorted", ORDO_DIST_SORTED, 0},
             {"reverse", ORDO_DIST_REVERSE, 0},     {"shuffled", ORDO_DIST_SHUFFLED, 8},
             {"outliers", ORDO_DIST_OUTLIERS, 1000}};

enum {
    DISTS = sizeof dists / sizeof *dists
};

/* ---- Verbs ---- */

typedef struct map_arrays { /* room for MOST elements of 8 bytes each; `keys` may change */
    void     *keys, *others;
    uint64_t *offsets; /* of strings, one for each key */
} map_arrays;

typedef ordo_status map_call(ordo_ctx *ctx, ordo_type type, size_t n, const map_arrays *at);

static ordo_status sort(ordo_ctx *ctx, ordo_type type, size_t n, const map_arrays *at)
{
    return ordo_sort(ctx, type, at->keys, n, NULL);
}

static ordo_status pairs(ordo_ctx *ctx, ordo_type type, size_t n, const map_arrays *at)
{
    return ordo_sort_pairs(ctx, type, at->keys, n, at->others, sizeof(uint32_t), NULL);
}

static ordo_status argsort(ordo_ctx *ctx, ordo_type type, size_t n, const map_arrays *at)
{
    return ordo_argsort(ctx, type, at->keys, n, ORDO_U32, at->others, NULL);
}

static ordo_status rank(ordo_ctx *ctx, ordo_type type, size_t n, const map_arrays *at)
{
    return ordo_rank(ctx, type, at->keys, n, ORDO_F64, at->others, NULL);
}

/* The key in the middle. */
static ordo_status middle(ordo_ctx *ctx, ordo_type type, size_t n, const map_arrays *at)
{
    size_t const k = n / 2;
    return ordo_select(ctx, type, at->keys, n, &k, 1, at->others, NULL);
}

/* Nine keys all over the array. */
static ordo_status nine(ordo_ctx *ctx, ordo_type type, size_t n, const map_arrays *at)
{
    size_t k[9];
    for (size_t i = 0; i < 9; i++)
        k[i] = n * (i + 1) / 10;
    return ordo_select(ctx, type, at->keys, n, k, 9, at->others, NULL);
}

static ordo_status topk(ordo_ctx *ctx, ordo_type type, size_t n, const map_arrays *at)
{
    return ordo_topk(ctx, type, at->keys, n, 5, NULL, ORDO_U32, at->others, NULL, NULL);
}

/* The bytes of each key as a string. */
static ordo_status strings(ordo_ctx *ctx, ordo_type type, size_t n, const map_arrays *at)
{
    ordo_strings const all = ORDO_OPTS(ordo_strings, .bytes = at->keys, .offsets = at->offsets);
    for (size_t i = 0; i <= n; i++)
        at->offsets[i] = i * ordo_type_size(type);
    return ordo_argsort_strings(ctx, &all, n, ORDO_U32, at->others, NULL);
}

static ordo_status rows(ordo_ctx *ctx, ordo_type type, size_t n, const map_arrays *at)
{
    ordo_segments const  all = ORDO_OPTS(ordo_segments, .count = n / 10, .length = 10);
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .segments = &all);
    return ordo_sort(ctx, type, at->keys, n, &opts);
}

static ordo_status columns(ordo_ctx *ctx, ordo_type type, size_t n, const map_arrays *at)
{
    ordo_segments const all =
        ORDO_OPTS(ordo_segments, .count = 10, .length = n / 10, .stride = 1, .step = 10);
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .segments = &all);
    return ordo_sort(ctx, type, at->keys, n, &opts);
}

static ordo_status halves(ordo_ctx *ctx, ordo_type type, size_t n, const map_arrays *at)
{
    ordo_segments const  all = ORDO_OPTS(ordo_segments, .count = 2, .length = n / 2);
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .segments = &all);
    return ordo_sort(ctx, type, at->keys, n, &opts);
}

static const struct {
    const char *name, *verb; /* of the map; of the table */
    map_call   *call;
} verbs[] = {{"sort", "sort", sort},          {"pairs", "pairs", pairs},
             {"argsort", "argsort", argsort}, {"rank", "rank", rank},
             {"median", "select", middle},    {"quantiles", "select", nine},
             {"topk", "topk", topk},          {"strings", "strings", strings},
             {"rows", "segments", rows},      {"columns", "segments", columns},
             {"halves", "segments", halves}};

enum {
    VERBS = sizeof verbs / sizeof *verbs
};

/* ---- The map ---- */

static bool is_mapped(ordo_type type, size_t n)
{
    return n < MOST || type == ORDO_U16 || type == ORDO_U32 || type == ORDO_F64;
}

/* The names of the paths for all lengths. */
static void row_of(ordo_ctx *ctx, size_t verb, size_t dist, ordo_type type, const map_arrays *at,
                   char row[ROW])
{
    ordo_gen_opts const opts = ORDO_OPTS(ordo_gen_opts, .seed = 1, .k = dists[dist].k);
    size_t              used = 0;
    for (size_t i = 0; i < LENGTHS && is_mapped(type, lengths[i]); i++) {
        size_t const n = lengths[i];
        testkit_case("%s %s %s n=%zu", verbs[verb].name, dists[dist].name, ordo_type_name(type), n);
        CHECK_STATUS(ORDO_OK, ordo_gen(ctx, dists[dist].dist, type, at->keys, n, &opts), ctx);
        CHECK_STATUS(ORDO_OK, verbs[verb].call(ctx, type, n, at), ctx);
        const ordo_path *const path = ordo_last_path(ctx);
        CHECK(path != NULL && strcmp(path->verb, verbs[verb].verb) == 0);
        used += (size_t)snprintf(row + used, ROW - used, "%s%s", i > 0 ? ", " : ": ",
                                 path != NULL ? path->name : "none");
    }
}

/* Prints the rows of all types; types with the same row share a line. A row that ends before MOST
 * is the same if the rest is. */
static void print_rows(FILE *to, ordo_ctx *ctx, size_t verb, size_t dist, unsigned threads,
                       const map_arrays *at)
{
    static char rows[TYPES][ROW];
    bool        printed[TYPES] = {false};
    for (size_t t = 0; t < TYPES; t++)
        row_of(ctx, verb, dist, (ordo_type)(ORDO_I8 + t), at, rows[t]);
    for (size_t t = 0; t < TYPES; t++) {
        const char *row = rows[t];
        if (printed[t])
            continue;
        fprintf(to, "%s %s %u", verbs[verb].name, dists[dist].name, threads);
        for (size_t u = t; u < TYPES; u++) {
            size_t const first = strlen(row), second = strlen(rows[u]);
            if (printed[u] || memcmp(row, rows[u], first < second ? first : second) != 0)
                continue;
            fprintf(to, " %s", ordo_type_name((ordo_type)(ORDO_I8 + u)));
            printed[u] = true;
            row = second > first ? rows[u] : row;
        }
        fprintf(to, "%s\n", row);
    }
}

/* The map of one ISA, which the caller frees. */
static char *map_of(const char *isa, const map_arrays *at)
{
    static unsigned const threads[] = {1, 4};
    char                 *text = NULL;
    size_t                size;
    FILE *const           to = open_memstream(&text, &size);
    fprintf(to, "# call, distribution, threads, types: paths of 10, 10^2, ... 10^6 keys\n"
                "# (10^6, the last column, only of u16, u32 and f64)\n"
                "# few and zipf: 100 values; shuffled: radius up to 8; outliers: one key in 1000\n"
                "# pairs: values of 4 bytes; quantiles: nine of the keys; topk: 5 of them\n"
                "# strings: the bytes of each key; rows: of 10 keys; columns: 10; halves: 2\n");
    setenv("ORDO_ISA", isa, 1);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        ordo_ctx *const ctx = CONTEXT(.where = ORDO_CPU, .threads = threads[i], .seed = 1);
        for (size_t v = 0; v < VERBS; v++)
            for (size_t d = 0; d < DISTS; d++)
                print_rows(to, ctx, v, d, threads[i], at);
        ordo_ctx_free(ctx);
    }
    unsetenv("ORDO_ISA");
    fclose(to);
    return text;
}

/* ---- The files ---- */

/* The text of a file, which the caller frees; NULL: there is no such file. */
static char *read_all(const char *name)
{
    char       *text = NULL;
    size_t      size;
    FILE *const from = fopen(name, "r");
    if (from == NULL)
        return NULL;
    FILE *const to = open_memstream(&text, &size);
    for (int c; (c = getc(from)) != EOF;)
        putc(c, to);
    fclose(from);
    fclose(to);
    return text;
}

/* Compares line by line; the case of a failure is the first line of `made` that differs. */
static void compare(const char *isa, const char *expected, const char *made)
{
    while (*made != '\0') {
        size_t const length = strcspn(made, "\n"), other = strcspn(expected, "\n");
        testkit_case("%s: '%.*s', expected '%.*s'; TEST_PATHS_WRITE=1 writes the file", isa,
                     (int)length, made, (int)other, expected);
        if (!CHECK(length == other && memcmp(made, expected, length) == 0))
            return;
        made += length + 1;
        expected += length + (expected[length] != '\0');
    }
    testkit_case("%s", isa);
    CHECK(*expected == '\0');
}

static void test_map(const char *isa, const map_arrays *at)
{
    char        name[512];
    char *const made = map_of(isa, at);
    snprintf(name, sizeof name, "%s/%s.txt", TEST_PATHS, isa);
    if (getenv("TEST_PATHS_WRITE") != NULL) {
        FILE *const to = fopen(name, "w");
        if (CHECK(to != NULL)) {
            fputs(made, to);
            fclose(to);
        }
    }
    char *const expected = read_all(name);
    if (expected == NULL)
        testkit_skip("no map of %s; TEST_PATHS_WRITE=1 writes it", isa);
    else
        compare(isa, expected, made);
    free(expected);
    free(made);
}

/* Every row has its texts, and a row that another names is in the same table. */
static void test_rows(ordo_ctx *ctx)
{
    const ordo_path *path, *other;
    for (size_t i = 0; (path = ordo_path_at(ctx, i)) != NULL; i++) {
        testkit_case("%s %s", path->verb, path->name);
        CHECK(path->when[0] != '\0');
        bool found = path->fallback == NULL;
        for (size_t j = i + 1; (other = ordo_path_at(ctx, j)) != NULL; j++) {
            bool const alike =
                strcmp(path->backend, other->backend) == 0 && strcmp(path->verb, other->verb) == 0;
            CHECK(!alike || strcmp(path->name, other->name) != 0);
            found = found || (alike && strcmp(path->fallback, other->name) == 0);
        }
        CHECK(found);
    }
    CHECK(ordo_last_path(NULL) == NULL && ordo_path_at(NULL, 0) == NULL);
}

int main(void)
{
    testkit_start();
    ordo_ctx *const probe = test_context_make(1);
    test_rows(probe);
    if (is_tiny) {
        ordo_ctx_free(probe);
        testkit_skip("the map is that of the thresholds as shipped");
        return testkit_done();
    }
    map_arrays const at = {test_keep((size_t)MOST * WIDEST), test_keep((size_t)MOST * WIDEST),
                           test_keep(((size_t)MOST + 1) * sizeof(uint64_t))};
    char             names[128], *rest = NULL;
    snprintf(names, sizeof names, "%s", info_of(probe).isa_all);
    ordo_ctx_free(probe);
    for (char *isa = strtok_r(names, " ", &rest); isa != NULL; isa = strtok_r(NULL, " ", &rest))
        test_map(isa, &at);
    return testkit_done();
}
