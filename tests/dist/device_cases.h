/* device_cases.h - all calls over many ranks on arrays of a device, for a real and a simulated one:
 * the bytes of the calls in memory on the whole array, for three ways to exchange device arrays. */
#ifndef ORDO_TESTS_DEVICE_CASES_H
#define ORDO_TESTS_DEVICE_CASES_H

#include "distkit.h"

enum {
    CASES_MOST = 20000,
    CASES_TOP = 50,
    CASES_POSITIONS = 12,
    CASES_RANKS = 8
};

typedef enum cases_way {
    WAY_THREADS, /* the ranks copy from each other's arrays */
    WAY_STAGED,  /* through host memory */
    WAY_MOVING,  /* the transport moves device memory */
    WAYS
} cases_way;

/* What the device under test can do. */
typedef struct cases_device {
    void *(*make)(size_t bytes);
    void (*drop)(void *array);
    void (*copy)(void *to, const void *from, size_t bytes); /* waits for the copy */
} cases_device;

enum { /* arrays on the device: those before CASES_EACH are divided over the ranks */
    KEYS,
    SORTED,
    MOVED,
    PAIR_KEYS,
    PAIR_VALUES,
    INDEX,
    RANKS,
    SCANNED,
    CASES_EACH, /* one part for each rank: selected keys, top keys and their indices */
    CASES_ARRAYS
};

typedef struct cases_job {
    distkit      kit;
    cases_device device;
    cases_way    way;
    ordo_type    type, index_type, out_type;
    size_t       size, n;
    bool         descending, exclusive;
    rank_rule    rule;
    ordo_op      op;
    ordo_nans    nans;
    ordo_method  method;
    uint64_t     k[CASES_POSITIONS];
    double       q[CASES_POSITIONS];
    size_t       out_starts[DISTKIT_RANKS + 1];
    char        *there[CASES_ARRAYS];
    ordo_comm    inner[CASES_RANKS]; /* what wrapped transports call */
    /* Results of each rank on the host. */
    double   quantiles[CASES_RANKS][CASES_POSITIONS], median[CASES_RANKS];
    size_t   found[CASES_RANKS];
    uint64_t unique[CASES_RANKS], where[CASES_RANKS];
    int      sorted[CASES_RANKS];
} cases_job;

static cases_job j;
static char      keys[CASES_MOST * 8], got[CASES_MOST * 8], expected[CASES_ARRAYS][CASES_MOST * 8];

/* ---- Transports ---- */

static int wrapped_allgather(void *user, const void *mine, const uint64_t *bytes_of, void *all)
{
    const ordo_comm *const in = user;
    return in->allgather(in->user, mine, bytes_of, all);
}

static int wrapped_sum(void *user, uint64_t *values, size_t count)
{
    const ordo_comm *const in = user;
    return in->sum(in->user, values, count);
}

static int wrapped_prefix(void *user, uint64_t *values, size_t count)
{
    const ordo_comm *const in = user;
    return in->prefix(in->user, values, count);
}

static int wrapped_exchange(void *user, const char *send, const uint64_t *send_at,
                            const uint64_t *send_bytes, char *receive, const uint64_t *receive_at,
                            const uint64_t *receive_bytes)
{
    const ordo_comm *const in = user;
    return in->exchange(in->user, send, send_at, send_bytes, receive, receive_at, receive_bytes);
}

typedef struct published {
    const char     *send;
    const uint64_t *at, *bytes;
} published;

