/* test_cuda_put_ranks.c - the backend function put_ranks, which writes ranks to the places of their
 * records: every tie rule, one sorted stretch and two, indices of 32 and of 64 bits, places without
 * a record, results in parts and results that are scattered directly. After each part the ranks of
 * that part must be complete. */
#define _POSIX_C_SOURCE 200809L
#include "device.h"
#include "inputs.h"

#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 2200003, /* 64-bit numbers of more than 16 MiB */
    MOST_PARTS = 4
};

typedef struct put_case {
    ordo_type type;
    size_t    n, total, split;
    size_t    width; /* bytes of an index */
    ordo_ties ties;
    bool      descending;
    unsigned  parts;
} put_case;

static const ordo_backend *table;
static void               *state;
static char                keys[MOST * 8], index_of[MOST * 8];
static uint64_t            expected[MOST], numbers[MOST];
static double              halves[MOST];
static device_array        d_keys, d_index, d_ranks;

static ordo_status refuse(ordo_exec *exec, ordo_status status, const char *format, va_list args)
{
    (void)exec;
    vprintf(format, args);
    return status;
}

/* The place of record r: all places are used, or two of three. */
static size_t place_of(const put_case *c, size_t r)
{
    return c->n == c->total ? r : r / 2 * 3 + r % 2;
}

static void number_index(const put_case *c)
{
    for (size_t r = 0; r < c->n; r++) {
        uint64_t const wide = place_of(c, r);
        uint32_t const narrow = (uint32_t)wide;
        memcpy(index_of + r * c->width, c->width == 4 ? (const void *)&narrow : (const void *)&wide,
               c->width);
    }
}

/* Computes the expected ranks, then sorts the records of each stretch. */
static void prepare(const put_case *c, size_t shape)
{
    uint64_t const       flags = c->descending ? ORDO_DESCENDING : 0;
    size_t const         size = ordo_type_size(c->type);
    bool const           average = c->ties == ORDO_TIES_AVERAGE;
    ordo_rank_opts const rule = ORDO_OPTS(ordo_rank_opts, .flags = flags, .ties = c->ties);
    ordo_sort_opts const order = ORDO_OPTS(ordo_sort_opts, .flags = flags);
    inputs_fill(shape, c->type, keys, c->n, c->n);
    CHECK_STATUS(ORDO_OK,
                 ordo_rank(cpu, c->type, keys, c->n, average ? ORDO_F64 : ORDO_U64,
                           average ? (void *)halves : (void *)expected, &rule),
                 cpu);
    for (size_t r = 0; r < c->n && average; r++)
        expected[r] = (uint64_t)(2 * halves[r]);
    number_index(c);
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(cpu, c->type, keys, c->split, index_of, c->width, &order),
                 cpu);
    CHECK_STATUS(ORDO_OK,
                 ordo_sort_pairs(cpu, c->type, keys + c->split * size, c->n - c->split,
                                 index_of + c->split * c->width, c->width, &order),
                 cpu);
}

static uint64_t number_at(const put_case *c, size_t place)
{
    return c->width == 4 ? ((const uint32_t *)numbers)[place] : numbers[place];
}

/* Counts the records with a place below `end` and a wrong rank. */
static size_t wrong_below(const put_case *c, size_t end)
{
    size_t wrong = 0;
    for (size_t r = 0; r < c->n && place_of(c, r) < end; r++)
        wrong += number_at(c, place_of(c, r)) != expected[r];
    return wrong;
}

static void check(const put_case *c)
{
    ordo_exec    exec = {.threads = 1, .fail = refuse, .on_device = true};
    ordo_put_job job = {.type = c->type,
                        .sorted = d_keys.data,
                        .n = c->n,
                        .split = c->split,
                        .descending = c->descending,
                        .ties = c->ties,
                        .index_type = c->width == 4 ? ORDO_U32 : ORDO_U64,
                        .index = d_index.data,
                        .total = c->total,
                        .ranks = d_ranks.data,
                        .parts = c->parts};
    device_place(&d_keys, c->n * ordo_type_size(c->type), 0);
    device_place(&d_index, c->n * c->width, 0);
    device_place(&d_ranks, c->total * c->width, 0);
    device_put(&d_keys, keys);
    device_put(&d_index, index_of);
    device_overwrite(&d_ranks);
    device_array work = device_make(table->put_ranks_work(&job), 0);
    job.work = work.data;
    for (job.part = 0; job.part < c->parts; job.part++) {
        bool const last = job.part + 1 == c->parts;
        CHECK(table->put_ranks(state, &job, &exec) == ORDO_OK);
        CUDA_CHECK(cudaDeviceSynchronize());
        device_get(&d_ranks, numbers);
        CHECK(wrong_below(c, last ? c->total : c->total / c->parts * (job.part + 1)) == 0);
    }
    CHECK(device_intact(&d_ranks) && device_intact(&work));
    device_free(&work);
}

int main(void)
{
    static const ordo_type types[] = {ORDO_F32, ORDO_U64, ORDO_I16, ORDO_F64, ORDO_U32};
    char                   directory[1000], why[PLAN_WHY];
    const char *const      given = getenv("ORDO_BACKEND_DIR");
    snprintf(directory, sizeof directory, "%s", given != NULL ? given : "");
    device_start();
    table = ordo_backend_load(directory, why, sizeof why);
    if (!CHECK(table != NULL) || !CHECK(table->open(&state, &(ordo_backend_wishes){.threads = 1},
                                                    why, sizeof why) == ORDO_OK))
        return device_done();
    d_keys = device_make((size_t)MOST * 8, 0);
    d_index = device_make((size_t)MOST * 8, 0);
    d_ranks = device_make((size_t)MOST * 8, 0);
    size_t const shapes[] = {inputs_find("random bits"), inputs_find("one heavy value"),
                             inputs_find("some NaNs"), inputs_find("all equal")};
    /* ORDO_TEST_SMALL: few keys and cases, for compute-sanitizer */
    bool const   small = getenv("ORDO_TEST_SMALL") != NULL;
    size_t const most = small ? 30011 : MOST;
    for (size_t i = 0; i < 60; i += small ? 7 : 1) {
        size_t const total = i % 4 == 3 ? most / 8 : most;
        size_t const n = i % 3 == 2 ? total / 3 * 2 : total;
        put_case     c = {.type = types[i / 5 % 5],
                          .n = n,
                          .total = total,
                          .split = i % 2 == 0 ? n : n / 10 * (1 + i % 9),
                          .width = i % 7 < 5 ? 8 : 4,
                          .ties = (ordo_ties)(i % ORDO_TIES_RULES),
                          .descending = i / 3 % 2 == 1,
                          .parts = 1 + (unsigned)i % MOST_PARTS};
        testkit_case("%s of %s, n = %zu of %zu, split %zu, index of %zu, rule %d, %u parts",
                     inputs_name(shapes[i % 4]), ordo_type_name(c.type), c.n, c.total, c.split,
                     c.width, (int)c.ties, c.parts);
        prepare(&c, shapes[i % 4]);
        check(&c);
    }
    device_free(&d_keys);
    device_free(&d_index);
    device_free(&d_ranks);
    table->close(state);
    return device_done();
}
