/* batch.h - the rotations of batches of blocks, sorted by a GPU.
 *
 * While the GPU sorts a batch, the threads encode the blocks of earlier batches. A GPU that fails
 * leaves its blocks to the threads, unless the context demands the GPU. */
#ifndef ORDO_TEXT_BZIP2_ENCODE_BATCH_H
#define ORDO_TEXT_BZIP2_ENCODE_BATCH_H

#include "backend/text.h"
#include "text/bzip2/encode/runs.h"
#include "text/bzip2/stream.h"

typedef struct bz_sorted { /* of a block in a slot */
    const uint8_t *column; /* NULL: the rotations are not sorted */
    uint32_t       row;
} bz_sorted;

typedef struct bz_batches {
    const ordo_text_slots *device; /* NULL: there is no GPU */
    ordo_choice            choice;
    size_t                 blocks;  /* of a batch */
    size_t                 slots;   /* a multiple of `blocks` */
    size_t                 most;    /* bytes of a block */
    uint8_t               *columns; /* slots * most */
    uint64_t              *offsets, *rows;
} bz_batches;

/* Chooses the backend for a stream; b->device is NULL if that is the CPU. */
ordo_status bz_batches_choose(bz_batches *b, const bz_stream *s, size_t most);

/* Slots of the blocks of all batches. */
size_t bz_batches_slots(size_t blocks);

/* Blocks that keep a GPU busy. */
size_t bz_batches_most(void);

/* Scratch for each slot. */
static inline size_t bz_batches_slot_bytes(size_t most) { return most + 64; }
ordo_status          bz_batches_open(bz_batches *b, ordo_exec *exec);

/* Sorts the rotations of `count` blocks in the slots from `first` on. sorted[i] is for blocks[i].
 * Called by a thread of a team. */
bool bz_batches_sort(bz_batches *b, bz_stream *s, size_t first, bz_block *const *blocks,
                     bz_sorted *const *sorted, size_t count);

#endif
