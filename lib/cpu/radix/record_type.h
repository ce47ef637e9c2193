/* record_type.h - the loops that turn keys of one type into records, and records into results. radix.h
 * describes each of them. They are stamped from records.t.h (kernel/plain_loops.h). */
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

#endif
