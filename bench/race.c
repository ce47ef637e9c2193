/* race.c - compares two builds of libordo in one process: time and results of the same calls.
 *
 *     ordo-race [-t THREADS] [-n KEYS] [-r ROUNDS] [-g] [-c] [-f TEXT] OLD NEW
 *
 * Each round calls both libraries on the same input; the order alternates, so that a slow phase of
 * the machine affects both. A row shows the minimum of each library, the ratio of the minima and the
 * median of the ratios of the rounds. Results that differ are an error (exit 1).
 * OLD and NEW are paths of libordo.so. -g uses arrays in GPU memory; each library loads the plugin
 * beside it. -c counts CPU time, for a busy machine. -f keeps rows whose name contains TEXT. */
#define _POSIX_C_SOURCE 200809L /* getopt, clock_gettime */
#include "ordo.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_ROUNDS = 101,
    QUANTILES = 99
};

/* The functions of one library. */
typedef struct racer {
    ordo_ctx *ctx;
    ordo_status (*ctx_create)(ordo_ctx **, const ordo_ctx_opts *);
    const char *(*last_error)(const ordo_ctx *);
    ordo_status (*gen)(ordo_ctx *, ordo_dist, ordo_type, void *, size_t, const ordo_gen_opts *);
    ordo_status (*sort)(ordo_ctx *, ordo_type, void *, size_t, const ordo_sort_opts *);
    ordo_status (*sort_pairs)(ordo_ctx *, ordo_type, void *, size_t, void *, size_t,
                              const ordo_sort_opts *);
    ordo_status (*argsort)(ordo_ctx *, ordo_type, const void *, size_t, ordo_type, void *,
                           const ordo_sort_opts *);
    ordo_status (*rank)(ordo_ctx *, ordo_type, const void *, size_t, ordo_type, void *,
                        const ordo_rank_opts *);
    ordo_status (*rank_sorted)(ordo_ctx *, ordo_type, const void *, size_t, ordo_type, void *,
                               const ordo_rank_opts *);
    ordo_status (*select)(ordo_ctx *, ordo_type, const void *, size_t, const size_t *, size_t,
                          void *, const ordo_select_opts *);
    ordo_status (*topk)(ordo_ctx *, ordo_type, const void *, size_t, size_t, void *, ordo_type,
                        void *, size_t *, const ordo_select_opts *);
    ordo_status (*scan)(ordo_ctx *, ordo_op, ordo_type, const void *, size_t, ordo_type, void *,
                        const ordo_scan_opts *);
    ordo_status (*scan_bits)(ordo_ctx *, ordo_flags_kind, const void *, size_t, ordo_type, void *,
                             uint64_t *, const ordo_scan_opts *);
    ordo_status (*partition)(ordo_ctx *, ordo_flags_kind, const void *, const void *, size_t,
                             size_t, void *, size_t *, const ordo_partition_opts *);
    ordo_status (*radius)(ordo_ctx *, ordo_type, const void *, size_t, size_t *,
                          const ordo_order_opts *);
    ordo_status (*is_sorted)(ordo_ctx *, ordo_type, const void *, size_t, int *, size_t *,
                             const ordo_order_opts *);
} racer;

typedef enum race_verb {
    SORT,
    PAIRS,
    ARGSORT,
    RANK,
    RANK_SORTED,
    MEDIAN,
    SELECT_99,
    TOPK,
    SCAN,
    SCAN_BITS,
    PARTITION,
    RADIUS,
    IS_SORTED,
    VERBS
} race_verb;

static const char *const verb_names[VERBS] = {
    "sort", "pairs", "argsort", "rank",      "rank_sorted", "median",   "select99",
    "topk", "scan",  "bits",    "partition", "radius",      "is_sorted"};

typedef struct type_row {
    ordo_type   type;
    const char *name;
    size_t      size;
} type_row;

static const type_row types[] = {{ORDO_I8, "i8", 1},   {ORDO_U8, "u8", 1},   {ORDO_I16, "i16", 2},
                                 {ORDO_U16, "u16", 2}, {ORDO_I32, "i32", 4}, {ORDO_U32, "u32", 4},
                                 {ORDO_I64, "i64", 8}, {ORDO_U64, "u64", 8}, {ORDO_F32, "f32", 4},
                                 {ORDO_F64, "f64", 8}};

