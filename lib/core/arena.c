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

static bool push_block(ordo_arena *arena, size_t bytes)
{
    size_t const cost = ordo_arena_cost(bytes);

    /* A block nothing was taken from is too small, or we would not be here: let it go first. */
    ordo_arena_block *const top = arena->blocks;
    if (top != NULL && top->used == first_free(top)) {
        arena->blocks = top->next;
        release_block(arena, top);
    }
    if (cost == SIZE_MAX ||
        (arena->limit != 0 && cost > arena->limit - ordo_min(arena->held, arena->limit)))
        return false;
    ordo_arena_block *const block = arena->source.alloc(arena->source.user, cost);
    if (block == NULL)
        return false;
    block->next = arena->blocks;
    block->bytes = cost;
    block->used = first_free(block);
    arena->blocks = block;
    arena->held += cost;
    return true;
}

void *ordo_arena_take(ordo_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - ORDO_CACHE_LINE)
        return NULL;
    size_t const rounded = ordo_round_up(bytes, ORDO_CACHE_LINE);
    if (arena->blocks == NULL || arena->blocks->bytes - arena->blocks->used < rounded) {
        if (!push_block(arena, rounded))
            return NULL;
    }
    ordo_arena_block *const block = arena->blocks;
    void *const             piece = (char *)block + block->used;
    block->used += rounded;
    arena->taken += rounded;
    return piece;
}

void ordo_arena_reset(ordo_arena *arena)
{
    ordo_arena_block *largest = NULL;
    for (ordo_arena_block *block = arena->blocks, *next; block != NULL; block = next) {
        next = block->next;
        if (largest == NULL || block->bytes > largest->bytes) {
            if (largest != NULL)
                release_block(arena, largest);
            largest = block;
        } else {
            release_block(arena, block);
        }
    }
    if (largest != NULL) {
        largest->next = NULL;
        largest->used = first_free(largest);
    }
    arena->blocks = largest;
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
