/* ordo_records.h - arrays of structs, and of elements that a function compares. ordo.h includes
 * this file.
 *
 * The arrays are CPU arrays, or with ORDO_ON_DEVICE GPU arrays; the work is then only queued on
 * opts.stream. The CPU does the work on CPU arrays unless the context is for the GPU only. */
#ifndef ORDO_RECORDS_H
#define ORDO_RECORDS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sorts n elements of `size` bytes in place by a key of each element: `type` at byte key_offset.
 * Neither elements nor keys need alignment. The sort is stable: elements with tied keys (all NaNs;
 * -0 and +0) keep their order. opts: ORDO_DESCENDING, ORDO_STABLE, algorithm AUTO or RADIX.
 *     struct trade { double price; uint32_t id; char name[20]; } *trades;
 *     ordo_sort_records(ctx, trades, n, sizeof *trades, offsetof(struct trade, id), ORDO_U32, NULL)
 * Elements of up to 256 bytes are first scattered to buckets that fit the cache. Larger elements
 * follow a sort of their keys. Elements in order are only read by a CPU, without scratch.
 * Needs scratch for a copy of the array. If that is refused, the call sorts the keys with an index
 * and moves the elements in place, along the cycles of the permutation: scratch for a key and an
 * index of each element, and one element. If that is refused, too: ORDO_E_NOMEM. After
 * ORDO_E_CANCELLED the array holds its elements in an unspecified order; after any other error
 * the array is unchanged. A GPU sorts the keys with an index, moves the elements to scratch and
 * copies them back: scratch for a copy of the array, a key and an index of each element, and the
 * sort.                                                                                          */
ORDO_MUST ordo_status ordo_sort_records(ordo_ctx *ctx, void *base, size_t n, size_t size,
                                        size_t key_offset, ordo_type type,
                                        const ordo_sort_opts *opts);
ORDO_MUST ordo_status ordo_sort_records_scratch(ordo_ctx *ctx, size_t n, size_t size,
                                                size_t key_offset, ordo_type type,
                                                const ordo_sort_opts *opts, size_t *bytes);

/* Compares two elements: < 0 if a comes before b, > 0 if a comes after b, 0 if they tie. Called
 * from several threads at once.                                                                  */
typedef int ordo_compare_fn(void *user, const void *a, const void *b);

/* Sorts n elements of `size` bytes by a comparison function, with O(n lg n) comparisons. Elements
 * are moved by memcpy. algorithm: AUTO, SAMPLE or MERGE; MERGE is stable, and ORDO_STABLE selects
 * it. A GPU cannot call the function: in every context the CPU does all of the work, and
 * ordo_report.backend is "cpu". Needs scratch for n elements. If the comparison function
 * contradicts itself, the order of the elements is unspecified. After ORDO_E_CANCELLED the array
 * holds its elements in an unspecified order; after any other error it is unchanged. */
ORDO_MUST ordo_status ordo_sort_by(ordo_ctx *ctx, void *base, size_t n, size_t size,
                                   ordo_compare_fn *compare, void *user,
                                   const ordo_sort_opts *opts);

typedef struct ordo_move_opts {
    size_t   struct_size;
    uint64_t flags;  /* ORDO_ON_DEVICE                                                           */
    void    *stream; /* ORDO_ON_DEVICE: a cudaStream_t                                           */
} ordo_move_opts;

/* out[i] = in[index[i]] for 0 <= i < count: elements of `size` bytes, without alignment, from an
 * array of n elements. index_type is ORDO_U32 or ORDO_U64. ORDO_E_ARG if an index is not below n;
 * out is unchanged then. GPU arrays: an element whose index is not below n is not written, and the
 * call does not report it. out must not overlap the other arrays. Needs no scratch. After
 * ORDO_E_CANCELLED out is unspecified. opts may be NULL.                                         */
ORDO_MUST ordo_status ordo_gather(ordo_ctx *ctx, const void *in, size_t n, size_t size,
                                  ordo_type index_type, const void *index, size_t count, void *out,
                                  const ordo_move_opts *opts);

/* out[index[i]] = in[i] for 0 <= i < count: the inverse of ordo_gather. out has n elements, and
 * elements that no index names are not written. An element that several indices name is
 * unspecified. Errors are as in ordo_gather.                                                     */
ORDO_MUST ordo_status ordo_scatter(ordo_ctx *ctx, const void *in, size_t count, size_t size,
                                   ordo_type index_type, const void *index, void *out, size_t n,
                                   const ordo_move_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