/* An exchange of host or device memory. */
static int moving_exchange(void *user, const char *send, const uint64_t *send_at,
                           const uint64_t *send_bytes, char *receive, const uint64_t *receive_at,
                           const uint64_t *receive_bytes)
{
    const ordo_comm *const in = user;
    size_t const           ranks = (size_t)in->size;
    published const        mine = {send, send_at, send_bytes};
    published              all[CASES_RANKS];
    uint64_t               each[CASES_RANKS] = {0}, met = 0;
    for (size_t r = 0; r < ranks; r++)
        each[r] = sizeof mine;
    if (in->allgather(in->user, &mine, each, all) != 0)
        return 1;
    for (size_t r = 0; r < ranks; r++) {
        if (all[r].bytes[in->rank] != receive_bytes[r])
            return 1;
        if (receive_bytes[r] > 0)
            j.device.copy(receive + receive_at[r], all[r].send + all[r].at[in->rank],
                          receive_bytes[r]);
    }
    return in->sum(in->user, &met, 1);
}

static ordo_comm cases_wrap(void *user, const ordo_comm *comm)
{
    (void)user;
    if (j.way == WAY_THREADS)
        return *comm;
    ordo_comm *const inner = &j.inner[comm->rank];
    *inner = *comm;
    return ORDO_OPTS(ordo_comm, .rank = comm->rank, .size = comm->size, .user = inner,
                     .allgather = wrapped_allgather, .sum = wrapped_sum, .prefix = wrapped_prefix,
                     .exchange = j.way == WAY_MOVING ? moving_exchange : wrapped_exchange,
                     .give_up = NULL, .moves_device_memory = j.way == WAY_MOVING);
}

/* ---- The calls of one rank ---- */

typedef struct cases_rank {
    ordo_ctx        *ctx;
    const ordo_comm *comm;
    size_t           rank, from, n;
} cases_rank;

static char *part(const cases_rank *r, size_t array, size_t size)
{
    return j.there[array] + r->from * size;
}

static char *own(const cases_rank *r, size_t which)
{
    return j.there[CASES_EACH] + (r->rank * 3 + which) * CASES_TOP * 8;
}

static ordo_dist_opts cases_opts(uint64_t flags)
{
    return ORDO_OPTS(ordo_dist_opts, .flags = flags | ORDO_ON_DEVICE);
}

static ordo_status call_sorts(const cases_rank *r)
{
    ordo_dist_opts opts = cases_opts(j.descending ? ORDO_DESCENDING : 0);
    ordo_status    status =
        ordo_dist_sort(r->ctx, r->comm, j.type, part(r, SORTED, j.size), r->n, &opts);
    if (status == ORDO_OK)
        status = ordo_dist_sort_pairs(r->ctx, r->comm, j.type, part(r, PAIR_KEYS, j.size), r->n,
                                      part(r, PAIR_VALUES, 8), 8, &opts);
    if (status == ORDO_OK)
        status =
            ordo_dist_argsort(r->ctx, r->comm, j.type, part(r, KEYS, j.size), r->n, j.index_type,
                              part(r, INDEX, ordo_type_size(j.index_type)), &opts);
    if (status == ORDO_OK)
        status = ordo_dist_rank(r->ctx, r->comm, j.type, part(r, KEYS, j.size), r->n, j.rule.ties,
                                j.rule.rank_type, part(r, RANKS, ordo_type_size(j.rule.rank_type)),
                                &opts);
    opts.out = j.there[MOVED] + j.out_starts[r->rank] * j.size;
    opts.n_out = j.out_starts[r->rank + 1] - j.out_starts[r->rank];
    if (status == ORDO_OK)
        status = ordo_dist_sort(r->ctx, r->comm, j.type, part(r, KEYS, j.size), r->n, &opts);
    return status;
}

