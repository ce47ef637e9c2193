/* decompress.c - ordo_bz_decompress: blocks of any file by all threads.
 *
 * Threads decode every segment that begins with the magic of a block (segments.h). The writer takes
 * the segments in order and accepts a block only where a sequential decoder would be: after the
 * header of a stream, or where the block before it ended. If a block goes on after its segment, its
 * end was a magic by chance: the writer joins the next segment to it and decodes it again. */
#define _GNU_SOURCE
#include "text/bzip2/decode/segments.h"

#include <stdio.h>
#include <string.h>

enum {
    WRITE_BYTES = 1 << 18,
    END_BITS = BZ_MAGIC_BITS + 32,
    MOST_BITS = 8 * BZ_MOST_SEGMENT
};

typedef struct slot {
    bz_segment segment;
    uint8_t   *text;  /* BZ_MOST_BLOCK */
    uint8_t   *front; /* BZ_MOST_FRONT */
    bz_decoded decoded;
    bz_outcome outcome;
} slot;

typedef struct decompressor {
    bz_stream    s; /* first: bz_stream_share() gets it */
    bz_segmenter segmenter;
    slot        *slots;
    bz_decoder  *decoders; /* one for each thread */

    /* The writer. */
    slot        joined; /* several segments; room for two of the largest */
    bool        joins;  /* it is in use */
    uint64_t    enough; /* bits of `joined` for the next attempt to decode it */
    uint8_t    *out;
    unsigned    level;
    uint32_t    crc;      /* of the stream */
    bool        complete; /* the last stream has ended */
    atomic_bool stopped;  /* what follows is ignored */
} decompressor;

__attribute__((format(printf, 2, 3))) static bool damaged(decompressor *d, const char *format, ...)
{
    char    why[200];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return failure_record(&d->s.failure, ORDO_E_ARG, "%s is damaged in block %llu, stream %llu: %s",
                          d->s.from.name, (unsigned long long)d->s.report.blocks + 1,
                          (unsigned long long)d->s.report.streams, why);
}

static bool truncated(decompressor *d)
{
    return failure_record(&d->s.failure, ORDO_E_ARG,
                          "%s ends in block %llu, stream %llu; expected the end of the stream",
                          d->s.from.name, (unsigned long long)d->s.report.blocks + 1,
                          (unsigned long long)d->s.report.streams);
}

static bool read_segment(void *user, size_t at, bool *ended)
{
    decompressor *const d = user;
    if (atomic_load(&d->stopped)) {
        *ended = true;
        return true;
    }
    return bz_segment_next(&d->segmenter, &d->slots[at].segment, ended);
}

static void decode_slot(slot *s, bz_decoder *decoder)
{
    const bz_segment *const g = &s->segment;
    s->outcome = bz_decode(decoder, g->bytes, g->begin, g->end, s->text, s->front, &s->decoded);
}

static bool work_segment(void *user, size_t at, unsigned worker)
{
    decompressor *const     d = user;
    slot *const             s = &d->slots[at];
    const bz_segment *const g = &s->segment;
    s->outcome = BZ_BAD;
    if (!atomic_load(&d->stopped) && g->end - g->begin >= BZ_MAGIC_BITS &&
        bz_magic_at(g->bytes, g->begin) == BZ_BLOCK)
        decode_slot(s, &d->decoders[worker]);
    return true;
}

/* ---- In order ---- */

typedef enum progress {
    GOES_ON,
    NEEDS_MORE, /* bits of the next segment */
    FAILED
} progress;

static progress need_more(decompressor *d, const bz_segment *g)
{
    return g->last && !truncated(d) ? FAILED : NEEDS_MORE;
}

static bool write_piece(decompressor *d, const uint8_t *bytes, size_t n)
{
    if (!bz_stream_write(&d->s, bytes, n))
        return false;
    return !ordo_poll(d->s.exec, bz_stream_share(&d->s)) ||
           failure_record(&d->s.failure, ORDO_E_CANCELLED, "cancelled");
}

static bool write_text(decompressor *d, const slot *s)
{
    bz_expander  rest = s->decoded.rest;
    size_t const front = s->decoded.front;
    for (size_t at = 0; at < front; at += WRITE_BYTES)
        if (!write_piece(d, s->front + at, ordo_min(WRITE_BYTES, front - at)))
            return false;
    for (size_t now; (now = bz_expand(&rest, d->out, WRITE_BYTES)) > 0;)
        if (!write_piece(d, d->out, now))
            return false;
    return true;
}

