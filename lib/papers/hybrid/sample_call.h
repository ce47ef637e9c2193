/* sample_call.h - the state of one hybrid sample sort (sample_sort.c), and the functions that the
 * files of this folder share. */
#ifndef ORDO_PAPERS_HYBRID_SAMPLE_CALL_H
#define ORDO_PAPERS_HYBRID_SAMPLE_CALL_H

#include "hybrid/stream/hybrid_call.h"
#include "papers/hybrid/hybrid.h"
#include "papers/base/tuning.h"

enum {
    SAMPLE_PHASES = 4,
    SAMPLE_GROUPS = 8,             /* most groups of buckets that a GPU sorts one by one */
    SAMPLE_OUTBOX = SAMPLE_GROUPS, /* instead of a group: the records of the CPU's buckets */
    /* The least bytes of the records of a group. Xeon and an H200, 2^24 pinned keys u32, ms of the
     * GPU alone for 64 and 16 MiB, measured at two revisions: 5.2, 4.6. */
    ORDO_TUNE_SAMPLE_GROUP = ORDO_TUNE(16 << 20, 1 << 11),
    SAMPLE_WORKS = 8 + 3 * SAMPLE_GROUPS, /* most pieces of timed work of one GPU */
    SAMPLE_INTERVALS = 1 << 12,           /* most intervals of the link's and the GPU's time */
    SAMPLE_ARRAYS = 2,                    /* arrays of results: keys or indices, and values */

    /* Marks in the work of a GPU; copies wait for them. */
    SAMPLE_COUNTED = 0,
    SAMPLE_SCATTERED = 1,
    SAMPLE_FOUND = 2,  /* the values of the records that the CPU got */
    SAMPLE_SORTED = 3, /* of group 0; the next groups have the next marks */
    SAMPLE_VALUED = SAMPLE_SORTED + SAMPLE_GROUPS, /* the same */
    SAMPLE_NOTHING = ORDO_LINK_MARKS
};
_Static_assert((int)SAMPLE_VALUED + (int)SAMPLE_GROUPS <= (int)ORDO_LINK_MARKS,
               "every group has its marks");

/* The tables of one GPU, which the host sends in one piece; the fields are those of
 * ordo_sample_job. */
typedef struct sample_tables {
    uint64_t *places; /* [buckets] */
    uint64_t *to;     /* [buckets] */
    uint64_t *from;   /* [buckets + 1] */
    uint64_t *starts; /* [SAMPLE_GROUPS][buckets + 1]: buckets of other groups are empty */
} sample_tables;

struct sample_call;
typedef struct sample_transfer sample_transfer;

typedef struct sample_line { /* one GPU and the link to it */
    const struct sample_call *of;
    hybrid_call               call;     /* lanes, threads and errors of this GPU */
    ordo_both                 both;     /* the CPU and this GPU */
    size_t                    first, n; /* the GPU's part of the input */
    size_t                    most;     /* records that the GPU's memory can hold */
    size_t                    bucket_first, bucket_end;
    size_t                    start, owned; /* the GPU's part of the result */
    size_t                    outbox_n, inbox_n;
    size_t sent, sent_before; /* records of the outbox for the CPU, its first ones; those of the
                               * GPUs before this one */
    size_t group_count;
    size_t group_at[SAMPLE_GROUPS + 1]; /* records of `owned` before each group */

    /* Host memory. */
    uint64_t     *counts; /* [buckets] */
    uint64_t     *out;    /* [buckets + 1] place of each bucket in the outbox */
    sample_tables tables;

    /* Device memory. keys holds the GPU's part of the input, then resulting keys; values holds the
     * values of all pairs, found the resulting values or indices, sent_values the values of the
     * records for the CPU. */
    char     *keys, *values, *found, *splitters, *records, *scattered, *finished, *outbox, *inbox;
    char     *sent_values;
    char     *work;
    uint16_t *labels;
    uint64_t *device_counts;
    sample_tables device_tables;

    unsigned work_phase[SAMPLE_WORKS]; /* phase of each piece of work, counted from 0 */
    double   seconds[SAMPLE_PHASES];
} sample_line;

typedef struct sample_pending { /* copies in flight that use one side of a lane */
    sample_line     *line;      /* NULL: none */
    bool             out;
    size_t           bytes;
    sample_transfer *transfer; /* of a chunk that is to be stored; else NULL */
    size_t           chunk;
} sample_pending;

