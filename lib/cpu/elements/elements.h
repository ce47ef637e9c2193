/* elements.h - moves of elements of any size, and the sort of structs by a key. */
#ifndef ORDO_CPU_ELEMENTS_ELEMENTS_H
#define ORDO_CPU_ELEMENTS_ELEMENTS_H

#include "cpu/base/cpu.h"

/* to[i] = from[index[i]] for lo <= i < hi; the index is u32 (narrow) or u64. */
void element_gather(char *to, const char *from, size_t size, const void *index, bool narrow,
                    size_t lo, size_t hi);
/* The same for records of a sort (record.h) that hold the index: 8 bytes with the index in the low
 * 32 bits (packed), or 16 bytes with the index in the second word. */
void element_gather_records(char *to, const char *from, size_t size, const void *records,
                            bool packed, size_t count);
/* A whole job that gathers, by all threads. The indices are not checked. */
ordo_status element_gather_all(const ordo_move_job *job, ordo_exec *exec);
/* Moves element index[i] to place i, for all i; `room` holds one element. Overwrites the index. If
 * the call is cancelled, no element is lost. */
bool element_permute(char *base, size_t size, size_t n, void *index, bool narrow, char *room,
                     ordo_exec *exec);
/* A scatter of elements to buckets. If the writes bypass the cache, the elements of a bucket are
 * collected in a block in the cache before they are written, so that the writes fill whole cache
 * lines. */
enum {
    ELEMENT_BLOCK = 256 /* bytes of a block */
};
typedef struct element_scatter {
    char   *to; /* begins on a cache line */
    size_t  size;
    size_t  buckets;
    size_t *places;  /* for each bucket the offset of its next element in bytes */
    size_t *firsts;  /* the places before the first element is moved */
    char   *blocks;  /* element_block_bytes() for each bucket, on a cache line */
    bool    streams; /* the writes bypass the cache; if not, firsts and blocks are not used */
} element_scatter;

/* Whether a scatter to an array of that many bytes bypasses the cache, if the ISA can. V1, which
 * cannot, 10^7 elements of 32 bytes to 1024 buckets, ns each: 7.0 through blocks, 2.9 directly. */
bool element_streams(size_t bytes);

static inline size_t element_block_bytes(size_t size)
{
    return ELEMENT_BLOCK + ordo_round_up(size, ORDO_CACHE_LINE);
}

/* Moves from[i] to bucket labels[i] for 0 <= i < count, in order. */
void element_scatter_labels(const element_scatter *scatter, const char *from,
                            const uint16_t *labels, size_t count);
/* Writes the rest of the blocks. */
void element_scatter_end(const element_scatter *scatter);

/* words[i] = the key bits of element at + i of the job, in the order of an argsort. */
void element_read_keys(const ordo_records_job *job, size_t at, size_t count, uint64_t *words);
/* Sorts n elements of the job from `from` to `to` by records of key bits and index; and in the
 * cache if they are few. sort_bucket.c */
ordo_status element_radix(const cpu_kernels *kernels, const ordo_records_job *job, const char *from,
                          size_t n, char *to, ordo_exec *exec);
size_t      element_radix_scratch(ordo_type type, size_t n, unsigned threads);
ordo_status element_sort_bucket(const cpu_kernels *kernels, const ordo_records_job *job,
                                const char *from, size_t n, char *to, ordo_exec *exec);
size_t      element_bucket_scratch(ordo_type type, size_t n, unsigned threads);

#endif