static ordo_status call_selections(const cases_rank *r)
{
    ordo_dist_opts const opts = cases_opts(j.descending ? ORDO_DESCENDING : 0);
    ordo_dist_opts const plain = cases_opts(0);
    const char *const    at = part(r, KEYS, j.size);
    ordo_status          status = ORDO_OK;
    if (j.n > 0)
        status = ordo_dist_select(r->ctx, r->comm, j.type, at, r->n, j.k, CASES_POSITIONS,
                                  own(r, 0), &opts);
    if (status == ORDO_OK)
        status = ordo_dist_quantiles(r->ctx, r->comm, j.type, at, r->n, j.q, CASES_POSITIONS,
                                     j.quantiles[r->rank], j.nans, j.method, &plain);
    if (status == ORDO_OK)
        status =
            ordo_dist_median(r->ctx, r->comm, j.type, at, r->n, &j.median[r->rank], j.nans, &plain);
    if (status == ORDO_OK)
        status = ordo_dist_topk(r->ctx, r->comm, j.type, at, r->n, CASES_TOP, own(r, 1),
                                (uint64_t *)(void *)own(r, 2), &j.found[r->rank], &opts);
    if (status == ORDO_OK)
        status =
            ordo_dist_unique_count(r->ctx, r->comm, j.type, at, r->n, &j.unique[r->rank], &plain);
    return status;
}

static ordo_status cases_call(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    cases_rank const     r = {ctx, comm, rank, j.kit.starts[rank],
                              j.kit.starts[rank + 1] - j.kit.starts[rank]};
    ordo_dist_opts const scan = cases_opts(j.exclusive ? ORDO_EXCLUSIVE : 0);
    ordo_dist_opts const order = cases_opts(j.descending ? ORDO_DESCENDING : 0);
    (void)user;
    ordo_status status = call_sorts(&r);
    if (status == ORDO_OK)
        status = call_selections(&r);
    if (status == ORDO_OK)
        status = ordo_dist_scan(ctx, comm, j.op, j.type, part(&r, KEYS, j.size), r.n, j.out_type,
                                part(&r, SCANNED, ordo_type_size(j.out_type)), &scan);
    if (status == ORDO_OK) /* of sorted keys in half of the cases */
        status =
            ordo_dist_is_sorted(ctx, comm, j.type, part(&r, j.exclusive ? SORTED : KEYS, j.size),
                                r.n, &j.sorted[rank], &j.where[rank], &order);
    return status;
}

/* ---- Expected results ---- */

static uint64_t cases_distinct(ordo_ctx *cpu_ctx)
{
    uint64_t distinct = 0;
    CHECK_STATUS(ORDO_OK,
                 ordo_rank(cpu_ctx, j.type, keys, j.n, ORDO_U64, got,
                           &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_DENSE)),
                 cpu_ctx);
    for (size_t i = 0; i < j.n; i++) {
        uint64_t const rank = ((const uint64_t *)(const void *)got)[i];
        distinct = rank > distinct ? rank : distinct;
    }
    return distinct;
}

static void expect_orders(ordo_ctx *c)
{
    uint64_t const       flags = j.descending ? ORDO_DESCENDING : 0;
    ordo_sort_opts const sort = ORDO_OPTS(ordo_sort_opts, .flags = flags);
    memcpy(expected[SORTED], keys, j.n * j.size);
    memcpy(expected[PAIR_KEYS], keys, j.n * j.size);
    for (size_t i = 0; i < j.n; i++)
        ((uint64_t *)(void *)expected[PAIR_VALUES])[i] = i * 3 + 1;
    j.device.copy(j.there[PAIR_VALUES], expected[PAIR_VALUES], j.n * 8);
    CHECK_STATUS(ORDO_OK, ordo_sort(c, j.type, expected[SORTED], j.n, &sort), c);
    CHECK_STATUS(
        ORDO_OK,
        ordo_sort_pairs(c, j.type, expected[PAIR_KEYS], j.n, expected[PAIR_VALUES], 8, &sort), c);
    CHECK_STATUS(ORDO_OK, ordo_argsort(c, j.type, keys, j.n, j.index_type, expected[INDEX], &sort),
                 c);
    CHECK_STATUS(
        ORDO_OK,
        ordo_rank(c, j.type, keys, j.n, j.rule.rank_type, expected[RANKS],
                  &ORDO_OPTS(ordo_rank_opts, .flags = flags, .ties = (uint32_t)j.rule.ties)),
        c);
    CHECK_STATUS(ORDO_OK,
                 ordo_scan(c, j.op, j.type, keys, j.n, j.out_type, expected[SCANNED],
                           &ORDO_OPTS(ordo_scan_opts, .flags = j.exclusive ? ORDO_EXCLUSIVE : 0)),
                 c);
}

