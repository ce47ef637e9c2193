/* external_call.h - what all calls on external data share: the arguments, the context that works in
 * memory, the source, the sink, and the plan of the memory. */
#ifndef ORDO_EXTERNAL_EXTERNAL_CALL_H
#define ORDO_EXTERNAL_EXTERNAL_CALL_H

#include "api/api_ctx.h"
#include "external/disk/blocks.h"
#include "external/pipeline.h"
#include "external/disk/spill.h"
#include "ordo_external.h"

enum {
    EXTERNAL_LEAST_MEMORY = ORDO_TUNE(8 << 20, 16 << 10) /* of opts.memory, bytes */
};

typedef struct external_outer external_outer;

typedef struct external_call {
    ordo_ctx             *ctx; /* of the caller */
    ordo_exec            *exec;
    ordo_ctx             *inner; /* sorts the buffers */
    element_kind          kind;
    ordo_source           from;
    ordo_sink             to;
    ordo_external_opts    opts;
    uint64_t              source_bytes; /* 0: not known */
    const char           *resumes; /* the verb, if it accepts opts.resume_directory; else NULL */
    const external_outer *outer;   /* NULL: `from` and `to` are those of the caller */

    size_t capacity; /* elements of a buffer */
    size_t block_n;  /* elements of a block */
    size_t staging;  /* bytes that a thread reads or writes at once */
    char  *buffers[PIPELINE_BUFFERS];

    failure               failure;
    spill                 spill;
    const char           *directory; /* the default */
    ordo_external_report  report;
    ordo_external_report *wanted; /* the caller's report; may be NULL */

    /* Elements read from the source and written to the sink. */
    atomic_ullong read, written;
    /* The same in bytes, of all passes. */
    atomic_ullong bytes_in, bytes_out;

    /* With a resume directory: checksums of the bytes read from the file since resume_take_sum(),
     * and of all bytes written to the file. */
    bool     sums;
    uint32_t sum_in, sum_out;

    ordo_external_step step;       /* the phase that runs */
    uint64_t           step_bytes; /* that it will read; 0: not known */
    uint64_t           step_begin; /* ticks */
} external_call;

struct external_outer {    /* of a call whose source and sink are functions of this library */
    external_call *given;  /* the source, its elements, and the sink of the caller */
    size_t         result; /* bytes of a result in that sink */
    void (*skip)(void *user, uint64_t n); /* the source goes on behind n elements */
    void *user;
};

/* Read and check the arguments; `report` may be NULL. Calls that write elements have a sink. */
ordo_status external_arguments(external_call *c, const ordo_elements *elements,
                               const ordo_source *from, const ordo_external_opts *opts,
                               ordo_external_report *report);
ordo_status external_sink(external_call *c, const ordo_sink *to);

/* Makes the inner context and the spill. Call external_end() in any case. */
ordo_status external_begin(external_call *c);
void        external_end(external_call *c);

/* Makes the largest buffers with which a sort stays within the memory limit, or buffers of a given
 * number of elements of `element_bytes` bytes. */
ordo_status external_plan_sort(external_call *c);
ordo_status external_buffers(external_call *c, size_t capacity, size_t element_bytes);
void        external_free_buffers(external_call *c);

/* Which buffer of the call a piece is in. */
static inline size_t external_buffer_of(const external_call *c, const piece *p)
{
    size_t i = 0;
    while (c->buffers[i] != p->elements)
        i++;
    return i;
}

/* The square root of n > 0, rounded up. */
static inline uint64_t external_root(uint64_t n)
{
    uint64_t root = 1;
    while (root * root < n)
        root++;
    return root;
}

/* Bytes that a thread reads or writes at once: those that are wanted, within limits. */
size_t external_staging(uint64_t wanted);

/* How many blocks the index of the runs is made for at once; 0: it grows. */
size_t external_index_blocks(const external_call *c);

/* Reads up to a buffer of elements from the source; *n is less than the capacity only at its
 * end. */
bool external_read(external_call *c, char *elements, size_t *n);
bool external_write(external_call *c, const void *results, size_t bytes);

/* Reads `bytes` bytes from the source; *got is less only at its end. */
bool external_read_bytes(external_call *c, char *into, size_t bytes, size_t *got);

/* Bytes of scratch that a sort of n elements in memory takes. */
size_t external_sort_scratch(external_call *c, size_t n);

/* Gives this call the failure of another one, in a function of a source or a sink; returns -1. */
ptrdiff_t external_hand_on(external_call *c, external_call *from);

/* Whether a call of the inner context succeeded; false after failure_record() with its message. */
bool external_inner_done(external_call *c, ordo_status status);

/* Sorts a buffer in memory. */
bool external_sort_piece(external_call *c, const piece *p);

/* Begins a phase that reads `bytes` bytes (0: not known), for the report and opts.watch. The next
 * phase or the report ends it. */
void external_phase(external_call *c, const char *name, uint64_t bytes);

/* After the first run, of `first` bytes of the source, its packed size predicts the space for the
 * others. False after failure_record() if there is less. */
bool external_check_space(external_call *c, uint64_t first);

/* Seconds since a reading of api_clock_ticks(). */
static inline double external_seconds(uint64_t ticks)
{
    return (double)(api_clock_ticks() - ticks) / api_clock_second();
}

/* Tells the caller about the progress. False after failure_record() if the call is cancelled. */
bool external_goes_on(external_call *c);

/* Runs a pipeline on the buffers of the call. `user` is the user of each step. */
bool external_pipeline(external_call *c, void *user, bool (*read)(void *, piece *),
                       bool (*work)(void *, piece *), bool (*write)(void *, const piece *));

/* The status of the call: that of the failure, if there is one. */
ordo_status external_status(external_call *c);

/* Adds the phases and counts of a call that has ended, and that `c` made for its own work. */
void external_adopt(external_call *c, external_call *part);

/* Writes the report to the caller's struct, if there is one. */
ordo_status external_report(external_call *c);

/* Sorts the source to the sink, which gets at most `limit` elements. */
ordo_status external_sort_first(external_call *c, uint64_t limit);

/* The same as a part of the work of `c`: a call `work` that has a kind of elements, a source, a
 * sink, and the memory of `c` but for `own` bytes. */
ordo_status external_sort_part(external_call *c, external_call *work, size_t own, uint64_t limit);

#endif
