/* strings.h - the order of strings by the CPU and a device together: what string*.c share.
 *
 * The device sees no string, only keys of 64 bits with the strings' numbers, which it sorts. A key
 * holds, from the top:
 *
 *   group    which strings it is to be compared with; none in the first round
 *   place    where the string parts from its group's pivot, one of its strings; not in the first
 *   letters  the bytes from there on, in as few bits as the alphabet in use needs
 *   count    of these: 0 to all, or one more where the string goes on
 *
 * so that a first round of protein records compares twelve residues, of ACGT 29. Strings whose keys
 * are equal form the groups of the next round. There a pivot helps: records of one family share
 * more or less of its ancestor, and one key tells how much, however long that is. A string that
 * parts from the pivot at its l-th byte comes before it the earlier the smaller l is, or behind it
 * the later the smaller l is: l below the pivot and 2 * most - l above it put all in order. A pivot
 * that shares much with the others, the best of a sample, leaves few behind.
 *
 *   string_keys.c    alphabets, pivots and keys
 *   string_round.c   a round: keys to the device, and home with the strings in order
 *   string_ties.c    the groups of equal keys
 *   strings.c        the rounds, the memory, and the verbs, which are the CPU's once the order or
 *                    most of it is known (ordo_string_known)
 *
 * A group of few strings and what is left after some rounds is the CPU's to sort, from the depth
 * that it has reached. Device memory: 12 n bytes, or 16 n from 2^32 strings on, and the scratch of
 * their sort. Host memory: as for the CPU alone, 4 n more and 24 bytes a group. */
#ifndef ORDO_HYBRID_STRINGS_STRINGS_H
#define ORDO_HYBRID_STRINGS_STRINGS_H

#include "core/string_view.h"
#include "hybrid/stream/hybrid.h"

enum {
    STRING_ROUNDS = 6,     /* at most; ORDO_STRING_PARTS holds their groups */
    STRING_PLACE_BITS = 8, /* of a key */
    STRING_PLACES = (1 << (STRING_PLACE_BITS - 1)) - 1, /* bytes a pivot is followed at most */
    STRING_LETTERS = 58,                                /* of a key at most */
    STRING_BYTES = 256,                                 /* different ones */
    STRING_UNKNOWN = 1 << 12 /* the letter of a byte outside the alphabet */
};

_Static_assert((int)STRING_ROUNDS <= (int)ORDO_STRING_PARTS, "a part for every round");

typedef struct string_alphabet {
    uint16_t letter[STRING_BYTES];
    unsigned bits; /* of a letter */
} string_alphabet;

typedef struct string_coder { /* how keys are made in one round */
    unsigned group_shift;     /* 64: there are no groups */
    unsigned place_shift;     /* if there are */
    unsigned letters, count_bits;
    uint64_t turn; /* what keys are xored with: 0, or all but the group for descending */
} string_coder;

typedef struct string_tie { /* a group: strings that agree so far */
    size_t   lo;            /* its first place in the order */
    size_t   start, count;  /* its keys in the round */
    uint64_t depth;         /* bytes that its strings share */
} string_tie;

typedef struct string_pivot { /* of a tie: one of its strings, from the tie's depth on */
    unsigned char count;      /* of its bytes, as far as they are looked at */
    unsigned char bytes[STRING_PLACES];
} string_pivot;

typedef struct string_run {
    hybrid_run     run; /* lanes and errors */
    hybrid_records records;
    string_view    view;
    size_t         n;
    bool           equal_wanted; /* groups of equal strings, too */
    bool           apart;        /* most strings are in cache lines of their own */
    ordo_type      id_type;
    size_t         id_size;
    char          *index;  /* ids in order */
    uint64_t      *keys;   /* as they came home; room for n */
    uint32_t      *labels; /* of every string: its tie, counted from 1; 0: none */
    char          *device_keys, *device_ids;

    /* What the strings have in common. */
    uint64_t         shared; /* bytes that all begin with */
    _Atomic uint64_t shared_least, seen[STRING_BYTES / 64];
    size_t           stride; /* strings that are looked at */
    string_alphabet  alphabet;

    /* A round. */
    string_coder  coder;
    string_tie    all; /* the first round's */
    string_tie   *ties;
    string_pivot *pivots;
    size_t        tie_count, entries;
    size_t        piece, pieces; /* of strings on the way out, of entries on the way home */
    size_t       *places;        /* of the pieces on the device */
    atomic_size_t next, done;
    atomic_bool   misfit; /* a string does not begin as all do, or has another letter */

    /* What is found out. */
    ordo_string_known known;
    size_t            rounds, surveys, left;
    double began, survey_s, send_s[2], home_s, ties_s; /* send_s: of the first round, and later */
} string_run;

/* ---- string_keys.c ---- */

/* What a sample of strings, one of every stride, has in common and which letters follow; false:
 * cancelled. */
bool string_survey(string_run *run, size_t stride);
/* Letters for every byte. */
void string_all_letters(string_alphabet *alphabet);
/* The keys of a round of `groups`, or of the first one: 0. false: there are too many groups. */
bool string_coder_make(string_run *run, size_t groups);
/* Chooses the pivots of ties[lo..hi). */
void string_pivots(string_run *run, size_t lo, size_t hi);
/* The keys of the strings first, first + 1, ..., or of those before end that are in a group; false
 * if one does not fit. */
bool string_first_keys(const string_run *run, size_t first, size_t count, uint64_t *keys);
bool string_tie_keys(const string_run *run, size_t first, size_t end, uint64_t *keys, char *ids);

/* Of a key of the round: its group, whether its string goes on, the bytes that are shared by
 * strings that have it. */
static inline size_t string_key_group(const string_coder *coder, uint64_t key)
{
    return coder->group_shift == 64 ? 0 : (size_t)(key >> coder->group_shift);
}

static inline bool string_key_open(const string_coder *coder, uint64_t key)
{
    return ((key ^ coder->turn) & ((UINT64_C(1) << coder->count_bits) - 1)) == coder->letters + 1;
}

static inline uint64_t string_key_depth(const string_coder *coder, uint64_t key)
{
    if (coder->group_shift == 64)
        return coder->letters;
    uint64_t const place =
        (key ^ coder->turn) >> coder->place_shift & ((UINT64_C(1) << STRING_PLACE_BITS) - 1);
    return coder->letters + (place <= STRING_PLACES ? place : 2 * STRING_PLACES - place);
}

static inline size_t string_id(const string_run *run, size_t i)
{
    return run->id_type == ORDO_U32 ? ((const uint32_t *)(const void *)run->index)[i]
                                    : (size_t)((const uint64_t *)(const void *)run->index)[i];
}

/* ---- string_round.c ---- */

/* Keys out and home: run->keys and run->index in order. */
ordo_status string_round(string_run *run);

/* ---- string_ties.c ---- */

/* The groups of run->keys: those worth another round become the run's ties, the others known. */
ordo_status string_ties(string_run *run);

/* Seconds since the last call. */
double string_lap(string_run *run);

/* ---- strings.c: the slots ---- */

ordo_status hybrid_argsort_strings(void *state, const ordo_strings_job *job, ordo_exec *exec);
ordo_status hybrid_rank_strings(void *state, const ordo_string_rank_job *job, ordo_exec *exec);
ordo_status hybrid_sort_strings(void *state, const ordo_string_copy_job *job, ordo_exec *exec);
ordo_status hybrid_sort_pointers(void *state, const ordo_pointers_job *job, ordo_exec *exec);

#endif
