/* fuzz_npy.c - the reader of .npy headers: it never leaves its input, gives the same answer twice,
 * explains every refusal, and what it accepts lies wholly inside the file. A header written for
 * what it found is read back as the same. */
#include "fuzz.h"

#include "cli/io/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_1 "\x93NUMPY\x01\x00"
#define HEADER_2 "\x93NUMPY\x02\x00"
#define HEADER_3 "\x93NUMPY\x03\x00"

const fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED(HEADER_1 "\x37\x00{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}"
                       "\x01\x00\x00\x00\x02\x00\x00\x00"),
    FUZZ_SEED(HEADER_1 "\x38\x00{'descr': '>f8', 'fortran_order': True, 'shape': (1,), }"
                       "\x3f\xf0\x00\x00\x00\x00\x00\x00"),
    FUZZ_SEED(HEADER_2 "\x37\x00\x00\x00{'shape': (3,), 'fortran_order': False, 'descr': '|u1'}"
                       "\x01\x02\x03"),
    FUZZ_SEED(HEADER_3 "\x38\x00\x00\x00{\"descr\": \"=u2\", 'fortran_order': False, 'shape': "
                       "(0L,)}"),
    FUZZ_SEED(HEADER_1 "\x39\x00{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1)}"
                       "\x01\x00\x00\x00"),
    FUZZ_SEED(HEADER_1 "\x40\x00{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}"
                       "\x01\x00\x00\x00"),
    FUZZ_SEED(HEADER_1),
    FUZZ_SEED(""),
};
const size_t fuzz_seed_count = sizeof fuzz_seeds / sizeof fuzz_seeds[0];

const char *const fuzz_words[] = {"'descr': ", "'<i8'",
                                  "'|O'",      "'fortran_order': ",
                                  "True",      "False",
                                  "(",         ")",
                                  "'shape': ", "(3,)",
                                  "(2, 2)",    "[",
                                  "]",         "18446744073709551615",
                                  "'",         "\"",
                                  "\\",        "{",
                                  "}",         "\x93NUMPY",
                                  ",",         ": ",
                                  "L"};
const size_t      fuzz_word_count = sizeof fuzz_words / sizeof fuzz_words[0];

static void check_written(const npy_array *a)
{
    char         header[NPY_HEADER_MAX];
    const size_t length = npy_write_header(a->type, a->n, header);
    const size_t bytes = a->n * ordo_type_size(a->type);
    char *const  file = malloc(length + bytes);
    npy_array    again;

    FUZZ_CHECK(file != NULL);
    FUZZ_CHECK(length % 64 == 0 && length <= sizeof header);
    memcpy(file, header, length);
    memset(file + length, 0, bytes);
    FUZZ_CHECK(npy_parse(file, length + bytes, &again));
    FUZZ_CHECK(again.type == a->type && again.n == a->n && again.offset == length);
    FUZZ_CHECK(!again.swapped);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    npy_array  first, second;
    const bool ok = npy_parse(data, size, &first);

    FUZZ_CHECK(npy_parse(data, size, &second) == ok);
    FUZZ_CHECK(strcmp(first.why, second.why) == 0);
    FUZZ_CHECK(ok == (first.why[0] == '\0'));
    if (!ok)
        return 0;
    FUZZ_CHECK(npy_is(data, size));
    FUZZ_CHECK(first.type == second.type && first.n == second.n);
    FUZZ_CHECK(first.offset == second.offset && first.swapped == second.swapped);
    FUZZ_CHECK(ordo_type_size(first.type) > 0 && first.offset <= size);
    FUZZ_CHECK(first.n * ordo_type_size(first.type) == size - first.offset);
    check_written(&first);
    return 0;
}