/* ---- Checks ---- */

static void same(size_t array, size_t expected_array, size_t bytes, size_t size)
{
    j.device.copy(got, j.there[array], bytes);
    CHECK_BYTES(expected[expected_array], got, bytes, size);
}

static void check_arrays(void)
{
    size_t const index = ordo_type_size(j.index_type), rank = ordo_type_size(j.rule.rank_type);
    size_t const out = ordo_type_size(j.out_type);
    same(SORTED, SORTED, j.n * j.size, j.size);
    same(MOVED, SORTED, j.n * j.size, j.size);
    same(PAIR_KEYS, PAIR_KEYS, j.n * j.size, j.size);
    same(PAIR_VALUES, PAIR_VALUES, j.n * 8, 8);
    same(INDEX, INDEX, j.n * index, index);
    same(RANKS, RANKS, j.n * rank, rank);
    same(SCANNED, SCANNED, j.n * out, out);
}

static void check_selections(ordo_ctx *c)
{
    uint64_t const         flags = j.descending ? ORDO_DESCENDING : 0;
    ordo_select_opts const select = ORDO_OPTS(ordo_select_opts, .flags = flags);
    double                 all[CASES_POSITIONS], median;
    size_t                 found = 0, k[CASES_POSITIONS];
    char                   chosen[CASES_POSITIONS * 8], top[CASES_TOP * 8], index[CASES_TOP * 8];
    uint64_t const         distinct = cases_distinct(c);
    for (size_t i = 0; i < CASES_POSITIONS; i++)
        k[i] = (size_t)j.k[i];
    if (j.n > 0)
        CHECK_STATUS(ORDO_OK,
                     ordo_select(c, j.type, keys, j.n, k, CASES_POSITIONS, chosen, &select), c);
    CHECK_STATUS(ORDO_OK,
                 ordo_quantiles(c, j.type, keys, j.n, j.q, CASES_POSITIONS, all,
                                &ORDO_OPTS(ordo_quantile_opts, .nans = j.nans, .method = j.method)),
                 c);
    CHECK_STATUS(
        ORDO_OK,
        ordo_median(c, j.type, keys, j.n, &median, &ORDO_OPTS(ordo_quantile_opts, .nans = j.nans)),
        c);
    CHECK_STATUS(ORDO_OK,
                 ordo_topk(c, j.type, keys, j.n, CASES_TOP, top, ORDO_U64, index, &found, &select),
                 c);
    for (size_t r = 0; r < j.kit.ranks; r++) {
        cases_rank const at = {.rank = r};
        j.device.copy(got, own(&at, 0), 3 * CASES_TOP * 8);
        if (j.n > 0)
            CHECK_BYTES(chosen, got, CASES_POSITIONS * j.size, j.size);
        CHECK_BYTES(all, j.quantiles[r], sizeof all, sizeof(double));
        CHECK_BYTES(&median, &j.median[r], sizeof median, sizeof median);
        CHECK_EQ_U64(found, j.found[r]);
        CHECK_BYTES(top, got + CASES_TOP * 8, found * j.size, j.size);
        CHECK_BYTES(index, got + 2 * CASES_TOP * 8, found * 8, 8);
        CHECK_EQ_U64(distinct, j.unique[r]);
    }
}

static void check_order(ordo_ctx *c)
{
    int    sorted;
    size_t where;
    CHECK_STATUS(
        ORDO_OK,
        ordo_is_sorted(c, j.type, j.exclusive ? expected[SORTED] : keys, j.n, &sorted, &where,
                       &ORDO_OPTS(ordo_order_opts, .flags = j.descending ? ORDO_DESCENDING : 0)),
        c);
    for (size_t r = 0; r < j.kit.ranks; r++) {
        CHECK_EQ_U64(sorted, j.sorted[r]);
        CHECK_EQ_U64(where, j.where[r]);
    }
}

