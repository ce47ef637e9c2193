/* runs.c - cuts data into blocks at the places where bzip2 cuts. The size of a block counts the
 * bytes after this step. A run is added to a block when the byte after it is seen or when it has
 * 255 bytes; the block ends with the byte that fills it, while the next run stays pending. */
#include "text/bzip2/encode/runs.h"

#include "text/bzip2/expand.h"

#include <string.h>

static void add_run(bz_splitter *s, bz_block *block)
{
    unsigned const literal = s->pending < BZ_RUN_BYTES ? s->pending : BZ_RUN_BYTES;
    memset(block->text + block->n, s->byte, literal);
    block->n += literal;
    if (s->pending >= BZ_RUN_BYTES)
        block->text[block->n++] = (uint8_t)(s->pending - BZ_RUN_BYTES);
    s->pending = 0;
}

/* The number of bytes at the front, at most n - 1, that are whole runs of up to three bytes. */
static size_t count_literal(const uint8_t *bytes, size_t n)
{
    size_t at = bz_find_run(bytes, n);
    if (at < n)
        return at;
    at = n - 1;
    while (at > 0 && bytes[at - 1] == bytes[at])
        at--;
    return at;
}

/* The number of bytes at the front, at most n, that equal `byte`. */
static size_t count_equal(const uint8_t *bytes, size_t n, uint8_t byte)
{
    uint64_t const all = byte * UINT64_C(0x0101010101010101);
    size_t         i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t const x = bz_load_low(bytes + i) ^ all;
        if (x != 0)
            return i + (unsigned)__builtin_ctzll(x) / 8;
    }
    while (i < n && bytes[i] == byte)
        i++;
    return i;
}

size_t bz_split(bz_splitter *s, bz_block *block, const uint8_t *bytes, size_t n)
{
    size_t i = 0;
    while (i < n && block->n < block->full) {
        if (s->pending == 0) {
            /* Short runs go straight to the block; the byte after them stays pending. */
            size_t const most = ordo_min(n - i, (size_t)(block->full - block->n) + 1);
            size_t const literal = count_literal(bytes + i, most);
            memcpy(block->text + block->n, bytes + i, literal);
            block->n += (uint32_t)literal;
            i += literal;
            s->byte = bytes[i++];
            s->pending = 1;
            continue;
        }
        size_t const more =
            count_equal(bytes + i, ordo_min(n - i, (size_t)BZ_MOST_RUN - s->pending), s->byte);
        s->pending += (unsigned)more;
        i += more;
        if (i == n)
            break;
        add_run(s, block);
        if (block->n >= block->full) { /* the byte that ended the run is taken */
            s->byte = bytes[i++];
            s->pending = 1;
        }
    }
    return i;
}

void bz_split_end(bz_splitter *s, bz_block *block)
{
    if (s->pending > 0)
        add_run(s, block);
}
