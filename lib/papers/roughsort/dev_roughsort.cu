/* dev_roughsort.cu - the two GPU sorts of k-sorted arrays of A. Pfaff and J. Treadwell, "Parallel
 * Sorting of Roughly-Sorted Sequences" (2016): rough and halving; and insertion, a faster rough.
 *
 * rough, after T. Altman and B. Chlebus (1990): one thread sorts each segment of 2k records, then
 * one thread sorts each segment of 2k records that begins k records later. A thread sorts in device
 * memory by a radix sort between the two arrays, as the authors call Thrust's radix sort from each
 * thread. insertion does the same, but sorts short segments by insertion. halving, after T. Altman
 * and Y. Igarashi (1989): each round of three launches halves the radius; one thread partitions a
 * block of records around its median. Cost: O(n) and O(n lg k) steps in all; a thread takes time
 * linear in its segment. */
#include "papers/base/dev_compare.cuh"
#include "papers/roughsort/roughsort.h"

enum {
    SEGMENT_THREADS = 128,
    SEGMENT_INSERTION = 64, /* longest segment that `insertion` sorts by insertion */
    SEGMENT_DIGIT = 4,      /* bits of a digit; each thread has a counter for each digit value */
    SELECT_SMALL = 12,      /* records that a selection sorts by insertion */
    SELECT_PATIENCE = 4     /* times lg of the block size: most partitions before heap sort is
                             * used */
};

/* ---- Sorts of one thread ---- */

template <typename K> static DEVICE void thread_insertion(K *a, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        K const record = a[i];
        size_t  at = i;
        for (; at > 0 && record < a[at - 1]; at--)
            a[at] = a[at - 1];
        a[at] = record;
    }
}

/* The part of a record that the radix sort reads. The index below it is ascending from the start,
 * and the radix sort is stable. */
template <typename K> static DEVICE uint64_t record_key(const K &record, unsigned index_bits)
{
    if constexpr (sizeof(K) == sizeof(key_record))
        return record.key;
    else
        return (uint64_t)record >> index_bits;
}

/* Radix sort from the least significant digit, between a and b; digits that do not differ are
 * skipped. The result is in a. */
template <typename K>
static __device__ __noinline__ void thread_radix(K *a, K *b, size_t count, unsigned index_bits)
{
    constexpr unsigned DIGITS = 1u << SEGMENT_DIGIT;
    uint64_t const     first = record_key(a[0], index_bits);
    uint64_t           differ = 0;
    K                 *from = a, *to = b;
    for (size_t i = 1; i < count; i++)
        differ |= record_key(a[i], index_bits) ^ first;
    for (unsigned shift = 0; shift < 64; shift += SEGMENT_DIGIT) {
        if ((differ >> shift & (DIGITS - 1)) == 0)
            continue;
        size_t place[DIGITS] = {}, sum = 0;
        for (size_t i = 0; i < count; i++)
            place[record_key(from[i], index_bits) >> shift & (DIGITS - 1)]++;
        for (unsigned digit = 0; digit < DIGITS; digit++) {
            size_t const here = place[digit];
            place[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++) {
            K const record = from[i];
            to[place[record_key(record, index_bits) >> shift & (DIGITS - 1)]++] = record;
        }
        K *const other = from;
        from = to;
        to = other;
    }
    for (size_t i = 0; from != a && i < count; i++)
        a[i] = from[i];
}

/* Inserts `record` into heap[0 .. n), largest on top, at or below `root`, which is free. */
template <typename K> static DEVICE void thread_sift(K *heap, size_t root, size_t n, K record)
{
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && heap[child] < heap[child + 1])
            child++;
        if (!(record < heap[child]))
            break;
        heap[root] = heap[child];
    }
    heap[root] = record;
}

template <typename K> static __device__ __noinline__ void thread_heap(K *a, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        thread_sift(a, i, n, a[i]);
    for (size_t end = n; end-- > 1;) {
        K const last = a[end];
        a[end] = a[0];
        thread_sift(a, 0, end, last);
    }
}

template <typename K> static DEVICE void thread_swap(K *a, size_t i, size_t j)
{
    K const record = a[i];
    a[i] = a[j];
    a[j] = record;
}

/* Partitions a[0 .. n) around the median of its first, middle and last record. Returns the place of
 * that median. */
template <typename K> static DEVICE size_t thread_partition(K *a, size_t n)
{
    thread_swap(a, 0, n / 2);
    if (a[n - 1] < a[0])
        thread_swap(a, 0, n - 1);
    if (a[0] < a[n / 2])
        thread_swap(a, 0, n / 2);
    if (a[n - 1] < a[0])
        thread_swap(a, 0, n - 1);
    K const pivot = a[0];
    size_t  i = 0, j = n; /* a[1 .. i] <= pivot <= a[j .. n) */
    for (;;) {
        do
            i++;
        while (i < n && a[i] < pivot);
        do
            j--;
        while (pivot < a[j]);
        if (i >= j)
            break;
        thread_swap(a, i, j);
    }
    thread_swap(a, 0, j);
    return j;
}

