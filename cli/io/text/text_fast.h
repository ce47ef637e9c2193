/* text_fast.h - plain lines of numbers, read by several threads.
 *
 * A line is plain if it holds one number and nothing else: no blanks, no empty line, no error. Text
 * with other lines is left to text_numbers.c, which accepts more and explains what is wrong. */
#ifndef ORDO_CLI_IO_TEXT_TEXT_FAST_H
#define ORDO_CLI_IO_TEXT_TEXT_FAST_H

#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    FAST_CHUNKS = 256 /* parts of a text, each for one thread */
};

typedef struct fast_chunk { /* of whole lines */
    size_t      begin, end;
    size_t      first, n;     /* its numbers are values[first .. first + n)               */
    bool        plain;        /* every line is                                            */
    bool        floats;       /* the numbers are f64; otherwise bits of i64 or u64         */
    bool        negative;     /* some integer is                                          */
    bool        minus_zero;   /* some integer is written -0                               */
    bool        beyond;       /* some integer is beyond i64, but not beyond u64            */
    size_t      inexact;      /* the first line, from 1, whose integer f64 cannot hold; 0: none */
    const char *inexact_text; /* of that line                                             */
    bool        own_text;     /* with `judge`: some line is not what number_format() writes  */
    bool        long_integer; /* the same: some integer has more than 15 characters          */
    size_t      longest;      /* the same: bytes of the longest line                         */
} fast_chunk;

typedef struct fast_text {
    const char *text; /* text[length] must be readable, and no digit */
    size_t      length;
    ordo_type   type;   /* of the values; see fast_read() */
    bool        choose; /* the type: i64, u64 or f64 */
    bool        judge;  /* compare the lines with what number_format() would write */
    void       *values;
    size_t      lines;
    size_t      chunks;
    fast_chunk  chunk[FAST_CHUNKS];
} fast_text;

/* Cuts text[0..length), whole lines but for the last, into chunks and counts the lines. */
void fast_split(fast_text *f);

/* Reads the numbers into f->values, which has room for f->lines numbers of the type, or of 8
 * bytes if it is to be chosen. With `choose`, f->type says what earlier text needed (i64 for
 * none); the new type is i64, u64 or f64, but if f->type was an integer type and `only_integers`
 * is set, a fraction makes the text not plain. False: some line is not plain, or the numbers
 * have no type in common; values may then hold anything. */
bool fast_read(fast_text *f, bool any_negative, bool only_integers);

/* Whether text[0..length) is what number_format() writes for its number. */
bool fast_is_output(ordo_type type, const char *text, size_t length, const void *value);

/* After fast_read() with `judge`: whether some line may differ from what number_format() writes for
 * its number, and the bytes of the longest line. */
bool   fast_own_text(const fast_text *f);
size_t fast_longest(const fast_text *f);

#endif
