/* line_plan.c - plans the memory of an external sort of lines from a sample.
 *
 * For each byte of a buffer there are: three buffers and their gaps, the lines without their ends,
 * half a byte of lines that stay between two ranges, a sixth of a byte for a line whose end is not
 * read; for each line what line_work.h needs; and the bytes of the keys. Lines and keys get a
 * quarter more than the sample suggests. The index of the temporary files gets a quarter of the
 * memory, a third of it while longer runs are made; their blocks are twice as long. */
#define _GNU_SOURCE
#include "external/lines/line_work.h"

#include <stdlib.h>

enum {
    LEAST_BLOCK = ORDO_TUNE(4 << 10, 64),
    MOST_BLOCK = 256 << 10,
    LEAST_INDEX = ORDO_TUNE(64 << 10, 256 << 10), /* for a few cuts that are long */
    KEYS_IN_SAMPLE = 4096,                        /* at most so many keys are encoded */
    ENTRY = 3 * LINE_ENTRY / 2 + 16,   /* bytes of the index for a block and its cut; estimate */
    UNKNOWN = ORDO_TUNE(256 << 10, 64) /* data of unknown size: planned for M * M / UNKNOWN bytes */
};

typedef struct line_shape { /* of the lines of a sample, on average */
    double bytes;           /* with the end */
    double keys;            /* for each byte of a line; 0: lines are their keys */
} line_shape;

static bool look_at(const ordo_line_format *format, const char *sample, size_t bytes, failure *f,
                    line_shape *shape)
{
    key_room room = {NULL, 0};
    size_t   n = 0, at = 0, keys = 0, keyed = 0;
    bool     ok = true;
    while (ok && at < bytes) {
        const char *const end = memchr(sample + at, (int)format->end, bytes - at);
        size_t const      found = format->split != NULL
                                      ? format->split(format->user, sample + at, bytes - at)
                                  : end != NULL ? (size_t)(end - sample) + 1 - at
                                                : 0;
        size_t const      size = found != 0 && found < bytes - at ? found : bytes - at;
        line_view         key;
        if (format->key != NULL && n < KEYS_IN_SAMPLE) {
            ok = line_key(format, (line_view){sample + at, size - (found != 0)}, &room, f, &key);
            keys += ok ? key.length : 0;
            keyed += size;
        }
        at += size;
        n++;
    }
    free(room.bytes);
    *shape = (line_shape){.bytes = n > 0 ? (double)bytes / (double)n : 1,
                          .keys = keyed > 0 ? (double)keys / (double)keyed : 0};
    return ok;
}

static size_t share(size_t bytes, double factor) { return (size_t)((double)bytes * factor); }

/* The blocks are so small that a range has two blocks of each run, but so large that the index fits
 * in the memory. */
static size_t choose_block(const external_call *c, size_t memory, size_t bytes, size_t index)
{
    double const data =
        c->source_bytes != 0 ? (double)c->source_bytes : (double)memory * (double)memory / UNKNOWN;
    double const runs = data / (double)bytes + 1;
    size_t const small = share(bytes, 1 / (4 * runs)), most = ordo_min(MOST_BLOCK, bytes / 64);
    size_t const least = ordo_min((size_t)(data * ENTRY / (double)index), bytes / 16);
    return ordo_max(ordo_max(ordo_min(small, most), LEAST_BLOCK), least);
}

bool line_plan_make(line_plan *plan, external_call *c, const ordo_line_format *format,
                    const char *sample, size_t bytes)
{
    bool const   keyed = format->key != NULL;
    double const slack = 1.25, buffers = PIPELINE_BUFFERS * (1 + 1 / 8.0), lines = 1, stay = 0.5;
    double const tail = 1 / 6.0, starts = sizeof(uint32_t) / 2.0;
    line_shape   shape;
    if (!look_at(format, sample, bytes, &c->failure, &shape))
        return false;
    size_t const memory = (size_t)ordo_min(c->opts.memory, SIZE_MAX / 2);
    size_t const index = memory / 6, fixed = LINE_CHUNK * line_work_memory(keyed);
    size_t const readers =
        ordo_min(c->exec->threads, 8) * (size_t)ordo_min(memory / 512, MOST_BLOCK);
    double const per_byte = buffers + lines + stay + tail +
                            slack / shape.bytes * ((double)line_work_memory(keyed) + starts) +
                            (keyed ? slack * shape.keys + tail : 0);
    size_t const taken = index + index / 2 + fixed + readers;
    size_t       most = taken < memory ? share(memory - taken, 1 / per_byte) : 0;
    if (most < 8 * LEAST_BLOCK)
        return failure_record(&c->failure, ORDO_E_NOMEM,
                              "%llu bytes of memory are too few to sort lines",
                              (unsigned long long)c->opts.memory);
    if (c->source_bytes != 0)
        most = ordo_min(most, (size_t)c->source_bytes + 2);
    most = ordo_max(most, bytes + 2);
    plan->limits = (line_limits){
        .bytes = most,
        .lines = ordo_min(ordo_max(share(most, slack / shape.bytes), LINE_CHUNK), UINT32_MAX),
        .keys = keyed ? share(most, slack * shape.keys + tail) + LINE_SAMPLE : 0,
        .line = share(most, tail),
        .block = choose_block(c, memory, most, index),
        .index = index + LEAST_INDEX};
    plan->gap = most / 8 + 64;
    return true;
}
