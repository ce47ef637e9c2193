/* dev_product.cu - prefix products of floats, of an array or of every segment.
 *
 * The bytes are those of the CPU, which multiplies one by one: a product of later elements alone
 * may overflow, and other orders round differently. So a segment is a chain of multiplications
 * (segment_chain.cuh), and many segments are done at once. Memory moved: each element once. The
 * time of one array is n times the latency of a multiplication. No scratch. */
#include "cuda/scan/dev_scan_ops.cuh"
#include "cuda/scan/segment_chain.cuh"

template <typename OUT> struct product_chain {
    static DEVICE OUT start(void) { return 1; }
    static DEVICE OUT add(OUT product, OUT x) { return product * x; }
};

template <typename RAW, typename OUT>
static ordo_status multiply(cuda_call *call, const ordo_scan_job *job, const segment_map &map)
{
    typedef product_chain<OUT> OP;
    const RAW *const           in = (const RAW *)job->in;
    OUT *const                 out = (OUT *)job->out;
    return job->exclusive ? chain_segments<OP, true>(call, in, out, map)
                          : chain_segments<OP, false>(call, in, out, map);
}

ordo_status dev_product(cuda_call *call, const ordo_scan_job *job)
{
    ordo_segment_view const one = {1, NULL, job->n, job->n, 1, 1, 0};
    segment_map const map = segment_map_of(job->segments != NULL ? job->segments : &one, job->n);
    if (job->segments == NULL)
        call->exec->algorithm = "sequential";
    return job->type == ORDO_F64       ? multiply<double, double>(call, job, map)
           : job->out_type == ORDO_F64 ? multiply<float, double>(call, job, map)
                                       : multiply<float, float>(call, job, map);
}
