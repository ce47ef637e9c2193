/* npy.h - the header of NumPy's .npy files, versions 1.0, 2.0 and 3.0. */
#ifndef ORDO_CLI_IO_NPY_H
#define ORDO_CLI_IO_NPY_H

#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>

#define NPY_HEADER_MAX 128 /* bytes npy_write_header() may write */

typedef struct npy_array {
    ordo_type type;
    size_t    n;
    size_t    offset;   /* of the first element in the file */
    bool      swapped;  /* the bytes of each element are in the other order */
    char      why[200]; /* on failure: what is wrong */
} npy_array;

/* True if bytes start like an .npy file. */
bool npy_is(const void *bytes, size_t length);

/* True if bytes[0..length), the beginning of a file, hold all of its header, or it has none. */
bool npy_header_fits(const void *bytes, size_t length);

/* Reads the header of bytes[0..length), a whole file, and checks that the data are there, no more
 * and no less. False, with out->why, if it is not a one-dimensional array of a type of ordo.
 * Nothing is allocated and nothing outside bytes[0..length) is read. */
bool npy_parse(const void *bytes, size_t length, npy_array *out);

/* The same for the beginning of a file whose length is not known: does not check that the data are
 * there. */
bool npy_parse_start(const void *bytes, size_t length, npy_array *out);

/* Writes the header (version 1.0, this machine's byte order) of an array and returns its length, a
 * multiple of 64. */
size_t npy_write_header(ordo_type type, size_t n, char *out);

#endif
