/* record_type.h - how keys of one type become records and records become results; radix.h says what
 * each does. The loops are stamped from records.t.h and compiled once for every ISA. */
#ifndef ORDO_CPU_RADIX_RECORD_TYPE_H
#define ORDO_CPU_RADIX_RECORD_TYPE_H

#include "cpu/radix/radix.h"

typedef struct record_type {
    void (*load_keys)(const radix_io *io, size_t at, size_t count, void *records);
    void (*store_keys)(const radix_io *io, size_t at, size_t count, const void *records);
    void (*load_index_p32)(const radix_io *io, size_t at, size_t count, void *records);
    void (*load_index_p64)(const radix_io *io, size_t at, size_t count, void *records);
    void (*load_pairs_p32)(const radix_io *io, size_t at, size_t count, void *records);
    void (*store_pairs_p32)(const radix_io *io, size_t at, size_t count, const void *records);
    void (*load_pairs_p64)(const radix_io *io, size_t at, size_t count, void *records);
    void (*store_pairs_p64)(const radix_io *io, size_t at, size_t count, const void *records);
    void (*load_digits_32)(const radix_io *io, size_t at, size_t count, void *digits);
    void (*load_digits_64)(const radix_io *io, size_t at, size_t count, void *digits);
    bool (*fold_alike)(const void *keys, size_t lo, size_t hi);
    void (*load_short)(const radix_io *io, size_t at, size_t count, void *records);
    void (*load_short_digits)(const radix_io *io, size_t at, size_t count, void *digits);
    void (*extent)(const radix_io *io, size_t lo, size_t hi, uint64_t *least, uint64_t *most);
} record_type;

const record_type *record_type_generic(ordo_type type);
#if defined(__x86_64__)
const record_type *record_type_avx2(ordo_type type);
const record_type *record_type_avx512(ordo_type type);
#endif

#endif
