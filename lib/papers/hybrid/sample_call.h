/* sample_call.h - the state of one hybrid sample sort (sample_sort.c), and the functions that the
 * files of this folder share. */
#ifndef ORDO_PAPERS_HYBRID_SAMPLE_CALL_H
#define ORDO_PAPERS_HYBRID_SAMPLE_CALL_H

#include "hybrid/stream/hybrid_call.h"
#include "papers/hybrid/hybrid.h"
#include "papers/tuning.h"

enum {
    SAMPLE_BUCKETS = 2 << ORDO_TUNE_SAMPLE_LG,
    SAMPLE_SPLITTERS = (1 << ORDO_TUNE_SAMPLE_LG) - 1,
    SAMPLE_PHASES = 4,
    SAMPLE_WORKS = 8, /* most pieces of timed work of one GPU */

    /* Marks in the work of a GPU; copies wait for them. */
    SAMPLE_COUNTED = 0,
    SAMPLE_SCATTERED = 1,
    SAMPLE_SORTED = 2
};

typedef struct sample_tables {       /* the tables of one GPU; the host sends them in one piece */
    uint64_t places[SAMPLE_BUCKETS]; /* the fields are those of ordo_sample_job */
    uint64_t from[2 * SAMPLE_BUCKETS + 1];
    uint64_t to[2 * SAMPLE_BUCKETS];
    uint64_t starts[SAMPLE_BUCKETS + 1];
} sample_tables;

typedef struct sample_line { /* one GPU and the link to it */
    hybrid_call call;        /* lanes, threads and errors of this GPU */
    ordo_both   both;        /* the CPU and this GPU */
    size_t      first, n;    /* the GPU's part of the input */
    size_t      most;        /* records that the GPU's memory can hold */
    size_t      bucket_first, bucket_end;
    size_t      start, owned; /* the GPU's part of the result */
    size_t      outbox_n, inbox_n;

    /* Host memory. */
    uint64_t      counts[SAMPLE_BUCKETS];
    uint64_t      before[SAMPLE_BUCKETS];  /* records of each bucket from earlier devices */
    uint64_t      out[SAMPLE_BUCKETS + 1]; /* place of each bucket in the outbox */
    sample_tables tables;

    /* Device memory. */
    char          *keys, *splitters, *records, *scattered, *finished, *outbox, *work;
    uint16_t      *labels;
    uint64_t      *device_counts;
    sample_tables *device_tables;

    unsigned work_phase[SAMPLE_WORKS]; /* phase of each piece of work, counted from 0 */
    double   seconds[SAMPLE_PHASES];
} sample_line;

typedef struct sample_call {
    const ordo_both      *both;
    const hybrid_records *records;
    ordo_exec            *exec;
    bool                  indexed;
    size_t                record_size, result_size;
    ordo_type             index_type; /* type of the resulting indices, if indexed */

    sample_line *lines;
    size_t       line_count;

    /* The CPU's part: the first cpu_n keys, the buckets below cpu_buckets, the first cpu_owned
     * records of the result. */
    size_t    cpu_n, cpu_buckets, cpu_owned;
    uint64_t  cpu_counts[SAMPLE_BUCKETS];
    uint64_t  starts[SAMPLE_BUCKETS + 1]; /* start of each bucket in the result */
    uint64_t  cpu_places[SAMPLE_BUCKETS];
    char     *splitters;
    char     *gathered; /* all records by bucket, except those that stay on a GPU */
    char     *other;    /* records of the CPU before the scatter; scratch of its sort; results */
    char     *spare;    /* pairs only: scratch of the permutation */
    char     *work;
    uint16_t *labels;

    double began, phase_began;
    double cpu_seconds[SAMPLE_PHASES], copy_seconds;
} sample_call;

/* Whether records must move between devices. */
static inline bool sample_exchanges(const sample_call *call)
{
    return call->line_count > 1 || call->cpu_n > 0;
}

/* ---- sample_layout.c ---- */

/* Cuts the input by position: the CPU's part, then one part for each GPU. */
void sample_cut_input(sample_call *call, double cpu_share);
/* Assigns every bucket to a device and computes where every device's records go. */
void sample_share_buckets(sample_call *call);
/* Lays out the memory of a GPU from base on and returns its size; base NULL: only the size. */
size_t          sample_lay_out(const sample_call *call, sample_line *line, char *base);
ordo_sample_job sample_cpu_job(const sample_call *call, ordo_sample_step step);
ordo_sample_job sample_device_job(const sample_call *call, const sample_line *line,
                                  ordo_sample_step step);
ordo_status     sample_take_memory(sample_call *call);

/* ---- sample_link.c ---- */

/* Copies elements [first, first + count) of a transfer between host memory and a staging buffer. */
typedef void sample_copy(void *arg, char *buffer, size_t first, size_t count);

/* Copy `count` elements of `size` bytes to or from device memory, with all threads. The copies wait
 * for the mark `after` in the work of the GPU; SAMPLE_NOTHING: they wait for no mark. sample_fetch
 * returns when the elements are in host memory. */
enum {
    SAMPLE_NOTHING = ORDO_LINK_MARKS
};
ordo_status sample_send(sample_call *call, sample_line *line, void *device, size_t size,
                        size_t count, unsigned after, sample_copy *copy, void *arg);
ordo_status sample_fetch(sample_call *call, sample_line *line, const void *device, size_t size,
                         size_t count, unsigned after, sample_copy *copy, void *arg);
/* The host side of a transfer of one array. */
typedef struct sample_array {
    char  *at;
    size_t size;
} sample_array;
sample_copy sample_copy_in, sample_copy_out;

/* Queues a step on a GPU and records its times as work of `phase`. */
ordo_status sample_queue(const sample_call *call, sample_line *line, ordo_sample_step step,
                         unsigned phase);
ordo_status sample_mark(sample_line *line, unsigned mark);
/* Adds up the times of the GPU's work, after link->end. */
void sample_read_times(sample_call *call, sample_line *line);

/* Copies of the records that leave a GPU and of those that arrive; arg is a sample_exchange. */
typedef struct sample_exchange {
    const sample_call *call;
    const sample_line *line;
} sample_exchange;
sample_copy sample_take_outbox, sample_fill_inbox;

#endif
