/* arena.h - the scratch memory of a context: taken piece by piece, released all at once.
 *
 * A call takes memory with ordo_arena_take and need not free it. At the end of the call
 * ordo_arena_reset makes all memory free again and keeps the blocks, so that the next call of the
 * same kind finds its memory in the cache. If a call needs a new block, unused ones are released,
 * the least recently used first, until the bounds below and the limit hold.
 *
 *     block:  | header | pad to a cache line | taken | taken | ... free ... |
 *
 * `held` counts all bytes from the allocator and never exceeds `limit` (0: no limit). */
#ifndef ORDO_CORE_ARENA_H
#define ORDO_CORE_ARENA_H

#include "core/base.h"

/* What a call that needs a new block leaves of the blocks that it does not use. Calls of different
 * sizes that take turns then allocate nothing. A sort of 10^5 f64 before an argsort of 10^4 takes
 * 1.51 ms if each releases the blocks of the other, and 1.15 ms if both keep theirs (Neoverse V1,
 * November 2026). The bound holds the scratch of 10^7 keys of 8 bytes. */
enum {
    ORDO_ARENA_KEPT_BYTES = 128 << 20,
    ORDO_ARENA_KEPT_BLOCKS = 64
};

typedef struct ordo_alloc { /* an allocator */
    void *(*alloc)(void *user, size_t bytes);
    void (*release)(void *user, void *block);
    void *user;
} ordo_alloc;

typedef struct ordo_arena_block ordo_arena_block;

typedef struct ordo_arena {
    ordo_alloc        source;
    ordo_arena_block *blocks; /* those used last first */
    size_t            limit;
    size_t            held;
    size_t            taken; /* by the call in progress, including alignment */
    bool              lean;  /* a call that needs a new block leaves none that it does not use */
} ordo_arena;

/* What `bytes` count against the limit: the bytes, the header of a block and the alignment. */
size_t ordo_arena_cost(size_t bytes);

/* Memory aligned to a cache line; NULL if the limit is exceeded or the allocator fails. */
void *ordo_arena_take(ordo_arena *arena, size_t bytes);
/* Makes a piece of `bytes` free again, if no piece behind it in its block is in use. Otherwise the
 * piece stays taken until the call ends. */
void ordo_arena_give_back(ordo_arena *arena, const void *piece, size_t bytes);
void ordo_arena_reset(ordo_arena *arena);
void ordo_arena_free(ordo_arena *arena);

#endif
