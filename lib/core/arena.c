/* arena.c - see arena.h. */
#include "core/arena.h"

struct ordo_arena_block {
    ordo_arena_block *next;
    size_t            bytes; /* as asked of the source, header included */
    size_t            used;  /* from the start of the block */
};

static size_t first_free(const ordo_arena_block *block)
{
    size_t const start = (size_t)((uintptr_t)block % ORDO_CACHE_LINE);
    return ordo_round_up(start + sizeof *block, ORDO_CACHE_LINE) - start;
}

size_t ordo_arena_cost(size_t bytes)
{
    size_t const extra = sizeof(ordo_arena_block) + 2 * ORDO_CACHE_LINE;
    return bytes > SIZE_MAX - extra ? SIZE_MAX : bytes + extra;
}

static void release_block(ordo_arena *arena, ordo_arena_block *block)
{
    arena->held -= block->bytes;
    arena->source.release(arena->source.user, block);
}

static bool is_empty(const ordo_arena_block *block) { return block->used == first_free(block); }

/* Whether taking bytes from a block wastes no memory that is needed elsewhere: an empty block must
 * be about as large, and under a limit no larger than a new one would be. */
static bool suits(const ordo_arena *arena, const ordo_arena_block *block, size_t bytes)
{
    enum {
        SLACK = 1 << 16
    };
    size_t const room = block->bytes - block->used;
    if (room < bytes || !is_empty(block))
        return room >= bytes;
    return arena->limit != 0 ? block->bytes <= ordo_arena_cost(bytes)
                             : room / 2 <= bytes || room <= SLACK;
}

/* Whether to prefer block a to block b: a block in use by this call, then the smaller room. */
static bool is_better(const ordo_arena_block *a, const ordo_arena_block *b)
{
    if (is_empty(a) != is_empty(b))
        return !is_empty(a);
    return a->bytes - a->used < b->bytes - b->used;
}

/* The best block with enough room. A call that takes the same sizes as the last one gets the same
 * addresses: a piece that shared a block does so again, and a piece with its own block finds that
 * block as the smallest empty one. */
static ordo_arena_block *block_with(const ordo_arena *arena, size_t bytes)
{
    ordo_arena_block *best = NULL;
    for (ordo_arena_block *block = arena->blocks; block != NULL; block = block->next)
        if (suits(arena, block, bytes) && (best == NULL || is_better(block, best)))
            best = block;
    return best;
}

/* The place in the list of the empty block that was used least recently; NULL: there is none. */
static ordo_arena_block **oldest_empty(ordo_arena *arena)
{
    ordo_arena_block **oldest = NULL;
    for (ordo_arena_block **at = &arena->blocks; *at != NULL; at = &(*at)->next)
        if (is_empty(*at))
            oldest = at;
    return oldest;
}

/* Returns false if this call uses all blocks. */
static bool release_oldest(ordo_arena *arena)
{
    ordo_arena_block **const at = oldest_empty(arena);
    if (at == NULL)
        return false;
    ordo_arena_block *const block = *at;
    *at = block->next;
    release_block(arena, block);
    return true;
}

static bool keeps_too_much(const ordo_arena *arena)
{
    size_t bytes = 0, count = 0;
    for (const ordo_arena_block *block = arena->blocks; block != NULL; block = block->next)
        if (is_empty(block)) {
            bytes += block->bytes;
            count++;
        }
    return arena->lean ? count > 0
                       : bytes > ORDO_ARENA_KEPT_BYTES || count > ORDO_ARENA_KEPT_BLOCKS;
}

static bool fits_limit(const ordo_arena *arena, size_t cost)
{
    return arena->limit == 0 || cost <= arena->limit - ordo_min(arena->held, arena->limit);
}

/* Releases unused blocks until the rest is within the bound and `cost` more bytes are within the
 * limit. Returns whether they are. */
static bool make_room(ordo_arena *arena, size_t cost)
{
    while (keeps_too_much(arena) || !fits_limit(arena, cost))
        if (!release_oldest(arena))
            return false;
    return true;
}

static ordo_arena_block *push_block(ordo_arena *arena, size_t bytes)
{
    size_t const cost = ordo_arena_cost(bytes);
    if (cost == SIZE_MAX || !make_room(arena, cost))
        return NULL;
    ordo_arena_block *block = arena->source.alloc(arena->source.user, cost);
    if (block == NULL && release_oldest(arena)) {
        while (release_oldest(arena))
            continue;
        block = arena->source.alloc(arena->source.user, cost);
    }
    if (block == NULL)
        return NULL;
    block->next = arena->blocks;
    block->bytes = cost;
    block->used = first_free(block);
    arena->blocks = block;
    arena->held += cost;
    return block;
}

void *ordo_arena_take(ordo_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - ORDO_CACHE_LINE)
        return NULL;
    size_t const      rounded = ordo_round_up(bytes, ORDO_CACHE_LINE);
    ordo_arena_block *block = block_with(arena, rounded);
    if (block == NULL)
        block = push_block(arena, rounded);
    if (block == NULL)
        return NULL;
    void *const piece = (char *)block + block->used;
    block->used += rounded;
    arena->taken += rounded;
    return piece;
}

void ordo_arena_give_back(ordo_arena *arena, const void *piece, size_t bytes)
{
    size_t const       rounded = ordo_round_up(bytes, ORDO_CACHE_LINE);
    ordo_arena_block **at = &arena->blocks;
    while (*at != NULL && (const char *)piece + rounded != (const char *)*at + (*at)->used)
        at = &(*at)->next;
    ordo_arena_block *const block = *at;
    if (block == NULL)
        return;
    block->used -= rounded;
    arena->taken -= rounded;
    if (is_empty(block)) {
        *at = block->next;
        release_block(arena, block);
    }
}

/* Moves the blocks that the call has used to the front. Their order stays the same, so that an
 * equal call chooses the same of two equal blocks. */
void ordo_arena_reset(ordo_arena *arena)
{
    if (arena->taken == 0) /* no block was used: a list of many blocks is not read */
        return;
    ordo_arena_block *unused = NULL, **used_end = &arena->blocks, **unused_end = &unused;
    for (ordo_arena_block *block = arena->blocks; block != NULL; block = block->next) {
        ordo_arena_block ***const end = is_empty(block) ? &unused_end : &used_end;
        **end = block;
        *end = &block->next;
        block->used = first_free(block);
    }
    *unused_end = NULL;
    *used_end = unused;
    arena->taken = 0;
}

void ordo_arena_free(ordo_arena *arena)
{
    for (ordo_arena_block *block = arena->blocks, *next; block != NULL; block = next) {
        next = block->next;
        release_block(arena, block);
    }
    arena->blocks = NULL;
    arena->taken = 0;
}
