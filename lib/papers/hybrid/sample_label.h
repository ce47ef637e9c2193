/* sample_label.h - vector loops that label records of the sample sort on the CPU. */
#ifndef ORDO_PAPERS_HYBRID_SAMPLE_LABEL_H
#define ORDO_PAPERS_HYBRID_SAMPLE_LABEL_H

#include "papers/base/tuning.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SAMPLE_UNKNOWN = UINT16_MAX /* a label that the loop has not found */
};

/* Labels the first records of data[0 .. n) by a tree of 2^ORDO_TUNE_SAMPLE_LG leaves, whose form is
 * in cpu_sample.t.h, and returns their number. `unknown` tells whether some got SAMPLE_UNKNOWN. */
typedef size_t sample_label_fn(const void *tree, const void *data, uint16_t *labels, size_t n,
                               bool *unknown);

#if defined(__x86_64__)
sample_label_fn sample_label_32_avx512, sample_label_64_avx512;
#endif

#endif
