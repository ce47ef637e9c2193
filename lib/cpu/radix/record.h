/* record.h - the records that every sort of the CPU moves: key bits and a payload.
 *
 *   k32, k64   key bits alone
 *   p32        32 key bits above a payload of 32 bits, in one word
 *   p64        64 key bits and a payload of 64 bits
 *
 * The payload is the index of the key in the input, or the value of a pair. No two records with an
 * index are equal, so a sort that compares whole records is stable. Whole p32 records compare as
 * k64. records.h turns keys into records and records into results. */
#ifndef ORDO_CPU_RADIX_RECORD_H
#define ORDO_CPU_RADIX_RECORD_H

#include "backend/exec.h"

enum record_kind {
    RECORD_K32,
    RECORD_K64,
    RECORD_P32,
    RECORD_P64,
    RECORD_KINDS
};

typedef uint32_t record_k32;
typedef uint64_t record_k64;
typedef uint64_t record_p32;
typedef struct record_p64 {
    uint64_t key, index;
} record_p64;

/* The key bits of a record, and their type. */
typedef uint32_t       digits_k32, digits_p32;
typedef uint64_t       digits_k64, digits_p64;
static inline uint32_t record_key_k32(record_k32 r) { return r; }
static inline uint64_t record_key_k64(record_k64 r) { return r; }
static inline uint32_t record_key_p32(record_p32 r) { return (uint32_t)(r >> 32); }
static inline uint64_t record_key_p64(record_p64 r) { return r.key; }

/* Whether the whole record a comes before b; no branch. Compilers compare 128 bits by a subtraction
 * with borrow. */
__extension__ typedef unsigned __int128 record_wide;
static inline int record_less_k32(record_k32 a, record_k32 b) { return a < b; }
static inline int record_less_k64(record_k64 a, record_k64 b) { return a < b; }
static inline int record_less_p64(record_p64 a, record_p64 b)
{
    return ((record_wide)a.key << 64 | a.index) < ((record_wide)b.key << 64 | b.index);
}

/* b if take_b is 1, a if it is 0; no branch. */
static inline uint32_t record_pick_k32(int take_b, uint32_t a, uint32_t b)
{
    return take_b ? b : a;
}
static inline uint64_t record_pick_k64(int take_b, uint64_t a, uint64_t b)
{
    return take_b ? b : a;
}
static inline uint64_t record_pick_p32(int take_b, uint64_t a, uint64_t b)
{
    return take_b ? b : a;
}
static inline record_p64 record_pick_p64(int take_b, record_p64 a, record_p64 b)
{
    return (record_p64){take_b ? b.key : a.key, take_b ? b.index : a.index};
}

static inline size_t record_size(enum record_kind kind)
{
    static const uint8_t size[RECORD_KINDS] = {4, 8, 8, 16};
    return size[kind];
}

/* The number of key bits. */
static inline unsigned record_width(enum record_kind kind)
{
    return kind == RECORD_K32 || kind == RECORD_P32 ? 32 : 64;
}

typedef struct cpu_records {
    enum record_kind kind;
    void            *array;
    size_t           n;
} cpu_records;

/* A sort of whole records in place, ascending. It takes its scratch from exec. ORDO_E_NOMEM is
 * returned before a record is moved; after ORDO_E_CANCELLED the records are unspecified. */
typedef ordo_status cpu_records_fn(const cpu_records *records, ordo_exec *exec);

cpu_records_fn cpu_records_inplace; /* inplace_radix.c: no scratch that grows with n */

/* The functions of a template that compares whole records, one for each kind. */
#define RECORD_FUNCTIONS(name)                                                                     \
    {                                                                                              \
        name##_k32, name##_k64, name##_k64, name##_p64                                             \
    }

#endif
