/* dev_radix_run.cuh - a radix sort from start to end, for keys of four or eight bytes with values
 * of none, four or eight: zero the tables, plan, passes, finish.
 *
 * Launches: one to zero, one histogram, one for all steps; where the leading digits may do, one
 * finish and one for the steps again, which returns at once unless the finish gave up. Scratch:
 * as many keys and values again (argsort: two arrays of encoded keys, one of indices), and 1 KB
 * for each tile. H200, 2^28 random keys, ms: see cuda_tuning_radix.cuh.
 *
 * Compiled once for each size of values: dev_radix_keys.cu, dev_radix_values4.cu, ...8.cu. */
#ifndef ORDO_CUDA_DEV_RADIX_RUN_CUH
#define ORDO_CUDA_DEV_RADIX_RUN_CUH

#include "cuda/device/dev_radix_pass.cuh"

/* Keys of a tile, which the tables depend on. */
static inline size_t radix_tile_keys(size_t key_size, size_t value_size)
{
#define TILE(KEY, VALUE)                                                                           \
    (size_t)(cuda_tune_radix<KEY, VALUE>::THREADS * cuda_tune_radix<KEY, VALUE>::ITEMS)
    if (key_size == 8)
        return value_size == 0 ? TILE(8, 0) : value_size == 4 ? TILE(8, 4) : TILE(8, 8);
    return value_size == 0 ? TILE(4, 0) : value_size == 4 ? TILE(4, 4) : TILE(4, 8);
#undef TILE
}

static inline radix_tables radix_tables_layout(cuda_scratch *scratch, size_t n, size_t key_size,
                                               size_t value_size)
{
    size_t const digits = ordo_max(key_size, 4);
    size_t const tile = radix_tile_keys(key_size, value_size);
    size_t const portions = ordo_div_up(n, CUDA_TUNE_RADIX_PORTION / tile * tile);
    size_t const start = scratch->used;
    radix_tables tables;
    tables.portions = portions;
    tables.plan = scratch_take<radix_plan>(scratch, 1);
    tables.bins = scratch_take<unsigned long long>(scratch, digits * RADIX_BINS);
    tables.tickets = scratch_take<uint32_t>(scratch, 2 * RADIX_DIGITS * portions);
    tables.runs = scratch_take<uint64_t>(scratch, 1 + CUDA_TUNE_RADIX_RUNS);
    tables.claims = scratch_take<uint64_t>(scratch, 2 * CUDA_TUNE_RADIX_RUNS);
    tables.status = scratch_take<uint32_t>(scratch, ordo_div_up(n, tile) * RADIX_BINS);
    tables.zero_bytes = scratch->used - start;
    tables.starts = scratch_take<uint64_t>(scratch, digits * (portions + 1) * RADIX_BINS);
    return tables;
}

/* Works through a list of steps: in one cooperative launch or, for an array of several portions, in
 * one for each step and portion. */
template <typename VALUE, typename CODE>
static ordo_status radix_launch_steps(cuda_call *call, const radix_job *job, CODE code,
                                      radix_tables tables, bool again)
{
    typedef cuda_tune_radix<sizeof(typename CODE::BITS), value_traits<VALUE>::size> shape;
    enum {
        THREADS = shape::THREADS,
        ITEMS = shape::ITEMS,
        TILE = THREADS * ITEMS
    };
    auto *const  kernel = radix_pass<CODE, VALUE, THREADS, ITEMS, shape::RESIDENT>;
    size_t const shared = sizeof(radix_pass_shared<CODE, VALUE, THREADS, ITEMS>);
    int          resident;
    CUDA_TRY(call->exec, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              (int)shared));
    CUDA_TRY(call->exec,
             cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, THREADS, shared));
    size_t const  most = (size_t)(resident * call->facts->sms);
    size_t const  portion_keys = CUDA_TUNE_RADIX_PORTION / TILE * TILE;
    radix_portion portion = {0, job->n, 0, (uint32_t)ordo_div_up(job->n, TILE), 0};
    radix_range   range = {0, job->key_size, true, again};
    if (tables.portions == 1) {
        void *arguments[] = {(void *)job, &code, &tables, &portion, &range};
        CUDA_TRY(call->exec, cudaLaunchCooperativeKernel((const void *)kernel,
                                                         (unsigned)ordo_min(portion.tiles, most),
                                                         THREADS, arguments, shared, call->stream));
        return ORDO_OK;
    }
    range.settle = false;
    for (unsigned step = 0; step < job->key_size; step++)
        for (size_t q = 0; q < tables.portions; q++) {
            range.first = step;
            range.last = step + 1;
            portion.first = q * portion_keys;
            portion.keys = ordo_min(portion_keys, job->n - portion.first);
            portion.first_tile = (uint32_t)(q * (portion_keys / TILE));
            portion.tiles = (uint32_t)ordo_div_up(portion.keys, TILE);
            portion.number = (uint32_t)q;
            CUDA_LAUNCH(call, kernel, ordo_min(portion.tiles, most), THREADS, shared, *job, code,
                        tables, portion, range);
        }
    range.settle = true;
    range.first = range.last = job->key_size;
    CUDA_LAUNCH(call, kernel, most, THREADS, shared, *job, code, tables, portion, range);
    return ORDO_OK;
}

template <typename VALUE, typename CODE>
static ordo_status radix_run(cuda_call *call, const radix_job *job, CODE code, radix_tables tables)
{
    CUDA_TRY(call->exec, cudaMemsetAsync(tables.plan, 0, tables.zero_bytes, call->stream));
    TRY(radix_make_plan(call, job, code, tables));
    TRY(radix_launch_steps<VALUE>(call, job, code, tables, false));
    if (!job->finish)
        return ORDO_OK;
    TRY(radix_finish(call, job, code, tables));
    return radix_launch_steps<VALUE>(call, job, code, tables, true);
}

/* ---- the code of a type --------------------------------------------------------------------- */

/* Calls f with the radix_code of a type. */
template <bool TIES, typename F>
static inline ordo_status with_radix_code(ordo_type type, bool descending, F &&f)
{
    return with_key_code(type, descending, KEY_TOTAL, [&](auto total) {
        typedef decltype(total)         KEY_CODE;
        typedef typename KEY_CODE::BITS BITS;
        if constexpr (KEY_CODE::is_float) {
            BITS const plus =
                sizeof(BITS) == 4 ? (BITS)UINT32_C(0x7f800001) : (BITS)UINT64_C(0x7ff0000000000001);
            BITS const inf = sizeof(BITS) == 4 ? (BITS)KEY_INF_F32 : (BITS)KEY_INF_F64;
            BITS const zero = descending ? inf - plus + 1 : plus;
            radix_code<BITS, true, TIES> const code = {total, (BITS)(zero - 1), zero, inf};
            return f(code);
        } else if constexpr (sizeof(BITS) < 4) {
            radix_code<uint32_t, false, false> const code = {{(uint32_t)total.flip}, 0, 0, 0};
            return f(code);
        } else {
            radix_code<BITS, false, false> const code = {total, 0, 0, 0};
            return f(code);
        }
    });
}

/* Sorts with values of job->value_size bytes, keys alone if it is 0: dev_radix_keys.cu and so on
 * each hold one size. */
ordo_status radix_run_keys(cuda_call *call, const radix_job *job, ordo_type type, bool descending,
                           radix_tables tables);
ordo_status radix_run_values4(cuda_call *call, const radix_job *job, ordo_type type,
                              bool descending, radix_tables tables);
ordo_status radix_run_values8(cuda_call *call, const radix_job *job, ordo_type type,
                              bool descending, radix_tables tables);

#endif
