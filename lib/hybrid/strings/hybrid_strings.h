/* hybrid_strings.h - sorts strings on the CPU and a device: the types and functions that the files
 * of this folder share.
 *
 * The device sorts 64-bit keys with the strings' ids; the strings stay in host memory. A key of the
 * first round holds the first letters of its string. Strings with equal keys form groups. Large
 * groups go into more rounds, with keys of the bytes that follow; the CPU sorts the other groups.
 *
 * Device memory: 12 n bytes, or 16 n for more than 2^32 strings, and the scratch of their sort.
 * Host memory: that of the CPU's verb, 4 n bytes and 24 bytes per group. */
#ifndef ORDO_HYBRID_STRINGS_HYBRID_STRINGS_H
#define ORDO_HYBRID_STRINGS_HYBRID_STRINGS_H

#include "core/string_view.h"
#include "hybrid/stream/hybrid_call.h"

enum {
    STRING_ROUNDS = 6, /* the most rounds of a call */
    STRING_PLACE_BITS = 8,
    STRING_PIVOT_BYTES = (1 << (STRING_PLACE_BITS - 1)) - 1, /* bytes of a pivot, at most */
    STRING_LETTERS = 58,                                     /* the most letters of a key */
    STRING_BYTES = 256,                                      /* values of a byte */
    STRING_UNKNOWN = 1 << 12 /* the letter of a byte outside the alphabet */
};

_Static_assert((int)STRING_ROUNDS <= (int)ORDO_STRING_PARTS, "a part for every round");

typedef struct string_alphabet {
    uint16_t letter[STRING_BYTES];
    unsigned bits; /* bits of a letter */
} string_alphabet;

/* The bits of a key in one round, from the highest:
 *
 *   group    number of the group; later rounds only
 *   place    where the string first differs from its group's pivot; later rounds only
 *   letters  the bytes from there on, each in the bits that the alphabet needs
 *   count    0 to `letters` if the string ends there, letters + 1 if it continues
 *
 * If a string shares l bytes with the pivot, its place is l below the pivot and
 * 2 * STRING_PIVOT_BYTES - l above: this is the order of the strings. */
typedef struct string_layout {
    unsigned group_shift; /* 64: the first round, without groups */
    unsigned place_shift;
    unsigned letters, count_bits;
    uint64_t flip; /* xored with keys: 0 if ascending, else all bits below the group */
} string_layout;

typedef struct tied_group { /* strings whose first `depth` bytes are equal */
    size_t   order_start;   /* where the group begins in the order */
    size_t   start, count;  /* the group's entries in the round */
    uint64_t depth;
} tied_group;

typedef struct string_pivot { /* the bytes of one string of the group, from the group's depth on */
    unsigned char count;
    unsigned char bytes[STRING_PIVOT_BYTES];
} string_pivot;

typedef struct hybrid_string_order { /* one call */
    hybrid_call    call;             /* lanes and errors; without tables */
    hybrid_records records;
    string_view    view;
    size_t         n;
    bool           equal_wanted; /* also report groups of equal strings */
    bool           far_apart;    /* most strings do not share cache lines */
    ordo_type      id_type;
    size_t         id_size;
    char          *index;  /* ids in order */
    uint64_t      *keys;   /* sorted keys of the round; room for n */
    uint32_t      *labels; /* the group of each string, counted from 1; 0: none */
    char          *device_keys, *device_ids;

    /* The survey. */
    uint64_t         shared; /* bytes that all strings begin with */
    _Atomic uint64_t shared_least, seen[STRING_BYTES / 64];
    size_t           stride; /* one string of every `stride` is examined */
    string_alphabet  alphabet;

    /* A round. An entry is a string that takes part. */
    string_layout layout;
    tied_group    all; /* the group of the first round */
    tied_group   *groups;
    string_pivot *pivots;
    size_t        group_count, entries;
    size_t        chunk_strings, chunk_count; /* strings when sending, entries when fetching */
    size_t       *chunk_place;                /* place of each chunk on the device */
    atomic_size_t next;                       /* the next chunk */
    atomic_bool   misfit; /* a string has another beginning or a byte outside the alphabet */

    /* Results. */
    ordo_string_known known;
    size_t            rounds, surveys, left; /* left: groups for the CPU */
    ordo_facts        sampled;               /* SAMPLE only: the facts of the sort of the keys */
    const char       *isa;                   /* SAMPLE only: the ISA of that sort */
    /* survey_s: with SAMPLE, the time to make the keys; send_s: of the first round, of later
     * rounds. */
    double last_time, survey_s, send_s[2], fetch_s, groups_s;
} hybrid_string_order;

