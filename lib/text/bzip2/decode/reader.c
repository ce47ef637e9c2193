/* reader.c - ordo_bz_reader: one stream whose compressed bytes come in pieces.
 *
 * The input of a call begins with the first bit that was not used. It is cut at the magics, as in
 * segments.h, and all threads decode the segments into slots of the reader; blocks are accepted in
 * order and only where the block before them ended. A block that runs past its segment is decoded
 * again from all bits that are there. So is the last one, whose end is not known: it may be
 * complete or damaged. This is done only when there are four times as many bits as before. */
#define _GNU_SOURCE
#include "text/bzip2/decode/segments.h"

#include <stdio.h>
#include <string.h>

enum {
    BLOCKS_PER_THREAD = 2,
    HEADER_BYTES = 4,
    CRC_BITS = 32,
    END_BITS = BZ_MAGIC_BITS + CRC_BITS,
    MOST_BITS = 8 * BZ_MOST_SEGMENT,
    MORE_BITS = 4,  /* times the bits of an attempt to decode a block, for the next one */
    TAIL_BYTES = 32 /* at the end of the input; they are copied, because loads read past them */
};

typedef struct slot {
    uint8_t   *text;  /* BZ_MOST_BLOCK */
    uint8_t   *front; /* BZ_MOST_FRONT */
    bz_decoded decoded;
    bz_outcome outcome;
    size_t     written; /* bytes of the front */
} slot;

typedef struct bits { /* of the input, from the first byte that is not used */
    const uint8_t *bytes;
    size_t         n;
} bits;

struct ordo_bz_reader {
    ordo_alloc source;
    bz_scanner scanner;
    slot      *slots;
    uint64_t  *ends;         /* of segments: segment i is from bit ends[i] to ends[i + 1] */
    size_t     room;         /* slots */
    size_t     made;         /* slots that have memory */
    size_t     first, count; /* slots from first to count have decoded bytes */

    uint64_t begin;   /* bit of the input where the stream goes on, less than 8 */
    uint64_t scanned; /* the block at `begin` does not end before this bit */
    uint64_t enough;  /* bits from `begin` on for the next attempt to decode without its end */
    unsigned level;   /* 0: before the header */
    uint32_t crc;
    uint64_t blocks;
    bool     wants; /* the input has no complete block */
    bool     ended, failed;
};

/* ---- Bits of the caller's memory ---- */

/* 8 bytes from byte `at` on; 0 after the end. */
static uint64_t word_at(const bits *b, uint64_t at)
{
    uint8_t bytes[8] = {0};
    if (at < b->n)
        memcpy(bytes, b->bytes + at, ordo_min(sizeof bytes, b->n - (size_t)at));
    return bz_load64(bytes);
}

/* 48 bits from bit `at` on. */
static uint64_t magic_bits(const bits *b, uint64_t at)
{
    return word_at(b, at / 8) << at % 8 >> (64 - BZ_MAGIC_BITS);
}

/* The first bit in [from, to) where a magic begins, else `to`; all its bits are in the input. */
static uint64_t find_magic(const ordo_bz_reader *r, const bits *b, uint64_t from, uint64_t to)
{
    uint8_t        tail[2 * TAIL_BYTES] = {0};
    size_t const   start = b->n - ordo_min(b->n, TAIL_BYTES);
    uint64_t const first = 8 * (uint64_t)start, plain = ordo_min(first, to);
    if (from < plain) {
        uint64_t const at = bz_scan(&r->scanner, b->bytes, from, plain);
        if (at < plain)
            return at;
        from = plain;
    }
    if (from >= to)
        return to;
    memcpy(tail, b->bytes + start, b->n - start);
    return first + bz_scan(&r->scanner, tail, from - first, to - first);
}

/* ---- Errors ---- */

__attribute__((format(printf, 3, 4))) static ordo_status damaged(ordo_exec *exec, ordo_bz_reader *r,
                                                                 const char *format, ...)
{
    char    why[200];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return ordo_fail(exec, ORDO_E_ARG, "the stream is damaged in block %llu: %s",
                     (unsigned long long)r->blocks + 1, why);
}

