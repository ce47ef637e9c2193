/* hybrid.h - one sort of host arrays by the CPU and a device together: what the files of this
 * folder share.
 *
 * Records are keys with a value each, or alone. The paper's four phases, as they are here:
 *
 *   I    bins.c      a sample of the keys gives a pivot: what comes before it is the device's, the
 *                    rest the CPU's; the device's part gets cuts, the CPU's part bins
 *   II   divide.c    a piece of the array is divided at the pivot; the CPU's records are counted
 *   III  scatter.c   and put into bins, the device's go through the lanes' buffers to the device,
 *                    which sorts a run of pieces as soon as all of it is there
 *   IV   finish.c    the cuts are looked up in every run; what lies between two of them, of all
 *        segments.c  runs, is brought together and sorted by the device, segment after segment,
 *        own_bins.c  while lanes bring home the segments before and other threads sort the bins;
 *        hand_over.c what is left of these when that is done is handed over to the device
 *
 * Whole ranges of keys go to one side, so nothing is merged at the end. The link works in one
 * direction after the other, and all work of the device but the sort of the last run and of the
 * first segment is hidden behind it. Without a share for the CPU the array is only streamed.
 *
 * Device memory: the device's records, three segments of a sixteenth to a half of them, as much
 * again of their keys where these come home packed (packed.c), and the scratch of a sort of so
 * many. Host memory: an entry for every piece; where the array is sorted in place and must survive
 * the device, or the CPU has a share, a copy of the records. */
#ifndef ORDO_HYBRID_STREAM_HYBRID_H
#define ORDO_HYBRID_STREAM_HYBRID_H

#include "backend/profile.h"
#include "core/turn.h"
#include "backend/backend.h"
#include "hybrid/tuning.h"

#include <pthread.h>

enum {
    HYBRID_PHASES = 3,
    HYBRID_TAKES = 16,  /* pieces of scratch that a sort of the CPU takes, each rounded up */
    HYBRID_RUNS = 16,   /* sorted while the next one is on its way */
    HYBRID_BUFFERS = 3, /* segments on the device: one is sorted, one fetched, one waits */
    HYBRID_CUTS = 256,
    HYBRID_MOST_CUTS = 2 * HYBRID_CUTS + 2, /* heavy keys have two */
    HYBRID_LANES = 64,
    HYBRID_MOST_BINS = 2048,
    HYBRID_CELLS = 1 << 14, /* of equal width, that bins are made of */
    HYBRID_PADDING = 64     /* bytes that a division may write behind its records */
};

typedef struct hybrid_records { /* what is to be sorted, and where it goes */
    ordo_type   type;
    bool        descending;
    bool        folded; /* ties: as stable sorts have them */
    size_t      n;
    size_t      key_size, value_size;  /* value_size 0: keys alone */
    const char *keys, *values;         /* values NULL: their indices */
    char       *out_keys, *out_values; /* NULL: not wanted; may be keys, values */
} hybrid_records;

typedef struct hybrid_cut {
    uint64_t code;
    bool     equal; /* from here to the next cut all keys have this code */
} hybrid_cut;

typedef struct hybrid_segment { /* a stretch of the result, all of one range of keys */
    size_t        first_cut, end_cut;
    size_t        start, count; /* in the result */
    bool          as_is;        /* one code: not sorted, and fetched from the runs */
    unsigned      buffer;
    size_t        first_piece, pieces; /* of the list of pieces to be fetched */
    atomic_size_t asked;               /* of them so far */
    atomic_int    widths;              /* packed.c: whether those of its pieces are known */
} hybrid_segment;

typedef struct hybrid_piece { /* of the result, on its way home */
    size_t segment;
    size_t to, count; /* records of the result */
    char  *keys, *values;
    size_t width; /* bytes of a key on its way: of one that is packed fewer than it has */
} hybrid_piece;

typedef struct hybrid_run hybrid_run;

typedef struct hybrid_thread { /* the services that one thread of a loop passes on */
    ordo_exec   exec;
    hybrid_run *run;
    char       *scratch; /* of its own, for a sort of one bin */
    size_t      scratch_bytes, scratch_used;
} hybrid_thread;

struct hybrid_run { /* one call */
    const hybrid_records *records;
    const ordo_both      *both;
    const ordo_link      *link;
    ordo_exec            *exec;   /* the caller's */
    hybrid_thread         device; /* for the device's verbs, whose arrays are there */
    unsigned              lanes;
    atomic_int            lane_taken[HYBRID_LANES];
    pthread_mutex_t       work;   /* held by who asks the device for work */
    pthread_mutex_t       wrong;  /* held by who records an error */
    atomic_int            status; /* the first that went wrong; ORDO_OK so far */
    char                  why[256];
    double                began, seconds[HYBRID_PHASES]; /* of phase I, II with III, and IV */
    bool                  watched;                       /* the device tells when it did what */
    unsigned              works;                         /* ticks are 2 i and 2 i + 1; held: work */
    size_t                work_bytes[ORDO_LINK_TICKS / 2];
    size_t                side_bytes[HYBRID_LANES][ORDO_LINK_SIDES]; /* on their way in */

