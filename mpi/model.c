/* model.c - the formula, and `ordo-mpi predict` (see model.h). */
#define _POSIX_C_SOURCE 200809L
#include "mpi/model.h"

#include "mpi/counts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

const model_line model_lines[MODEL_LINES] = {
    {"ranks", offsetof(model, ranks), "processes of the measurement"},
    {"keys", offsetof(model, keys), "keys of a rank in the measurement"},
    {"key_bytes", offsetof(model, key_bytes), "bytes of a key in the measurement"},
    {"latency", offsetof(model, latency), "s, a small message between two ranks"},
    {"bandwidth", offsetof(model, bandwidth), "bytes/s, large messages between two ranks"},
    {"exchange_latency", offsetof(model, exchange_latency), "s for each partner of an exchange"},
    {"exchange_bandwidth", offsetof(model, exchange_bandwidth),
     "bytes/s that each rank sends while all ranks send"},
    {"step", offsetof(model, step), "s, a sum over all ranks divided by log2 of their number"},
    {"sort", offsetof(model, sort), "s for a key, local sort"},
    {"count", offsetof(model, count), "s for a cut in a round of the search for cuts"},
    {"merge", offsetof(model, merge), "s for a key, merge, divided by log2 of the processes"},
    {"measured", offsetof(model, measured), "s, the sort of all keys of the measurement"},
};

static double steps_of(double ranks) { return ranks > 1 ? ceil(log2(ranks)) : 0; }

prediction model_time(const model *m, double ranks, double keys, double key_bytes, double taper)
{
    prediction   p = {.n = keys / ranks};
    double const wider = key_bytes / m->key_bytes;
    double const steps = steps_of(ranks), bandwidth = m->exchange_bandwidth / taper;
    p.rounds = counts_rounds(COUNTS_SORT, ranks, keys);
    p.local = p.n * m->sort * wider;
    p.cuts = (ranks - 1) * p.rounds * m->count +
             counts_collectives(COUNTS_SORT, ranks, keys, p.rounds) * m->step * steps +
             (ranks - 1) * p.rounds * counts_round_bytes(ranks) / bandwidth;
    p.exchange = (ranks - 1) * m->exchange_latency + p.n * key_bytes * (1 - 1 / ranks) / bandwidth;
    p.merge = p.n * steps * m->merge * wider;
    p.total = p.local + p.cuts + p.exchange + p.merge;
    p.wire = p.n * key_bytes * (1 - 1 / ranks) / bandwidth;
    return p;
}

/* ---- The file ---- */

static bool load(const char *path, model *m, char *why, size_t room)
{
    FILE *const file = fopen(path, "r");
    char        text[256];
    unsigned    found = 0;
    if (file == NULL) {
        snprintf(why, room, "cannot open: %s", strerror(errno));
        return false;
    }
    while (fgets(text, sizeof text, file) != NULL)
        for (unsigned i = 0; i < MODEL_LINES; i++) {
            size_t const length = strlen(model_lines[i].name);
            char        *end;
            if (strncmp(text, model_lines[i].name, length) != 0 || text[length] != ' ')
                continue;
            double const value = strtod(text + length, &end);
            if (end == text + length || !(value >= 0))
                continue;
            memcpy((char *)m + model_lines[i].offset, &value, sizeof value);
            found |= 1u << i;
        }
    fclose(file);
    for (unsigned i = 0; i < MODEL_LINES; i++)
        if ((found >> i & 1) == 0) {
            snprintf(why, room, "no number for '%s'; expected a file that ordo-mpi tune wrote",
                     model_lines[i].name);
            return false;
        }
    if (m->exchange_bandwidth <= 0 || m->key_bytes <= 0 || m->ranks < 1) {
        snprintf(why, room, "ranks, key_bytes and exchange_bandwidth must be larger than 0");
        return false;
    }
    return true;
}

/* ---- The command ---- */

static double collectives(const wishes *w, counts_call call)
{
    return counts_collectives(call, w->nodes, w->keys, counts_rounds(call, w->nodes, w->keys));
}

static void print_prediction(const wishes *w, const model *m, const prediction *p, double key_bytes)
{
    double const bound = p->wire > p->local ? p->wire : p->local;
    printf("sort of %g %s keys on %g nodes: %.3g keys and %.3g bytes on each\n", w->keys,
           ordo_type_name(w->type), w->nodes, p->n, p->n * key_bytes);
    printf("  local sort       %10.4f s\n", p->local);
    printf("  search for cuts  %10.4f s  (%g rounds)\n", p->cuts, p->rounds);
    printf("  collectives      %10g    (rank %g, median %g, sort of lines %g)\n",
           collectives(w, COUNTS_SORT), collectives(w, COUNTS_RANK), collectives(w, COUNTS_MEDIAN),
           collectives(w, COUNTS_SORT_LINES));
    printf("  exchange         %10.4f s  (%.4f s at full bandwidth)\n", p->exchange, p->wire);
    printf("  merge            %10.4f s\n", p->merge);
    printf("  total            %10.4f s  (%.4g bytes/s)\n", p->total,
           w->keys * key_bytes / p->total);
    printf("  lower bound      %10.4f s  (the longer of exchange and local sort, all else free)\n",
           bound);
    printf(
        "Assumes: one rank on each node; equal numbers of keys; memory for four times the keys;\n"
        "  %.3g bytes/s for each node while all nodes send, divided by a taper of %g; a network\n"
        "  whose bandwidth grows with the nodes; %.3g s for a message to one partner, %.3g s for\n"
        "  a step of a collective operation; the speed of a rank that was measured with %g\n"
        "  keys of %g bytes, in proportion to the bytes of the keys; steps that do not overlap;\n"
        "  reading and writing files not included.\n",
        m->exchange_bandwidth, w->taper, m->exchange_latency, m->step, m->keys, m->key_bytes);
}

bool model_predict(job *j)
{
    wishes *const w = &j->w;
    model         m = {0};
    char          why[256] = "";
    if (w->type == 0)
        w->type = ORDO_U64;
    if (w->taper < 1)
        w->taper = 1;
    bool const loaded = j->rank != 0 || load(w->model, &m, why, sizeof why);
    if (!all_fine(j->world, loaded, "%s: %s", w->model, why))
        return false;
    if (w->latency > 0)
        m.exchange_latency = m.step = w->latency;
    if (w->bandwidth > 0)
        m.exchange_bandwidth = w->bandwidth;
    if (j->rank == 0) {
        double const     bytes = (double)ordo_type_size(w->type);
        prediction const p = model_time(&m, w->nodes, w->keys, bytes, w->taper);
        print_prediction(w, &m, &p, bytes);
    }
    return true;
}