/* ---- Memory ---- */

static ordo_status make_slots(ordo_exec *exec, ordo_bz_reader *r, size_t *wanted)
{
    const ordo_alloc *const source = &r->source;
    for (; r->made < *wanted; r->made++) {
        uint8_t *const memory = source->alloc(source->user, BZ_MOST_BLOCK + BZ_MOST_FRONT);
        if (memory == NULL)
            break;
        r->slots[r->made] = (slot){.text = memory, .front = memory + BZ_MOST_BLOCK};
    }
    *wanted = ordo_min(*wanted, r->made);
    FAIL_IF(r->made == 0, ORDO_E_NOMEM, "the system refused %d bytes for a block",
            (int)(BZ_MOST_BLOCK + BZ_MOST_FRONT));
    return ORDO_OK;
}

/* ---- Decoding with all threads ---- */

typedef struct decoding {
    ordo_bz_reader *reader;
    const bits     *input;
    const uint64_t *ends;
    size_t          count;
    size_t          bytes; /* of the largest segment */
    bz_decoder     *decoders;
    uint8_t       **copies; /* of segments, with BZ_BITS_PAD zeros */
    ordo_exec      *exec;
    atomic_size_t   arrived, taken;
} decoding;

static void decode_segment(const decoding *d, size_t i, size_t worker)
{
    slot *const    s = &d->reader->slots[i];
    uint8_t *const copy = d->copies[worker];
    size_t const   from = (size_t)(d->ends[i] / 8), to = (size_t)((d->ends[i + 1] + 7) / 8);
    uint64_t const base = 8 * (uint64_t)from;
    memcpy(copy, d->input->bytes + from, to - from);
    memset(copy + (to - from), 0, BZ_BITS_PAD);
    s->outcome = bz_decode(&d->decoders[worker], copy, d->ends[i] - base, d->ends[i + 1] - base,
                           s->text, s->front, &s->decoded);
    s->decoded.end += base;
    s->written = 0;
}

static void decode_some(void *arg, size_t lo, size_t hi)
{
    decoding *const d = arg;
    size_t const    worker = atomic_fetch_add(&d->arrived, 1);
    (void)lo;
    (void)hi;
    for (size_t i; (i = atomic_fetch_add(&d->taken, 1)) < d->count;) {
        if (ordo_poll(d->exec, 0))
            return;
        decode_segment(d, i, worker);
    }
}

static size_t count_workers(const ordo_ctx *ctx, const decoding *d)
{
    size_t const limit = ctx->arena.limit;
    size_t const each = bz_decoder_bytes() + d->bytes + BZ_BITS_PAD + 512;
    size_t const fit = limit == 0 ? d->count : ordo_max(limit / each, 1);
    return ordo_min(ordo_min(d->count, ctx->exec.threads), fit);
}

static ordo_status decode_all(ordo_ctx *ctx, ordo_exec *exec, decoding *d)
{
    ordo_arena_reset(&ctx->arena); /* a call decodes several batches, with the same scratch */
    d->bytes = 0;
    for (size_t i = 0; i < d->count; i++)
        d->bytes = ordo_max(d->bytes, (size_t)((d->ends[i + 1] - d->ends[i]) / 8 + 2));
    size_t const workers = count_workers(ctx, d);
    TRY_SCRATCH(exec, workers * sizeof *d->decoders, d->decoders);
    TRY_SCRATCH(exec, workers * sizeof *d->copies, d->copies);
    for (size_t i = 0; i < workers; i++) {
        TRY(ordo_lay_out(exec, bz_decoder_lay_out, &d->decoders[i]));
        TRY_SCRATCH(exec, d->bytes + BZ_BITS_PAD, d->copies[i]);
    }
    d->exec = exec;
    return ordo_loop(exec, workers, 1, decode_some, d) ? ORDO_OK : ORDO_E_CANCELLED;
}

