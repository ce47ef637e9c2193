/* dev_split.cu - the split radix sorts of keys, pairs and indices, with the block scan by ballots:
 * split inside blocks (dev_split.cuh), the poster's, and over the whole array
 * (dev_split_global.cuh), with 16 keys per thread. */
#include "papers/ballot/ballot.h"
#include "papers/ballot/dev_split.cuh"
#include "papers/ballot/dev_split_global.cuh"

/* A way to sort: its scratch, and the sort of `source` to `result` as in dev_split.cuh. */
struct inside_blocks {
    static constexpr const char *NAME = "split";

    static size_t scratch(size_t n, size_t key_size, size_t index_size)
    {
        return split_scratch(n, key_size, index_size);
    }
    template <typename INDEX, typename CODE>
    static ordo_status sort(cuda_call *call, CODE code, const void *source, size_t key_size,
                            size_t n, size_t index_size, void *result, size_t size)
    {
        split_tables const tables = split_layout(&call->scratch, n, key_size, index_size);
        return split<PAPER_BALLOT, INDEX>(call, &tables, code, source, key_size, n, result, size);
    }
};

struct whole_array {
    static constexpr const char *NAME = "global";
    static constexpr int         ROWS = 16;

    static size_t scratch(size_t n, size_t key_size, size_t index_size)
    {
        cuda_scratch scratch = {};
        global_layout(&scratch, n, ROWS, key_size, index_size);
        return scratch.used;
    }
    template <typename INDEX, typename CODE>
    static ordo_status sort(cuda_call *call, CODE code, const void *source, size_t key_size,
                            size_t n, size_t index_size, void *result, size_t size)
    {
        global_tables const tables = global_layout(&call->scratch, n, ROWS, key_size, index_size);
        return split_globally<PAPER_BALLOT, ROWS, INDEX>(call, &tables, code, source, key_size, n,
                                                         result, size);
    }
};

static size_t index_bytes(size_t n) { return n <= UINT32_MAX ? 4 : 8; }

/* The argsort job whose index, in scratch, the gather uses. */
static ordo_argsort_job split_pairs_order(cuda_scratch *scratch, const ordo_pairs_job *job)
{
    const ordo_sort_job *const keys = &job->keys;
    size_t const               bytes = index_bytes(keys->n);
    return {keys->type,
            keys->keys,
            keys->n,
            keys->descending,
            ORDO_ALGORITHM_AUTO,
            0,
            bytes == 4 ? ORDO_U32 : ORDO_U64,
            scratch_take<char>(scratch, keys->n * bytes),
            NULL};
}

template <typename WAY> struct split_slots {
    static size_t keys_scratch(const ordo_sort_job *job)
    {
        return WAY::scratch(job->n, cuda_type_size(job->type), 0);
    }

    static ordo_status keys(cuda_call *call, const ordo_sort_job *job)
    {
        size_t const size = cuda_type_size(job->type);
        call->exec->algorithm = WAY::NAME;
        if (job->n < 2)
            return ORDO_OK;
        call->exec->changed = true;
        return with_radix_code<false>(job->type, job->descending, KEY_TOTAL, [&](auto code) {
            return WAY::template sort<radix_no_value>(call, code, job->keys, size, job->n, 0,
                                                      job->keys, size);
        });
    }

    static size_t argsort_scratch(const ordo_argsort_job *job)
    {
        return WAY::scratch(job->n, cuda_type_size(job->type), index_bytes(job->n));
    }

    static ordo_status argsort(cuda_call *call, const ordo_argsort_job *job)
    {
        size_t const n = job->n, size = cuda_type_size(job->type);
        size_t const index_size = cuda_type_size(job->index_type);
        call->exec->algorithm = WAY::NAME;
        if (n == 0)
            return ORDO_OK;
        return with_radix_code<true>(job->type, job->descending, KEY_TOTAL, [&](auto code) {
            return index_bytes(n) == 4 ? WAY::template sort<uint32_t>(call, code, job->keys, size,
                                                                      n, 4, job->index, index_size)
                                       : WAY::template sort<uint64_t>(call, code, job->keys, size,
                                                                      n, 8, job->index, index_size);
        });
    }

    static size_t pairs_scratch(const ordo_pairs_job *job)
    {
        cuda_scratch           scratch = {};
        ordo_argsort_job const order = split_pairs_order(&scratch, job);
        gather_layout(&scratch, job);
        return scratch.used + argsort_scratch(&order);
    }

    static ordo_status pairs(cuda_call *call, const ordo_pairs_job *job)
    {
        ordo_argsort_job const order = split_pairs_order(&call->scratch, job);
        gather_buffers const   buffers = gather_layout(&call->scratch, job);
        call->exec->changed = true;
        TRY(argsort(call, &order));
        return dev_gather_pairs(call, job, order.index, index_bytes(order.n) == 8, buffers);
    }

    static constexpr ordo_cuda_sorter slots = {keys_scratch,    keys,   pairs_scratch, pairs,
                                               argsort_scratch, argsort};
};

const ordo_cuda_sorter dev_split = split_slots<inside_blocks>::slots;
const ordo_cuda_sorter dev_global = split_slots<whole_array>::slots;
