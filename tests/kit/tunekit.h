/* tunekit.h - what the tests of costs and predictions share: a file of costs in a folder of its
 * own, contexts that read it, and arrays to sort. */
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
    LEAST = 1 << 12,            /* keys that can be calibrated with */
    KEYS = TINY ? 4000 : 40000, /* that are worth weighing for one thread */
    MOST = 1 << 22,
    TEXT = 4096
};

/* The folder, the file in it, the first two lines of one of this machine; arrays of MOST keys. */
extern char      folder[64], file[96], head[512];
extern uint32_t *keys, *values, *before;

/* After testkit_start and before testkit_done; the folder must be empty by then. */
void tune_start(void);
void tune_end(void);

ordo_ctx   *context(ordo_where where, unsigned threads, const char *calibration);
ordo_info   info_of(ordo_ctx *ctx);
ordo_report report_of(const ordo_ctx *ctx);
ordo_cost   cost_of(ordo_ctx *ctx, const char *name);
ordo_status calibrate(ordo_ctx *ctx, size_t most);

void   write_bytes(const char *path, const char *text, size_t length);
void   write_text(const char *path, const char *text);
void   write_costs(const char *lines); /* between head and end */
size_t read_text(const char *path, char *text);

/* Sorts n keys of `before` in `keys`. */
ordo_status sort_fresh(ordo_ctx *ctx, size_t n);
bool        rising(size_t n); /* keys */
void        use_plugin(const char *folder_of_plugins, const char *name);

#endif
