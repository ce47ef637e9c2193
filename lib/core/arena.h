/* arena.h - the scratch memory of a context: taken piece by piece, given back all at once.
 *
 * A call takes what it needs with ordo_arena_take and never frees; when it ends,
 * ordo_arena_reset makes everything free again and keeps the blocks, so that the same call finds
 * its memory warm the next time. A call that does not fit them lets those go that it has not used.
 *
 *     block:  | header | pad to a cache line | taken | taken | ... free ... |
 *
 * `held` counts every byte taken from the allocator; it never passes `limit` (0: no limit). */
#ifndef ORDO_CORE_ARENA_H
#define ORDO_CORE_ARENA_H

#include "core/base.h"

typedef struct ordo_alloc { /* where memory comes from */
    void *(*alloc)(void *user, size_t bytes);
    void (*release)(void *user, void *block);
    void *user;
} ordo_alloc;

typedef struct ordo_arena_block ordo_arena_block;

typedef struct ordo_arena {
    ordo_alloc        source;
    ordo_arena_block *blocks; /* the newest first */
    size_t            limit;
    size_t            held;
    size_t            taken; /* by the running call, alignment included */
} ordo_arena;

/* What a take of `bytes` counts against the limit: the bytes, the header and the alignment. */
size_t ordo_arena_cost(size_t bytes);

/* bytes of memory aligned to a cache line, or NULL: over the limit or refused by the source. */
void *ordo_arena_take(ordo_arena *arena, size_t bytes);
void  ordo_arena_reset(ordo_arena *arena);
void  ordo_arena_free(ordo_arena *arena);

#endif
