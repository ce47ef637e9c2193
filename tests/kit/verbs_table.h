/* verbs_table.h - how a call is described: shared by verbs.c, which makes the calls,
 * verbs_expect.c, which knows the answers, and sweep.c, which describes calls of its own. */
#ifndef ORDO_TESTS_VERBS_TABLE_H
#define ORDO_TESTS_VERBS_TABLE_H

#include "verbs.h"

enum {
    SPOIL = 0xee,
    ELEMENT = 12,
    OUT_ELEMENT = 24, /* a key and a value, or a key and an index */
    OUT_MORE = 64,
    STRING_MOST = 6, /* "99999" and its zero byte */
    CHOSEN = 5,      /* k-th keys or quantiles asked for at once */
    MOST_CHOSEN = 65 /* by entries that ask for many */
};

#define SPOILT_SCALAR UINT64_C(0xeeeeeeeeeeeeeeee)

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
    TOPK, /* the last with a scratch query */
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
    IN_ORDER, /* sorted */
    LOOSE,
    ROUGH,
    WORDS,
    KEYS /* verb_data.keys */
} verb_input;

struct verb_entry {
    const char *name, *operation;
    verb_kind   kind;
    ordo_type   type, out_type;
    uint32_t    choice;    /* ties, op, kind of flags, bytes of values or elements; the radius of
                            * sorts and argsorts; how many a selection is asked for: MOST_CHOSEN,
                            * or 0 for CHOSEN */
    uint32_t    algorithm; /* of sorts, ranks, selections, radius      */
    uint32_t    flags;
    verb_input  input;
};

extern const verb_entry verbs[VERBS];

void       *verb_need(size_t bytes); /* zeroed memory, or the end of the test */
const void *verb_input_of(const verb_entry *v, const verb_data *data);

/* Where the strings' offsets go in out, behind their bytes. */
uint64_t *verb_out_offsets(const verb_data *data, unsigned char *out);

/* Where values or indices go in out, behind the keys of any type. */
size_t verb_second(size_t n);

/* Positions asked of a selection: the ends, the middle, one twice; or many, all over the array, in
 * no order. Quantiles likewise. Both return how many. */
size_t verb_choose(const verb_entry *v, size_t n, size_t k[MOST_CHOSEN]);
size_t verb_choose_q(const verb_entry *v, double q[MOST_CHOSEN]);
size_t verb_topk(size_t n);

/* Elements of SORT_BY are cut from the words. */
size_t verb_element(const verb_entry *v);
size_t verb_elements(const verb_entry *v, size_t n);

/* Elements of ELEMENT bytes: by all their words, or, if user is not NULL, by a few bits. */
ordo_compare_fn verb_by_words;

#endif
