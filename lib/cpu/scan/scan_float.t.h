/* scan_float.t.h - sums, prefix sums and prefix products of floats.
 *
 * KEY is the type of the elements, RESULT the type of the sums. SFN(name) names the stamp. All
 * three are undefined at the end. A carry holds the bits of a RESULT.
 *
 * The order of additions is part of the result. Within a piece, groups of four are scanned as
 *     y1 = x0+x1  y2 = x1+x2  y3 = x2+x3,   z0 = x0  z1 = y1  z2 = x0+y2  z3 = y1+y3
 * and added to the sum of the groups before them; the carry into the piece is added last. So the
 * longest chain is three additions for four keys, and the reduction, which needs only z3, adds in
 * the same order. Missing keys of the last group are -0, which changes no sum, not even the sign of
 * a zero. Compilers choose which of two NaNs an addition returns, so every NaN is written as the
 * same NaN. */
static RESULT SFN(settle)(RESULT sum) { return sum != sum ? (RESULT)NAN : sum; }

static uint64_t SFN(to_carry)(RESULT sum)
{
    uint64_t carry = 0;
    memcpy(&carry, &sum, sizeof sum);
    return carry;
}

static RESULT SFN(of_carry)(uint64_t carry)
{
    RESULT sum;
    memcpy(&sum, &carry, sizeof sum);
    return sum;
}

static RESULT SFN(group)(const KEY *a, size_t n, RESULT z[4])
{
    RESULT x[4] = {(RESULT)-0.0, (RESULT)-0.0, (RESULT)-0.0, (RESULT)-0.0};
    for (size_t i = 0; i < n; i++)
        x[i] = (RESULT)a[i];
    RESULT const y1 = x[0] + x[1], y2 = x[1] + x[2], y3 = x[2] + x[3];
    z[0] = x[0];
    z[1] = y1;
    z[2] = x[0] + y2;
    z[3] = y1 + y3;
    return z[3];
}

static uint64_t SFN(sum)(const void *in, size_t n)
{
    const KEY *const a = in;
    RESULT           sum = (RESULT)-0.0, z[4];
    size_t           i = 0;
    for (; i + 4 <= n; i += 4)
        sum += SFN(group)(a + i, 4, z);
    if (i < n)
        sum += SFN(group)(a + i, n - i, z);
    return SFN(to_carry)(sum);
}

static uint64_t SFN(scan_sum)(const void *in, size_t n, uint64_t carry, void *out, bool exclusive,
                              bool bypass)
{
    const KEY *const a = in;
    RESULT *const    r = out;
    RESULT const     before = SFN(of_carry)(carry);
    RESULT           sum = (RESULT)-0.0, z[4];
    size_t           i = 0;
    (void)bypass;
    for (; i + 4 <= n; i += 4) {
        RESULT const all = SFN(group)(a + i, 4, z);
        if (exclusive) {
            r[i] = SFN(settle)(before + sum);
            for (size_t j = 1; j < 4; j++)
                r[i + j] = SFN(settle)(before + (sum + z[j - 1]));
        } else {
            for (size_t j = 0; j < 4; j++)
                r[i + j] = SFN(settle)(before + (sum + z[j]));
        }
        sum += all;
    }
    if (i < n) {
        RESULT const all = SFN(group)(a + i, n - i, z);
        for (size_t j = 0; i + j < n; j++) {
            if (exclusive)
                r[i + j] = SFN(settle)(before + (j == 0 ? sum : sum + z[j - 1]));
            else
                r[i + j] = SFN(settle)(before + (sum + z[j]));
        }
        sum += all;
    }
    return SFN(to_carry)(sum);
}

/* Rows of n keys, a constant of 1 to 4, without gaps: the additions of scan_sum. */
static inline void SFN(scan_group_rows)(const KEY *a, size_t n, size_t rows, RESULT before,
                                        RESULT *r, bool exclusive)
{
    for (size_t row = 0; row < rows; row++, a += n, r += n) {
        RESULT z[4];
        (void)SFN(group)(a, n, z);
        for (size_t j = 0; j < n; j++) {
            RESULT const sum = (RESULT)-0.0;
            if (exclusive)
                r[j] = SFN(settle)(before + (j == 0 ? sum : sum + z[j - 1]));
            else
                r[j] = SFN(settle)(before + (sum + z[j]));
        }
    }
}

static void SFN(scan_few)(const void *in, size_t n, size_t rows, uint64_t carry, void *out,
                          bool exclusive)
{
    RESULT const before = SFN(of_carry)(carry);
    if (n == 1)
        SFN(scan_group_rows)(in, 1, rows, before, out, exclusive);
    else if (n == 2)
        SFN(scan_group_rows)(in, 2, rows, before, out, exclusive);
    else if (n == 3)
        SFN(scan_group_rows)(in, 3, rows, before, out, exclusive);
    else
        SFN(scan_group_rows)(in, 4, rows, before, out, exclusive);
}

/* Products are multiplied one by one; the returned carry is the last product. */
static uint64_t SFN(scan_product)(const void *in, size_t n, uint64_t carry, void *out,
                                  bool exclusive, bool bypass)
{
    const KEY *const a = in;
    RESULT *const    r = out;
    RESULT           here = SFN(of_carry)(carry);
    (void)bypass;
    for (size_t i = 0; i < n; i++) {
        RESULT const last = here;
        here *= (RESULT)a[i];
        r[i] = SFN(settle)(exclusive ? last : here);
    }
    return SFN(to_carry)(here);
}

static uint64_t SFN(add)(uint64_t before, uint64_t piece)
{
    return SFN(to_carry)(SFN(of_carry)(before) + SFN(of_carry)(piece));
}
#undef SFN
#undef RESULT
#undef KEY