/* Takes the decoded block at the front of the segment. */
static progress take_block(decompressor *d, slot *s)
{
    if (s->outcome == BZ_SHORT)
        return need_more(d, &s->segment);
    if (s->outcome == BZ_BAD)
        return damaged(d, "%s", s->decoded.why) ? GOES_ON : FAILED;
    if (s->decoded.n > d->level * BZ_LEVEL_BYTES)
        return damaged(d, "it has %u bytes; expected at most %u", (unsigned)s->decoded.n,
                       d->level * BZ_LEVEL_BYTES)
                   ? GOES_ON
                   : FAILED;
    if (!write_text(d, s))
        return FAILED;
    d->s.report.blocks++;
    d->crc = bz_crc_stream(d->crc, s->decoded.crc);
    s->segment.begin = s->decoded.end;
    return GOES_ON;
}

static progress take_end(decompressor *d, bz_segment *g)
{
    uint64_t const after = (g->begin + END_BITS + 7) / 8 * 8, at = g->begin + BZ_MAGIC_BITS;
    if (g->end < after)
        return need_more(d, g);
    uint32_t const crc = (uint32_t)(bz_load64(g->bytes + at / 8) << at % 8 >> 32);
    if (crc != d->crc)
        return damaged(d, "the checksum of the stream is wrong") ? GOES_ON : FAILED;
    g->begin = after;
    d->complete = true;
    return GOES_ON;
}

/* The header of a further stream. Other bytes are not part of the data. */
static progress take_header(decompressor *d, bz_segment *g)
{
    const uint8_t *const header = g->bytes + g->begin / 8;
    uint64_t const       bytes = (g->end - g->begin) / 8;
    size_t const         compared = bytes < 3 ? (size_t)bytes : 3;
    unsigned const       level = bytes >= 4 ? bz_header_level(header) : 0;
    if (bytes < 4 && memcmp(header, "BZh", compared) == 0)
        return need_more(d, g);
    if (level == 0) {
        d->s.report.trailing = 1;
        atomic_store(&d->stopped, true);
        return GOES_ON;
    }
    d->s.report.streams++;
    d->level = level;
    d->crc = 0;
    d->complete = false;
    g->begin += 32;
    return GOES_ON;
}

/* Takes all that the segment holds. decoded: its first block is. */
static progress take_segment(decompressor *d, slot *s, bz_decoder *decoder, bool decoded)
{
    bz_segment *const g = &s->segment;
    progress          result = GOES_ON;
    while (result == GOES_ON && g->begin < g->end && !atomic_load(&d->stopped)) {
        bool const    whole = g->end - g->begin >= BZ_MAGIC_BITS;
        bz_kind const kind = whole ? bz_magic_at(g->bytes, g->begin) : BZ_NO_MAGIC;
        if (d->complete) {
            result = take_header(d, g);
        } else if (kind == BZ_BLOCK) {
            if (!decoded)
                decode_slot(s, decoder);
            result = take_block(d, s);
        } else if (kind == BZ_END) {
            result = take_end(d, g);
        } else if (!whole) {
            result = need_more(d, g);
        } else {
            damaged(d, "expected a block or the end of the stream");
            result = FAILED;
        }
        decoded = false;
    }
    return result;
}

/* Appends what is left of a segment to `joined`. Segments are copied by whole bytes, so the byte in
 * which both meet is the same in both. */
static void join(decompressor *d, const bz_segment *next)
{
    bz_segment *const g = &d->joined.segment;
    size_t const      from = (size_t)(next->begin / 8), to = d->joins ? (size_t)(g->end / 8) : 0;
    size_t const      bytes = (size_t)((next->end + 7) / 8) - from;
    memcpy(g->bytes + to, next->bytes + from, bytes);
    memset(g->bytes + to + bytes, 0, BZ_BITS_PAD);
    if (!d->joins)
        g->begin = next->begin % 8;
    g->end = next->end - 8 * (uint64_t)from + 8 * (uint64_t)to;
    g->last = next->last;
}

/* Drops the bytes of `joined` that were taken. */
static void shorten_joined(bz_segment *g)
{
    size_t const from = (size_t)(g->begin / 8);
    memmove(g->bytes, g->bytes + from, (size_t)((g->end + 7) / 8) - from + BZ_BITS_PAD);
    g->begin -= 8 * (uint64_t)from;
    g->end -= 8 * (uint64_t)from;
}

/* A block is decoded again only when twice as many bits are there, so a block with many magics by
 * chance takes a small multiple of its time. */
