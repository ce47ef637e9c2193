/* merge_vectors.t.h - merges two sorted arrays of words by vectors of AVX-512: the bitonic merge of
 * a vector that is carried and the next vector, which comes from the array with the smaller next
 * word (Inoue, Moriyama, Komatsu and Nakatani, 2007). The lower half of the words is written, the
 * upper half is carried. Both halves of the output are merged at once, because a step waits for the
 * one before it. The includer defines RECORD, LESS, FN(name) and the functions of vectors. */

enum {
    FN(VECTOR) = sizeof(__m512i) / sizeof(RECORD)
};

typedef struct FN(chain) {
    const RECORD *a, *a_end, *b, *b_end;
    RECORD       *out;
    __m512i       carry; /* the largest words so far */
} FN(chain);

static inline __m512i FN(load)(const RECORD *at) { return _mm512_loadu_si512((const void *)at); }

/* Both arrays have a vector left. */
static inline bool FN(can_step)(const FN(chain) * c)
{
    return c->a_end - c->a >= FN(VECTOR) && c->b_end - c->b >= FN(VECTOR);
}

static inline __attribute__((always_inline)) void FN(step)(FN(chain) * c)
{
    uintptr_t     from_b = 0 - (uintptr_t)LESS(*c->b, *c->a);
    const RECORD *next = c->a;
    /* Random, so the compiler must not make it a branch. */
    __asm__("test %0, %0\n\tcmovne %2, %1" : "+r"(from_b), "+r"(next) : "r"(c->b) : "cc");
    __m512i const other = FN(reversed)(FN(load)(next));
    c->b += from_b & FN(VECTOR);
    c->a += ~from_b & FN(VECTOR);
    _mm512_storeu_si512((void *)c->out, FN(order_vector)(FN(least)(c->carry, other)));
    c->carry = FN(order_vector)(FN(largest)(c->carry, other));
    c->out += FN(VECTOR);
}

/* The rest: at least one of the arrays has less than a vector. */
static inline void FN(finish)(const FN(chain) * c)
{
    RECORD       carried[FN(VECTOR)], joined[2 * FN(VECTOR)];
    size_t const na = (size_t)(c->a_end - c->a), nb = (size_t)(c->b_end - c->b);
    bool const   short_a = na < nb;
    size_t const fewer = short_a ? na : nb;
    _mm512_storeu_si512((void *)carried, c->carry);
    FN(merge)(carried, FN(VECTOR), short_a ? c->a : c->b, fewer, joined);
    FN(merge)(joined, FN(VECTOR) + fewer, short_a ? c->b : c->a, short_a ? nb : na, c->out);
}

/* Both arrays have a vector at least. */
static inline FN(chain)
    FN(begin)(const RECORD *a, size_t na, const RECORD *b, size_t nb, RECORD *out)
{
    return (FN(chain)){a + FN(VECTOR), a + na, b, b + nb, out, FN(load)(a)};
}

static void FN(merge_vectors)(const RECORD *a, size_t na, const RECORD *b, size_t nb, RECORD *out)
{
    size_t const half = (na + nb) / 2;
    if (na < FN(VECTOR) || nb < FN(VECTOR) || !LESS(b[0], a[na - 1])) {
        FN(merge)(a, na, b, nb, out);
        return;
    }
    size_t const from_a = FN(co_rank)(a, na, b, nb, half), from_b = half - from_a;
    if (from_a < FN(VECTOR) || from_b < FN(VECTOR) || na - from_a < FN(VECTOR) ||
                                                                       nb - from_b < FN(VECTOR)) {
        FN(chain) whole = FN(begin)(a, na, b, nb, out);
        while (FN(can_step)(&whole))
            FN(step)(&whole);
        FN(finish)(&whole);
        return;
    }
    FN(chain) low = FN(begin)(a, from_a, b, from_b, out);
    FN(chain) high = FN(begin)(a + from_a, na - from_a, b + from_b, nb - from_b, out + half);
    while (FN(can_step)(&low) && FN(can_step)(&high)) {
        FN(step)(&low);
        FN(step)(&high);
    }
    while (FN(can_step)(&low))
        FN(step)(&low);
    while (FN(can_step)(&high))
        FN(step)(&high);
    FN(finish)(&low);
    FN(finish)(&high);
}
