/* line_plan.h - how an external sort of lines divides its memory. */
#ifndef ORDO_EXTERNAL_LINE_PLAN_H
#define ORDO_EXTERNAL_LINE_PLAN_H

#include "backend/tuning.h"
#include "external/lines/line_work.h"

enum {
    LINE_SAMPLE = ORDO_TUNE(256 << 10, 256) /* bytes at the beginning of the source */
};

typedef struct line_plan {
    line_limits limits;
    size_t      gap; /* bytes before the text in a buffer */
} line_plan;

/* Plans for lines and keys as long as those of the sample. False after failure_record(). */
bool line_plan_make(line_plan *plan, external_call *c, const ordo_line_format *format,
                    const char *sample, size_t bytes);

#endif
