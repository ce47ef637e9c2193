/* powers.c - computes the powers of ten exactly, and keeps their first 128 bits (see powers.h).
 *
 * 10^q has the significand of 5^q. Positive powers come from repeated multiplication by 5. Negative
 * ones are the quotients of a power of 2 by 5^-q, by repeated division: floors of floors are the
 * floor of the whole quotient. */
#include "cli/io/number/powers.h"

#include <pthread.h>
#include <string.h>

enum {
    WORDS = 40, /* of 32 bits: 2^1248 / 5^342 has more than 128 bits, 5^325 has 755 */
    ROUNDED_UP = -27
};

static power10        table[MOST_POWER - LEAST_POWER + 1];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The first 128 bits of the number words[0..WORDS), lowest word first, which has so many bits. */
static power10 first_bits(const uint32_t *words)
{
    size_t   top = WORDS - 1;
    uint32_t five[5];

    while (words[top] == 0)
        top--;
    for (size_t i = 0; i < 5; i++)
        five[i] = top >= i ? words[top - i] : 0;
    const int      zeros = __builtin_clz(five[0]);
    const uint64_t a = (uint64_t)five[0] << 32 | five[1], b = (uint64_t)five[2] << 32 | five[3];
    if (zeros == 0)
        return (power10){a, b};
    return (power10){a << zeros | b >> (64 - zeros),
                     b << zeros | (uint64_t)five[4] >> (32 - zeros)};
}

static void fill_table(void)
{
    uint32_t words[WORDS] = {1};

    for (int q = 0; q <= MOST_POWER; q++) {
        table[q - LEAST_POWER] = first_bits(words);
        uint64_t carry = 0;
        for (size_t i = 0; i < WORDS; i++) {
            carry += (uint64_t)words[i] * 5;
            words[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    memset(words, 0, sizeof words);
    words[WORDS - 1] = 1;
    for (int q = -1; q >= LEAST_POWER; q--) {
        uint64_t rest = 0;
        for (size_t i = WORDS; i-- > 0;) {
            rest = rest << 32 | words[i];
            words[i] = (uint32_t)(rest / 5);
            rest %= 5;
        }
        power10 p = first_bits(words);
        if (q >= ROUNDED_UP && ++p.low == 0)
            p.high++;
        table[q - LEAST_POWER] = p;
    }
}

power10 power_of_ten(int q)
{
    pthread_once(&once, fill_table);
    return table[q - LEAST_POWER];
}