/* Seconds since the last call of this function. */
static inline double string_seconds(hybrid_string_order *order)
{
    double const now = ordo_profile_clock(), before = order->last_time;
    order->last_time = now;
    return now - before;
}

/* ---- string_keys.c ---- */

/* Examines one string of every `stride` for the common beginning and the alphabet. Returns false if
 * the call was cancelled. */
bool string_survey(hybrid_string_order *order, size_t stride);
/* Makes an alphabet of all bytes. */
void string_use_all_bytes(string_alphabet *alphabet);
/* Chooses the layout for a round of `groups` groups; 0: the first round. Returns false if a key has
 * no room for a letter. */
bool string_choose_layout(hybrid_string_order *order, size_t groups);
/* Chooses the pivots of groups[lo..hi). */
void string_choose_pivots(hybrid_string_order *order, size_t lo, size_t hi);
/* Makes the keys of strings [first, first + count). Returns false if a string is a misfit. */
bool string_first_keys(const hybrid_string_order *order, size_t first, size_t count,
                       uint64_t *keys);
/* Makes keys and ids of the strings in [first, end) that are in a group. Returns false if a string
 * is a misfit. */
bool string_group_keys(const hybrid_string_order *order, size_t first, size_t end, uint64_t *keys,
                       char *ids);

static inline size_t string_key_group(const string_layout *layout, uint64_t key)
{
    return layout->group_shift == 64 ? 0 : (size_t)(key >> layout->group_shift);
}

/* Whether the string continues after the letters of its key. */
static inline bool string_key_open(const string_layout *layout, uint64_t key)
{
    return ((key ^ layout->flip) & ((UINT64_C(1) << layout->count_bits) - 1)) ==
           layout->letters + 1;
}

/* Bytes after the group's depth that strings with this key share. */
static inline uint64_t string_key_depth(const string_layout *layout, uint64_t key)
{
    if (layout->group_shift == 64)
        return layout->letters;
    uint64_t const place =
        (key ^ layout->flip) >> layout->place_shift & ((UINT64_C(1) << STRING_PLACE_BITS) - 1);
    return layout->letters + (place <= STRING_PIVOT_BYTES ? place : 2 * STRING_PIVOT_BYTES - place);
}

static inline size_t string_id(const hybrid_string_order *order, size_t i)
{
    return order->id_type == ORDO_U32 ? ((const uint32_t *)(const void *)order->index)[i]
                                      : (size_t)((const uint64_t *)(const void *)order->index)[i];
}

/* ---- string_round.c ---- */

/* Sorts the keys of the round's entries: fills order->keys and the entries' places in
 * order->index. */
ordo_status string_round(hybrid_string_order *order);

/* ---- string_groups.c ---- */

/* Finds the groups of order->keys. Groups for another round become order->groups; the others are
 * added to order->known. */
ordo_status string_find_groups(hybrid_string_order *order);

/* ---- hybrid_strings.c: slots of the backend ---- */

ordo_status hybrid_argsort_strings(void *state, const ordo_strings_job *job, ordo_exec *exec);
ordo_status hybrid_rank_strings(void *state, const ordo_string_rank_job *job, ordo_exec *exec);
ordo_status hybrid_sort_strings(void *state, const ordo_string_copy_job *job, ordo_exec *exec);
ordo_status hybrid_sort_pointers(void *state, const ordo_pointers_job *job, ordo_exec *exec);

#endif
