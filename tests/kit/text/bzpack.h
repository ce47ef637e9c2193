/* bzpack.h - the same data, compressed by two contexts, whose bytes must be equal. */
#ifndef ORDO_TESTS_BZPACK_H
#define ORDO_TESTS_BZPACK_H

#include "ordo_bz.h"

#include <stdint.h>

typedef struct bzpack {
    uint8_t *plain;             /* the data */
    uint8_t *packed, *expected; /* `room` bytes */
    size_t   room;
} bzpack;

/* Takes memory for `most` bytes of data, which lives to the end of the test. */
bzpack bzpack_open(size_t most);

/* Compresses plain[0..n) and returns the number of bytes. */
size_t bzpack_compress(const bzpack *b, ordo_ctx *ctx, size_t n, uint32_t level, uint8_t *to);

/* Compresses with the context `oracle` to `expected` and with ctx to `packed`, and compares. */
void bzpack_same(const bzpack *b, ordo_ctx *oracle, ordo_ctx *ctx, size_t n, uint32_t level);

/* The same for a writer of ctx, which gets the data in pieces. */
void bzpack_same_pieces(const bzpack *b, ordo_ctx *oracle, ordo_ctx *ctx, size_t n, uint32_t level);

#endif
