/* fuzz.h - what a fuzz target gives to its driver (fuzz_main.c, or libFuzzer). */
#ifndef ORDO_TESTS_FUZZ_H
#define ORDO_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Runs one input; returns 0. A broken promise ends the process through FUZZ_CHECK. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_seed {
    const char *bytes;
    size_t      size;
} fuzz_seed;

#define FUZZ_SEED(literal)                                                                         \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

/* Inputs that reach far into the code, to start from. */
extern const fuzz_seed fuzz_seeds[];
extern const size_t    fuzz_seed_count;

/* Words of the format, to be put anywhere into an input. */
extern const char *const fuzz_words[];
extern const size_t      fuzz_word_count;

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
