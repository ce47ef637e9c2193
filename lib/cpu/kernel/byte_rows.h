/* byte_rows.h - constant tables with a row of eight values for each of the 256 bytes.
 *
 * ROWS256(F, 0) expands to 256 rows of eight values F(b, l), for byte b and bit l. F may use:
 *   LAST(b, l, none)   1 + index of the last set bit at or before l, or none
 *   NEXT(b, l, none)   index of the next set bit after l, or none
 *   COUNT(b, l)        number of set bits at or before l */
#ifndef ORDO_CPU_KERNEL_BYTE_ROWS_H
#define ORDO_CPU_KERNEL_BYTE_ROWS_H

/* The bits of b at or before bit l, and the bits after it. Compilers compute the rows. */
#define UPTO_(b, l) ((b) & ((2u << (l)) - 1))
#define AFTER_(b, l) ((unsigned)(b) >> ((l) + 1))

#define LAST(b, l, none) (UPTO_(b, l) ? 32 - __builtin_clz(UPTO_(b, l)) : (none))
#define NEXT(b, l, none) (AFTER_(b, l) ? (l) + 1 + __builtin_ctz(AFTER_(b, l)) : (none))
#define COUNT(b, l) __builtin_popcount(UPTO_(b, l))

#define ROW_(F, b)                                                                                 \
    {                                                                                              \
        F(b, 0), F(b, 1), F(b, 2), F(b, 3), F(b, 4), F(b, 5), F(b, 6), F(b, 7)                     \
    }
#define ROWS4_(F, b) ROW_(F, b), ROW_(F, (b) + 1), ROW_(F, (b) + 2), ROW_(F, (b) + 3)
#define ROWS16_(F, b) ROWS4_(F, b), ROWS4_(F, (b) + 4), ROWS4_(F, (b) + 8), ROWS4_(F, (b) + 12)
#define ROWS64_(F, b)                                                                              \
    ROWS16_(F, b), ROWS16_(F, (b) + 16), ROWS16_(F, (b) + 32), ROWS16_(F, (b) + 48)
#define ROWS256(F, b)                                                                              \
    ROWS64_(F, b), ROWS64_(F, (b) + 64), ROWS64_(F, (b) + 128), ROWS64_(F, (b) + 192)

#endif
