/* gen_keys.c - uniform, gaussian, zero, few and zipf: every key is a draw of its own. Also what
 * the distributions are called and how much each type has room for. */
#include "gen/gen.h"

#include "gen/gen_maps.h"

typedef struct gen_keys_state {
    const ordo_gen_job *job;
    uint64_t            stream;
    gen_grid            grid; /* FEW: its values */
} gen_keys_state;

#define ORDO_TEMPLATE "gen/gen_keys.t.h"
#include "core/for_each_type.h"

static ordo_body *gen_keys_body(const ordo_gen_job *job)
{
    switch (job->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return gen_keys_body_##tag(job->dist);
#include "core/types.def"
    }
    return NULL;
}

ordo_status ordo_gen_keys(const ordo_gen_job *job, ordo_exec *exec)
{
    gen_keys_state state = {.job = job, .stream = gen_stream(job->seed, job->dist, GEN_DRAW)};

    if (job->dist == ORDO_DIST_FEW)
        state.grid = gen_grid_make(UINT64_MAX, job->k);
    return ordo_loop(exec, job->n, ORDO_GEN_BLOCK, gen_keys_body(job), &state) ? ORDO_OK
                                                                               : ORDO_E_CANCELLED;
}

const char *ordo_gen_name(ordo_dist dist)
{
    static const char *const names[] = {
        [ORDO_DIST_UNIFORM] = "uniform",     [ORDO_DIST_GAUSSIAN] = "gaussian",
        [ORDO_DIST_ZERO] = "zero",           [ORDO_DIST_FEW] = "few",
        [ORDO_DIST_ZIPF] = "zipf",           [ORDO_DIST_SORTED] = "sorted",
        [ORDO_DIST_REVERSE] = "reverse",     [ORDO_DIST_ORGANPIPE] = "organpipe",
        [ORDO_DIST_SAWTOOTH] = "sawtooth",   [ORDO_DIST_RECUR] = "recur",
        [ORDO_DIST_KSORTED] = "ksorted",     [ORDO_DIST_DUPES] = "dupes",
        [ORDO_DIST_STAGGERED] = "staggered", [ORDO_DIST_BUCKET] = "bucket",
        [ORDO_DIST_STRINGS] = "strings",     [ORDO_DIST_FASTA] = "fasta"};
    return (unsigned)dist < sizeof names / sizeof names[0] ? names[dist] : NULL;
}

uint64_t ordo_gen_last_place(ordo_type type)
{
    if (type == ORDO_F32)
        return UINT32_MAX >> 1;
    if (type == ORDO_F64)
        return UINT64_MAX >> 1;
    return UINT64_MAX >> (64 - 8 * ordo_type_size(type));
}

uint64_t ordo_gen_last_fraction(ordo_type type)
{
    if (type == ORDO_F32)
        return (UINT64_C(1) << 24) - 1;
    if (type == ORDO_F64)
        return (UINT64_C(1) << 53) - 1;
    return UINT64_MAX >> (64 - 8 * ordo_type_size(type));
}

uint64_t ordo_gen_zipf_limit(ordo_type type)
{
    switch (type) {
    case ORDO_I8:
        return INT8_MAX;
    case ORDO_I16:
        return INT16_MAX;
    case ORDO_I32:
        return INT32_MAX;
    case ORDO_I64:
        return INT64_MAX;
    case ORDO_F32:
        return UINT64_C(1) << 24;
    case ORDO_F64:
        return UINT64_C(1) << 53;
    default:
        return UINT64_MAX >> (64 - 8 * ordo_type_size(type));
    }
}
