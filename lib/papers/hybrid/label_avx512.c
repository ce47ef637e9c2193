/* label_avx512.c - labels of the sample sort, 16 records at a time. The nodes of a level of the
 * tree stay in registers, where a permutation finds the next node of each record: gathers from
 * memory take longer than the loop in plain C. Sapphire Rapids, ns per record of 4 and 8 bytes with
 * 255 splitters: 0.75 and 0.82; in plain C 3.5. */
#include "cpu/base/kernels.h"
#include "papers/hybrid/sample_label.h"

#include <immintrin.h>

enum {
    LG = ORDO_TUNE_SAMPLE_LG,
    LEAVES = 1 << LG,
    LANES = 16,
    VECTORS =
        LEAVES / LANES > 0 ? LEAVES / LANES : 1, /* of the nodes of all levels but the first 4 */
    LG_LANES = 4
};
_Static_assert(LG <= 8, "a level has at most 8 vectors");

typedef struct label_tree {
    __m512i first[LG_LANES]; /* levels of less than LANES nodes */
    __m512i level[VECTORS];  /* the others, one after the other */
} label_tree;

static label_tree load_tree(const uint32_t *tree)
{
    label_tree at;
    for (unsigned l = 0; l < LG_LANES && l < LG; l++)
        at.first[l] =
            _mm512_maskz_loadu_epi32((__mmask16)((1u << (1u << l)) - 1), tree + (1u << l));
    for (unsigned i = 0; i + 1 < VECTORS; i++)
        at.level[i] = _mm512_loadu_si512(tree + LANES * (i + 1));
    return at;
}

/* The nodes of a level of 2^l nodes at `at`. */
INLINE __m512i nodes_at(const label_tree *tree, unsigned l, __m512i at)
{
    if (l < LG_LANES)
        return _mm512_permutexvar_epi32(at, tree->first[l]);
    const __m512i *const v = tree->level + (1u << (l - LG_LANES)) - 1;
    if (l == LG_LANES)
        return _mm512_permutexvar_epi32(at, v[0]);
    __m512i found[4];
    EACH (i, 1u << (l - LG_LANES - 1))
        found[i] = _mm512_permutex2var_epi32(v[2 * i], at, v[2 * i + 1]);
    EACH (step, l - LG_LANES - 1) {
        const unsigned  bit = LG_LANES + 1 + step;
        const __mmask16 upper = _mm512_test_epi32_mask(at, _mm512_set1_epi32(1 << bit));
        EACH (i, 1u << (l - 1 - bit))
            found[i] = _mm512_mask_blend_epi32(upper, found[2 * i], found[2 * i + 1]);
    }
    return found[0];
}

/* The number of splitters less than each word; `equal` gets those that equal a splitter. */
INLINE __m512i leaves_of(const label_tree *tree, __m512i words, __mmask16 *equal)
{
    __m512i   at = _mm512_setzero_si512();
    __mmask16 same = _mm512_cmpeq_epi32_mask(words, _mm512_set1_epi32(-1));
    EACH (l, LG) {
        const __m512i   nodes = nodes_at(tree, l, at);
        const __mmask16 less = _mm512_cmplt_epu32_mask(nodes, words);
        same = _kor_mask16(same, _mm512_cmpeq_epi32_mask(nodes, words));
        at = _mm512_add_epi32(at, at);
        at = _mm512_mask_sub_epi32(at, less, at, _mm512_set1_epi32(-1));
    }
    *equal = same;
    return at;
}

INLINE void store_labels(uint16_t *labels, __m512i leaves)
{
    _mm256_storeu_si256((__m256i *)(void *)labels, _mm512_cvtepi32_epi16(leaves));
}

size_t sample_label_32_avx512(const void *tree, const void *data, uint16_t *labels, size_t n,
                              bool *unknown)
{
    const label_tree      nodes = load_tree(tree);
    const uint32_t *const words = data;
    size_t                i = 0;
    for (; i + LANES <= n; i += LANES) {
        __mmask16     equal;
        const __m512i leaves = leaves_of(&nodes, _mm512_loadu_si512(words + i), &equal);
        const __m512i even = _mm512_add_epi32(leaves, leaves);
        store_labels(labels + i, _mm512_mask_add_epi32(even, equal, even, _mm512_set1_epi32(1)));
    }
    *unknown = false;
    return i;
}

/* Descends a tree of the upper halves. Records whose upper half is that of a splitter are left. */
size_t sample_label_64_avx512(const void *tree, const void *data, uint16_t *labels, size_t n,
                              bool *unknown)
{
    const uint64_t *const words = data, *const node = tree;
    uint32_t upper[2 * LEAVES];
    size_t   i = 0;
    *unknown = false;
    if (node[LEAVES] >> 32 == node[2 * LEAVES - 2] >> 32) /* nothing to decide by */
        return 0;
    for (size_t j = 0; j < LEAVES; j++)
        upper[j] = (uint32_t)(node[j] >> 32);
    const label_tree nodes = load_tree(upper);
    const __m512i    odd =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    __mmask16 any = 0;
    for (; i + LANES <= n; i += LANES) {
        __mmask16     equal;
        const __m512i halves = _mm512_permutex2var_epi32(_mm512_loadu_si512(words + i), odd,
                                                         _mm512_loadu_si512(words + i + LANES / 2));
        const __m512i leaves = leaves_of(&nodes, halves, &equal);
        const __m512i even = _mm512_add_epi32(leaves, leaves);
        store_labels(labels + i,
                     _mm512_mask_mov_epi32(even, equal, _mm512_set1_epi32(SAMPLE_UNKNOWN)));
        any = _kor_mask16(any, equal);
    }
    *unknown = any != 0;
    return i;
}
