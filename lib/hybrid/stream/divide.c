/* divide.c - phases II and III of one piece: its records apart, and the CPU's into their bins.
 *
 * The device's records go to a lane's buffer, in order; the CPU's aside, to memory of the lane that
 * stays in its cache, where they get labels and are counted, and from there bin by bin to the copy
 * of the piece, behind the device's records, of which the copy has the first. So the copy holds all
 * records of the piece, and those that tie in the order they came in: sorted, it gives the same
 * bytes as the array. Reads the piece once; writes the device's part twice, the CPU's twice. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

#include <string.h>

void hybrid_indices(char *values, size_t size, size_t first, size_t n)
{
    if (size == 4) {
        uint32_t *const out = (uint32_t *)values;
        for (size_t i = 0; i < n; i++)
            out[i] = (uint32_t)(first + i);
    } else {
        uint64_t *const out = (uint64_t *)values;
        for (size_t i = 0; i < n; i++)
            out[i] = first + i;
    }
}

/* Moves records to where their bins are in the copy; at[b] is the next place of bin b. */
#define MOVE(size)                                                                                 \
    case size:                                                                                     \
        for (size_t i = 0; i < n; i++)                                                             \
            memcpy(to + at[labels[i]]++ * (size), from + i * (size), size);                        \
        break

static void move(const char *from, char *to, size_t size, const uint16_t *labels, uint32_t *at,
                 size_t n)
{
    switch (size) {
        MOVE(1);
        MOVE(2);
        MOVE(4);
        MOVE(8);
        MOVE(16);
    default:
        for (size_t i = 0; i < n; i++)
            memcpy(to + at[labels[i]]++ * size, from + i * size, size);
    }
}

void hybrid_into_bins(hybrid_run *run, size_t piece, size_t theirs, const char *keys,
                      const char *values, uint16_t *labels, size_t n)
{
    const hybrid_records *const records = run->records;
    uint32_t *const             begin = run->bin_at + piece * (run->bins + 1);
    uint32_t                    at[HYBRID_MOST_BINS];
    size_t const                slot = piece * run->piece_records;
    memset(at, 0, run->bins * sizeof *at);
    hybrid_labels(run, keys, n, labels);
    for (size_t i = 0; i < n; i++)
        at[labels[i]]++;
    uint32_t next = (uint32_t)theirs;
    for (size_t b = 0; b < run->bins; b++) {
        begin[b] = next;
        next += at[b];
    }
    begin[run->bins] = next;
    memcpy(at, begin, run->bins * sizeof *at);
    move(keys, run->kept_keys + slot * records->key_size, records->key_size, labels, at, n);
    if (records->value_size == 0)
        return;
    memcpy(at, begin, run->bins * sizeof *at);
    move(values, run->kept_values + slot * records->value_size, records->value_size, labels, at, n);
}

/* Where a piece's parts are: on the way to the device, aside, and in the copy. */
typedef struct divided_piece {
    char       *keys, *values;         /* of the device */
    char       *own_keys, *own_values; /* of the CPU */
    char       *kept_keys, *kept_values;
    const char *from_keys, *from_values;
    size_t      theirs;
} divided_piece;

/* A block of a piece: small enough that the device's part of it is copied from the cache. */
static void divide_block(hybrid_run *run, divided_piece *piece, size_t at, size_t n)
{
    const hybrid_records *const records = run->records;
    size_t const                size = records->key_size, value_size = records->value_size;
    size_t const                first = piece->theirs * size, own = (at - piece->theirs) * size;
    size_t const                first_value = piece->theirs * value_size,
                 own_value = (at - piece->theirs) * value_size;
    bool const            pairs = value_size != 0;
    size_t                theirs = 0;
    ordo_divide_job const job = {.type = records->type,
                                 .descending = records->descending,
                                 .keys = piece->from_keys + at * size,
                                 .values = pairs ? piece->from_values + at * value_size : NULL,
                                 .n = n,
                                 .value_size = value_size,
                                 .pivot = run->plain_pivot,
                                 .first_keys = piece->keys + first,
                                 .first_values = pairs ? piece->values + first_value : NULL,
                                 .second_keys = piece->own_keys + own,
                                 .second_values = pairs ? piece->own_values + own_value : NULL,
                                 .n_first = &theirs};
    run->both->cpu->divide(run->both->cpu_state, &job);
    hybrid_copy_past(piece->kept_keys + first, job.first_keys, theirs * size);
    if (pairs)
        hybrid_copy_past(piece->kept_values + first_value, job.first_values, theirs * value_size);
    piece->theirs += theirs;
}

size_t hybrid_divide(hybrid_run *run, unsigned lane, size_t number, char *keys, char *values)
{
    enum {
        BLOCK = 8192 /* records */
    };
    const hybrid_records *const records = run->records;
    size_t const                size = records->key_size, value_size = records->value_size;
    size_t const first = number * run->piece_records, n = hybrid_piece_count(run, number);
    size_t const key_room =
        ordo_round_up(run->piece_records * size + HYBRID_PADDING, ORDO_CACHE_LINE);
    size_t const value_room =
        ordo_round_up(run->piece_records * value_size + HYBRID_PADDING, ORDO_CACHE_LINE);
    char *const   aside = run->aside + lane * run->aside_bytes;
    char *const   numbers = aside + key_room + value_room;
    divided_piece piece = {.keys = keys,
                           .values = values,
                           .own_keys = aside,
                           .own_values = aside + key_room,
                           .kept_keys = run->kept_keys + first * size,
                           .from_keys = records->keys + first * size};
    if (value_size != 0) {
        piece.kept_values = run->kept_values + first * value_size;
        piece.from_values = numbers;
        if (records->values != NULL)
            piece.from_values = records->values + first * value_size;
        else
            hybrid_indices(numbers, value_size, first, n);
    }
    for (size_t at = 0; at < n; at += BLOCK)
        divide_block(run, &piece, at, ordo_min(BLOCK, n - at));
    hybrid_past_done();
    /* The indices are no longer needed; labels take their place. */
    hybrid_into_bins(run, number, piece.theirs, piece.own_keys, piece.own_values,
                     (uint16_t *)numbers, n - piece.theirs);
    return piece.theirs;
}
