/* tunekit.h - helpers of the tests of calibration and prediction: a calibration file in a temporary
 * folder, contexts that read it, and arrays to sort. */
#ifndef ORDO_TESTS_TUNEKIT_H
#define ORDO_TESTS_TUNEKIT_H

#include "testkit.h"
#include "ordo_machine.h"

enum {
#ifdef ORDO_TINY
    TINY = 1,
#else
    TINY = 0,
#endif
    LEAST = 1 << 12,            /* the smallest array for a calibration           */
    KEYS = TINY ? 4000 : 40000, /* enough for a prediction in a context of one thread */
    MOST = 1 << 22,
    TEXT = 4096
};

/* The folder, its calibration file, the first two lines of such a file; arrays of MOST keys. */
extern char      folder[64], file[96], head[512];
extern uint32_t *keys, *values, *before;

/* Between testkit_start and testkit_done. tune_end removes the folder, which must be empty. */
void tune_start(void);
void tune_end(void);

ordo_ctx   *context(ordo_where where, unsigned threads, const char *calibration);
ordo_cost   cost_of(ordo_ctx *ctx, const char *name);
ordo_status calibrate(ordo_ctx *ctx, size_t most);

void   write_bytes(const char *path, const char *text, size_t length);
void   write_text(const char *path, const char *text);
void   write_costs(const char *lines); /* the calibration file: head, lines, end */
size_t read_text(const char *path, char *text);

/* Copies n keys of `before` to `keys` and sorts them. */
ordo_status sort_fresh(ordo_ctx *ctx, size_t n);
bool        rising(size_t n); /* the first n of `keys` are sorted */

#endif
