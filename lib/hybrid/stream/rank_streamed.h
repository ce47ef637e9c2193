/* rank_streamed.h - the state that rank_streamed.c and rank_buckets.c share. */
#ifndef ORDO_HYBRID_STREAM_RANK_STREAMED_H
#define ORDO_HYBRID_STREAM_RANK_STREAMED_H

#include "hybrid/stream/hybrid_call.h"

typedef struct hybrid_ranking { /* one call */
    hybrid_call         *call;
    const ordo_rank_job *job;
    size_t width; /* bytes of an index, and of a rank on the link: 4, or 8 from 2^31 keys on */

    /* Device memory. */
    char *device_ranks; /* per key: its rank, or twice its average rank */
    char *work;         /* of put_ranks */

    size_t chunk_ranks; /* ranks that are fetched in one step */

    /* The CPU's buckets: sorted indices, ranks within the bucket, the rank before each bucket. */
    size_t    device_count; /* records of the device; they precede the buckets */
    char     *cpu_index;
    uint64_t *cpu_ranks; /* bits of doubles for average ranks */
    uint64_t *cpu_before;
} hybrid_ranking;

/* rank_buckets.c: takes memory for the CPU's share. */
ordo_status hybrid_prepare_rank_buckets(hybrid_ranking *ranking);
/* Ranks buckets until none is left. */
void hybrid_rank_buckets(hybrid_ranking *ranking, unsigned lane);
/* Stores the CPU's ranks in the caller's array once the device's ranks are there. `distinct` is the
 * number of distinct keys of the device. */
ordo_status hybrid_store_bucket_ranks(hybrid_ranking *ranking, uint64_t distinct);

#endif
