/* suffix_keys.cuh - the first keys of the suffix sort: as many symbols as fit in 64 bits.
 *
 * The bytes that occur get the codes 1, 2, ... in their order, and 0 is the end of a text. A key is
 * a number to the base of the codes: 7 bytes of binary data, 9 letters of English, 14 amino acids,
 * 27 letters of DNA. Keys whose last digit is 0 have reached the end of their text. */
#ifndef ORDO_CUDA_TEXT_SUFFIX_KEYS_H
#define ORDO_CUDA_TEXT_SUFFIX_KEYS_H

#include "cuda/text/text.cuh"

enum {
    BYTE_VALUES = 256,
    KEY_MOST = 64, /* symbols of a key: a text of one letter has base 2 */
    KEY_TILE = 4 * TEXT_THREADS,
    CODE_ENDED = 0x8000 /* the text before this position has ended */
};

struct text_alphabet {
    uint16_t code[BYTE_VALUES];
    uint64_t base;
    unsigned symbols; /* of a key */
};

static __global__ void __launch_bounds__(TEXT_THREADS)
    mark_bytes(const uint8_t *text, size_t n, uint32_t *seen)
{
    __shared__ uint32_t here[BYTE_VALUES];
    here[threadIdx.x] = 0;
    __syncthreads();
    size_t const head = min(n, (16 - (uintptr_t)text % 16) % 16), rows = (n - head) / 16;
    if (blockIdx.x == 0) {
        for (size_t i = threadIdx.x; i < head; i += TEXT_THREADS)
            here[text[i]] = 1;
        for (size_t i = head + rows * 16 + threadIdx.x; i < n; i += TEXT_THREADS)
            here[text[i]] = 1;
    }
    grid_each(rows, [&](size_t i) {
        vector_16<uint8_t> bytes;
        bytes.all = __ldcs((const uint4 *)(text + head) + i);
#pragma unroll
        for (int k = 0; k < 16; k++)
            here[bytes.key[k]] = 1;
    });
    __syncthreads();
    if (here[threadIdx.x] != 0)
        seen[threadIdx.x] = 1;
}

/* From the bytes that occur; n > 0. Keys are below 2^64 / circles. */
static inline text_alphabet alphabet_of(const uint32_t *seen, uint64_t circles)
{
    text_alphabet a = {};
    a.base = 1;
    for (int c = 0; c < BYTE_VALUES; c++)
        if (seen[c] != 0)
            a.code[c] = (uint16_t)a.base++;
    uint64_t power = circles;
    while (a.symbols < KEY_MOST && power <= UINT64_MAX / a.base) {
        power *= a.base;
        a.symbols++;
    }
    return a;
}

static __global__ void __launch_bounds__(TEXT_THREADS)
    first_keys(text_view view, text_alphabet alphabet, uint64_t *keys)
{
    __shared__ uint16_t codes[KEY_TILE + KEY_MOST];
    for (size_t first = (size_t)blockIdx.x * KEY_TILE; first < view.n;
         first += (size_t)gridDim.x * KEY_TILE) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < KEY_TILE + alphabet.symbols; i += TEXT_THREADS) {
            size_t const at = first + i;
            uint16_t     code = at < view.n ? alphabet.code[view.text[at]] : 0;
            if (text_ends_before(view, at))
                code |= CODE_ENDED;
            codes[i] = code;
        }
        __syncthreads();
        for (unsigned i = threadIdx.x; i < KEY_TILE && first + i < view.n; i += TEXT_THREADS) {
            uint64_t key = codes[i] & ~CODE_ENDED;
            bool     ended = false;
            for (unsigned k = 1; k < alphabet.symbols; k++) {
                ended |= (codes[i + k] & CODE_ENDED) != 0;
                key = key * alphabet.base + (ended ? 0 : codes[i + k]);
            }
            keys[first + i] = key;
        }
    }
}

/* The keys of rotations: the number of the circle, then symbols. */
static __global__ void __launch_bounds__(TEXT_THREADS)
    circle_keys(text_view view, text_alphabet alphabet, uint64_t *keys)
{
    grid_each(view.n, [&](size_t at) {
        uint32_t const number = circle_number_at(view, (uint32_t)at);
        size_t const   begin = view.offsets[number], end = view.offsets[number + 1];
        uint64_t       key = number;
        size_t         next = at;
        for (unsigned k = 0; k < alphabet.symbols; k++) {
            key = key * alphabet.base + alphabet.code[view.text[next]];
            next = next + 1 < end ? next + 1 : begin;
        }
        keys[at] = key;
    });
}

#endif