/* ---- In order ---- */

static void use_bits(ordo_bz_reader *r, bits *b, uint64_t to)
{
    b->bytes += to / 8;
    b->n -= (size_t)(to / 8);
    r->begin = to % 8;
    r->scanned = 0;
    r->enough = 0;
}

static ordo_status take_header(ordo_exec *exec, ordo_bz_reader *r, bits *b)
{
    size_t const compared = ordo_min(b->n, HEADER_BYTES - 1);
    r->wants = b->n < HEADER_BYTES;
    r->level = r->wants ? 0 : bz_header_level(b->bytes);
    FAIL_IF(memcmp(b->bytes, "BZh", compared) != 0 || (!r->wants && r->level == 0), ORDO_E_ARG,
            "the data are not a bzip2 stream: they do not begin with BZh1 to BZh9");
    if (!r->wants)
        use_bits(r, b, 8 * HEADER_BYTES);
    return ORDO_OK;
}

static ordo_status take_end(ordo_exec *exec, ordo_bz_reader *r, bits *b)
{
    uint64_t const at = r->begin + BZ_MAGIC_BITS, after = (r->begin + END_BITS + 7) / 8 * 8;
    r->wants = 8 * (uint64_t)b->n < after;
    if (r->wants)
        return ORDO_OK;
    if ((uint32_t)(word_at(b, at / 8) << at % 8 >> CRC_BITS) != r->crc)
        return damaged(exec, r, "the checksum of the stream is wrong");
    use_bits(r, b, after);
    r->ended = true;
    return ORDO_OK;
}

/* Whether the bits that are there may begin a magic. */
static bool may_be_magic(const ordo_bz_reader *r, const bits *b)
{
    uint64_t const all = 8 * (uint64_t)b->n;
    unsigned const have = (unsigned)ordo_min(all > r->begin ? all - r->begin : 0, BZ_MAGIC_BITS);
    uint64_t const seen = magic_bits(b, r->begin) >> (BZ_MAGIC_BITS - have);
    return seen == BZ_BLOCK_MAGIC >> (BZ_MAGIC_BITS - have) ||
           seen == BZ_END_MAGIC >> (BZ_MAGIC_BITS - have);
}

/* Finds the ends of up to r->room blocks from r->begin on. Returns the number of segments, none of
 * which is longer than a block can be. If there is no magic, the only segment is all that is there;
 * 0 if that is too little for an attempt. */
static size_t find_segments(ordo_bz_reader *r, const bits *b)
{
    uint64_t const all = 8 * (uint64_t)b->n, last = all - ordo_min(all, BZ_MAGIC_BITS - 1);
    uint64_t const most = r->begin + MOST_BITS;
    size_t         count = 0;
    r->ends[0] = r->begin;
    while (count < r->room) {
        uint64_t const from = count == 0 ? ordo_max(r->begin + 1, r->scanned) : r->ends[count] + 1;
        uint64_t const at = find_magic(r, b, from, last);
        if (at >= last || (count > 0 && at - r->ends[count] > MOST_BITS))
            break;
        r->ends[++count] = at;
        if (magic_bits(b, at) == BZ_END_MAGIC)
            break;
    }
    if (count == 0) {
        r->scanned = last;
        count = all - r->begin >= r->enough;
        r->ends[1] = all;
    }
    r->ends[1] = ordo_min(r->ends[1], most);
    return count > 1 && r->ends[1] == most ? 1 : count;
}

/* Accepts the blocks of `count` slots as long as each one begins where the last one ended. Returns
 * the bit after them. */
static uint64_t accept_blocks(ordo_bz_reader *r, size_t count)
{
    uint64_t at = r->begin;
    r->first = r->count = 0;
    for (size_t i = 0; i < count && at == r->ends[i]; i++) {
        const slot *const s = &r->slots[i];
        if (s->outcome != BZ_DECODED || s->decoded.n > r->level * BZ_LEVEL_BYTES)
            break;
        r->crc = bz_crc_stream(r->crc, s->decoded.crc);
        r->blocks++;
        r->count++;
        at = s->decoded.end;
    }
    return at;
}