typedef struct dist_row {
    ordo_dist   dist;
    const char *name;
    uint64_t    k;
} dist_row;

static const dist_row dists[] = {{ORDO_DIST_UNIFORM, "uniform", 0},
                                 {ORDO_DIST_GAUSSIAN, "gaussian", 0},
                                 {ORDO_DIST_FEW, "few", 0},
                                 {ORDO_DIST_ZIPF, "zipf", 0},
                                 {ORDO_DIST_SORTED, "sorted", 0},
                                 {ORDO_DIST_REVERSE, "reverse", 0},
                                 {ORDO_DIST_ORGANPIPE, "organpipe", 0},
                                 {ORDO_DIST_SAWTOOTH, "sawtooth", 0},
                                 {ORDO_DIST_KSORTED, "ksorted", 1000},
                                 {ORDO_DIST_DUPES, "dupes", 0}};

/* Arrays: on the host, or in GPU memory with -g. `keys` is the input, `work` is what a call reads
 * or changes, `out` receives results. */
typedef struct arrays {
    void  *keys, *work, *out, *flags;
    size_t n;
    bool   on_gpu;
} arrays;

static int (*gpu_malloc)(void **, size_t);
static int (*gpu_copy)(void *, const void *, size_t,
                       int); /* direction 4: found from the pointers */
static int (*gpu_wait)(void);

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "ordo-race: %s: %s\n", what, why);
    exit(2);
}

static void *symbol(void *library, const char *name)
{
    void *const address = dlsym(library, name);
    if (address == NULL)
        fail(name, dlerror());
    return address;
}

/* ISO C has no cast from an object pointer to a function pointer, so the bytes are copied. */
#define LOAD(target, library, name)                                                                \
    do {                                                                                           \
        void *const address = symbol(library, name);                                               \
        memcpy(&(target), &address, sizeof address);                                               \
    } while (0)

static void load(racer *r, const char *path, unsigned threads, bool on_gpu)
{
    void *const   library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ordo_ctx_opts opts = {.struct_size = sizeof opts,
                          .where = on_gpu ? ORDO_CUDA : ORDO_CPU,
                          .threads = threads,
                          .calibration = ""};

    if (library == NULL)
        fail(path, dlerror());
    LOAD(r->ctx_create, library, "ordo_ctx_create");
    LOAD(r->last_error, library, "ordo_last_error");
    LOAD(r->gen, library, "ordo_gen");
    LOAD(r->sort, library, "ordo_sort");
    LOAD(r->sort_pairs, library, "ordo_sort_pairs");
    LOAD(r->argsort, library, "ordo_argsort");
    LOAD(r->rank, library, "ordo_rank");
    LOAD(r->rank_sorted, library, "ordo_rank_sorted");
    LOAD(r->select, library, "ordo_select");
    LOAD(r->topk, library, "ordo_topk");
    LOAD(r->scan, library, "ordo_scan");
    LOAD(r->scan_bits, library, "ordo_scan_bits");
    LOAD(r->partition, library, "ordo_partition");
    LOAD(r->radius, library, "ordo_radius");
    LOAD(r->is_sorted, library, "ordo_is_sorted");
    if (r->ctx_create(&r->ctx, &opts) != ORDO_OK)
        fail(path, "cannot create a context");
}

static void load_gpu(void)
{
    static const char *const names[] = {"libcudart.so", "libcudart.so.13", "libcudart.so.12"};
    void                    *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW);
    if (library == NULL)
        fail("libcudart.so", dlerror());
    LOAD(gpu_malloc, library, "cudaMalloc");
    LOAD(gpu_copy, library, "cudaMemcpy");
    LOAD(gpu_wait, library, "cudaDeviceSynchronize");
}

static void *array_alloc(size_t bytes, bool on_gpu)
{
    void *array = NULL;
    if (on_gpu ? gpu_malloc(&array, bytes) != 0 : (array = malloc(bytes)) == NULL)
        fail("memory", "not enough for the arrays");
    return array;
}

