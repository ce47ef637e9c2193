/* select.h - what the parts of selection share.
 *
 * Everything below the keys speaks of words: the key bits, turned around for a descending order
 * (keybits.h), so that word order is the order asked for and every word is one key. In memory a
 * word takes 4 bytes, or 8 for keys of 64 bits. */
#ifndef ORDO_CPU_SELECT_SELECT_H
#define ORDO_CPU_SELECT_SELECT_H

#include "cpu/cpu.h"

typedef struct selector { /* one call */
    const ordo_select_job *job;
    ordo_exec             *exec;
    cpu_band_fn           *band;
    size_t                 key_size, word_size;
    void                  *room; /* for words; NULL if there is none */
    size_t                 room_words;
} selector;

static inline size_t select_word_size(ordo_type type)
{
    return ordo_type_size(type) > sizeof(uint32_t) ? sizeof(uint64_t) : sizeof(uint32_t);
}

static inline uint64_t select_last_word(size_t key_size)
{
    return UINT64_MAX >> (64 - 8 * key_size);
}

static inline uint64_t select_word_at(const void *words, size_t word_size, size_t i)
{
    return word_size == sizeof(uint32_t) ? ((const uint32_t *)words)[i]
                                         : ((const uint64_t *)words)[i];
}

/* ---- select_words.c: words in memory ---- */

/* Reorders words[0..n) so that the one at k[j] - base is the one a sort would put there, for every
 * j < count; k rises, repeats do no harm. Nothing before such a place is greater, nothing behind it
 * less. False if the call was cancelled. */
bool select_words(void *words, size_t word_size, size_t n, const size_t *k, size_t count,
                  size_t base, ordo_exec *exec);
void select_words_sort(void *words, size_t word_size, size_t n);

/* ---- select_pass.c: one read of the keys ---- */

enum {
    SELECT_RANGES = 72, /* of one pass */
    SELECT_DIGITS = 1 << ORDO_TUNE_SELECT_DIGIT,
    SELECT_MANY = 512 /* k that select_cells takes */
};

typedef struct select_range { /* of words, both ends inside */
    cpu_band band;            /* the pass counts the keys below it and inside */
    size_t   at, room;        /* words inside are kept in the room from `at` on; 0: only counted */
    bool     kept;            /* all of them were */
} select_range;

/* Counts and keeps, for ranges that rise and do not overlap. False if cancelled. */
bool select_pass(const selector *s, select_range *ranges, size_t count);

typedef struct select_digits { /* keys of a range by the leading digit of word - lo */
    uint64_t lo, hi;
    unsigned shift; /* of the digit */
    uint64_t least, most;
    size_t   count[SELECT_DIGITS];
} select_digits;

/* Fills in everything but lo and hi. False if cancelled. */
bool select_count_digits(const selector *s, select_digits *digits);

/* `count` keys drawn at random by the seed of the call, as words. */
bool select_gather(const selector *s, size_t count, void *words);
/* Every key as a word. */
bool select_copy_words(const selector *s, void *words);
/* out[j] = the key with that word. */
void select_put(const selector *s, size_t j, uint64_t word);

/* ---- select_sample.c: where the wanted keys probably are ---- */

size_t select_sample_size(size_t n);
/* Words that are enough, almost surely, for all that falls inside the ranges of one k. */
size_t select_sample_room(size_t n);
/* How many k one pass serves within the scratch that selection allows itself. */
size_t select_sample_groups(size_t n);

/* Ranges for the k from `first` on, as many as one pass takes; *next gets the first k that has none
 * yet. Uses the front of the room for the sample. */
ordo_status select_brackets(const selector *s, size_t first, size_t *next,
                            select_range ranges[SELECT_RANGES], size_t *count);

/* ---- select_cells.c: many k at once ---- */

/* Answers all k, at most SELECT_MANY, or finds that it is not worth it: then *done is false. Uses
 * all of the room, of select_sample_size(n) words and what may be kept. */
ordo_status select_cells(const selector *s, bool *done);

/* ---- select_radix.c: by digits, exact and without chance ---- */

typedef struct select_part { /* the keys with words lo to hi: how many, and how many come before */
    uint64_t lo, hi;
    size_t   base, count;
} select_part;

/* Answers the k from `first` on that lie in the part; *next gets the first one that does not. */
ordo_status select_radix(const selector *s, select_part part, size_t first, size_t *next);

/* ---- cpu_select.c ---- */

/* ordo_scratch where the call can do without: NULL, and no error, if there is none. */
void *select_try_scratch(ordo_exec *exec, size_t bytes);

#endif