static ordo_status decode_segments(ordo_ctx *ctx, ordo_exec *exec, ordo_bz_reader *r, bits *b,
                                   size_t count)
{
    decoding d = {.reader = r, .input = b, .ends = r->ends, .count = count};
    TRY(make_slots(exec, r, &d.count));
    TRY(decode_all(ctx, exec, &d));
    uint64_t const at = accept_blocks(r, d.count);
    if (r->count > 0)
        use_bits(r, b, at);
    return ORDO_OK;
}

static ordo_status take_blocks(ordo_ctx *ctx, ordo_exec *exec, ordo_bz_reader *r, bits *b)
{
    const slot *const s = r->slots;
    uint64_t const    there = 8 * (uint64_t)b->n - r->begin;
    size_t const      count = find_segments(r, b);
    r->wants = count == 0;
    if (r->wants)
        return ORDO_OK;
    TRY(decode_segments(ctx, exec, r, b, count));
    if (r->count == 0 && s->outcome == BZ_SHORT && r->ends[1] - r->begin < there) {
        r->ends[1] = r->begin + ordo_min(there, MOST_BITS);
        TRY(decode_segments(ctx, exec, r, b, 1));
    }
    if (r->count > 0)
        return ORDO_OK;
    if (s->outcome == BZ_BAD)
        return damaged(exec, r, "%s", s->decoded.why);
    if (s->outcome == BZ_DECODED)
        return damaged(exec, r, "it has %u bytes; expected at most %u", (unsigned)s->decoded.n,
                       r->level * BZ_LEVEL_BYTES);
    if (there >= MOST_BITS)
        return damaged(exec, r, "it is longer than any block");
    r->scanned = 8 * (uint64_t)b->n - ordo_min(8 * (uint64_t)b->n, BZ_MAGIC_BITS - 1);
    r->enough = ordo_min(MORE_BITS * there, MOST_BITS);
    r->wants = true;
    return ORDO_OK;
}

/* Takes what comes next in the input. Blocks are decoded only if there is room for their bytes. */
static ordo_status take_next(ordo_ctx *ctx, ordo_exec *exec, ordo_bz_reader *r, bits *b, bool room)
{
    if (r->level == 0)
        return take_header(exec, r, b);
    if (!may_be_magic(r, b))
        return damaged(exec, r, "expected a block or the end of the stream");
    r->wants = 8 * (uint64_t)b->n < r->begin + BZ_MAGIC_BITS;
    if (r->wants)
        return ORDO_OK;
    if (magic_bits(b, r->begin) == BZ_END_MAGIC)
        return take_end(exec, r, b);
    return room ? take_blocks(ctx, exec, r, b) : ORDO_OK;
}

/* Writes decoded bytes and returns their number. */
static size_t put_bytes(ordo_bz_reader *r, uint8_t *out, size_t room)
{
    size_t done = 0;
    while (r->first < r->count && done < room) {
        slot *const  s = &r->slots[r->first];
        size_t const front = ordo_min(s->decoded.front - s->written, room - done);
        memcpy(out + done, s->front + s->written, front);
        s->written += front;
        done += front;
        if (s->written == s->decoded.front)
            done += bz_expand(&s->decoded.rest, out + done, room - done);
        const bz_expander *const rest = &s->decoded.rest;
        r->first += s->written == s->decoded.front && rest->at == rest->n && rest->repeated == 0;
    }
    return done;
}

static ordo_status read_bytes(ordo_ctx *ctx, ordo_exec *exec, ordo_bz_reader *r, bits *b,
                              uint8_t *out, size_t capacity, size_t *written)
{
    for (;;) {
        *written += put_bytes(r, out + *written, capacity - *written);
        bool const room = *written < capacity;
        if (r->first < r->count || r->ended)
            return ORDO_OK;
        uint64_t const begin = r->begin;
        size_t const   n = b->n;
        TRY(take_next(ctx, exec, r, b, room));
        if (r->wants || (!room && b->n == n && r->begin == begin))
            return ORDO_OK;
    }
}

