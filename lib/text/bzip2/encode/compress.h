/* compress.h - compression of the parts of a stream, one call for each part. */
#ifndef ORDO_TEXT_BZIP2_ENCODE_COMPRESS_H
#define ORDO_TEXT_BZIP2_ENCODE_COMPRESS_H

#include "text/bzip2/encode/runs.h"
#include "text/bzip2/stream.h"

typedef struct bz_carry { /* state between two parts; begins as zeros */
    bz_splitter splitter;
    uint8_t    *text; /* of the block that is not full; the size of a block, or NULL if ends */
    uint32_t    n;
    uint64_t    held; /* bits that are no whole byte, as in bz_writer */
    unsigned    count;
    uint32_t    crc;   /* of the stream */
    bool        begun; /* the header is written */
    bool        ends;  /* the next part is the last one */
} bz_carry;

/* Compresses all of the source, less the block at its end unless carry->ends. After a failure the
 * carry is of no use. */
ordo_status bz_compress_part(ordo_ctx *ctx, ordo_exec *exec, const ordo_source *from,
                             const ordo_sink *to, const ordo_bz_opts *opts, ordo_bz_report *report,
                             bz_carry *carry);

#endif
