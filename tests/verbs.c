/* verbs.c - see verbs.h. Sums of floats are left to test_scan.c: these calls have exact answers. */
#include "verbs.h"

#include "inputs.h"
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

enum {
    SPOIL = 0xee,
    ELEMENT = 12,
    OUT_ELEMENT = 16,
    SHAPE = 17 /* recurrence 0.5 */
};

static const uint64_t spoilt_scalar = UINT64_C(0xeeeeeeeeeeeeeeee);

typedef enum verb_kind {
    RANK,
    SCAN,
    BITS,
    PARTITION,
    SORTED,
    COPY
} verb_kind;

static const struct verb {
    const char *name, *operation;
    verb_kind   kind;
    ordo_type   type, out_type;
    uint32_t    choice;    /* ties, op, or kind of flags */
    uint32_t    algorithm; /* of ranks                   */
    uint64_t    flags;
} verbs[VERBS] = {
    {"rank_sorted min", "rank_sorted", RANK, ORDO_F32, ORDO_U32, ORDO_TIES_MIN, 0, 0},
    {"rank_sorted average", "rank_sorted", RANK, ORDO_F32, ORDO_F64, ORDO_TIES_AVERAGE, 0, 0},
    {"rank_sorted dense threads", "rank_sorted", RANK, ORDO_F32, ORDO_U64, ORDO_TIES_DENSE,
     ORDO_ALGORITHM_THREADS, 0},
    {"rank_sorted max sequential", "rank_sorted", RANK, ORDO_F32, ORDO_U32, ORDO_TIES_MAX,
     ORDO_ALGORITHM_SEQUENTIAL, 0},
    {"rank_sorted dense checked", "rank_sorted", RANK, ORDO_F32, ORDO_U32, ORDO_TIES_DENSE, 0,
     ORDO_CHECK},
    {"scan sum u32", "scan", SCAN, ORDO_U32, ORDO_U32, ORDO_SUM, 0, 0},
    {"scan max u32 exclusive", "scan", SCAN, ORDO_U32, ORDO_U32, ORDO_MAX, 0, ORDO_EXCLUSIVE},
    {"scan_bits bytes", "scan_bits", BITS, (ordo_type)0, ORDO_U32, ORDO_FLAG_BYTES, 0, 0},
    {"scan_bits bits", "scan_bits", BITS, (ordo_type)0, ORDO_U64, ORDO_FLAG_BITS, 0, 0},
    {"partition", "partition", PARTITION, (ordo_type)0, (ordo_type)0, ORDO_FLAG_BYTES, 0, 0},
    {"is_sorted", "is_sorted", SORTED, ORDO_F32, (ordo_type)0, 0, 0, 0},
    {"copy", "copy", COPY, (ordo_type)0, (ordo_type)0, 0, 0, 0},
};

const char *verb_name(size_t verb) { return verbs[verb].name; }
const char *verb_operation(size_t verb) { return verbs[verb].operation; }
ordo_type   verb_type(size_t verb) { return verbs[verb].type; }
bool        verb_has_scratch(size_t verb) { return verbs[verb].kind < SORTED; }

static void *need(size_t bytes)
{
    void *const block = malloc(bytes + 1);
    if (block == NULL)
        abort();
    return block;
}

verb_data verb_data_make(size_t n)
{
    verb_data data = {.n = n, .out_bytes = n * OUT_ELEMENT};
    data.sorted = need(n * sizeof *data.sorted);
    data.words = need(n * ELEMENT); /* also the elements of partition */
    data.flags = need(n);
    data.out = need(data.out_bytes);
    inputs_fill_sorted(SHAPE, ORDO_F32, data.sorted, n, false, 1);
    inputs_fill(0, ORDO_U32, data.words, n * ELEMENT / 4, 2);
    inputs_flags(ORDO_FLAG_BYTES, data.flags, n, 8, 3);
    return data;
}

void verb_data_free(verb_data *data)
{
    free(data->sorted);
    free(data->words);
    free(data->flags);
    free(data->out);
    for (size_t v = 0; v < VERBS; v++)
        free(data->expected[v]);
}