/* ---- Calls ---- */

static size_t count_slots(const ordo_ctx *ctx)
{
    enum {
        LIMIT_SHARE = 4 /* slots take at most this part of a limit of memory */
    };
    size_t const limit = ctx->arena.limit, all = BLOCKS_PER_THREAD * (size_t)ctx->exec.threads;
    size_t const fit = limit / LIMIT_SHARE / (BZ_MOST_BLOCK + BZ_MOST_FRONT);
    return limit == 0 ? all : ordo_min(all, ordo_max(fit, 1));
}

static ordo_status open_reader(ordo_ctx *ctx, ordo_exec *exec, ordo_bz_reader **out)
{
    const ordo_alloc *const source = &ctx->source;
    size_t const            room = count_slots(ctx);
    FAIL_IF(out == NULL, ORDO_E_ARG, "out is NULL; expected the address of a pointer");
    *out = NULL;
    size_t const bytes = sizeof **out + room * sizeof(slot) + (room + 1) * sizeof(uint64_t);
    ordo_bz_reader *const r = source->alloc(source->user, bytes);
    FAIL_IF(r == NULL, ORDO_E_NOMEM, "the system refused %zu bytes for a reader", bytes);
    *r = (ordo_bz_reader){.source = *source, .room = room, .wants = true};
    r->ends = (uint64_t *)(void *)(r + 1);
    r->slots = (slot *)(void *)(r->ends + room + 1);
    bz_scanner_init(&r->scanner);
    *out = r;
    return ORDO_OK;
}

static ordo_status read_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_bz_reader *r,
                                const bz_arrays *a, size_t *used)
{
    FAIL_IF(used == NULL || a->written == NULL, ORDO_E_ARG,
            "used or written is NULL; expected the address of a size_t");
    *used = *a->written = 0;
    FAIL_IF(r == NULL, ORDO_E_ARG, "reader is NULL; expected one of ordo_bz_reader_open");
    FAIL_IF(r->failed, ORDO_E_ARG,
            "an earlier call with this reader failed; expected a new reader");
    FAIL_IF(r->ended, ORDO_E_ARG, "the stream of the reader has ended");
    TRY(bz_check_arrays(exec, a));
    exec->algorithm = "bzip2";
    bits              b = {a->n > 0 ? a->in : "", a->n};
    size_t            done = 0;
    ordo_status const status = read_bytes(ctx, exec, r, &b, a->out, a->capacity, &done);
    r->failed = status != ORDO_OK;
    if (r->failed)
        return status;
    *used = a->n - b.n;
    *a->written = done;
    return ORDO_OK;
}

ordo_status ordo_bz_reader_open(ordo_ctx *ctx, ordo_bz_reader **out)
{
    API_CALL("bz_reader_open", (ordo_type)0, 0, open_reader(ctx, exec, out));
}

ordo_status ordo_bz_reader_read(ordo_ctx *ctx, ordo_bz_reader *reader, const void *in, size_t n,
                                size_t *used, void *out, size_t capacity, size_t *written)
{
    bz_arrays const arrays = {in, n, out, capacity, written};
    API_CALL("bz_reader_read", (ordo_type)0, n, read_checked(ctx, exec, reader, &arrays, used));
}

ordo_bz_state ordo_bz_reader_state(const ordo_bz_reader *reader)
{
    return reader->ended                                     ? ORDO_BZ_ENDED
           : reader->first < reader->count || !reader->wants ? ORDO_BZ_HAS_OUTPUT
                                                             : ORDO_BZ_NEEDS_INPUT;
}

void ordo_bz_reader_free(ordo_bz_reader *reader)
{
    if (reader == NULL)
        return;
    ordo_alloc const source = reader->source;
    for (size_t i = 0; i < reader->made; i++)
        source.release(source.user, reader->slots[i].text);
    source.release(source.user, reader);
}
