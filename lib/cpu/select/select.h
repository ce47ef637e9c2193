/* select.h - what the parts of selection share.
 *
 * The parts work on words: a word is the key bits of a key, reversed for a descending order
 * (key_turn in core/keybits.h), so that the order of words is the order of the call. In memory a
 * word takes 4 bytes, or 8 for keys of 64 bits. */
#ifndef ORDO_CPU_SELECT_SELECT_H
#define ORDO_CPU_SELECT_SELECT_H

#include "cpu/base/cpu.h"

typedef struct selector { /* one call */
    const ordo_select_job *job;
    ordo_exec             *exec;
    const cpu_kernels     *kernels;
    cpu_band_fn           *band;
    size_t                 key_size, word_size;
    void                  *room; /* scratch for words; NULL if there is none */
    size_t                 room_words;
    cpu_ties              *ties; /* of the only k; NULL: not wanted */
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

/* ---- quickselect.c: words in memory ---- */

/* Reorders words[0..n) so that, for every j < count, the word at k[j] - base is the word that a
 * sort would put there: no word before it is greater, and no word behind it is less. k is ascending
 * and may have repeats. Returns false if the call was cancelled. */
bool select_words(void *words, size_t word_size, size_t n, const size_t *k, size_t count,
                  size_t base, ordo_exec *exec);
void select_words_sort(void *words, size_t word_size, size_t n);
/* The word that a sort would put at place k of words[0..n), which get another order. Returns false
 * if the call was cancelled. */
bool select_one_word(const selector *s, void *words, size_t n, size_t k, uint64_t *word);
/* How many of the words are less than `word` and equal to it. */
cpu_ties select_words_around(const selector *s, const void *words, size_t n, uint64_t word);

/* How many places make a vector sort of all words faster than select_words. */
static inline size_t select_sorted_places(size_t word_size)
{
    return word_size == sizeof(uint32_t) ? ORDO_TUNE_SELECT_SORT : 3 * ORDO_TUNE_SELECT_SORT;
}

/* Sorts n words by vectors; spare has room for n words. Returns false, and leaves the words, if the
 * ISA has no vector sort for so many words. */
bool select_sort(const selector *s, void *words, size_t n, void *spare);

/* ---- select_pass.c: one read of the keys ---- */

enum {
    SELECT_RANGES = 72, /* the most ranges of one pass */
    SELECT_DIGITS = 1 << ORDO_TUNE_DIGIT,
    SELECT_PIECE = 2 * ORDO_TUNE_ALONE, /* keys of one histogram, whose counts are then added */
    SELECT_MANY = 512                   /* the most k of select_cells */
};

typedef struct select_range {
    cpu_band band;     /* the pass counts the keys below and in this band of words */
    size_t   at, room; /* words in the band are kept in selector.room from `at` on, `room` at most;
                        * room 0: they are only counted */
    bool     kept;     /* all words in the band were kept */
} select_range;

/* Counts and keeps, for ranges that ascend and do not overlap. Returns false if cancelled. */
bool select_pass(const selector *s, select_range *ranges, size_t count);

typedef struct select_digits { /* a histogram of the leading digit of word - lo */
    uint64_t lo, hi;
    unsigned shift; /* the digit is (word - lo) >> shift */
    uint64_t least, most;
    size_t   count[SELECT_DIGITS];
} select_digits;

/* Fills everything but lo and hi. Returns false if cancelled. */
bool select_count_digits(const selector *s, select_digits *digits);

/* The words of `count` keys drawn at random by the seed of the call. */
bool select_gather(const selector *s, size_t count, void *words);
/* The words of all keys. */
bool select_copy_words(const selector *s, void *words);
/* out[j] = the key with that word. */
void select_put(const selector *s, size_t j, uint64_t word);

/* ---- select_sample.c: ranges that probably hold the wanted keys ---- */

size_t select_sample_size(size_t n);
/* Room for the words in the ranges of one k; it is almost always enough. */
size_t select_sample_room(size_t n);
/* How many k one pass can serve within the scratch of a selection. */
size_t select_sample_groups(size_t n);

/* Makes ranges for the k from `first` on, as many as one pass can take; *next gets the first k
 * without a range. Uses the front of the room for the sample. */
ordo_status select_brackets(const selector *s, size_t first, size_t *next,
                            select_range ranges[SELECT_RANGES], size_t *count);

/* ---- select_order.c: sorted and reversed arrays ---- */

/* Answers every k, or leaves *done false. */
ordo_status select_by_place(const selector *s, bool *done);

/* ---- select_cells.c: many k at once ---- */

/* Answers all k, at most SELECT_MANY, or sets *done to false if another way is better. Uses all of
 * the room: select_sample_size(n) words for the sample, and the rest for words that are kept. */
ordo_status select_cells(const selector *s, bool *done);

/* ---- select_radix.c: by digits, without random draws ---- */

typedef struct select_part { /* the keys with words lo to hi */
    uint64_t lo, hi;
    size_t   base, count; /* how many keys come before them, and how many they are */
} select_part;

/* Answers the k from `first` on that are in the part; *next gets the first k that is not. */
ordo_status select_radix(const selector *s, select_part part, size_t first, size_t *next);

#endif