typedef struct sample_slot { /* one thread of a loop; it owns the lane with its number */
    hybrid_worker  worker;
    unsigned       number;
    sample_pending pending[ORDO_LINK_SIDES];
    unsigned       side;    /* to use next */
    char          *work;    /* of the CPU's steps */
    char          *records; /* of a piece of the CPU's part of the input */
    double         seconds[SAMPLE_PHASES], copy_seconds;
} sample_slot;

typedef struct sample_interval {
    double   began, ended;
    unsigned line;
    bool     copies;
} sample_interval;

typedef struct sample_call {
    const ordo_both      *both;
    const hybrid_records *records;
    ordo_exec            *exec;
    bool                  indexed;
    bool                  permuted;   /* pairs whose values no device looks up */
    size_t                value_size; /* of the values that the devices look up; 0: none */
    size_t                record_size;
    unsigned              lg;                     /* of the leaves of the tree */
    size_t                buckets;                /* of the tree */
    ordo_type             index_type;             /* type of the resulting indices, if indexed */
    char                 *results[SAMPLE_ARRAYS]; /* host arrays of the results */
    size_t                result_sizes[SAMPLE_ARRAYS];
    bool                  pinned_in, pinned_out; /* the GPU copies from or to the caller's arrays */
    unsigned              pin_lanes;             /* lanes above `lanes` that do only these copies */
    unsigned              pinned_out_copies;     /* so far */

    sample_line     *lines;
    size_t           line_count;
    sample_transfer *transfers; /* room for the list of one loop */
    sample_transfer *values;    /* [line_count] copies of the values to the GPUs */
    sample_slot     *slots;
    unsigned         slot_count; /* threads */
    unsigned         lanes;      /* of every line, for chunks; the first slots own them */
    unsigned         in_lanes;   /* the first lanes, for chunks to a GPU; the others are for those
                                  * from it. 0: all lanes are for both */

    /* The CPU's part: the first cpu_n keys, the buckets below cpu_buckets, the first cpu_owned
     * records of the result. */
    size_t    cpu_n, cpu_buckets, cpu_owned;
    size_t    piece;        /* records of one piece of the CPU's part */
    uint64_t *piece_counts; /* [pieces][buckets] histograms, then places */
    uint64_t *cpu_counts;   /* [buckets] */
    uint64_t *mine;         /* [buckets + 1] start of each bucket in the CPU's scattered records */
    uint64_t *starts;       /* [buckets + 1] start of each bucket in the result */
    size_t    large;        /* buckets of more records are sorted by all threads */
    char     *splitters;
    char     *gathered; /* n records: the CPU's, scattered, and the outbox of each GPU at `first` */
    char     *other;    /* the CPU's buckets */
    char     *spare;    /* scratch of the CPU's sort */
    size_t    room;     /* records of `other`, and labels */
    uint16_t *labels;
    uint16_t  pass[ORDO_PASS_MOST]; /* the labels of an input of few keys */
    char     *work;                 /* of steps that all threads do together */
    char     *order;       /* permuted pairs: the indices, then scratch of the permutation */
    char     *held_values; /* of the CPU's buckets, in the order before the sort */
    char     *held_index;  /* the indices of these records */

    double           began, phase_began;
    double           cpu_seconds[SAMPLE_PHASES];
    sample_interval *intervals;
    atomic_size_t    interval_count;
} sample_call;

/* Whether records must move between devices. */
static inline bool sample_exchanges(const sample_call *call)
{
    return call->line_count > 1 || call->cpu_n > 0;
}

/* ---- sample_layout.c ---- */

/* Chooses the form of the records and the size of the tree. */
void sample_choose_records(sample_call *call);
/* Cuts the input by position: the CPU's part, then one part for each GPU. */
void sample_cut_input(sample_call *call, double cpu_share);
/* Assigns every bucket to a device and computes where every device's records go. */
void sample_share_buckets(sample_call *call);
/* Lays out the memory of a GPU from base on and returns its size; base NULL: only the size. */
size_t sample_lay_out(const sample_call *call, sample_line *line, char *base);
/* A step of the CPU on the keys from `first` on, and a step of a GPU. */
ordo_sample_job sample_cpu_job(const sample_call *call, ordo_sample_step step, size_t first,
                               size_t n);
