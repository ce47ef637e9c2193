/* reorder.c - puts the elements of an array, of any size up to 16 bytes, into another order.
 *
 * Reverse: elements of 1, 2, 4 and 8 bytes are exchanged in blocks of 64 bytes from both ends. A
 * block is loaded as vectors of 16 bytes, each vector is reversed in registers, and the vectors are
 * stored in reverse order. The vectors are those of GNU C, with shuffles that SSE2 and NEON have.
 * The remaining elements, and elements of other sizes, are exchanged one by one, each size with a
 * constant length. No alignment is assumed.
 *
 * Permute: elements are gathered by an index into scratch and copied back. */
#include "cpu/elements/elements.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

/* ---- Reverse ---- */

enum {
    REVERSE_VECTORS = 4,
    REVERSE_BLOCK = REVERSE_VECTORS * 16 /* bytes */
};

typedef uint64_t words_64 __attribute__((vector_size(16)));
typedef uint32_t words_32 __attribute__((vector_size(16)));

/* Reverses keys of 1 or 2 bytes within a word, in either byte order. */
static inline uint64_t reverse_word(uint64_t x, size_t size)
{
    if (size == 1)
        return __builtin_bswap64(x);
    x = x << 32 | x >> 32;
    return (x & UINT64_C(0x0000ffff0000ffff)) << 16 | (x >> 16 & UINT64_C(0x0000ffff0000ffff));
}

/* Reverses the elements of a vector. Elements of 1 and 2 bytes go through general registers,
 * because gcc compiles their shuffles to slow code for SSE2. */
static inline words_64 reverse_vector(words_64 v, size_t size)
{
    if (size == 4) {
        words_32 const x = (words_32)v;
        return (words_64)__builtin_shufflevector(x, x, 3, 2, 1, 0);
    }
    if (size == 8)
        return __builtin_shufflevector(v, v, 1, 0);
    return (words_64){reverse_word(v[1], size), reverse_word(v[0], size)};
}

static inline void swap_elements(char *a, char *b, size_t size)
{
    char left[16], right[16];
    memcpy(left, a, size);
    memcpy(right, b, size);
    memcpy(a, right, size);
    memcpy(b, left, size);
}

/* Exchanges the block at a with the block at b; they do not overlap. */
static inline void exchange_blocks(char *a, char *b, size_t size)
{
    for (size_t i = 0; i < REVERSE_VECTORS; i++) {
        char *const left_at = a + i * sizeof(words_64);
        char *const right_at = b + (REVERSE_VECTORS - 1 - i) * sizeof(words_64);
        words_64    left, right;
        memcpy(&left, left_at, sizeof left);
        memcpy(&right, right_at, sizeof right);
        left = reverse_vector(left, size);
        right = reverse_vector(right, size);
        memcpy(left_at, &right, sizeof right);
        memcpy(right_at, &left, sizeof left);
    }
}

/* `size` is a constant in every call. */
static inline __attribute__((always_inline)) void reverse_as(char *array, size_t size, size_t n,
                                                             size_t lo, size_t hi)
{
    size_t const in_block = size <= 8 && REVERSE_BLOCK % size == 0 ? REVERSE_BLOCK / size : 0;
    size_t       i = lo;
    for (; in_block > 0 && hi - i >= in_block; i += in_block)
        exchange_blocks(array + i * size, array + (n - i - in_block) * size, size);
    for (; i < hi; i++)
        swap_elements(array + i * size, array + (n - 1 - i) * size, size);
}

void cpu_reverse(void *array, size_t size, size_t n, size_t lo, size_t hi)
{
    switch (size) {
#define REVERSE_SIZE(bytes)                                                                        \
    case bytes:                                                                                    \
        reverse_as(array, bytes, n, lo, hi);                                                       \
        return;
        REVERSE_SIZE(1)
        REVERSE_SIZE(2)
        REVERSE_SIZE(3)
        REVERSE_SIZE(4)
        REVERSE_SIZE(5)
        REVERSE_SIZE(6)
        REVERSE_SIZE(7)
        REVERSE_SIZE(8)
        REVERSE_SIZE(9)
        REVERSE_SIZE(10)
        REVERSE_SIZE(11)
        REVERSE_SIZE(12)
        REVERSE_SIZE(13)
        REVERSE_SIZE(14)
        REVERSE_SIZE(15)
        REVERSE_SIZE(16)
#undef REVERSE_SIZE
    default:
        return;
    }
}

/* ---- Permute ---- */

ordo_status cpu_permute(void *state, const ordo_permute_job *job, ordo_exec *exec)
{
    ordo_move_job const move = {.in = job->array,
                                .n = job->n,
                                .size = job->size,
                                .index_type = job->index_type,
                                .index = job->index,
                                .count = job->n,
                                .out = job->spare};
    ordo_copy_job const back = {job->array, job->spare, job->n * job->size};
    ordo_exec           part = *exec;
    TRY(element_gather_all(&move, exec));
    return cpu_copy(state, &back, &part);
}