/* Moves the k smallest records to a[0 .. k), in any order. */
template <typename K> static DEVICE void thread_select(K *a, size_t n, size_t k)
{
    unsigned patience = SELECT_PATIENCE * (64 - __clzll((long long)n));
    while (n > SELECT_SMALL) {
        if (patience-- == 0) {
            thread_heap(a, n);
            return;
        }
        size_t const j = thread_partition(a, n);
        if (k == j || k == j + 1)
            return;
        if (k < j) {
            n = j;
        } else {
            a += j + 1;
            n -= j + 1;
            k -= j + 1;
        }
    }
    thread_insertion(a, n);
}

/* ---- rough ---- */

/* One thread sorts segment t: `length` records from offset + t * length on. */
template <bool INSERTION, typename K>
static __global__ void __launch_bounds__(SEGMENT_THREADS)
    sort_segments(K *a, K *b, size_t n, size_t offset, size_t length, unsigned index_bits)
{
    size_t const t = (size_t)blockIdx.x * SEGMENT_THREADS + threadIdx.x;
    if (t >= (n - offset - 1) / length + 1)
        return;
    size_t const begin = offset + t * length;
    size_t const count = n - begin < length ? n - begin : length;
    if (INSERTION && count <= SEGMENT_INSERTION)
        thread_insertion(a + begin, count);
    else
        thread_radix(a + begin, b + begin, count, index_bits);
}

static size_t segment_grid(size_t n, size_t offset, size_t length)
{
    return ordo_div_up(ordo_div_up(n - offset, length), SEGMENT_THREADS);
}

/* Sorts the segments, then the segments that begin half a segment later. Sorts any array whose
 * radius is at most `radius`; radius > 0. */
template <bool INSERTION, typename K>
static ordo_status sort_twice(cuda_call *call, K *a, K *b, size_t n, size_t radius,
                              unsigned index_bits)
{
    size_t const length = 2 * radius;
    for (size_t offset = 0; offset <= radius && offset < n; offset += radius)
        TRY(CUDA_LAUNCH(call, (sort_segments<INSERTION, K>), segment_grid(n, offset, length),
                        SEGMENT_THREADS, 0, a, b, n, offset, length, index_bits));
    return ORDO_OK;
}

template <bool INSERTION, typename K>
static ordo_status rough_sort(cuda_call *call, K *a, K *b, size_t n, compare_known known,
                              K **sorted)
{
    *sorted = a;
    return known.radius == 0 ? ORDO_OK
                             : sort_twice<INSERTION>(call, a, b, n, known.radius, known.index_bits);
}

static const compare_sorter rough_sorter = {"rough",
                                            NULL,
                                            true,
                                            rough_sort<false, uint32_t>,
                                            rough_sort<false, uint64_t>,
                                            rough_sort<false, key_record>};
static const compare_sorter insertion_sorter = {"insertion",
                                                NULL,
                                                true,
                                                rough_sort<true, uint32_t>,
                                                rough_sort<true, uint64_t>,
                                                rough_sort<true, key_record>};

/* ---- halving ---- */

/* One thread moves the smaller half of block t to its front; block t is `length` records from
 * offset + t * length on. */
template <typename K>
static __global__ void __launch_bounds__(SEGMENT_THREADS)
    partition_blocks(K *a, size_t n, size_t offset, size_t length)
{
    size_t const t = (size_t)blockIdx.x * SEGMENT_THREADS + threadIdx.x;
    if (t >= (n - offset - 1) / length + 1)
        return;
    size_t const begin = offset + t * length;
    size_t const count = n - begin < length ? n - begin : length;
    if (count > length / 2)
        thread_select(a + begin, count, length / 2);
}

/* A round reduces a radius of at most 2 half to at most half - 1. For radius 1, pairs of neighbours
 * are sorted. */
template <typename K>
static ordo_status halving_sort(cuda_call *call, K *a, K *b, size_t n, compare_known known,
                                K **sorted)
{
    size_t radius = known.radius;
    *sorted = a;
    while (radius > 1) {
        size_t const half = radius / 2 + radius % 2;
        for (int step = 0; step < 3; step++) {
            size_t const offset = step == 1 ? half : 0;
            TRY(CUDA_LAUNCH(call, partition_blocks<K>, segment_grid(n, offset, 2 * half),
                            SEGMENT_THREADS, 0, a, n, offset, 2 * half));
        }
        radius = half - 1;
        call->exec->facts.rounds++;
    }
    return radius == 0 ? ORDO_OK : sort_twice<true>(call, a, b, n, 1, known.index_bits);
}

static const compare_sorter halving_sorter = {"halving",
                                              NULL,
                                              true,
                                              halving_sort<uint32_t>,
                                              halving_sort<uint64_t>,
                                              halving_sort<key_record>};

const ordo_cuda_sorter dev_rough = compare_slots<rough_sorter>::slots;
const ordo_cuda_sorter dev_insertion = compare_slots<insertion_sorter>::slots;
const ordo_cuda_sorter dev_halving = compare_slots<halving_sorter>::slots;
