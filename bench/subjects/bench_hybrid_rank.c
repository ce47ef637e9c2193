/* bench_hybrid_rank.c - the section `rank` of `ordo bench hybrid`: ranks of arrays in ordinary host
 * memory by the CPU alone, streamed through a GPU, and with a tenth of the keys for the CPU. Ways
 * to the GPU and back are included; speed-ups are over the CPU alone. */
#include "bench/subjects/bench_order.h"

#include <stdio.h>

enum {
    SIDES = 3
};

static const struct {
    const char *name;
    ordo_where  where;
    double      share;
} sides[SIDES] = {{"cpu", ORDO_CPU, 0}, {"cuda", ORDO_CUDA, 0}, {"hybrid, 10 %", ORDO_HYBRID, 0.1}};

typedef struct rank_args {
    ordo_ctx *const *contexts;
    size_t           side, n;
    const void      *keys;
    void            *ranks;
    ordo_type        type, rank_type;
    ordo_ties        ties;
} rank_args;

/* The context of a side, in place of the one given. */
static ordo_status call_side(ordo_ctx *ctx, const void *what)
{
    const rank_args *const a = what;
    (void)ctx;
    ordo_ctx *const own = a->contexts[a->side];
    if (own == NULL) {
        bench_because("there is no such context here");
        return ORDO_E_UNSUPPORTED;
    }
    const ordo_status status = ordo_rank(own, a->type, a->keys, a->n, a->rank_type, a->ranks,
                                         &ORDO_OPTS(ordo_rank_opts, .ties = a->ties));
    if (status != ORDO_OK)
        bench_because(ordo_last_error(own));
    return status;
}

/* 64-bit keys are half as many, so that the bytes are the same. */
static bool run_rows(bench *b, ordo_ctx *const *contexts)
{
    static const struct {
        const char *label, *variant;
        ordo_type   type, rank_type;
        ordo_ties   ties;
        ordo_dist   dist;
        const char *dist_name;
    } rows[] = {
        {"f32, average", "average", ORDO_F32, ORDO_F64, ORDO_TIES_AVERAGE, ORDO_DIST_UNIFORM,
         "uniform"},
        {"u32, min", "min", ORDO_U32, ORDO_U32, ORDO_TIES_MIN, ORDO_DIST_UNIFORM, "uniform"},
        {"u32, dense, dupes", "dense", ORDO_U32, ORDO_U32, ORDO_TIES_DENSE, ORDO_DIST_DUPES,
         "dupes"},
        {"f64, average", "average", ORDO_F64, ORDO_F64, ORDO_TIES_AVERAGE, ORDO_DIST_UNIFORM,
         "uniform"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t   size = ordo_type_size(rows[i].type), n = b->set.n * 4 / size;
        const size_t   rank_bytes = n * ordo_type_size(rows[i].rank_type);
        bench_question question = bench_ask("rank", rows[i].type, n);
        rank_args      args[SIDES];
        question.variant = rows[i].variant;
        question.dist = rows[i].dist_name;
        question.out_type = rows[i].rank_type;
        question.bytes = n * size + rank_bytes;
        question.answer = b->dst;
        question.answer_bytes = rank_bytes;
        snprintf(question.label, sizeof question.label, "%s", rows[i].label);
        if (!bench_generate(b, rows[i].dist, rows[i].type, b->src, n, 0))
            return false;
        for (size_t side = 0; side < SIDES; side++) {
            args[side] = (rank_args){
                contexts, side, n, b->src, b->dst, rows[i].type, rows[i].rank_type, rows[i].ties};
            if (!bench_add(b, sides[side].name, b->set.threads,
                           side == 0 ? BENCH_BASE : BENCH_CONTENDER, call_side, &args[side]))
                return false;
        }
        if (!bench_measure(b, &question))
            return false;
    }
    return true;
}

bool bench_hybrid_rank(bench *b)
{
    ordo_ctx *contexts[SIDES] = {NULL};
    bench_heading(b, "Rank keys in host memory; speed-up over the CPU alone", b->set.n, "keys", 18);
    for (size_t side = 0; side < SIDES; side++)
        if (ordo_ctx_create(&contexts[side], &ORDO_OPTS(ordo_ctx_opts, .where = sides[side].where,
                                                        .threads = b->set.threads,
                                                        .cpu_share = sides[side].share)) != ORDO_OK)
            contexts[side] = NULL; /* its rows are left out */
    const bool done = run_rows(b, contexts);
    for (size_t side = 0; side < SIDES; side++)
        ordo_ctx_free(contexts[side]);
    return done;
}
