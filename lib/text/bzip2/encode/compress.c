/* compress.c - ordo_bz_compress: blocks by all threads.
 *
 * Reading cuts the data into blocks (runs.h), which is fast. Each block is compressed to bits
 * from bit 0 on; writing shifts them to their place in the stream and counts the checksum of the
 * stream. A GPU may sort the rotations of batches of blocks before (batch.h). A writer compresses
 * its data in parts (writer.c); the state between two parts is a bz_carry. */
#define _GNU_SOURCE
#include "text/bzip2/encode/compress.h"

#include "text/bzip2/encode/batch.h"
#include "text/bzip2/encode/encode.h"
#include "text/bzip2/expand.h"

#include <string.h>

enum {
    READ_BYTES = 1 << 17,
    WRITE_BYTES = 1 << 16
};

typedef struct slot {
    bz_block  block;
    uint32_t  crc; /* of the bytes of the block before runs were shortened */
    bz_sorted sorted;
    uint8_t  *bits;
    uint64_t  bit_count;
} slot;

typedef struct compressor {
    bz_stream   s; /* first: bz_stream_share() gets it */
    slot       *slots;
    bz_encoder *encoders; /* one for each thread */
    size_t      most;     /* bytes of a block */
    bz_carry   *carry;
    bz_batches  batches;
    bz_block  **batch; /* arguments of bz_batches_sort() */
    bz_sorted **batch_sorted;

    /* The reader. */
    uint8_t *in;
    size_t   in_n, in_at;
    bool     in_ended;

    /* The writer. */
    uint8_t  *out;
    bz_writer bits;
} compressor;

/* At the end of a part, the block that is not full waits for the next part. */
static void end_part(compressor *c, bz_block *block)
{
    bz_carry *const carry = c->carry;
    if (carry->ends) {
        bz_split_end(&carry->splitter, block);
        return;
    }
    memcpy(carry->text, block->text, block->n);
    carry->n = block->n;
    block->n = 0;
}

static bool read_block(void *user, size_t at, bool *ended)
{
    compressor *const c = user;
    bz_block *const   block = &c->slots[at].block;
    bz_carry *const   carry = c->carry;
    block->n = carry->n;
    block->full = (uint32_t)c->most - BZ_FULL_MARGIN;
    if (carry->n > 0)
        memcpy(block->text, carry->text, carry->n);
    carry->n = 0;
    while (block->n < block->full && !c->in_ended) {
        if (c->in_at == c->in_n) {
            c->in_at = 0;
            if (!bz_stream_read(&c->s, c->in, READ_BYTES, &c->in_n))
                return false;
            if (c->in_n == 0) {
                end_part(c, block);
                c->in_ended = true;
            }
        }
        c->in_at += bz_split(&carry->splitter, block, c->in + c->in_at, c->in_n - c->in_at);
    }
    *ended = block->n == 0;
    return true;
}

static bool prepare_blocks(void *user, size_t first, size_t count)
{
    compressor *const c = user;
    for (size_t i = 0; i < count; i++) {
        c->batch[i] = &c->slots[first + i].block;
        c->batch_sorted[i] = &c->slots[first + i].sorted;
    }
    return bz_batches_sort(&c->batches, &c->s, first, c->batch, c->batch_sorted, count);
}

static bool work_block(void *user, size_t at, unsigned worker)
{
    compressor *const c = user;
    slot *const       s = &c->slots[at];
    bz_encoder *const encoder = &c->encoders[worker];
    uint32_t const    n = s->block.n;
    bz_expander       e = {.text = s->block.text, .n = n};
    s->crc = ~bz_expanded_crc(&e, UINT32_MAX);
    s->bit_count = s->sorted.column != NULL ? bz_encode_column(encoder, s->sorted.column,
                                                               s->sorted.row, n, s->crc, s->bits)
                                            : bz_encode(encoder, s->block.text, n, s->crc, s->bits);
    return s->bit_count > 0 || failure_record(&c->s.failure, ORDO_E_CANCELLED, "cancelled");
}

/* Writes the whole bytes of the buffer. */
static bool flush(compressor *c)
{
    size_t const n = (size_t)(c->bits.to - c->out);
    c->bits.to = c->out;
    return bz_stream_write(&c->s, c->out, n);
}

