/* dev_scan_paper.cu - the prefix sums of Whittaker, Skjellum and Bangalore, "Ballot Counting for
 * Optimal Binary Prefix Sum" (dev_scan_paper.cuh): counts of flags by ballots and in shared memory,
 * and sums of 32-bit integers by ballots, which the authors suggest as future work. Production
 * code: scan/dev_bits.cu and scan/dev_scan.cu. */
#include "papers/ballot/dev_scan_paper.cuh"
#include "papers/ballot/ballot.h"

template <paper_form FORM, ordo_flags_kind KIND>
static ordo_status count_by(cuda_call *call, const ordo_bits_job *job, uint64_t *total)
{
    flag_source<KIND> const source = {(const uint8_t *)job->flags};
    if (job->count_type == ORDO_U32)
        return paper_scan<FORM>(call, source, job->n, (uint32_t *)job->counts, job->exclusive,
                                total);
    return paper_scan<FORM>(call, source, job->n, (uint64_t *)job->counts, job->exclusive, total);
}

template <paper_form FORM>
static ordo_status count_as(cuda_call *call, const ordo_bits_job *job, uint64_t *total)
{
    return job->kind == ORDO_FLAG_BITS ? count_by<FORM, ORDO_FLAG_BITS>(call, job, total)
                                       : count_by<FORM, ORDO_FLAG_BYTES>(call, job, total);
}

size_t dev_bits_paper_scratch(const ordo_bits_job *job)
{
    cuda_scratch scratch = {};
    (void)scratch_take<uint64_t>(&scratch, 1);
    (void)paper_layout(&scratch, job->n);
    return scratch.used;
}

ordo_status dev_bits_paper(cuda_call *call, const ordo_bits_job *job)
{
    uint64_t *const total = scratch_take<uint64_t>(&call->scratch, 1);
    bool const      by_ballot = job->algorithm == ORDO_ALGORITHM_BALLOT;
    call->exec->algorithm = by_ballot ? "ballot" : "shared";
    TRY(by_ballot ? count_as<PAPER_BALLOT>(call, job, total)
                  : count_as<PAPER_SHARED>(call, job, total));
    return job->total == NULL ? ORDO_OK : call_fetch(call, job->total, total, sizeof *total);
}

size_t dev_scan_ballot_scratch(const ordo_scan_job *job)
{
    cuda_scratch scratch = {};
    (void)paper_layout(&scratch, job->n);
    return scratch.used;
}

ordo_status dev_scan_ballot(cuda_call *call, const ordo_scan_job *job)
{
    word_source const source = {(const uint32_t *)job->in};
    call->exec->algorithm = "ballot";
    return paper_scan<PAPER_BALLOT>(call, source, job->n, (uint32_t *)job->out, job->exclusive,
                                    (uint64_t *)NULL);
}