/* ---- Cases ---- */

static void choose_case(size_t turn)
{
    static const size_t sizes[] = {0, 1, 7, 100, 1000, CASES_MOST, 5000};
    bool const          is_float = j.type == ORDO_F32 || j.type == ORDO_F64;
    j.n = sizes[turn * 5 % 7];
    j.size = ordo_type_size(j.type);
    j.kit.ranks = 1 + turn * 3 % CASES_RANKS;
    j.kit.threads = turn % 4 == 0 ? 2 : 1;
    j.way = (cases_way)(turn % WAYS);
    j.descending = turn % 5 < 2;
    j.exclusive = turn % 2 == 0;
    j.index_type = turn % 4 < 2 ? ORDO_U32 : ORDO_U64;
    j.rule = inputs_rule(turn);
    j.op = (ordo_op)(ORDO_SUM + turn % 3);
    j.out_type = j.op == ORDO_SUM && turn % 4 < 2 ? ordo_type_wide(j.type) : j.type;
    j.nans = (ordo_nans)(turn % 3);
    j.method = (ordo_method)(turn % (ORDO_METHODS + 1));
    for (size_t i = 0; i < CASES_POSITIONS; i++) {
        j.k[i] = j.n == 0 ? 0 : i == 1 ? j.n - 1 : j.n * (i * i % 11) / 11;
        j.q[i] = (double)(i * 5 % CASES_POSITIONS) / (CASES_POSITIONS - 1);
        if (turn % 3 != 0 && i > 1) { /* few positions take another path than many */
            j.k[i] = j.k[0];
            j.q[i] = j.q[1];
        }
    }
    inputs_fill(turn % inputs_count(), j.type, keys, j.n, turn + j.n);
    if (j.op == ORDO_SUM && is_float) /* sums of other floats depend on the order of additions */
        distkit_small_numbers(j.type, keys, j.n);
}

static void check_case(ordo_ctx *c, size_t turn)
{
    choose_case(turn);
    distkit_split(turn % DISTKIT_SPLITS, j.n, j.kit.ranks, turn, j.kit.starts);
    distkit_split(3, j.n, j.kit.ranks, turn + 99, j.out_starts);
    testkit_case("case %zu: %s %s, %zu keys, %zu ranks, split %zu, way %d%s", turn,
                 ordo_type_name(j.type), inputs_name(turn % inputs_count()), j.n, j.kit.ranks,
                 turn % DISTKIT_SPLITS, (int)j.way, j.descending ? ", descending" : "");
    expect_orders(c);
    j.device.copy(j.there[KEYS], keys, j.n * j.size);
    j.device.copy(j.there[SORTED], keys, j.n * j.size);
    j.device.copy(j.there[PAIR_KEYS], keys, j.n * j.size);
    if (!distkit_run(&j.kit, ORDO_OK))
        return;
    check_arrays();
    check_selections(c);
    check_order(c);
}

static void cases_open(const cases_device *device)
{
    j.device = *device;
    j.kit.where = ORDO_CUDA;
    j.kit.wrap = cases_wrap;
    j.kit.call = cases_call;
    for (size_t i = 0; i < CASES_ARRAYS; i++)
        j.there[i] = device->make(CASES_MOST * 8 + 8);
}

static void cases_close(void)
{
    for (size_t i = 0; i < CASES_ARRAYS; i++)
        j.device.drop(j.there[i]);
}

/* `count` cases; every type takes its turn. */
static void check_cases(ordo_ctx *c, size_t count)
{
    for (size_t turn = 0; turn < count; turn++) {
        j.type = inputs_types[turn % INPUTS_TYPES];
        check_case(c, turn * 7 + turn / INPUTS_TYPES);
    }
}

#endif
