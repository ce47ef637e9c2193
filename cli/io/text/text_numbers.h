/* text_numbers.h - numbers from text, one a line. */
#ifndef ORDO_CLI_IO_TEXT_TEXT_NUMBERS_H
#define ORDO_CLI_IO_TEXT_TEXT_NUMBERS_H

#include "cli/io/source.h"
#include "ordo.h"

#define TEXT_WHY 200 /* bytes of a sentence about a bad line, its NUL included */

/* ---- Plain lines of numbers, read by several threads ----
 *
 * A line is plain if it holds one number and nothing else: no blanks, no empty line, no error. Text
 * with other lines is read by text_next(), which accepts more and explains what is wrong. */

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

/* ---- All numbers ---- */

typedef struct text_numbers {
    source     *s;
    ordo_type   type;         /* of the numbers so far                                     */
    bool        choose;       /* the type is chosen by the text; see text_start()          */
    bool        skip_bad;     /* leave bad lines out                                       */
    bool        judge;        /* text_plain(): compare lines with the output; see fast_text */
    bool        any_negative; /* a number so far is negative                               */
    size_t      n;            /* numbers so far                                            */
    const char *text;         /* of the last number, without blanks                        */
    size_t      length;
    void       *values;      /* text_read(): all numbers, to be freed                     */
    size_t      capacity;    /* of values                                                 */
    size_t     *minus_zeros; /* text_read(): where the integers -0 are in values           */
    size_t      minus_zero_count, minus_zero_room;
    bool (*each)(void *user, const source *s); /* text_read(): called after each number with its
                                                * line; false after a message; NULL: none   */
    void       *user;
    size_t      skipped;       /* bad lines left out                                        */
    size_t      first_skipped; /* the first of these lines, from 1                          */
    size_t      rounded;       /* integers that the given float type cannot hold            */
    size_t      first_rounded; /* the first of these lines, from 1                          */
    size_t      blank, blanks; /* the first of the blank lines just before, and how many    */
    size_t      bad_line;      /* on failure: the line; 0 after a message about other trouble */
    bool        no_number;     /* on failure: the line is not a number of any type          */
    char        separator;     /* on failure: of the columns that the text seems to have; 0: none */
    char        why[TEXT_WHY]; /* on failure: what is wrong with the line                   */
    size_t      inexact_line;  /* the first integer that f64 cannot hold; 0: none           */
    char        inexact[TEXT_WHY];
    const char *inexact_name, *bad_name; /* the sources of these lines; NULL: s           */
} text_numbers;

typedef enum text_result {
    TEXT_NUMBER,
    TEXT_END,
    TEXT_FAILED /* see bad_line and why */
} text_result;

/* Starts at the next line of s. type 0 chooses the type: i64 if every line is an integer, u64 if
 * some exceed i64 and none is negative or exceeds u64, otherwise f64. An integer that f64 cannot
 * hold is then an error. If the type is given, such an integer is rounded and counted. Blanks
 * around a number, CRLF and blank lines at the end of the text are allowed. Every other line that
 * is no value of the type is bad: an error, or left out with skip_bad. */
void text_start(text_numbers *t, source *s, int type, bool skip_bad);

/* Reads the next number into *value, which has room for the type given or 8 bytes. If t->type has
 * changed, the caller must pass the numbers before it to text_convert(). */
text_result text_next(text_numbers *t, void *value);

typedef enum text_kind {
    TEXT_PLAIN,
    TEXT_OTHER,    /* some line is not plain (see text_fast.c); t is as before, except for memory */
    TEXT_NO_MEMORY /* after a message; the values of t are not defined */
} text_kind;

/* Reads all numbers of text[0..length), whole lines but for the last, with several threads, if all
 * lines are plain. *f describes the lines. Does not move t->s. */
text_kind text_plain(text_numbers *t, const char *text, size_t length, fast_text *f);

/* The same in two steps: after text_split() the caller sets f->values, with room for f->lines
 * numbers of t->type, and text_read_split() reads them. */
void text_split(const text_numbers *t, const char *text, size_t length, fast_text *f);
bool text_read_split(text_numbers *t, fast_text *f);

/* Converts numbers from one chosen type to a wider one, in place. */
void text_convert(ordo_type from, ordo_type to, void *values, size_t n);

/* Reads all numbers, after text_start(). On failure values is NULL. Numbers of a further source can
 * follow after text_continue(). After the last source call text_end(), which keeps the values. */
bool text_read(text_numbers *t);
void text_continue(text_numbers *t, source *s);
void text_end(text_numbers *t);

typedef enum text_reading { /* what else a command can read */
    TEXT_AS_LINES = 1,      /* with --text          */
    TEXT_AS_ROWS = 2        /* with --csv and --tsv */
} text_reading;

/* Prints the error if there was one, else notes about lines skipped or rounded. If the first line
 * is no number, the message names the option that suits the text, if `others`, which are bits of
 * text_reading, allow it. False if there was an error. */
bool text_print_notes(const text_numbers *t, unsigned others);

#endif