ordo_status verb_run(size_t verb, ordo_ctx *ctx, verb_data *data)
{
    const struct verb *const v = &verbs[verb];
    size_t const             n = data->n;
    ordo_rank_opts const     rank =
        ORDO_OPTS(ordo_rank_opts, .flags = v->flags, .ties = v->choice, .algorithm = v->algorithm);
    ordo_scan_opts const scan = ORDO_OPTS(ordo_scan_opts, .flags = v->flags);
    size_t               where = SIZE_MAX;
    int                  sorted = -1;
    ordo_status          status = ORDO_E_UNSUPPORTED;

    memset(data->out, SPOIL, data->out_bytes);
    data->scalar = spoilt_scalar;
    switch (v->kind) {
    case RANK:
        return ordo_rank_sorted(ctx, v->type, data->sorted, n, v->out_type, data->out, &rank);
    case SCAN:
        return ordo_scan(ctx, (ordo_op)v->choice, v->type, data->words, n, v->out_type, data->out,
                         &scan);
    case BITS:
        return ordo_scan_bits(ctx, (ordo_flags_kind)v->choice, data->flags, n, v->out_type,
                              data->out, &data->scalar, &scan);
    case PARTITION:
        status = ordo_partition(ctx, (ordo_flags_kind)v->choice, data->flags, data->words, n,
                                ELEMENT, data->out, &where, NULL);
        break;
    case SORTED:
        status = ordo_is_sorted(ctx, v->type, data->sorted, n, &sorted, &where, NULL);
        if (sorted != -1 && !(sorted == 1 && where == n))
            where = SIZE_MAX - 1; /* no right answer, whatever the verb */
        break;
    case COPY:
        return ordo_copy(ctx, data->out, data->words, n * ELEMENT);
    }
    if (where != SIZE_MAX)
        data->scalar = where;
    return status;
}

static void expect(size_t verb, verb_data *data)
{
    const struct verb *const v = &verbs[verb];
    size_t const             n = data->n;
    unsigned char *const     out = need(data->out_bytes);
    uint64_t                *scalar = &data->expected_scalar[verb];

    memset(out, SPOIL, data->out_bytes);
    *scalar = spoilt_scalar;
    switch (v->kind) {
    case RANK:
        oracle_rank(v->type, data->sorted, n, false, (ordo_ties)v->choice, v->out_type, out);
        break;
    case SCAN:
        oracle_scan((ordo_op)v->choice, v->type, data->words, n, v->out_type, out,
                    (v->flags & ORDO_EXCLUSIVE) != 0);
        break;
    case BITS:
        *scalar =
            oracle_scan_bits((ordo_flags_kind)v->choice, data->flags, n, v->out_type, out, false);
        break;
    case PARTITION:
        *scalar = oracle_partition((ordo_flags_kind)v->choice, data->flags, data->words, n, ELEMENT,
                                   out, false);
        break;
    case SORTED:
        *scalar = n;
        break;
    case COPY:
        memcpy(out, data->words, n * ELEMENT);
        break;
    }
    data->expected[verb] = out;
}

bool verb_right(size_t verb, verb_data *data)
{
    if (data->expected[verb] == NULL)
        expect(verb, data);
    return memcmp(data->expected[verb], data->out, data->out_bytes) == 0 &&
           data->expected_scalar[verb] == data->scalar;
}

bool verb_untouched(const verb_data *data)
{
    for (size_t i = 0; i < data->out_bytes; i++)
        if (data->out[i] != SPOIL)
            return false;
    return data->scalar == spoilt_scalar;
}

ordo_status verb_scratch(size_t verb, ordo_ctx *ctx, size_t n, size_t *bytes)
{
    const struct verb *const v = &verbs[verb];
    ordo_rank_opts const     rank =
        ORDO_OPTS(ordo_rank_opts, .flags = v->flags, .ties = v->choice, .algorithm = v->algorithm);
    ordo_scan_opts const scan = ORDO_OPTS(ordo_scan_opts, .flags = v->flags);

    switch (v->kind) {
    case RANK:
        return ordo_rank_sorted_scratch(ctx, v->type, n, v->out_type, &rank, bytes);
    case SCAN:
        return ordo_scan_scratch(ctx, (ordo_op)v->choice, v->type, n, v->out_type, &scan, bytes);
    case BITS:
        return ordo_scan_bits_scratch(ctx, (ordo_flags_kind)v->choice, n, v->out_type, &scan,
                                      bytes);
    case PARTITION:
        return ordo_partition_scratch(ctx, (ordo_flags_kind)v->choice, n, ELEMENT, NULL, bytes);
    case SORTED:
    case COPY:
        break;
    }
    *bytes = 0;
    return ORDO_OK;
}
