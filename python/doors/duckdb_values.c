/* duckdb_values.c - blocks of values, which groups share.
 *
 * A group is a list of blocks, the last first. A block counts those who refer to it, and they say
 * how many of its bytes are theirs: only one of them adds values after those. A joint is a block
 * without values that continues with two lists. */
#define _DEFAULT_SOURCE /* madvise */
#include "duckdb_values.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE = 1 << 12, /* bytes; on systems with other pages advice is refused */
    HUGE_PAGE = 1 << 21,
    FIRST_BLOCK = 128,
    LARGEST_STEP = 1 << 20, /* bytes that a block after a shared one has at most */
    SHARED_LEAST = 1 << 10  /* shorter groups are copied */
};

typedef struct view {
    values_block *block;
    size_t        used; /* bytes; of a joint 0 */
} view;

struct values_block { /* and the values */
    atomic_size_t references;
    size_t        size; /* bytes of values; of a joint 0 */
    view          before;
};

typedef struct joint {
    values_block block;
    view         beside; /* the shorter list */
} joint;

static char *values_in(values_block *block) { return (char *)(block + 1); }

static bool is_joint(const values_block *block) { return block->size == 0; }

void *values_reallocate(void *memory, size_t bytes)
{
    char *const moved = realloc(memory, bytes);
#ifdef MADV_HUGEPAGE
    if (moved != NULL && bytes >= 2 * (size_t)HUGE_PAGE) {
        /* All pages of the block: realloc() moves only mappings that are in one piece. */
        size_t const before = (uintptr_t)moved % PAGE;
        (void)madvise(moved - before, (before + bytes + PAGE - 1) / PAGE * PAGE, MADV_HUGEPAGE);
    }
#endif
    return moved;
}

static values_block *make_block(size_t size, view before)
{
    values_block *const block =
        values_reallocate(NULL, size == 0 ? sizeof(joint) : sizeof *block + size);
    if (block == NULL)
        return NULL;
    atomic_init(&block->references, 1);
    block->size = size;
    block->before = before;
    return block;
}

static void refer(values_block *block)
{
    atomic_fetch_add_explicit(&block->references, 1, memory_order_relaxed);
}

/* Recursion is as deep as the lists beside: each is at most half as long as the one before. */
static void release(values_block *block) // NOLINT(misc-no-recursion)
{
    while (block != NULL &&
           atomic_fetch_sub_explicit(&block->references, 1, memory_order_acq_rel) == 1) {
        values_block *const before = block->before.block;
        if (is_joint(block))
            release(((joint *)block)->beside.block);
        free(block);
        block = before;
    }
}

static char *copy_view(view from, char *out) // NOLINT(misc-no-recursion)
{
    for (; from.block != NULL; from = from.block->before)
        if (is_joint(from.block)) {
            out = copy_view(((joint *)from.block)->beside, out);
        } else {
            memcpy(out, values_in(from.block), from.used);
            out += from.used;
        }
    return out;
}

static view view_of(const values *v)
{
    size_t const used =
        v->last == NULL || is_joint(v->last) ? 0 : (size_t)(v->next - values_in(v->last));
    return (view){v->last, used};
}

static void continue_in(values *v, values_block *block, size_t used, size_t room)
{
    v->last = block;
    v->next = values_in(block) + used;
    v->room = room;
}

/* Makes a last block with room for `bytes`. `held` bytes are there already. */
static bool make_room(values *v, size_t held, size_t bytes)
{
    view const old = view_of(v);
    if (old.used > 0 && atomic_load_explicit(&old.block->references, memory_order_acquire) == 1) {
        size_t const        least = old.used + bytes, twice = 2 * old.block->size;
        size_t const        size = least < twice ? twice : least;
        values_block *const moved = values_reallocate(old.block, sizeof *moved + size);
        if (moved == NULL)
            return false;
        moved->size = size;
        continue_in(v, moved, old.used, size - old.used);
        return true;
    }
    size_t const        step = held < FIRST_BLOCK    ? FIRST_BLOCK
                               : held > LARGEST_STEP ? LARGEST_STEP
                                                     : held;
    size_t const        copied = old.block == NULL ? held : 0;
    size_t const        size = step < copied + bytes ? copied + bytes : step;
    values_block *const block = make_block(size, old);
    if (block == NULL)
        return false;
    memcpy(values_in(block), v->few, copied);
    continue_in(v, block, copied, size - copied);
    return true;
}

void *values_grow(values *v, size_t count, size_t size)
{
    size_t const held = v->n * size;
    if (v->last == NULL && held + count * size <= sizeof v->few) {
        v->n += count;
        return v->few + held;
    }
    return make_room(v, held, count * size) ? values_add(v, count, size) : NULL;
}

static bool join_long(values *to, const values *from)
{
    view const          a = view_of(to), b = view_of(from);
    bool const          from_is_longer = to->n < from->n;
    values_block *const block = make_block(0, from_is_longer ? b : a);
    if (block == NULL)
        return false;
    ((joint *)block)->beside = from_is_longer ? a : b;
    refer(b.block);
    continue_in(to, block, 0, 0);
    to->n += from->n;
    return true;
}

bool values_join(values *to, const values *from, size_t size)
{
    values const old = *to;
    if (from->n == 0)
        return true;
    if (from->n * size >= SHARED_LEAST) {
        if (old.n * size >= SHARED_LEAST)
            return join_long(to, from);
        *to = *from;
        to->room = 0;
        refer(to->last);
        from = &old;
        if (old.n == 0)
            return true;
    }
    void *const place = values_add(to, from->n, size);
    if (place == NULL) {
        if (from == &old)
            release(to->last);
        *to = old;
        return false;
    }
    values_copy(from, size, place);
    if (from == &old)
        release(old.last);
    return true;
}

const void *values_whole(const values *v)
{
    if (v->last == NULL)
        return v->few;
    return is_joint(v->last) || v->last->before.block != NULL ? NULL : values_in(v->last);
}

void values_copy(const values *v, size_t size, void *out)
{
    if (v->last == NULL)
        memcpy(out, v->few, v->n * size);
    else
        (void)copy_view(view_of(v), out);
}

void values_free(values *v)
{
    release(v->last);
    *v = (values){0};
}
