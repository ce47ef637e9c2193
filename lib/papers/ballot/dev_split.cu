/* dev_split.cu - the split radix sort of keys, pairs and indices (dev_split.cuh), with the block
 * scan by ballots and 16 keys per thread. */
#include "papers/ballot/dev_split.cuh"
#include "papers/ballot/ballot.h"

static constexpr int ROWS = 16;

static size_t keys_scratch(const ordo_sort_job *job)
{
    cuda_scratch scratch = {};
    split_layout(&scratch, job->n, ROWS, cuda_type_size(job->type), 0);
    return scratch.used;
}

static ordo_status sort_keys(cuda_call *call, const ordo_sort_job *job)
{
    size_t const size = cuda_type_size(job->type);
    call->exec->algorithm = "split";
    if (job->n < 2)
        return ORDO_OK;
    call->exec->changed = true;
    split_tables const tables = split_layout(&call->scratch, job->n, ROWS, size, 0);
    return with_radix_code<false>(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        return split<PAPER_BALLOT, ROWS, radix_no_value>(call, &tables, code, job->keys, size,
                                                         job->n, job->keys, size);
    });
}

static size_t index_bytes(size_t n) { return n <= UINT32_MAX ? 4 : 8; }

static size_t argsort_scratch(const ordo_argsort_job *job)
{
    cuda_scratch scratch = {};
    split_layout(&scratch, job->n, ROWS, cuda_type_size(job->type), index_bytes(job->n));
    return scratch.used;
}

static ordo_status argsort(cuda_call *call, const ordo_argsort_job *job)
{
    size_t const n = job->n, size = cuda_type_size(job->type);
    size_t const index_size = cuda_type_size(job->index_type);
    call->exec->algorithm = "split";
    if (n == 0)
        return ORDO_OK;
    split_tables const tables = split_layout(&call->scratch, n, ROWS, size, index_bytes(n));
    return with_radix_code<true>(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        return index_bytes(n) == 4
                   ? split<PAPER_BALLOT, ROWS, uint32_t>(call, &tables, code, job->keys, size, n,
                                                         job->index, index_size)
                   : split<PAPER_BALLOT, ROWS, uint64_t>(call, &tables, code, job->keys, size, n,
                                                         job->index, index_size);
    });
}

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

static size_t pairs_scratch(const ordo_pairs_job *job)
{
    cuda_scratch           scratch = {};
    ordo_argsort_job const order = split_pairs_order(&scratch, job);
    gather_layout(&scratch, job);
    return scratch.used + argsort_scratch(&order);
}

static ordo_status sort_pairs(cuda_call *call, const ordo_pairs_job *job)
{
    ordo_argsort_job const order = split_pairs_order(&call->scratch, job);
    gather_buffers const   buffers = gather_layout(&call->scratch, job);
    call->exec->changed = true;
    TRY(argsort(call, &order));
    return dev_gather_pairs(call, job, order.index, index_bytes(order.n) == 8, buffers);
}

const ordo_cuda_sorter dev_split = {keys_scratch, sort_keys,       pairs_scratch,
                                    sort_pairs,   argsort_scratch, argsort};
