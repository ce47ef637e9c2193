/* runs.c - cuts data into blocks at the places where bzip2 cuts. The size of a block counts the
 * bytes after this step. A run is added to a block when the byte after it is seen or when it has
 * 255 bytes; the block ends with the byte that fills it, while the next run stays pending. */
#include "text/bzip2/encode/runs.h"

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

/* The number of bytes at the front, at most n - 1, that belong to no run of two: each differs from
 * its successor. */
static size_t count_single(const uint8_t *bytes, size_t n)
{
    size_t i = 0;
    for (; i + 9 <= n; i += 8) {
        uint64_t a, b;
        memcpy(&a, bytes + i, 8);
        memcpy(&b, bytes + i + 1, 8);
        uint64_t const x = a ^ b; /* a zero byte: two neighbours are equal */
        if (((x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    while (i + 1 < n && bytes[i] != bytes[i + 1])
        i++;
    return i;
}

size_t bz_split(bz_splitter *s, bz_block *block, const uint8_t *bytes, size_t n)
{
    size_t i = 0;
    while (i < n && block->n < block->full) {
        if (s->pending == 0) {
            /* Bytes before a different byte go straight to the block; the last stays pending. */
            size_t const most = ordo_min(n - i, (size_t)(block->full - block->n) + 1);
            size_t const single = count_single(bytes + i, most);
            memcpy(block->text + block->n, bytes + i, single);
            block->n += (uint32_t)single;
            i += single;
            s->byte = bytes[i++];
            s->pending = 1;
        } else if (bytes[i] != s->byte || s->pending == BZ_MOST_RUN) {
            add_run(s, block);
            if (block->n >= block->full) { /* the byte that ended the run is taken */
                s->byte = bytes[i++];
                s->pending = 1;
            }
        } else {
            s->pending++;
            i++;
        }
    }
    return i;
}

void bz_split_end(bz_splitter *s, bz_block *block)
{
    if (s->pending > 0)
        add_run(s, block);
}