static void array_copy(const arrays *a, void *to, const void *from, size_t bytes)
{
    if (!a->on_gpu)
        memcpy(to, from, bytes);
    else if (gpu_copy(to, from, bytes, 4) != 0)
        fail("cudaMemcpy", "failed");
}

/* What a verb compares as its result: the bytes of out, or of work for sorts, and a number. */
typedef struct result {
    const void *array;
    size_t      bytes;
    uint64_t    number;
} result;

static ordo_status call(const racer *r, race_verb verb, const type_row *type, const arrays *a,
                        result *res)
{
    uint64_t const flags = a->on_gpu ? ORDO_ON_DEVICE : 0;
    size_t const   n = a->n, middle = n / 2;

    *res = (result){.array = a->out};
    switch (verb) {
    case SORT:
        *res = (result){.array = a->work, .bytes = n * type->size};
        return r->sort(r->ctx, type->type, a->work, n, &ORDO_OPTS(ordo_sort_opts, .flags = flags));
    case PAIRS:
        *res = (result){.array = a->out, .bytes = n * sizeof(uint32_t)};
        return r->sort_pairs(r->ctx, type->type, a->work, n, a->out, sizeof(uint32_t),
                             &ORDO_OPTS(ordo_sort_opts, .flags = flags));
    case ARGSORT:
        res->bytes = n * sizeof(uint32_t);
        return r->argsort(r->ctx, type->type, a->work, n, ORDO_U32, a->out,
                          &ORDO_OPTS(ordo_sort_opts, .flags = flags));
    case RANK:
        res->bytes = n * sizeof(double);
        return r->rank(r->ctx, type->type, a->work, n, ORDO_F64, a->out,
                       &ORDO_OPTS(ordo_rank_opts, .flags = flags, .ties = ORDO_TIES_AVERAGE));
    case RANK_SORTED:
        res->bytes = n * sizeof(uint32_t);
        return r->rank_sorted(r->ctx, type->type, a->work, n, ORDO_U32, a->out,
                              &ORDO_OPTS(ordo_rank_opts, .flags = flags, .ties = ORDO_TIES_MIN));
    case MEDIAN:
        res->bytes = type->size;
        return r->select(r->ctx, type->type, a->work, n, &middle, 1, a->out,
                         &ORDO_OPTS(ordo_select_opts, .flags = flags));
    case SELECT_99: {
        size_t positions[QUANTILES];
        for (size_t i = 0; i < QUANTILES; i++)
            positions[i] = (i + 1) * (n - 1) / (QUANTILES + 1);
        res->bytes = QUANTILES * type->size;
        return r->select(r->ctx, type->type, a->work, n, positions, QUANTILES, a->out,
                         &ORDO_OPTS(ordo_select_opts, .flags = flags));
    }
    case TOPK: {
        size_t found = 0;
        res->bytes = (n < 100 ? n : 100) * type->size;
        return r->topk(r->ctx, type->type, a->work, n, n < 100 ? n : 100, a->out, ORDO_U32, NULL,
                       &found, &ORDO_OPTS(ordo_select_opts, .flags = flags));
    }
    case SCAN: {
        bool const is_float = type->type == ORDO_F32 || type->type == ORDO_F64;
        bool const is_signed = type->name[0] == 'i';
        res->bytes = n * sizeof(uint64_t);
        return r->scan(r->ctx, ORDO_SUM, type->type, a->work, n,
                       is_float    ? ORDO_F64
                       : is_signed ? ORDO_I64
                                   : ORDO_U64,
                       a->out, &ORDO_OPTS(ordo_scan_opts, .flags = flags));
    }
    case SCAN_BITS:
        res->bytes = n * sizeof(uint32_t);
        return r->scan_bits(r->ctx, ORDO_FLAG_BITS, a->flags, n, ORDO_U32, a->out, &res->number,
                            &ORDO_OPTS(ordo_scan_opts, .flags = flags));
    case PARTITION: {
        size_t            first = 0;
        ordo_status const status =
            r->partition(r->ctx, ORDO_FLAG_BITS, a->flags, a->work, n, type->size, a->out, &first,
                         &ORDO_OPTS(ordo_partition_opts, .flags = flags));
        res->bytes = n * type->size;
        res->number = first;
        return status;
    }
    case RADIUS: {
        size_t            radius = 0;
        ordo_status const status = r->radius(r->ctx, type->type, a->work, n, &radius,
                                             &ORDO_OPTS(ordo_order_opts, .flags = flags));
        res->number = radius;
        return status;
    }
    case IS_SORTED: {
        int               sorted = 0;
        size_t            where = 0;
        ordo_status const status = r->is_sorted(r->ctx, type->type, a->work, n, &sorted, &where,
                                                &ORDO_OPTS(ordo_order_opts, .flags = flags));
        res->number = where;
        return status;
    }
    case VERBS:
        break;
    }
    return ORDO_E_ARG;
}