ordo_sample_job sample_device_job(const sample_call *call, const sample_line *line,
                                  ordo_sample_step step, size_t group);
/* The bytes of an index in held_index. */
static inline size_t sample_index_size(const sample_call *call) { return call->record_size / 2; }
/* The bytes of a GPU's tables. */
size_t      sample_tables_bytes(const sample_call *call);
ordo_status sample_take_memory(sample_call *call);
/* Takes the memory for the CPU's buckets. */
ordo_status sample_take_bucket_memory(sample_call *call);

/* ---- sample_link.c ---- */

/* Copies elements [first, first + count) between host memory and a staging buffer. */
typedef void sample_copy(void *arg, char *buffer, size_t first, size_t count);

struct sample_transfer { /* `count` elements of `size` bytes to or from device memory */
    sample_line  *line;
    bool          out;
    char         *device;
    size_t        size, count;
    unsigned      after; /* the copies wait for this mark; SAMPLE_NOTHING: for no mark */
    sample_copy  *copy;  /* NULL: `arg` is the host array */
    void         *arg;
    size_t        chunk; /* elements */
    atomic_size_t next;
    bool          apart;      /* pinned memory: no other copy shares its lane, if lanes suffice */
    unsigned      lane, side; /* of a copy of pinned memory */
};

/* Work of the CPU, piece by piece. */
typedef void sample_piece(sample_call *call, sample_slot *slot, size_t piece);

/* ---- sample_pieces.c ---- */

/* Does a step with all threads and adds its time to a phase. */
ordo_status sample_cpu_step(sample_call *call, ordo_sample_job job, unsigned phase);
size_t      sample_piece_count(const sample_call *call); /* pieces of the CPU's part of the input */
sample_piece sample_label_piece, sample_scatter_piece;   /* I and II; III */
/* Adds the histograms of the pieces and turns them into places. */
void sample_place_pieces(sample_call *call);

/* Decides which buckets of the CPU are sorted by one thread, and which by all. */
void         sample_divide_buckets(sample_call *call);
sample_piece sample_sort_piece; /* IV: a bucket that one thread sorts; others are left */
ordo_status  sample_sort_rest(sample_call *call);
/* The values of the CPU's buckets: those of the CPU's part are collected before results replace
 * them, those that GPUs sent when they are there; then all are looked up in pieces. */
sample_piece sample_own_piece, sample_sent_piece, sample_value_piece;
size_t       sample_value_count(const sample_call *call);

/* ---- sample_link.c: loops ---- */

/* Runs transfers and pieces with all threads: some threads start with chunks of the transfers, in
 * their order, the others with pieces; whoever ends first helps. Returns when all pieces are done,
 * all chunks are queued and all fetched elements are in host memory. */
ordo_status sample_run(sample_call *call, sample_transfer *transfers, size_t transfer_count,
                       sample_piece *piece, size_t piece_count);
/* Queues copies between pinned host arrays and a GPU; no thread is needed for them. */
ordo_status sample_run_pinned(sample_call *call, sample_transfer *transfers, size_t transfer_count);
ordo_status sample_wait_pinned(sample_call *call, const sample_transfer *transfer);
/* Lets a GPU's later work wait for all copies that are closed. */
ordo_status sample_join(sample_line *line);
/* Waits for all copies of the call. */
ordo_status sample_wait_copies(sample_call *call);

/* Queues a step on a GPU and records its times as work of `phase`. */
ordo_status sample_queue(const sample_call *call, sample_line *line, ordo_sample_step step,
                         unsigned phase, size_t group);
ordo_status sample_mark(sample_line *line, unsigned mark);
/* Adds up the times of the GPU's work, after link->end. */
void sample_read_times(sample_call *call, sample_line *line);
/* The time in which a line copied, or did anything. */
double sample_busy(const sample_call *call, size_t line, bool only_copies);

sample_copy sample_fill_inbox; /* the records that arrive in a GPU; arg is the sample_line */
/* Copies bucket b of all devices except `owner`, from record `skip` on, at most `count` records:
 * the CPU's, then those of each GPU. */
void sample_gather(const sample_call *call, const sample_line *owner, size_t b, size_t skip,
                   size_t count, char *to);

#endif