static bool put_bits(compressor *c, const uint8_t *from, uint64_t count)
{
    enum {
        STEP = 48
    };
    for (uint64_t at = 0; at < count; at += STEP) {
        unsigned const now = count - at < STEP ? (unsigned)(count - at) : STEP;
        bz_put(&c->bits, bz_load64(from + at / 8) >> (64 - STEP) >> (STEP - now), now);
        if (c->bits.to - c->out >= WRITE_BYTES && !flush(c))
            return false;
    }
    return true;
}

static bool write_block(void *user, size_t at, unsigned worker)
{
    compressor *const c = user;
    (void)worker;
    c->carry->crc = bz_crc_stream(c->carry->crc, c->slots[at].crc);
    c->s.report.blocks++;
    return put_bits(c, c->slots[at].bits, c->slots[at].bit_count);
}

static void begin_bits(compressor *c)
{
    bz_carry *const carry = c->carry;
    c->bits = (bz_writer){.to = c->out, .held = carry->held, .count = carry->count};
    if (carry->begun)
        return;
    bz_put(&c->bits, 0x425a68, 24); /* BZh */
    bz_put(&c->bits, '0' + c->s.opts.level, 8);
    carry->begun = true;
}

static bool end_bits(compressor *c)
{
    if (c->carry->ends) {
        bz_put(&c->bits, BZ_END_MAGIC, 48);
        bz_put(&c->bits, c->carry->crc, 32);
        if (c->bits.count > 0)
            bz_put(&c->bits, 0, 8 - c->bits.count);
    }
    c->carry->held = c->bits.held;
    c->carry->count = c->bits.count;
    return flush(c);
}

static ordo_status take_memory(compressor *c, unsigned workers, size_t slots)
{
    ordo_exec *const exec = c->s.exec;
    TRY_SCRATCH(exec, READ_BYTES, c->in);
    TRY_SCRATCH(exec, WRITE_BYTES + 64, c->out);
    TRY_SCRATCH(exec, slots * sizeof *c->slots, c->slots);
    TRY_SCRATCH(exec, workers * sizeof *c->encoders, c->encoders);
    if (c->batches.device != NULL) {
        TRY(bz_batches_open(&c->batches, exec));
        TRY_SCRATCH(exec, c->batches.blocks * sizeof *c->batch, c->batch);
        TRY_SCRATCH(exec, c->batches.blocks * sizeof *c->batch_sorted, c->batch_sorted);
    }
    for (size_t i = 0; i < slots; i++) {
        c->slots[i].sorted = (bz_sorted){NULL, 0};
        TRY_SCRATCH(exec, c->most + BZ_TEXT_PAD, c->slots[i].block.text);
        TRY_SCRATCH(exec, bz_encoded_most(c->most) + 8, c->slots[i].bits);
    }
    for (unsigned i = 0; i < workers; i++) {
        void *memory;
        TRY(ordo_scratch(exec, bz_encoder_bytes(c->most), &memory));
        bz_encoder_init(&c->encoders[i], memory, c->most);
        c->encoders[i].sorter.exec = exec;
    }
    return ORDO_OK;
}

/* Scratch of all slots if a batch has `blocks` blocks. */
static size_t batches_bytes(const compressor *c, size_t slot_bytes, size_t blocks)
{
    return bz_batches_slots(blocks) * (slot_bytes + bz_batches_slot_bytes(c->most));
}

/* Makes the batches fit the limit of memory: they take at most half of it, so that the rest is for
 * the threads, but have one block at least. */
static ordo_status fit_batches(compressor *c, size_t slot_bytes, size_t encoder, size_t shared)
{
    ordo_exec *const exec = c->s.exec;
    size_t const     limit = c->s.ctx->arena.limit;
    size_t           blocks = c->batches.blocks;
    if (limit == 0 || c->batches.device == NULL)
        return ORDO_OK;
    while (blocks > 1 && limit / 2 < batches_bytes(c, slot_bytes, blocks) + encoder + shared)
        blocks--;
    size_t const least = batches_bytes(c, slot_bytes, blocks) + encoder + shared;
    if (limit < least) {
        FAIL_IF(c->s.ctx->plan.where == ORDO_CUDA, ORDO_E_NOMEM,
                "a batch of one block for the GPU takes %zu bytes, but the limit is %zu; expected "
                "a higher limit, a lower level or a context that may use the CPU",
                least, limit);
        c->batches.device = NULL;
    }
    c->batches.blocks = blocks;
    c->batches.slots = bz_batches_slots(blocks);
    return ORDO_OK;
}

