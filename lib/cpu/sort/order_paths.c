/* order_paths.c - the tables of paths of argsort and of pairs (paths.h).
 *
 * Pairs with small values are sorted as records; others follow an argsort. If scratch is refused,
 * auto and radix sort in place; a named algorithm returns ORDO_E_NOMEM. Every failure occurs before
 * the caller's arrays change. */
#include "core/lists.h"
#include "cpu/base/paths.h"
#include "cpu/radix/short_keys.h"
#include "cpu/sort/sort_look.h"
#include "cpu/sort/sort_steps.h"

struct cpu_look {
    const cpu_kernels      *kernels;
    const ordo_argsort_job *job;   /* the argsort; of pairs, that of their keys */
    const ordo_pairs_job   *pairs; /* only of pairs */
    ordo_exec              *exec;
    ordo_sort_job           keys;    /* set with `order` */
    ordo_input              order;   /* that a look showed */
    void                   *scratch; /* scratch for n records that a row left, or NULL */
};

/* Leaves the rest unset: to clear it would be a part of the time of a few keys. */
static void begin(cpu_look *look, const cpu_kernels *kernels, const ordo_argsort_job *job,
                  ordo_exec *exec)
{
    look->kernels = kernels;
    look->job = job;
    look->exec = exec;
    look->scratch = NULL;
}

/* The keys, which only a sort of pairs changes. */
static ordo_sort_job keys_of(const ordo_argsort_job *job)
{
    return (ordo_sort_job){
        .type = job->type, .keys = (void *)job->keys, .n = job->n, .descending = job->descending};
}

/* ---- Conditions ---- */

static bool is_small(cpu_look *look) { return look->job->n < 2 * ORDO_TUNE_LOOK_KEYS; }

static bool seems_ordered(cpu_look *look)
{
    look->keys = keys_of(look->job);
    look->order = look_tied(look->kernels, &look->keys, look->exec);
    return look->order != ORDO_INPUT_ANY;
}

static bool suits_words(cpu_look *look)
{
    return cpu_vector_orders(look->kernels, look->job->type, look->job->n, false, look->exec);
}

static bool suits_short_keys(cpu_look *look)
{
    return look->job->n > ORDO_L2_WORDS && short_keys_suit(look->job->type, look->job->n);
}

/* ---- Argsort ---- */

static ordo_status argsort_records(const cpu_kernels *kernels, const ordo_argsort_job *job,
                                   ordo_exec *exec)
{
    enum record_kind const kind = records_kind_of_argsort(job->type, job->n);
    radix_io const         io = records_of_argsort(kernels, job, kind);
    cpu_records            records = {kind, NULL, job->n};
    TRY(ordo_scratch(exec, job->n * record_size(kind), &records.array));
    TRY(records_load(&io, &records, exec));
    TRY(cpu_records_sort(kernels, &records, job->algorithm, job->radius, exec));
    return records_store(&io, &records, exec);
}

static ordo_status argsort_small(cpu_look *look, bool *done)
{
    *done = cpu_small_argsort(look->kernels, look->job, look->exec);
    return ORDO_OK;
}

static ordo_status argsort_ordered(cpu_look *look, bool *done)
{
    TRY(look_tied_all(look->kernels, &look->keys, look->order, done, look->exec));
    return *done ? cpu_index_in_order(look->job, look->order == ORDO_INPUT_REVERSED, look->exec)
                 : ORDO_OK;
}

static ordo_status argsort_words(cpu_look *look, bool *done)
{
    *done = cpu_vector_argsort(look->kernels, look->job, look->exec);
    return cpu_done(!*done || !ordo_poll(look->exec, 1));
}

/* Sorts 64-bit keys as records of 8 bytes if possible; the radix sort uses the same memory. */
static ordo_status argsort_short(cpu_look *look, bool *done)
{
    const ordo_argsort_job *const job = look->job;
    short_keys                    keys;
    TRY(short_keys_choose(look->kernels, job, &keys, look->exec));
    if (keys.way == SHORT_NOT)
        return ORDO_OK;
    TRY(ordo_scratch(look->exec, short_keys_memory(job->n), &look->scratch));
    radix_io const io = short_keys_io(look->kernels, job, &keys, look->scratch);
    return short_keys_sort(&io, done, look->exec);
}

static ordo_status argsort_radix(cpu_look *look, bool *done)
{
    const ordo_argsort_job *const job = look->job;
    radix_io                      io =
        records_of_argsort(look->kernels, job, records_kind_of_argsort(job->type, job->n));
    io.scratch = look->scratch;
    *done = true;
    return cpu_radix(&io, look->exec);
}

