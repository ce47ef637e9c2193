/* records.h - turns keys into records and records into results. */
#ifndef ORDO_CPU_RADIX_RECORDS_H
#define ORDO_CPU_RADIX_RECORDS_H

#include "cpu/radix/radix.h"

/* The kind of record of a job with this type and payload. Keys of less than 32 bits are widened. */
enum record_kind records_kind_of_keys(ordo_type type);
enum record_kind records_kind_of_argsort(ordo_type type, size_t n);
enum record_kind records_kind_of_pairs(ordo_type type, size_t value_size);

/* Keys alone. load and store are NULL if the keys are their own key bits. */
radix_io records_of_keys(const cpu_kernels *kernels, const ordo_sort_job *job);
/* Whether the keys are the records. */
bool records_are_keys(const ordo_sort_job *job);
/* The map from key bits to keys; NULL for descending floats, because NaNs stay last. */
const cpu_words_map *records_map(const ordo_sort_job *job);
/* Keys with their index; the results are the indices. kind is P64, or P32 if that holds both. */
radix_io records_of_argsort(const cpu_kernels *kernels, const ordo_argsort_job *job,
                            enum record_kind kind);
/* Keys with values of at most 4 (keys of at most 32 bits) or 8 bytes, in place. Floats only if
 * records_fold_alike sets *alike. */
radix_io records_of_pairs(const cpu_kernels *kernels, const ordo_pairs_job *job);
/* The key bits of an array that is only read, by records_tile. folded: keys that tie have equal key
 * bits; otherwise the order is that of a keys-only sort. */
radix_io records_of_order(const cpu_kernels *kernels, ordo_type type, const void *keys, size_t n,
                          bool descending, bool folded);

/* Key bits [at, at + count) of records_of_order, or of an array of records: in place, or made in
 * `buffer`, which has room for them. */
static inline const void *records_tile(const radix_io *io, size_t at, size_t count, void *buffer)
{
    if (io->load_digits == NULL)
        return (const char *)io->in + at * io->key_size;
    io->load_digits(io, at, count, buffer);
    return buffer;
}

/* records_load loads all records of io into an array, which may be the keys' own memory;
 * records_store stores such an array as results. If load or store is NULL, the keys are the records
 * and nothing is done. */
ordo_status records_load(const radix_io *io, const cpu_records *records, ordo_exec *exec);
ordo_status records_store(const radix_io *io, const cpu_records *records, ordo_exec *exec);

/* Shortened keys (io.shortened) of a type of 64 bits: sets load and load_digits. */
void records_shorten(const cpu_kernels *kernels, ordo_type type, radix_io *io);

/* bits[i] = the key bits of row at + i. */
void records_bits(const cpu_kernels *kernels, const ordo_key_column *column, size_t at,
                  size_t count, uint64_t *bits);
/* Words of the keys of an argsort and their indices. */
void records_words(const cpu_kernels *kernels, const ordo_argsort_job *job, const cpu_tie_map *map,
                   uint64_t *words);

/* A function that reads the key bits of keys[i], in the order of an argsort. */
typedef uint64_t records_key_fn(const void *keys, size_t i);
records_key_fn  *records_key_of(ordo_type type, bool descending);

/* *alike = no key is a NaN or a -0: keys that tie have the same bits. */
ordo_status records_fold_alike(ordo_type type, const void *keys, size_t n, bool *alike,
                               ordo_exec *exec);

#endif
