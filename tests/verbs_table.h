/* verbs_table.h - what verbs.c, which makes the calls, and verbs_expect.c, which knows the answers,
 * share. For nobody else. */
#ifndef ORDO_TESTS_VERBS_TABLE_H
#define ORDO_TESTS_VERBS_TABLE_H

#include "verbs.h"

enum {
    SPOIL = 0xee,
    ELEMENT = 12,
    OUT_ELEMENT = 16,
    OUT_MORE = 64,
    STRING_MOST = 6, /* "99999" and its zero byte */
    CHOSEN = 5       /* k-th keys or quantiles asked for at once */
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
    SELECT_STRINGS
} verb_kind;

#define NO_TYPE ((ordo_type)0)

typedef enum verb_input {
    NONE,
    IN_ORDER, /* sorted */
    LOOSE,
    ROUGH,
    WORDS
} verb_input;

typedef struct verb_entry {
    const char *name, *operation;
    verb_kind   kind;
    ordo_type   type, out_type;
    uint32_t    choice;    /* ties, op, kind of flags, bytes of values */
    uint32_t    algorithm; /* of sorts, ranks, selections, radius      */
    uint32_t    flags;
    verb_input  input;
} verb_entry;

extern const verb_entry verbs[VERBS];

void       *verb_need(size_t bytes); /* zeroed memory, or the end of the test */
const void *verb_input_of(const verb_entry *v, const verb_data *data);

/* Where the strings' offsets go in out, behind their bytes. */
uint64_t *verb_out_offsets(const verb_data *data, unsigned char *out);

/* Positions asked of a selection: the ends, the middle, one twice; quantiles likewise. */
void                verb_choose(size_t n, size_t k[CHOSEN]);
extern const double verb_chosen_q[CHOSEN];
size_t              verb_topk(size_t n);

/* Elements of ELEMENT bytes: by all their words, or, if user is not NULL, by a few bits. */
ordo_compare_fn verb_by_words;

#endif