    /* Device memory. */
    char  *keys, *values; /* the runs */
    char  *buffer_keys[HYBRID_BUFFERS], *buffer_values[HYBRID_BUFFERS];
    size_t buffer_records;
    bool   packs; /* keys come home packed */
    char  *packed[HYBRID_BUFFERS];

    /* Phase I. */
    double     wished; /* share of the CPU */
    hybrid_cut cuts[HYBRID_MOST_CUTS];
    size_t     cut_count;
    bool       divided;     /* the CPU has a share */
    double     share;       /* expected of it */
    uint64_t   pivot;       /* a code: the CPU's records are not before it */
    uint64_t   plain_pivot; /* the same in the order of keys alone */
    unsigned   cell_shift;  /* a cell is so many bits of code - pivot */
    size_t     cell_count;
    uint16_t   cells[HYBRID_CELLS]; /* the bin of each */
    size_t     bins;

    /* Phases II, III. */
    size_t        piece_records, pieces, run_pieces, runs;
    atomic_size_t send_next;
    ordo_turn     turn;
    size_t        place;                  /* of the next piece on the device; who has the turn */
    size_t        first[HYBRID_RUNS + 1]; /* device records before each run */
    atomic_size_t sent[HYBRID_RUNS];      /* pieces of each run */
    char     *kept_keys, *kept_values;    /* piece for piece: the device's records, then the bins */
    uint32_t *bin_at;                     /* [pieces][bins + 1]: where bins begin in their piece */
    char     *aside;                      /* a piece's records of the CPU, for each lane */
    size_t    aside_bytes;

    /* Phase IV. */
    size_t          position[HYBRID_RUNS][HYBRID_MOST_CUTS]; /* of each cut in each run */
    hybrid_segment *segments;
    size_t          segment_count;
    hybrid_piece   *home;
    size_t          home_count;
    atomic_size_t   home_next;
    atomic_size_t   home_bytes; /* that were asked for */
    atomic_size_t   home_done;  /* pieces that are in their places */
    atomic_size_t   ready;      /* segments whose work has been asked for */
    size_t         *bin_start;  /* in the result, bins + 1 */
    atomic_size_t   bin_next, handed_over;
    char           *bin_scratch; /* for each lane */
    size_t          bin_scratch_bytes, largest_bin;
};

/* stream.c: one sort whose records fit the device; the device memory that it takes. After an error
 * exec->changed says whether the array is what it was; where it is not and both->keep, it holds its
 * records still, those that tie in their order. */
ordo_status hybrid_stream(const ordo_both *both, const hybrid_records *records, ordo_exec *exec);
size_t hybrid_device_bytes(const ordo_both *both, const hybrid_records *records, ordo_exec *exec);
/* The most host scratch that it takes where nothing is kept and the CPU has no share. */
size_t hybrid_host_bytes(const ordo_both *both, const hybrid_records *records, ordo_exec *exec);
void   hybrid_open(hybrid_run *run, const ordo_both *both, const hybrid_records *records,
                   ordo_exec *exec);
void   hybrid_close(hybrid_run *run);

/* The phases of a sort or a ranking: begin is phase I and holds the device, finish is phase IV. */
typedef ordo_status hybrid_step(void *arg);
ordo_status hybrid_phases(hybrid_run *run, hybrid_step *begin, hybrid_step *finish, void *arg);
/* Device memory and lanes. Arrays are taken from base one after the other; NULL: only counted. */
ordo_status hybrid_hold_device(hybrid_run *run, size_t memory, size_t scratch, char **base);
char       *hybrid_take(char *base, size_t *used, size_t bytes);

/* ranks.c: ranks of keys in any order; the records are the keys, with their indices. */
ordo_status hybrid_ranks(const ordo_both *both, const hybrid_records *records,
                         const ordo_unsorted_job *job, ordo_exec *exec);

/* rounds.c: one that needs more than the device's room. */
ordo_status hybrid_rounds(const ordo_both *both, const hybrid_records *records, ordo_exec *exec,
                          size_t need, size_t room);

