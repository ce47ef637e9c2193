/* byte_rows.h - constant tables with a row of eight values for each byte of bits.
 *
 * ROWS256(F, 0) expands to 256 rows of F(b, l), byte b and lane l. F is made of:
 *   LAST(b, l, none)   1 + index of the last set bit at or before l, or none
 *   NEXT(b, l, none)   index of the next set bit after l, or none
 *   COUNT(b, l)        number of set bits at or before l */
#ifndef ORDO_CPU_KERNEL_BYTE_ROWS_H
#define ORDO_CPU_KERNEL_BYTE_ROWS_H

#define BIT_(b, i) ((b) >> (i)&1)

#define LAST_(b, l, i, below) (((l) >= (i) && BIT_(b, i)) ? (i) + 1 : (below))
#define LAST3_(b, l, none) LAST_(b, l, 2, LAST_(b, l, 1, LAST_(b, l, 0, none)))
#define LAST6_(b, l, none) LAST_(b, l, 5, LAST_(b, l, 4, LAST_(b, l, 3, LAST3_(b, l, none))))
#define LAST(b, l, none) LAST_(b, l, 7, LAST_(b, l, 6, LAST6_(b, l, none)))

#define NEXT_(b, l, i, above) (((l) < (i) && BIT_(b, i)) ? (i) : (above))
#define NEXT3_(b, l, none) NEXT_(b, l, 5, NEXT_(b, l, 6, NEXT_(b, l, 7, none)))
#define NEXT(b, l, none)                                                                           \
    NEXT_(b, l, 1, NEXT_(b, l, 2, NEXT_(b, l, 3, NEXT_(b, l, 4, NEXT3_(b, l, none)))))

#define COUNT_(b, l, i) ((l) >= (i) ? BIT_(b, i) : 0)
#define COUNT4_(b, l, i)                                                                           \
    COUNT_(b, l, i) + COUNT_(b, l, (i) + 1) + COUNT_(b, l, (i) + 2) + COUNT_(b, l, (i) + 3)
#define COUNT(b, l) (COUNT4_(b, l, 0) + COUNT4_(b, l, 4))

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
