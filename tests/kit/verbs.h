/* verbs.h - one valid call of each verb of ordo.h behind one name, for the tests of what all
 * verbs must do alike: fail cleanly, cancel, report, work again. */
#ifndef ORDO_TESTS_VERBS_H
#define ORDO_TESTS_VERBS_H

#include "ordo.h"
#include "testkit.h"

enum {
    VERBS = 45,
#if defined(TESTKIT_TSAN)
    VERB_STEP = 4 /* every verb's threads are watched in its own test; here some stand for all */
#else
    VERB_STEP = 1
#endif
};

/* The arrays of n elements that the calls read, and where they write. */
typedef struct verb_data {
    size_t         n;
    float         *sorted;   /* ascending, with ties                                */
    float         *loose;    /* in any order, with ties and NaNs                    */
    int32_t       *rough;    /* no key further than a few places from its own       */
    uint32_t      *words;    /* random; elements of 12 bytes, too                   */
    unsigned char *keys;     /* of any type; verb_data_fill writes them             */
    unsigned char *flags;    /* n bytes, which also serve as n packed bits          */
    char          *text;     /* n strings with ties, each with its zero byte        */
    uint64_t      *offsets;  /* n + 1, of the strings and their zero bytes          */
    const char   **pointers; /* n                                                   */
    unsigned char *out;      /* results, or what a verb changes in place; out_bytes */
    size_t         out_bytes;
    unsigned char *before;          /* out as the last verb_run gave it to the call */
    unsigned char *expected[VERBS]; /* computed when first asked for                */
    uint64_t       scalar;          /* total, n_first, radius...; see verbs.c       */
    uint64_t       expected_scalar[VERBS];
} verb_data;

verb_data verb_data_make(size_t n); /* n > 0 */
void      verb_data_free(verb_data *data);

/* Fills keys with an input of inputs.h; in order if `sorted` is set. */
void verb_data_fill(verb_data *data, size_t shape, ordo_type type, bool sorted, bool desc);

const char *verb_name(size_t verb);      /* of this call: "rank_sorted dense threads"      */
const char *verb_operation(size_t verb); /* as the report calls it: "rank_sorted"          */
ordo_type   verb_type(size_t verb);      /* as the report says it; 0 where there is none   */

/* Spoils the results (or puts the array there that is to be sorted), makes the call. */
ordo_status verb_run(size_t verb, ordo_ctx *ctx, verb_data *data);

bool verb_right(size_t verb, verb_data *data); /* the results are the oracle's            */
bool verb_untouched(const verb_data *data);    /* nothing was written by the last call    */

/* The same for calls that are not in the table; verbs_table.h has the description. */
typedef struct verb_entry verb_entry;
ordo_status               verb_call(const verb_entry *v, ordo_ctx *ctx, verb_data *data);
/* What out (out_bytes) and scalar must be after the call. */
void verb_expect(const verb_entry *v, const verb_data *data, unsigned char *out, uint64_t *scalar);

/* The scratch query that belongs to the call; a verb that has none answers 0. */
bool        verb_has_scratch(size_t verb);
ordo_status verb_scratch(size_t verb, ordo_ctx *ctx, size_t n, size_t *bytes);

#endif
