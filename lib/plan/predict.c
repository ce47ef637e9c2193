/* predict.c - predictions of times (see predict.h). */
#include "plan/predict.h"

/* ---- Loads ---- */

static ordo_cost_id cost_of_key(ordo_type type)
{
    switch (ordo_type_size(type)) {
    case 1:
    case 2:
        return COST_CPU_16;
    case 4:
        return COST_CPU_32;
    default:
        return COST_CPU_64;
    }
}

static double cost_of(const long *value, const ordo_load *load) /* ps of one thread, per key */
{
    return (double)value[load->key] + (double)value[load->with] +
           (double)value[COST_CPU_VALUE] * (double)load->value_size;
}

static double cost_of_string(const long *value, const ordo_load *load)
{
    return (double)value[COST_CPU_STRING] + load->further * (double)value[COST_CPU_STRING_MORE];
}

/* From constants, to avoid a cache miss on the table. */
static double built_in(const ordo_load *load)
{
    int const key = load->key == COST_CPU_32   ? ORDO_TUNE_CPU_32
                    : load->key == COST_CPU_64 ? ORDO_TUNE_CPU_64
                                               : ORDO_TUNE_CPU_NARROW;
    int const with = load->with == COST_NONE        ? 0
                     : load->with == COST_CPU_INDEX ? ORDO_TUNE_CPU_INDEX
                                                    : ORDO_TUNE_CPU_RANK;
    return (double)(key + with) + ORDO_TUNE_CPU_VALUE * (double)load->value_size;
}

static ordo_load load_of(ordo_type type, size_t n, size_t value_size, ordo_cost_id with)
{
    ordo_load load = {.n = n, .value_size = value_size, .key = cost_of_key(type), .with = with};
    load.cpu_ns = (double)n * built_in(&load) * 1e-3;
    return load;
}

ordo_load ordo_load_sort(ordo_type type, size_t n, size_t value_size)
{
    if (n < ORDO_TUNE_WEIGH_KEYS)
        return (ordo_load){.cpu_ns = (double)n};
    ordo_load load = load_of(type, n, value_size, COST_NONE);
    load.record_bytes = n * (ordo_type_size(type) + value_size);
    load.link_bytes = 2 * (double)load.record_bytes;
    return load;
}

ordo_load ordo_load_argsort(ordo_type type, size_t n, ordo_type index_type)
{
    if (n < ORDO_TUNE_WEIGH_KEYS)
        return (ordo_load){.cpu_ns = (double)n};
    ordo_load load = load_of(type, n, 0, COST_CPU_INDEX);
    load.record_bytes = n * (ordo_type_size(type) + ordo_type_size(index_type));
    load.link_bytes = (double)load.record_bytes;
    return load;
}

ordo_load ordo_load_rank(ordo_type type, size_t n, ordo_type rank_type)
{
    if (n < ORDO_TUNE_WEIGH_KEYS)
        return (ordo_load){.cpu_ns = (double)n};
    ordo_load    load = load_of(type, n, 0, COST_CPU_RANK);
    size_t const number = n <= ORDO_TUNE_RANK_NARROW ? sizeof(uint32_t) : sizeof(uint64_t);
    size_t const home =
        ordo_rank_is_streamed(type, n, rank_type) ? number : ordo_type_size(rank_type);
    load.record_bytes = n * (ordo_type_size(type) + number);
    load.link_bytes = (double)n * (double)(ordo_type_size(type) + home);
    return load;
}

/* The number of further reads per string beyond its first key, including work of the same cost: a
 * common prefix is skipped at the speed of memory, and a copy costs about as much as a read. */
static double further_reads(const ordo_string_look *look, double copied)
{
    double reads = look->further;
    if (copied > 0)
        reads += 0.4 + copied / 400;
    if (look->common >= 7)
        reads += 0.4 + look->common / 300;
    return reads;
}

/* The threads read the strings in both cases. Even an empty array has a load, because with a GPU
 * all string verbs go through lib/hybrid. */
ordo_load ordo_load_strings(const ordo_strings *strings, size_t n, uint64_t copied, uint64_t seed)
{
    double const bytes = 2.0 * (sizeof(uint64_t) + sizeof(uint32_t));
    double const count = n == 0 ? 1 : (double)n;
    ordo_load    load = {.n = n == 0 ? 1 : n, .key = COST_CPU_STRING, .link_bytes = count * bytes};
    if (strings != NULL && n >= ORDO_TUNE_WEIGH_KEYS) {
        ordo_string_look const look = ordo_look_at_strings(strings, n, seed);
        load.further = further_reads(&look, (double)copied / count);
    }
    double const ps = ORDO_TUNE_CPU_STRING + load.further * ORDO_TUNE_CPU_STRING_MORE;
    load.cpu_ns = count * ps * 1e-3;
    load.host_ns = count * (ORDO_TUNE_CPU_STRING - ORDO_TUNE_CPU_STRING_SAVED) * 1e-3;
    return load;
}

/* ---- Forecasts ---- */

/* The cost of a key with `used` threads, relative to the cost with all threads. */
static double rise(const ordo_calibration *c, double used)
{
    double const alone = (double)c->value[COST_CPU_ALONE] * 1e-2;
    double const all = (double)c->value[COST_THREADS];
    return used >= all ? 1 : alone + (1 - alone) * (used - 1) / (all - 1);
}

static double predict_cpu(const ordo_calibration *c, const ordo_load *load, unsigned threads)
{
    const long *const value = c->value;
    double const ps = load->key == COST_CPU_STRING ? (double)load->n * cost_of_string(value, load)
                      : load->key != COST_NONE
                          ? (double)load->n * cost_of(value, load)
                          : load->cpu_ns * 1e3 * (double)value[COST_CPU_64] / ORDO_TUNE_CPU_64;
    if (load->key == COST_CPU_STRING && ordo_is_small(load))
        return ps * 1e-12;
    if (ordo_is_small(load))
        return ps * (double)value[COST_CPU_SMALL] * 1e-14;
    /* More threads than were measured are more threads than CPUs. */
    double const all = (double)value[COST_THREADS];
    double const used = c->measured[COST_THREADS] && threads > all ? all : (double)threads;
    double const call = used <= 1 ? 0 : used >= all ? 1 : (used - 1) / (all - 1);
    /* Strings wait for memory one by one, whatever the number of threads. */
    double const shared = load->key == COST_CPU_STRING ? 1 : rise(c, used);
    return call * (double)value[COST_CPU_CALL] * 1e-6 + ps * shared / used * 1e-12;
}

static double predict_device(const ordo_calibration *c, const ordo_load *load, unsigned threads)
{
    const long *const value = c->value;
    bool const        streamed = ordo_is_streamed(load);
    double const      call = (double)value[streamed ? COST_STREAM_CALL : COST_DEVICE_CALL];
    double const      most = (double)value[streamed ? COST_STAGE_ALL : COST_STAGE_WHOLE];
    double const      filled = (double)threads * (double)value[COST_STAGE_THREAD];
    return call * 1e-6 + load->host_ns / (double)threads * 1e-9 +
           load->link_bytes / ((filled < most ? filled : most) * 1e6);
}

ordo_forecast ordo_predict(const ordo_calibration *c, const ordo_load *load, unsigned threads)
{
    double const device = predict_device(c, load, threads);
    double const hybrid = device * (double)c->value[COST_HYBRID_TIME] * 1e-2;
    return (ordo_forecast){predict_cpu(c, load, threads), device,
                           ordo_is_streamed(load) ? hybrid : 0};
}