/* bins.c: phase I. Records of the device come before those of the CPU. */
ordo_status hybrid_bins(hybrid_run *run);
/* Bins for all records, `wanted` at most: none is the device's. */
ordo_status hybrid_ranges(hybrid_run *run, size_t wanted);
/* Host scratch of the former without a share for the CPU. */
size_t hybrid_sample_bytes(const hybrid_run *run);
/* The bin of every key, none of them before the pivot. */
void hybrid_labels(const hybrid_run *run, const void *keys, size_t n, uint16_t *labels);

/* copy.c: to memory that is not read soon, past the cache where the processor can. */
void hybrid_copy_past(void *to, const void *from, size_t bytes);
/* Others may see what the thread has copied so: once for many copies, for it waits for all. */
void hybrid_past_done(void);

/* divide.c: the records of a piece, the device's to a lane's buffer, the CPU's to the copy; says
 * how many are the device's. */
size_t hybrid_divide(hybrid_run *run, unsigned lane, size_t piece, char *keys, char *values);

/* The CPU's records of a piece, of which `theirs` are the device's, into their bins of the copy. */
void hybrid_into_bins(hybrid_run *run, size_t piece, size_t theirs, const char *keys,
                      const char *values, uint16_t *labels, size_t n);
/* Numbers from `first` on, as values of 4 or 8 bytes. */
void hybrid_indices(char *values, size_t size, size_t first, size_t n);

static inline size_t hybrid_piece_count(const hybrid_run *run, size_t piece)
{
    return ordo_min(run->piece_records, run->records->n - piece * run->piece_records);
}

/* scatter.c */
ordo_status hybrid_scatter(hybrid_run *run);
/* Asks the device to sort records that lie there, stably. */
ordo_status hybrid_sort_there(hybrid_run *run, char *keys, char *values, size_t count);

/* watch.c: spans of the link and of the device, where a profile is asked for. */
ordo_status hybrid_watch(hybrid_run *run);
/* A side that has been waited for, whose copies went one way. */
void hybrid_watch_side(hybrid_run *run, unsigned lane, unsigned side, ordo_span_kind way,
                       size_t bytes);
/* Work of the device on so many records begins and ends. */
ordo_status hybrid_watch_work(hybrid_run *run, size_t count);
ordo_status hybrid_watch_worked(hybrid_run *run);
/* After the device's end. */
void hybrid_watch_end(hybrid_run *run);

/* finish.c */
ordo_status hybrid_finish(hybrid_run *run);
/* packed.c: results as differences. Whether this run's are; device memory of one buffer of them. */
bool   hybrid_packs(const hybrid_run *run);
size_t hybrid_packed_bytes(const hybrid_run *run);
/* Asks the device to pack a segment that it has sorted. */
ordo_status hybrid_pack(hybrid_run *run, const hybrid_segment *segment);
/* Sees to it that the widths of a segment's pieces are known. */
ordo_status hybrid_learn_widths(hybrid_run *run, ordo_exec *exec, unsigned lane, unsigned side,
                                hybrid_segment *segment);
size_t      hybrid_packed_size(const hybrid_run *run, const hybrid_piece *piece);
void hybrid_unpack(const hybrid_run *run, const hybrid_piece *piece, const char *packed, char *to);
/* segments.c: looks up the cuts, makes the lists of segments and pieces. */
ordo_status hybrid_segments(hybrid_run *run);
/* The most host scratch of that. */
size_t hybrid_segments_bytes(const hybrid_run *run);
/* own_bins.c: the CPU's part of the result. */
ordo_status hybrid_prepare_bins(hybrid_run *run);
void        hybrid_sort_bins(hybrid_run *run, unsigned lane);
/* hand_over.c: some of the bins that are left to the device, if that has nothing else to do. */
bool hybrid_hand_over(hybrid_run *run, ordo_exec *exec, unsigned lane);
/* Where every bin begins in the result, behind `before` records. */
ordo_status hybrid_bin_starts(hybrid_run *run, size_t before);
/* A bin's records, from all pieces in order. */
void hybrid_bring_together(const hybrid_run *run, size_t bin, char *keys, char *values);

/* threads.c: lanes for threads, and what goes wrong in them. */
void     hybrid_start(hybrid_run *run, hybrid_thread *thread);
unsigned hybrid_take_lane(hybrid_run *run);
void     hybrid_give_lane(hybrid_run *run, unsigned lane);
bool     hybrid_wrong(const hybrid_run *run);
/* Waits a little, for the `tries`th time. */
void hybrid_pause(unsigned tries);
/* The caller wants no more. */
void hybrid_cancel(hybrid_run *run);
/* After a loop, which ran all its pieces or not: what went wrong, recorded with the caller. */
ordo_status hybrid_status(hybrid_run *run, bool all);

#endif
