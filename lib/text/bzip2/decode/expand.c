/* expand.c - undoes the run lengths of a block, in pieces of any size: a block of 900000 bytes may
 * expand to 46 MB, which no buffer has to hold. */
#include "text/bzip2/decode/expand.h"

#include <string.h>

/* Bytes at the front before the first four equal bytes, rounded down to a multiple of 8 that leaves
 * three bytes. */
static size_t count_plain(const uint8_t *bytes, size_t n)
{
    size_t i = 0;
    for (; i + 11 <= n; i += 8) {
        uint64_t word[4];
        for (size_t k = 0; k < 4; k++)
            memcpy(&word[k], bytes + i + k, 8);
        uint64_t const x = (word[0] ^ word[1]) | (word[1] ^ word[2]) | (word[2] ^ word[3]);
        if (((x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    return i;
}

size_t bz_expand(bz_expander *e, uint8_t *out, size_t room)
{
    const uint8_t *const text = e->text;
    size_t               done = 0;
    while (done < room) {
        if (e->repeated > 0) {
            size_t const now = ordo_min(e->repeated, room - done);
            memset(out + done, text[e->at - 2], now);
            done += now;
            e->repeated -= (unsigned)now;
            continue;
        }
        if (e->at == e->n)
            break;
        if (e->equal == BZ_RUN_BYTES) {
            e->repeated = text[e->at++];
            e->equal = 0;
            continue;
        }
        if (e->equal == 0) {
            size_t const plain = count_plain(text + e->at, ordo_min(e->n - e->at, room - done));
            memcpy(out + done, text + e->at, plain);
            e->at += plain;
            done += plain;
            /* The bytes before may be the beginning of four equal ones. */
            if (plain > 0) {
                e->equal = 1;
                while (e->equal < 3 && text[e->at - 1 - e->equal] == text[e->at - 1])
                    e->equal++;
                if (done == room)
                    continue;
            }
        }
        uint8_t const byte = text[e->at];
        e->equal = e->equal > 0 && byte == text[e->at - 1] ? e->equal + 1 : 1;
        out[done++] = byte;
        e->at++;
        /* Back to whole words, if the last byte cannot belong to a run. */
        if (e->equal == 1 && e->at < e->n && text[e->at] != byte)
            e->equal = 0;
    }
    return done;
}
