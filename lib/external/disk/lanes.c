/* lanes.c - packed sequences of numbers that grow side by side. */
#include "external/disk/lanes.h"

#include "external/disk/crc32c.h"

#include <stdlib.h>

typedef struct lane_block {
    uint64_t offset;
    unsigned file;
    uint32_t n, bytes, crc;
} lane_block;

struct rank_lane {
    uint64_t   *staging;
    size_t      staged;
    lane_block *blocks;
    size_t      count, capacity;
};

static const element_kind number_kind = {
    .size = sizeof(uint64_t), .type = ORDO_U64, .keys_only = true};

static bool no_memory(const lanes *l)
{
    return failure_record(l->spill->failure, ORDO_E_NOMEM,
                          "the system refused memory for the ranks of the temporary files");
}

bool lanes_open(lanes *l, size_t count, size_t block_n, spill *s)
{
    *l = (lanes){.block_n = block_n, .spill = s};
    l->all = calloc(count + 1, sizeof *l->all);
    l->packed = malloc(block_most(&number_kind, block_n));
    if (l->all == NULL || l->packed == NULL)
        return no_memory(l);
    l->count = count;
    return true;
}

void lanes_close(lanes *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->all[i].staging);
        free(l->all[i].blocks);
    }
    free(l->all);
    free(l->packed);
    *l = (lanes){0};
}

size_t lanes_memory(size_t count, size_t block_n, uint64_t n)
{
    size_t const blocks = (size_t)(n / block_n) + count;
    return count * sizeof(rank_lane) + blocks * LANES_BLOCK_MEMORY * 3 / 2 +
           block_most(&number_kind, block_n);
}

static bool flush(lanes *l, rank_lane *one)
{
    lane_block block = {.n = (uint32_t)one->staged};
    if (one->staged == 0)
        return true;
    if (!failure_grow(l->spill->failure, (void **)&one->blocks, &one->capacity, one->count + 1,
                      sizeof block))
        return false;
    block.bytes =
        (uint32_t)block_pack(&number_kind, (const char *)one->staging, one->staged, l->packed);
    block.crc = crc32c(l->packed, block.bytes);
    if (!spill_append(l->spill, l->packed, block.bytes, &block.file, &block.offset))
        return false;
    one->blocks[one->count++] = block;
    one->staged = 0;
    return true;
}

bool lanes_append(lanes *l, size_t which, uint64_t number, uint64_t times)
{
    rank_lane *const one = &l->all[which];
    if (one->staging == NULL && (one->staging = malloc(l->block_n * sizeof *one->staging)) == NULL)
        return no_memory(l);
    for (; times > 0; times--) {
        one->staging[one->staged++] = number;
        if (one->staged == l->block_n && !flush(l, one))
            return false;
    }
    return true;
}

bool lanes_end(lanes *l)
{
    for (size_t i = 0; i < l->count; i++) {
        if (!flush(l, &l->all[i]))
            return false;
        free(l->all[i].staging);
        l->all[i].staging = NULL;
    }
    return true;
}

/* ---- Reading ---- */

static bool read_block(const lanes *l, const lane_block *block, uint64_t *numbers)
{
    if (!spill_read(l->spill, block->file, l->packed, block->bytes, block->offset))
        return false;
    if (crc32c(l->packed, block->bytes) != block->crc ||
        !block_unpack(&number_kind, l->packed, block->bytes, block->n, (char *)numbers))
        return spill_damaged(l->spill, block->file, block->offset);
    return true;
}

bool lanes_read(const lanes *l, size_t which, uint64_t *numbers)
{
    const rank_lane *const one = &l->all[which];
    for (size_t i = 0; i < one->count; i++) {
        if (!read_block(l, &one->blocks[i], numbers))
            return false;
        numbers += one->blocks[i].n;
    }
    return true;
}

bool lane_reader_open(lane_reader *r)
{
    r->numbers = malloc(r->lanes->block_n * sizeof *r->numbers);
    return r->numbers != NULL || no_memory(r->lanes);
}

void lane_reader_close(lane_reader *r) { free(r->numbers); }

bool lane_next(lane_reader *r, uint64_t *number)
{
    const rank_lane *const one = &r->lanes->all[r->which];
    if (r->at == r->n) {
        const lane_block *const block = &one->blocks[r->block];
        if (r->block == one->count || !read_block(r->lanes, block, r->numbers))
            return false;
        if (r->releases)
            spill_pass(r->lanes->spill, &r->gap, block->file, block->offset, block->bytes);
        r->block++;
        r->n = block->n;
        r->at = 0;
    }
    *number = r->numbers[r->at++];
    return true;
}
