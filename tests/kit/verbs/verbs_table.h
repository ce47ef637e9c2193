/* verbs_table.h - the description of a call, shared by verbs.c (calls), verbs_expect.c (expected
 * results) and sweep.c (more calls). */
#ifndef ORDO_TESTS_VERBS_TABLE_H
#define ORDO_TESTS_VERBS_TABLE_H

#include "kit/verbs/verbs.h"

enum {
    FILL_BYTE = 0xee, /* results before a call */
    ELEMENT = 12,
    OUT_ELEMENT = 24, /* a key and a value, or a key and an index */
    OUT_MORE = 64,
    STRING_MOST = 6, /* "99999" and its zero byte */
    CHOSEN = 5,      /* positions or quantiles of a selection */
    MOST_CHOSEN = 65 /* positions of a selection of many */
};

#define FILL_SCALAR UINT64_C(0xeeeeeeeeeeeeeeee)

typedef enum verb_kind {
    RANK_SORTED,
    SCAN,
    BITS,
    PARTITION,
    SORT,
    PAIRS,
    ARGSORT,
    RANK,
    RADIUS,
    SELECT,
    TOPK, /* the last verb with a scratch query */
    QUANTILES,
    MEDIAN,
    SORT_BY,
    RUNS,
    SORTED,
    COPY,
    ARGSORT_STRINGS,
    SORT_STRINGS,
    SORT_POINTERS,
    RANK_STRINGS,
    SELECT_STRINGS,
    SORT_FROM /* ordo_sort with opts.source */
} verb_kind;

#define NO_TYPE ((ordo_type)0)

typedef enum verb_input {
    NONE,
    IN_ORDER, /* verb_data.sorted */
    UNSORTED,
    NEARLY_SORTED,
    WORDS,
    KEYS
} verb_input;

struct verb_entry {
    const char *name;
    verb_kind   kind;
    ordo_type   type, out_type;
    uint32_t    choice; /* ties, op, kind of flags, or bytes of a value or element; the radius of
                         * sorts and argsorts; MOST_CHOSEN for a selection of many */
    uint32_t    algorithm;
    uint32_t    flags;
    verb_input  input;
};

extern const verb_entry verbs[VERBS];

const char *verb_kind_name(verb_kind kind); /* the name of the operation in a report */

const void *verb_input_of(const verb_entry *v, const verb_data *data);

/* The place of the offsets of strings in out, after their bytes. */
uint64_t *verb_out_offsets(const verb_data *data, unsigned char *out);

/* The place of values or indices in out, after keys of any type. */
size_t verb_second(size_t n);

/* Positions of a selection: both ends, the middle, one position twice; or many, unsorted, from the
 * whole array. Quantiles likewise. Both return the count. */
size_t verb_choose(const verb_entry *v, size_t n, size_t k[MOST_CHOSEN]);
size_t verb_choose_q(const verb_entry *v, double q[MOST_CHOSEN]);
size_t verb_topk(size_t n);

/* The size and the number of the elements of SORT_BY, which are made of the words. */
size_t verb_element(const verb_entry *v);
size_t verb_elements(const verb_entry *v, size_t n);

/* Compares elements of ELEMENT bytes by all their words, or, if user is not NULL, by 8 bits. */
ordo_compare_fn verb_by_words;

#endif