static ordo_status choose_sizes(compressor *c, unsigned *workers, size_t *slots)
{
    size_t const slot_bytes = c->most + bz_encoded_most(c->most) + 512;
    size_t const encoder = bz_encoder_bytes(c->most), shared = (size_t)1 << 20;
    TRY(fit_batches(c, slot_bytes, encoder, shared));
    if (c->batches.device != NULL) {
        size_t const batches = batches_bytes(c, slot_bytes, c->batches.blocks);
        *workers = bz_stream_workers(&c->s, encoder, batches + shared);
        *slots = c->batches.slots;
        c->s.report.batch = c->batches.blocks;
        return ORDO_OK;
    }
    *workers = bz_stream_workers(&c->s, encoder + 2 * slot_bytes, 2 * slot_bytes + shared);
    *slots = *workers + *workers / 2 + 2;
    return ORDO_OK;
}

ordo_status bz_compress_part(ordo_ctx *ctx, ordo_exec *exec, const ordo_source *from,
                             const ordo_sink *to, const ordo_bz_opts *opts, ordo_bz_report *report,
                             bz_carry *carry)
{
    compressor c = {.s = {.ctx = ctx, .exec = exec, .failure = FAILURE_NONE}, .carry = carry};
    TRY(bz_stream_arguments(&c.s, from, to, true, opts, report));
    exec->algorithm = "bzip2";
    c.most = (size_t)c.s.opts.level * BZ_LEVEL_BYTES;
    TRY(bz_batches_choose(&c.batches, &c.s, c.most));
    unsigned workers;
    size_t   slots;
    TRY(choose_sizes(&c, &workers, &slots));
    bool const on_device = c.batches.device != NULL;
    TRY(take_memory(&c, workers, slots));
    begin_bits(&c);
    c.s.report.streams = 1;
    bz_team const team = {.exec = exec,
                          .failure = &c.s.failure,
                          .workers = workers,
                          .slots = slots,
                          .user = &c,
                          .read = read_block,
                          .prepare = on_device ? prepare_blocks : NULL,
                          .batch = c.batches.blocks,
                          .work = work_block,
                          .write = write_block,
                          .share = bz_stream_share};
    if (bz_team_run(&team))
        (void)end_bits(&c);
    return bz_stream_end(&c.s);
}

static ordo_status compress_stream(ordo_ctx *ctx, ordo_exec *exec, const ordo_source *from,
                                   const ordo_sink *to, const ordo_bz_opts *opts,
                                   ordo_bz_report *report)
{
    bz_carry carry = {.ends = true};
    return bz_compress_part(ctx, exec, from, to, opts, report, &carry);
}

size_t ordo_bz_bound(size_t n)
{
    /* A run of four bytes takes five. Blocks of the lowest level have the most fixed bytes. */
    size_t const text = n / 4 + n / 32 + 8192;
    size_t       bound;
    if (!ordo_size_add(n, text, &bound))
        return SIZE_MAX;
    return ordo_size_add(bound, n / 8, &bound) ? bound : SIZE_MAX;
}

ordo_status ordo_bz_compress(ordo_ctx *ctx, const void *in, size_t n, void *out, size_t capacity,
                             size_t *written, const ordo_bz_opts *opts, ordo_bz_report *report)
{
    if (written != NULL)
        *written = 0;
    API_CALL("bz_compress", (ordo_type)0, n,
             bz_in_memory(ctx, exec, compress_stream, in, n, out, capacity, written, opts, report));
}

ordo_status ordo_bz_compress_stream(ordo_ctx *ctx, const ordo_source *from, const ordo_sink *to,
                                    const ordo_bz_opts *opts, ordo_bz_report *report)
{
    API_CALL("bz_compress", (ordo_type)0, 0, compress_stream(ctx, exec, from, to, opts, report));
}
