/* verbs.h - a table of valid calls of every verb of ordo.h, for tests of what all verbs have in
 * common: failures, cancellation, reports. */
#ifndef ORDO_TESTS_VERBS_H
#define ORDO_TESTS_VERBS_H

#include "ordo.h"
#include "testkit.h"

enum {
    VERBS = 47,
    VERB_STEP =
        TESTKIT_TSAN ? 4 : 1 /* ThreadSanitizer checks every verb in the test of that verb */
};

/* The arrays of n elements that the calls read, and where they write. */
typedef struct verb_data {
    size_t         n;
    float         *sorted;        /* ascending, with ties                               */
    float         *unsorted;      /* random order, with ties and NaNs                   */
    int32_t       *nearly_sorted; /* radius of 3                                        */
    uint32_t      *words;         /* 3 n random words, also used as n elements of 12 bytes */
    unsigned char *keys;          /* n keys of any type, filled by verb_data_fill       */
    unsigned char *flags;         /* n bytes, also used as n packed bits                */
    char          *text;          /* n strings with ties, each with a zero byte         */
    uint64_t      *offsets;       /* n + 1, of the strings with their zero bytes        */
    const char   **pointers;      /* n                                                  */
    unsigned char *out;           /* results, or the array that is changed in place     */
    size_t         out_bytes;
    unsigned char *before;          /* out at the start of the last call              */
    unsigned char *expected[VERBS]; /* computed on first use                          */
    uint64_t       scalar;          /* a single result: total, n_first, radius ...    */
    uint64_t       expected_scalar[VERBS];
} verb_data;

verb_data verb_data_make(size_t n); /* n > 0 */
void      verb_data_free(verb_data *data);

/* Fills keys with a shape of inputs.h, sorted if `sorted` is set. */
void verb_data_fill(verb_data *data, size_t shape, ordo_type type, bool sorted, bool desc);

const char *verb_name(size_t verb);      /* name of this call: "rank_sorted dense threads" */
const char *verb_operation(size_t verb); /* as in the report: "rank_sorted"           */
ordo_type   verb_type(size_t verb);      /* as in the report; 0 if there is none      */

/* Overwrites the results (or copies the array to sort to out) and makes the call. */
ordo_status verb_run(size_t verb, ordo_ctx *ctx, verb_data *data);

bool verb_right(size_t verb, verb_data *data); /* the results equal the oracle's      */
bool verb_untouched(const verb_data *data);    /* the last call has written nothing   */

/* The same for calls that are not in the table; see verbs_table.h. */
typedef struct verb_entry verb_entry;
ordo_status               verb_call(const verb_entry *v, ordo_ctx *ctx, verb_data *data);
/* The expected contents of out (out_bytes) and scalar. */
void verb_expect(const verb_entry *v, const verb_data *data, unsigned char *out, uint64_t *scalar);

/* The scratch query of the call; 0 bytes if the verb has no query. */
bool        verb_has_scratch(size_t verb);
ordo_status verb_scratch(size_t verb, ordo_ctx *ctx, size_t n, size_t *bytes);

#endif
