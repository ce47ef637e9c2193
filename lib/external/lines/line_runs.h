/* line_runs.h - sorted runs of lines on disk, in blocks, and what memory holds about each block.
 *
 * A run is a sorted sequence of lines in the temporary files. For each block memory holds where it
 * is, its sizes, its checksum and its cut: a key that is not before the keys of the blocks before
 * it in its run, and not after its own keys. The cut is the shortest beginning of a key with this
 * property. Memory: LINE_ENTRY bytes for a block and the bytes of its cut. Blocks that follow each
 * other with the same cut share its bytes. */
#ifndef ORDO_EXTERNAL_LINE_RUNS_H
#define ORDO_EXTERNAL_LINE_RUNS_H

#include "external/disk/spill.h"
#include "external/lines/line_block.h"

typedef struct line_block {
    uint64_t  offset; /* in its file; before it is written: in its buffer */
    unsigned  file;   /* of the spill */
    uint32_t  bytes;  /* on disk */
    uint32_t  raw;    /* of its lines with their ends */
    uint32_t  n;      /* lines */
    uint32_t  keys;   /* bytes of the keys of its lines */
    uint32_t  crc;    /* of the bytes on disk */
    line_view cut;
    char     *owned;    /* before it is written: the memory of the cut, to be freed */
    bool      is_first; /* of its run */
} line_block;

typedef struct line_entry line_entry;

enum {
    LINE_ENTRY = 36
};

typedef struct line_run {
    size_t block, blocks; /* the number of its first block, and how many */
} line_run;

typedef struct line_runs {
    spill      *spill;
    failure    *failure;
    size_t      limit; /* bytes of memory for the index */
    line_entry *entries;
    size_t      blocks, capacity;
    char       *cuts;
    size_t      cut_bytes, cut_capacity;
    line_run   *all;
    size_t      count, run_capacity;
    size_t      most_raw, most_n, most_keys, most_bytes; /* of a block */
} line_runs;

void line_runs_open(line_runs *r, size_t limit, spill *s);
void line_runs_close(line_runs *r);

/* Writes packed blocks, which are in `buffer` in their sequence, and notes them. A block that is
 * the first of its run begins a run; the others continue the last run. Moves blocks in the buffer.
 * Frees the cuts, also after a failure. */
bool line_runs_append(line_runs *r, char *buffer, line_block *blocks, size_t count);

/* Block i. Its cut is valid until the next block is noted. */
line_block line_runs_block(const line_runs *r, size_t i);
line_view  line_runs_cut(const line_runs *r, size_t i);

#endif
