/* fuzz_polars.c - the reader of the keyword arguments of Polars' expressions.
 *
 * Any bytes are read without touching others. Accepted options are terminated strings, and each
 * beginning of an accepted pickle is refused. */
#include "fuzz.h"

#include "python/doors/polars_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("\x80\x05}\x94."),
    FUZZ_SEED("\x80\x05\x95\x10\0\0\0\0\0\0\0}\x94\x8c\x01k\x94K\x64s."),
    FUZZ_SEED(
        "\x80\x05}\x94(\x8c\x06method\x94\x8c\x07\x61verage\x94\x8c\ndescending\x94\x88\x8c\x04"
        "wide\x94\x89u."),
    FUZZ_SEED(
        "\x80\x05}\x94(\x8c\x01q\x94G?\xe0\0\0\0\0\0\0\x8c\x06method\x94\x8c\x06linear\x94u."),
    FUZZ_SEED("\x80\x05}\x94(\x8c\x06window\x94J\x01\0\x01\0\x8c\x05least\x94M\0\x01\x8c\x01k\x94"
              "\x8a\x05\0\0\0\0\x7fu."),
};
const size_t fuzz_seed_count = sizeof fuzz_seeds / sizeof fuzz_seeds[0];

const char *const fuzz_words[] = {
    "\x80\x05",      "}",        "\x94",          "(",     "u.",        "s.",
    "\x8c\x01q\x94", "\x88",     "\x8c\x01k\x94", "K\x07", "M\xff\xff", "J\xff\xff\xff\xff",
    "\x8a\x08",      "\x8c\x10", "\x8c\xff",      "G"};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof fuzz_words[0];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    polars_options options;
    uint8_t *const exact = malloc(size + (size == 0)); /* so that a sanitizer sees its end */
    if (exact == NULL)
        return 0;
    memcpy(exact, data, size);
    if (polars_read_options(exact, size, &options) && size > 0) {
        FUZZ_CHECK(memchr(options.method, '\0', sizeof options.method) != NULL);
        for (size_t i = 1; i < size; i++)
            FUZZ_CHECK(!polars_read_options(exact, i, &options));
    }
    free(exact);
    return 0;
}