static ordo_status argsort_in_place(cpu_look *look, bool *done)
{
    *done = true;
    cpu_tell_in_place(look->exec);
    return cpu_argsort_inplace(look->job, look->exec);
}

enum { /* rows that others name */
    ARGSORT_WORDS = 2,
    ARGSORT_GENERAL = 3,
    ARGSORT_IN_PLACE = 5,
    ARGSORT_PATHS = 6
};

static const cpu_path argsort_paths[ARGSORT_PATHS] = {
    CPU_PATH("argsort", "small", "few enough for registers or for one vector sort", NULL, is_small,
             argsort_small),
    CPU_PATH("argsort", "ordered", "all keys, or a sample of neighbours, are sorted or reversed",
             NULL, seems_ordered, argsort_ordered),
    CPU_PATH("argsort", "words", "the vector sort takes so many words of key bits and index", NULL,
             suits_words, argsort_words),
    CPU_PATH("argsort", "short", "keys of 64 bits; a sample shows few ties of shorter ones",
             "radix", suits_short_keys, argsort_short),
    CPU_PATH("argsort", "radix", "all other keys", "in place", NULL, argsort_radix),
    CPU_PATH("argsort", "in place", "scratch is refused", NULL, NULL, argsort_in_place),
};

const cpu_paths cpu_argsort_paths = {argsort_paths, ARGSORT_PATHS};

ordo_status cpu_argsort(void *state, const ordo_argsort_job *job, ordo_exec *exec)
{
    cpu_look look;
    begin(&look, state, job, exec);
    if (job->n == 0)
        return ORDO_OK;
    if (!cpu_is_radix(job->algorithm))
        return argsort_records(state, job, exec);
    return cpu_walk(argsort_paths, job->algorithm == ORDO_ALGORITHM_AUTO ? 0 : ARGSORT_GENERAL,
                    ARGSORT_PATHS, &look, exec);
}

size_t cpu_argsort_scratch(const ordo_argsort_job *job, const ordo_exec *exec)
{
    unsigned const         threads = exec->threads;
    enum record_kind const kind = records_kind_of_argsort(job->type, job->n);
    if (job->n == 0)
        return 0;
    if (cpu_is_radix(job->algorithm))
        return ordo_max(cpu_vector_argsort_scratch(job->n),
                        short_keys_scratch(job->type, job->n, threads) +
                            cpu_radix_scratch(kind, job->n,
                                              kind == RECORD_P32 && job->index_type == ORDO_U64,
                                              threads));
    return ordo_round_up(job->n * record_size(kind), ORDO_CACHE_LINE) +
           cpu_records_sort_scratch(kind, job->n, job->algorithm, exec);
}

/* ---- Pairs ---- */

enum {
    MOST_CARRIED = 8 /* the largest value, in bytes, that a record holds */
};

static ordo_argsort_job argsort_of_pairs(const ordo_pairs_job *job)
{
    const ordo_sort_job *const keys = &job->keys;
    ordo_type const            index_type = keys->n - 1 <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
    return (ordo_argsort_job){
        keys->type, keys->keys, keys->n, keys->descending, keys->algorithm, keys->radius,
        index_type, NULL,       NULL};
}

/* Whether there are few records of 16 bytes. The vector sort sorts words, which hold shortened keys
 * and an index. */
static bool may_go_by_index(const ordo_pairs_job *job)
{
    return job->keys.n <= ORDO_L2_WORDS &&
           records_kind_of_pairs(job->keys.type, job->value_size) == RECORD_P64;
}

static bool suits_records(cpu_look *look)
{
    return look->pairs->value_size <= MOST_CARRIED &&
           (look->kernels->sort_words[CPU_WORDS_64] == NULL || !may_go_by_index(look->pairs));
}

static ordo_status pairs_small(cpu_look *look, bool *done)
{
    *done = cpu_small_pairs(look->pairs, look->exec);
    return ORDO_OK;
}

static ordo_status pairs_ordered(cpu_look *look, bool *done)
{
    const ordo_pairs_job *const job = look->pairs;
    const ordo_sort_job *const  keys = &job->keys;
    TRY(look_tied_all(look->kernels, keys, look->order, done, look->exec));
    if (!*done || look->order == ORDO_INPUT_SORTED)
        return ORDO_OK;
    TRY(cpu_reverse_array(keys->keys, ordo_type_size(keys->type), keys->n, look->exec));
    return cpu_reverse_array(job->values, job->value_size, keys->n, look->exec);
}