static clockid_t clock_id = CLOCK_MONOTONIC;

static double now(void)
{
    struct timespec t;
    clock_gettime(clock_id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Resets the arrays, makes the call and returns its time. Results go to `kept` if it is given. */
static double timed(const racer *r, race_verb verb, const type_row *type, const arrays *a,
                    result *res, void *kept)
{
    array_copy(a, a->work, a->keys, a->n * type->size);
    if (verb == PAIRS)
        array_copy(a, a->out, a->flags, a->n * sizeof(uint32_t));
    if (a->on_gpu)
        gpu_wait();
    double const start = now();
    if (call(r, verb, type, a, res) != ORDO_OK)
        fail(verb_names[verb], r->last_error(r->ctx));
    if (a->on_gpu)
        gpu_wait();
    double const seconds = now() - start;
    if (kept != NULL)
        array_copy(a, kept, res->array, res->bytes);
    return seconds;
}

static int compare_double(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Races one row and prints it. Returns false if the results differ. */
static bool race(const racer racers[2], race_verb verb, const type_row *type, const char *dist,
                 const arrays *a, size_t rounds, void *kept[2])
{
    double ratio[MOST_ROUNDS] = {0}, least[2] = {0};
    result res[2];

    for (int i = 0; i < 2; i++) /* takes scratch memory and keeps the results */
        timed(&racers[i], verb, type, a, &res[i], kept[i]);
    bool const same = res[0].bytes == res[1].bytes && res[0].number == res[1].number &&
                      memcmp(kept[0], kept[1], res[0].bytes) == 0;
    for (size_t round = 0; round < rounds; round++) {
        double seconds[2];
        for (size_t call = 0; call < 2; call++) {
            size_t const i = (round + call) % 2;
            seconds[i] = timed(&racers[i], verb, type, a, &res[i], NULL);
            if (round == 0 || seconds[i] < least[i])
                least[i] = seconds[i];
        }
        ratio[round] = seconds[1] / seconds[0];
    }
    qsort(ratio, rounds, sizeof *ratio, compare_double);
    printf("%-12s %-4s %-10s %10.3f %10.3f %7.3f %7.3f%s\n", verb_names[verb], type->name, dist,
           1e3 * least[0], 1e3 * least[1], least[1] / least[0], ratio[rounds / 2],
           same ? "" : "  RESULTS DIFFER");
    fflush(stdout);
    return same;
}

/* The rows: every verb on uniform keys of every type; every distribution for verbs that adapt. */
static bool worth_a_row(race_verb verb, const type_row *type, const dist_row *dist)
{
    bool const wide = type->type == ORDO_U32 || type->type == ORDO_I32 || type->type == ORDO_F32 ||
                      type->type == ORDO_F64 || type->type == ORDO_U64;
    if (verb == RANK_SORTED)
        return dist->dist == ORDO_DIST_SORTED;
    if (dist->dist == ORDO_DIST_UNIFORM)
        return true;
    if (type->size < 4 && dist->dist == ORDO_DIST_KSORTED)
        return false; /* too few values for the radius */
    return wide && (verb <= RANK || verb == MEDIAN || verb == SELECT_99 || verb == RADIUS ||
                    verb == IS_SORTED);
}

typedef struct settings {
    unsigned    threads;
    size_t      n, rounds;
    bool        on_gpu;
    const char *filter, *paths[2];
} settings;

static bool read_settings(int argc, char **argv, settings *set)
{
    int option;

    *set = (settings){.threads = 1, .n = 1 << 20, .rounds = 7, .filter = ""};
    while ((option = getopt(argc, argv, "t:n:r:f:gc")) != -1) {
        switch (option) {
        case 't':
            set->threads = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'n':
            set->n = strtoull(optarg, NULL, 10);
            break;
        case 'r':
            set->rounds = strtoull(optarg, NULL, 10);
            break;
        case 'f':
            set->filter = optarg;
            break;
        case 'c':
            clock_id = CLOCK_PROCESS_CPUTIME_ID;
            break;
        case 'g':
            set->on_gpu = true;
            break;
        default:
            return false;
        }
    }
    if (argc - optind != 2)
        return false;
    set->paths[0] = argv[optind];
    set->paths[1] = argv[optind + 1];
    return set->n >= 2000 && set->rounds > 0 && set->rounds <= MOST_ROUNDS;
}

/* Races every verb on one input. */
static bool race_input(const racer racers[2], const type_row *type, const dist_row *dist,
                       const settings *set, const arrays *a, ordo_ctx *host, void *made,
                       void *kept[2])
{
    ordo_gen_opts const gen = {.struct_size = sizeof gen, .seed = 1, .k = dist->k};
    bool                filled = false, same = true;

    for (int v = 0; v < VERBS; v++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s %s", verb_names[v], type->name, dist->name);
        if (!worth_a_row((race_verb)v, type, dist) || strstr(name, set->filter) == NULL)
            continue;
        if (!filled && racers[1].gen(host, dist->dist, type->type, made, a->n, &gen) != ORDO_OK)
            fail(name, racers[1].last_error(host));
        if (!filled)
            array_copy(a, a->keys, made, a->n * type->size);
        filled = true;
        same &= race(racers, (race_verb)v, type, dist->name, a, set->rounds, kept);
    }
    return same;
}

int main(int argc, char **argv)
{
    bool      same = true;
    settings  set;
    racer     racers[2];
    ordo_ctx *host = NULL;

    if (!read_settings(argc, argv, &set)) {
        fputs("usage: ordo-race [-t THREADS] [-n KEYS] [-r ROUNDS] [-g] [-c] [-f TEXT] OLD NEW\n"
              "KEYS is at least 2000, ROUNDS is 1 to 101; OLD and NEW are paths of libordo.so\n",
              stderr);
        return 2;
    }
    if (set.on_gpu)
        load_gpu();
    for (int i = 0; i < 2; i++)
        load(&racers[i], set.paths[i], set.threads, set.on_gpu);
    ordo_ctx_opts const host_opts = {.struct_size = sizeof host_opts, .where = ORDO_CPU};
    if (racers[1].ctx_create(&host, &host_opts) != ORDO_OK)
        fail("context", "not created");

    size_t const bytes = set.n * sizeof(uint64_t);
    arrays const a = {.n = set.n,
                      .on_gpu = set.on_gpu,
                      .keys = array_alloc(bytes, set.on_gpu),
                      .work = array_alloc(bytes, set.on_gpu),
                      .out = array_alloc(bytes, set.on_gpu),
                      .flags = array_alloc(bytes, set.on_gpu)};
    void *const  made = array_alloc(bytes, false);
    void        *kept[2] = {array_alloc(bytes, false), array_alloc(bytes, false)};
    if (racers[1].gen(host, ORDO_DIST_UNIFORM, ORDO_U64, made, a.n, NULL) != ORDO_OK)
        fail("flags", racers[1].last_error(host));
    array_copy(&a, a.flags, made, bytes);

    printf("%-12s %-4s %-10s %10s %10s %7s %7s   n = %zu, threads = %u, rounds = %zu\n", "verb",
           "type", "keys", "old ms", "new ms", "ratio", "median", set.n, set.threads, set.rounds);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t d = 0; d < sizeof dists / sizeof *dists; d++)
            same &= race_input(racers, &types[t], &dists[d], &set, &a, host, made, kept);
    return same ? 0 : 1; /* the process ends, so the arrays are not freed */
}
