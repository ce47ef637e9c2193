/* records.h - keys into records and records into results, for the radix sort. */
#ifndef ORDO_CPU_RADIX_RECORDS_H
#define ORDO_CPU_RADIX_RECORDS_H

#include "cpu/radix/radix.h"

/* Keys alone, of 32 or 64 bits. */
radix_io records_of_keys(const cpu_kernels *kernels, const ordo_sort_job *job);
/* Keys with the index they came from; the results are the indices. kind is P64, or P32 if that
 * holds both. */
radix_io records_of_argsort(const cpu_kernels *kernels, const ordo_argsort_job *job,
                            enum radix_kind kind);
/* Keys with values of at most 4 (keys of at most 32 bits) or 8 bytes, in place. Floats only if
 * keys_fold_alike says so. */
radix_io records_of_pairs(const cpu_kernels *kernels, const ordo_pairs_job *job);

/* Which kind a job with that type and payload uses. */
enum radix_kind records_kind_of_keys(ordo_type type);
enum radix_kind records_kind_of_argsort(ordo_type type, size_t n);
enum radix_kind records_kind_of_pairs(ordo_type type, size_t value_size);

/* Key bits, turned around if descending, in place of keys of 32 or 64 bits; and back. */
ordo_status records_map(const ordo_sort_job *job, ordo_exec *exec);
ordo_status records_unmap(const ordo_sort_job *job, ordo_exec *exec);

/* Fills items with the folded key and the index of every key (CPU_ITEM_64: keys of at most 32
 * bits, n <= 2^32; CPU_ITEM_128); and the indices out of such items. */
ordo_status records_index(const ordo_argsort_job *job, const cpu_items *items, ordo_exec *exec);
ordo_status records_store_index(const cpu_items *items, ordo_type index_type, void *index,
                                ordo_exec *exec);

/* How keys become short ones (io.shorter), of a type of 64 bits; one key whole, and the least and
 * largest of keys [lo, hi) of the input, as argsorts order them. */
void records_shorten(const cpu_kernels *kernels, ordo_type type, radix_io *io);
uint64_t (*records_key_at(ordo_type type))(const radix_io *io, size_t index);
void records_extent(const radix_io *io, ordo_type type, size_t lo, size_t hi, uint64_t *least,
                    uint64_t *most);

/* *alike = no key is a NaN or a -0: keys that tie have the same bits. */
ordo_status records_fold_alike(ordo_type type, const void *keys, size_t n, bool *alike,
                               ordo_exec *exec);

#endif