static ordo_status pairs_records(cpu_look *look, bool *done)
{
    const ordo_sort_job *const keys = &look->pairs->keys;
    TRY(records_fold_alike(keys->type, keys->keys, keys->n, done, look->exec));
    if (!*done)
        return ORDO_OK;
    radix_io const io = records_of_pairs(look->kernels, look->pairs);
    return cpu_radix(&io, look->exec);
}

/* Sorts pairs by an argsort, not in place, which is too slow here; then moves both arrays. */
static ordo_status pairs_by_index(cpu_look *look, bool *done)
{
    const ordo_pairs_job *const pairs = look->pairs;
    ordo_exec *const            exec = look->exec;
    ordo_argsort_job            order = *look->job;
    cpu_look                    keys;
    size_t const                key_size = ordo_type_size(order.type);
    void                       *spare;
    *done = true;
    begin(&keys, look->kernels, &order, exec);
    TRY(ordo_scratch(exec, order.n * ordo_type_size(order.index_type), &order.index));
    TRY(ordo_scratch(exec, order.n * ordo_max(key_size, pairs->value_size), &spare));
    if (cpu_is_radix(order.algorithm))
        TRY(cpu_walk(argsort_paths,
                     order.algorithm == ORDO_ALGORITHM_AUTO ? ARGSORT_WORDS : ARGSORT_GENERAL,
                     ARGSORT_IN_PLACE, &keys, exec));
    else
        TRY(argsort_records(look->kernels, &order, exec));
    exec->changed = true;
    ordo_permute_job job = {pairs->keys.keys, order.n,     key_size,
                            order.index_type, order.index, spare};
    TRY(cpu_permute(NULL, &job, exec));
    job.array = pairs->values;
    job.size = pairs->value_size;
    return cpu_permute(NULL, &job, exec);
}

static ordo_status pairs_in_place(cpu_look *look, bool *done)
{
    *done = true;
    look->exec->changed = true;
    look->exec->algorithm = "merge in place";
    cpu_tell_in_place(look->exec);
    return cpu_pairs_inplace(look->pairs, look->exec);
}

enum {
    PAIRS_GENERAL = 2, /* the first row without a look at all keys */
    PAIRS_PATHS = 5
};

static const cpu_path pairs_paths[PAIRS_PATHS] = {
    CPU_PATH("pairs", "small", "few enough for registers", NULL, is_small, pairs_small),
    CPU_PATH("pairs", "ordered", "all keys, or a sample of neighbours, are sorted or reversed",
             NULL, seems_ordered, pairs_ordered),
    CPU_PATH("pairs", "records", "a record holds the value, and keys that tie have the same bits",
             "by index", suits_records, pairs_records),
    CPU_PATH("pairs", "by index", "all other pairs", "in place", NULL, pairs_by_index),
    CPU_PATH("pairs", "in place", "scratch is refused", NULL, NULL, pairs_in_place),
};

const cpu_paths cpu_pairs_paths = {pairs_paths, PAIRS_PATHS};

ordo_status cpu_sort_pairs(void *state, const ordo_pairs_job *job, ordo_exec *exec)
{
    bool done;
    if (job->keys.n < 2)
        return ORDO_OK;
    ordo_argsort_job const order = argsort_of_pairs(job);
    cpu_look               look;
    begin(&look, state, &order, exec);
    look.pairs = job;
    if (!cpu_is_radix(order.algorithm))
        return pairs_by_index(&look, &done);
    return cpu_walk(pairs_paths, order.algorithm == ORDO_ALGORITHM_AUTO ? 0 : PAIRS_GENERAL,
                    PAIRS_PATHS, &look, exec);
}

size_t cpu_sort_pairs_scratch(const ordo_pairs_job *job, const ordo_exec *exec)
{
    unsigned const threads = exec->threads;
    if (job->keys.n < 2)
        return 0;
    ordo_argsort_job const order = argsort_of_pairs(job);
    size_t const           widest = ordo_max(ordo_type_size(order.type), job->value_size);
    size_t const           by_index =
        cpu_argsort_scratch(&order, exec) +
        ordo_round_up(order.n * ordo_type_size(order.index_type), ORDO_CACHE_LINE) +
        ordo_round_up(order.n * widest, ORDO_CACHE_LINE);
    bool const   carried = cpu_is_radix(order.algorithm) && job->value_size <= MOST_CARRIED;
    bool const   is_float = ordo_is_float(order.type);
    size_t const whole = carried
                             ? cpu_radix_scratch(records_kind_of_pairs(order.type, job->value_size),
                                                 order.n, false, threads)
                             : 0;
    return !carried || is_float || may_go_by_index(job) ? ordo_max(by_index, whole) : whole;
}