static bool write_segment(void *user, size_t at, unsigned worker)
{
    decompressor *const d = user;
    slot *const         s = &d->slots[at];
    bz_segment *const   g = &d->joined.segment;
    bz_decoder *const   decoder = &d->decoders[worker];
    progress            result;
    if (atomic_load(&d->stopped))
        return true;
    if (!d->joins) {
        result = take_segment(d, s, decoder, true);
        if (result == NEEDS_MORE)
            join(d, &s->segment);
    } else {
        join(d, &s->segment);
        if (g->end < d->enough && !g->last)
            return true;
        result = take_segment(d, &d->joined, decoder, false);
        if (result == NEEDS_MORE)
            shorten_joined(g);
    }
    d->joins = result == NEEDS_MORE;
    d->enough = ordo_min(2 * g->end, MOST_BITS);
    if (d->joins && g->end > MOST_BITS)
        return damaged(d, "it is longer than any block");
    return result != FAILED;
}

/* ---- The call ---- */

static ordo_status take_slot(ordo_exec *exec, slot *s, size_t segments)
{
    TRY_SCRATCH(exec, segments * BZ_MOST_SEGMENT + BZ_BITS_PAD + 64, s->segment.bytes);
    TRY_SCRATCH(exec, BZ_MOST_BLOCK, s->text);
    TRY_SCRATCH(exec, BZ_MOST_FRONT, s->front);
    return ORDO_OK;
}

static ordo_status take_memory(decompressor *d, unsigned workers, size_t slots)
{
    ordo_exec *const exec = d->s.exec;
    uint8_t         *window;
    TRY_SCRATCH(exec, bz_segmenter_bytes(), window);
    bz_segmenter_init(&d->segmenter, &d->s, window);
    TRY_SCRATCH(exec, WRITE_BYTES, d->out);
    TRY_SCRATCH(exec, slots * sizeof *d->slots, d->slots);
    TRY_SCRATCH(exec, workers * sizeof *d->decoders, d->decoders);
    TRY(take_slot(exec, &d->joined, 2));
    for (size_t i = 0; i < slots; i++)
        TRY(take_slot(exec, &d->slots[i], 1));
    for (unsigned i = 0; i < workers; i++)
        TRY(ordo_lay_out(exec, bz_decoder_lay_out, &d->decoders[i]));
    return ORDO_OK;
}

static ordo_status decompress_stream(ordo_ctx *ctx, ordo_exec *exec, const ordo_source *from,
                                     const ordo_sink *to, const ordo_bz_opts *opts,
                                     ordo_bz_report *report)
{
    decompressor d = {.s = {.ctx = ctx, .exec = exec, .failure = FAILURE_NONE}};
    TRY(bz_stream_arguments(&d.s, from, to, false, opts, report));
    exec->algorithm = "bzip2";
    size_t const slot_bytes = BZ_MOST_SEGMENT + BZ_BITS_PAD + BZ_MOST_BLOCK + BZ_MOST_FRONT + 1024;
    unsigned const workers =
        bz_stream_workers(&d.s, bz_decoder_bytes() + 2 * slot_bytes,
                          4 * slot_bytes + bz_segmenter_bytes() + WRITE_BYTES + (1 << 16));
    size_t const slots = workers + workers / 2 + 2;
    TRY(take_memory(&d, workers, slots));
    d.s.report.streams = 1;
    bz_team const team = {.exec = exec,
                          .failure = &d.s.failure,
                          .workers = workers,
                          .slots = slots,
                          .user = &d,
                          .read = read_segment,
                          .work = work_segment,
                          .write = write_segment,
                          .share = bz_stream_share};
    if (bz_segment_first(&d.segmenter, &d.level) && bz_team_run(&team) && !d.complete)
        (void)truncated(&d);
    return bz_stream_end(&d.s);
}

ordo_status ordo_bz_decompress(ordo_ctx *ctx, const void *in, size_t n, void *out, size_t capacity,
                               size_t *written, const ordo_bz_opts *opts, ordo_bz_report *report)
{
    if (written != NULL)
        *written = 0;
    API_CALL(
        "bz_decompress", (ordo_type)0, n,
        bz_in_memory(ctx, exec, decompress_stream, in, n, out, capacity, written, opts, report));
}

ordo_status ordo_bz_decompress_stream(ordo_ctx *ctx, const ordo_source *from, const ordo_sink *to,
                                      const ordo_bz_opts *opts, ordo_bz_report *report)
{
    API_CALL("bz_decompress", (ordo_type)0, 0,
             decompress_stream(ctx, exec, from, to, opts, report));
}
