/* stream.h - what compression and decompression share: source, sink, threads and memory. */
#ifndef ORDO_TEXT_BZIP2_STREAM_H
#define ORDO_TEXT_BZIP2_STREAM_H

#include "api/api_ctx.h"
#include "ordo_bz.h"
#include "text/bzip2/team.h"

typedef struct bz_stream {
    ordo_ctx       *ctx;
    ordo_exec      *exec;
    ordo_source     from;
    ordo_sink       to;
    bool            discards; /* there is no sink */
    ordo_bz_opts    opts;
    ordo_bz_report  report;
    ordo_bz_report *wanted; /* the caller's report; may be NULL */
    failure         failure;
    uint64_t        source_bytes; /* 0: not known */
    atomic_ullong   used;         /* bytes of the source */
} bz_stream;

/* Reads and checks the options; a level of 0 becomes 9. */
ordo_status bz_options(ordo_exec *exec, const ordo_bz_opts *opts, ordo_bz_opts *out);

/* Reads and checks the arguments; `report` may be NULL. needs_sink: `to` must not be NULL. */
ordo_status bz_stream_arguments(bz_stream *s, const ordo_source *from, const ordo_sink *to,
                                bool needs_sink, const ordo_bz_opts *opts, ordo_bz_report *report);

/* Reads up to `bytes` bytes; *got is less only at the end of the data. */
bool bz_stream_read(bz_stream *s, uint8_t *into, size_t bytes, size_t *got);
bool bz_stream_write(bz_stream *s, const uint8_t *from, size_t bytes);

/* The number of threads for which the memory limit of the context suffices, at least 1. */
unsigned bz_stream_workers(const bz_stream *s, size_t bytes_per_worker, size_t bytes_shared);

double bz_stream_share(void *stream);

/* The status of the call after bz_team_run(); writes the report. */
ordo_status bz_stream_end(bz_stream *s);

typedef struct bz_arrays { /* of a call from memory to memory */
    const void *in;
    size_t      n;
    void       *out;
    size_t      capacity;
    size_t     *written;
} bz_arrays;

/* Checks `in` and `out`: valid, and apart from each other. */
ordo_status bz_check_arrays(ordo_exec *exec, const bz_arrays *a);

/* Checks the arguments of a call from memory to memory, and makes it a call on streams. */
typedef ordo_status bz_stream_call(ordo_ctx *ctx, ordo_exec *exec, const ordo_source *from,
                                   const ordo_sink *to, const ordo_bz_opts *opts,
                                   ordo_bz_report *report);
ordo_status bz_in_memory(ordo_ctx *ctx, ordo_exec *exec, bz_stream_call *call, const void *in,
                         size_t n, void *out, size_t capacity, size_t *written,
                         const ordo_bz_opts *opts, ordo_bz_report *report);

#endif
