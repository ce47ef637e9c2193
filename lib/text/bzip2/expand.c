/* expand.c - undoes the run lengths of a block, in pieces of any size: a block of 900000 bytes may
 * expand to 46 MB, which no buffer has to hold. Four equal bytes are looked for at eight places at
 * a time. */
#include "text/bzip2/expand.h"

#include <string.h>

enum {
    PIECE = 16 << 10 /* bytes of which the checksum is computed at a time */
};

size_t bz_find_run(const uint8_t *bytes, size_t n)
{
    size_t i = 0;
    for (; i + 8 + BZ_RUN_BYTES - 1 <= n; i += 8) {
        uint64_t const a = bz_load_low(bytes + i), b = bz_load_low(bytes + i + 1);
        uint64_t const c = bz_load_low(bytes + i + 2), d = bz_load_low(bytes + i + 3);
        uint64_t const found = bz_zero_bytes((a ^ b) | (b ^ c) | (c ^ d));
        if (found != 0)
            return i + (unsigned)__builtin_ctzll(found) / 8;
    }
    for (; i + BZ_RUN_BYTES <= n; i++)
        if (bytes[i] == bytes[i + 1] && bytes[i] == bytes[i + 2] && bytes[i] == bytes[i + 3])
            return i;
    return n;
}

/* Copies bytes up to the end of four equal ones, the end of the text or of the room. */
static size_t copy_plain(bz_expander *e, uint8_t *out, size_t room)
{
    const uint8_t *const from = e->text + e->at;
    size_t const         most = ordo_min(e->n - e->at, room), before = e->equal;
    size_t const         run = bz_find_run(from - before, most + before);
    size_t const         now = run < most + before ? run + BZ_RUN_BYTES - before : most;
    memcpy(out, from, now);
    e->at += now;
    if (run < most + before) {
        e->equal = BZ_RUN_BYTES;
        return now;
    }
    unsigned equal = 1; /* at the end */
    while (equal < BZ_RUN_BYTES - 1 && equal < now + before &&
           from[now - 1 - equal] == from[now - 1])
        equal++;
    e->equal = equal;
    return now;
}

size_t bz_expand(bz_expander *e, uint8_t *out, size_t room)
{
    size_t done = 0;
    while (done < room) {
        if (e->repeated > 0) {
            size_t const now = ordo_min(e->repeated, room - done);
            memset(out + done, e->text[e->at - 2], now);
            done += now;
            e->repeated -= (unsigned)now;
        } else if (e->at == e->n) {
            break;
        } else if (e->equal == BZ_RUN_BYTES) {
            e->repeated = e->text[e->at++];
            e->equal = 0;
        } else {
            done += copy_plain(e, out + done, room - done);
        }
    }
    return done;
}

uint32_t bz_expanded_crc(bz_expander *e, uint32_t crc)
{
    uint8_t piece[PIECE];
    for (size_t now; (now = bz_expand(e, piece, sizeof piece)) > 0;)
        crc = bz_crc(crc, piece, now);
    return crc;
}
