/* dev_gather.cu - puts keys and values in the order that an argsort found, and converts values of
 * odd sizes to words and back.
 *
 * Both arrays are copied to scratch and gathered from there, one element per thread, in the widest
 * unit that the element size and the addresses allow. A random read of a few bytes moves 32 bytes.
 * Scratch: both arrays. */
#include "cuda/sort/dev_radix.cuh"

gather_buffers gather_layout(cuda_scratch *scratch, const ordo_pairs_job *job)
{
    size_t const   n = job->keys.n;
    gather_buffers buffers;
    buffers.keys = scratch_take<char>(scratch, n * cuda_type_size(job->keys.type));
    buffers.values = scratch_take<char>(scratch, n * job->value_size);
    return buffers;
}

enum {
    THREADS = 256
};

static size_t blocks_for(const cuda_call *call, size_t n)
{
    return ordo_min(ordo_div_up(n, THREADS), (size_t)call->facts->sms * 16);
}

/* Elements of `units` UNITs each. */
template <typename UNIT, typename INDEX>
static __global__ void gather(UNIT *to, const UNIT *from, const INDEX *index, size_t n,
                              unsigned units)
{
    grid_each(n, [&](size_t i) {
        if (index[i] == (INDEX) ~(INDEX)0)
            return;
        size_t const source = (size_t)index[i] * units;
        for (unsigned u = 0; u < units; u++)
            to[i * units + u] = from[source + u];
    });
}

template <typename INDEX>
static ordo_status gather_elements(cuda_call *call, void *to, const void *from, const void *index,
                                   size_t n, size_t size)
{
    size_t const   unit = ((uintptr_t)to | size); /* the lowest set bit is the size of the unit */
    unsigned const units = (unsigned)size;
#define GATHER(UNIT)                                                                               \
    CUDA_LAUNCH(call, (gather<UNIT, INDEX>), blocks_for(call, n), THREADS, 0, (UNIT *)to,          \
                (const UNIT *)from, (const INDEX *)index, n, (unsigned)(units / sizeof(UNIT)))
    return unit % 8 == 0   ? GATHER(uint64_t)
           : unit % 4 == 0 ? GATHER(uint32_t)
           : unit % 2 == 0 ? GATHER(uint16_t)
                           : GATHER(uint8_t);
#undef GATHER
}

static ordo_status gather_array(cuda_call *call, void *array, void *copy, const void *index,
                                bool wide, size_t n, size_t size)
{
    CUDA_TRY(call->exec,
             cudaMemcpyAsync(copy, array, n * size, cudaMemcpyDeviceToDevice, call->stream));
    return wide ? gather_elements<uint64_t>(call, array, copy, index, n, size)
                : gather_elements<uint32_t>(call, array, copy, index, n, size);
}

ordo_status dev_gather_pairs(cuda_call *call, const ordo_pairs_job *job, const void *index,
                             bool wide, gather_buffers buffers)
{
    size_t const n = job->keys.n;
    if (n == 0)
        return ORDO_OK;
    TRY(gather_array(call, job->keys.keys, buffers.keys, index, wide, n,
                     cuda_type_size(job->keys.type)));
    return gather_array(call, job->values, buffers.values, index, wide, n, job->value_size);
}

/* Converts values to words, or back. */
template <bool BACK, typename WORD>
static __global__ void convert_values(WORD *words, uint8_t *values, unsigned size, size_t n)
{
    grid_each(n, [&](size_t i) {
        WORD word = BACK ? words[i] : 0;
        for (unsigned b = 0; b < size; b++)
            if (BACK)
                values[i * size + b] = (uint8_t)(word >> 8 * b);
            else
                word |= (WORD)values[i * size + b] << 8 * b;
        if (!BACK)
            words[i] = word;
    });
}

template <bool BACK>
static ordo_status convert(cuda_call *call, const void *words, size_t word_size, const void *values,
                           size_t value_size, size_t n)
{
    return with_word(word_size == 8, [&](auto zero) {
        typedef decltype(zero) WORD;
        return CUDA_LAUNCH(call, (convert_values<BACK, WORD>), blocks_for(call, n), THREADS, 0,
                           (WORD *)words, (uint8_t *)values, (unsigned)value_size, n);
    });
}

ordo_status dev_values_to_words(cuda_call *call, void *words, size_t word_size, const void *values,
                                size_t value_size, size_t n)
{
    return convert<false>(call, words, word_size, values, value_size, n);
}

ordo_status dev_words_to_values(cuda_call *call, void *values, size_t value_size, const void *words,
                                size_t word_size, size_t n)
{
    return convert<true>(call, words, word_size, values, value_size, n);
}
