/* line_sort.h - the ways to sort lines in memory, and which bytes the keys of a line are. */
#ifndef ORDO_CLI_LINES_LINE_SORT_H
#define ORDO_CLI_LINES_LINE_SORT_H

#include "cli/io/text/text_lines.h"
#include "cli/lines/line_order.h"

/* The keys of a line as one 64-bit word, where they fit: a key does if it is a number of -n with
 * few digits, a month, or a short text; several keys, if their bits do. */
typedef enum words_result {
    WORDS_MADE,
    WORDS_TOO_LONG, /* the keys do not fit */
    WORDS_FAILED    /* after a message */
} words_result;

typedef struct line_words {
    uint64_t *words; /* of each line, in the order of the keys without the last resort */
    unsigned  bits;  /* of a word, at most                                             */
} line_words;

/* out->words is to be freed if the result is WORDS_MADE. */
words_result line_words_make(const line_order *order, const lines *l, unsigned threads,
                             line_words *out);

/* The encoded keys of all lines. Keys that fit 64 bits in every line become a word (line_words).
 * Otherwise the keys of a line become bytes (key_encode.h). */
typedef struct line_keys { /* at most one form; none: the lines themselves are the keys */
    line_words words;      /* without the last resort                                   */
    lines      bytes;      /* with it                                                   */
} line_keys;

/* Encodes with up to `threads` threads. False after a message. */
bool line_keys_make(const line_order *order, const lines *l, unsigned threads, line_keys *out);
void line_keys_free(line_keys *keys);

/* Writes the order of the lines, which have keys (order->n > 0), to index[0..l->n), of type
 * ORDO_U32 or ORDO_U64. Lines that tie keep their order. Words of keys are sorted, too.
 * ORDO_E_NOMEM without a message of the library if there is not enough memory for lines whose words
 * tie. */
ordo_status line_sort(ordo_ctx *ctx, const line_order *order, const lines *l, line_keys *keys,
                      ordo_type type, void *index, const ordo_sort_opts *opts);

/* Keeps the first of the lines that tie in index[0..l->n), which is in order, as are the words;
 * returns how many lines are left. */
size_t line_unique(const lines *l, const line_keys *keys, ordo_type type, void *index);

/* Writes the line and, below it, a line of '_' for each key that marks the bytes which decide. */
bool line_show_keys(const line_order *order, const char *line, size_t length, output *out);

/* ---- Lines whose words are equal ---- */

enum {
    PLACE_SIZE_BITS = 24 /* of a line without an offset */
};

typedef struct line_ties { /* sorted lines */
    size_t      n;
    uint64_t   *words; /* NULL: all are equal */
    ordo_type   type;
    void       *index; /* of the lines, of type ORDO_U32 or ORDO_U64 */
    const char *text;
    const uint64_t
          *offsets;    /* of the lines in the text; NULL: an index is the first byte of a line,
                              * shifted by PLACE_SIZE_BITS, and its size */
    size_t whole;      /* lines with equal words and sizes up to this one are the same */
    bool   descending; /* lines with equal words: the last one by its bytes first */
} line_ties;

/* Puts lines with equal words in the order of their bytes. ORDO_E_NOMEM without a message of the
 * library if there is not enough memory. */
ordo_status line_ties_sort(ordo_ctx *ctx, const line_ties *t, const ordo_sort_opts *opts);

/* Keeps the first of lines whose words, and with `by_bytes` also whose bytes, are equal; returns
 * how many lines are left. */
size_t line_ties_drop(const line_ties *t, bool by_bytes);

/* ---- Whole lines by their first eight bytes ----
 *
 * For lines most of which differ in these bytes, such as words. A line is a word of its first bytes
 * and its place in the text, so short lines are written without another look at the text. */

typedef struct line_prefixes {
    const char *text;   /* lines with their ends */
    size_t      length; /* bytes of the text     */
    char        line_end;
    unsigned    threads;
    bool        descending;

    size_t    n;
    uint64_t *words; /* the first bytes of each line, the first one highest; zeros behind its end */
    uint64_t *places; /* of each line: its first byte, and its size in the low 24 bits */
} line_prefixes;

/* Whether a sample of the lines says that this sort is fast for them. */
bool line_prefix_fits(const line_prefixes *p);

typedef enum prefix_result {
    PREFIX_MADE,
    PREFIX_TOO_LONG, /* a line has too many bytes; nothing is left to free */
    PREFIX_FAILED    /* after a message                                    */
} prefix_result;

/* Makes the words and places of all lines. Free them with line_prefix_free(). */
prefix_result line_prefix_cut(line_prefixes *p);
void          line_prefix_free(line_prefixes *p);

/* Sorts them. opts has the direction, too. */
ordo_status line_prefix_sort(ordo_ctx *ctx, line_prefixes *p, const ordo_sort_opts *opts);

/* Keeps one of equal lines; they are sorted. */
void line_prefix_unique(line_prefixes *p);

bool line_prefix_write(const line_prefixes *p, output *out);

/* ---- `sort -n` of lines that are whole numbers, each as ordo writes it ----
 *
 * Lines with the same number have the same bytes, so the numbers alone are read, sorted and
 * written. There is no list of lines. */

typedef struct plain_numbers {
    ordo_type type; /* ORDO_U32 or ORDO_I64 */
    void     *values;
    size_t    n;
} plain_numbers;

typedef enum plain_result {
    PLAIN_MADE,  /* out->values is to be freed                                       */
    PLAIN_NOT,   /* some line is something else, or there is not enough memory       */
    PLAIN_UNSEEN /* a file is not a regular file, or does not begin with a number    */
} plain_result;

/* Whether the order is that of whole lines as numbers. */
bool line_plain_fits(const line_order *order);

/* Reads the numbers of regular files, or of a text in memory whose last line has its end. The order
 * of the numbers is any. */
plain_result line_plain_files(const lines_request *request, plain_numbers *out);
plain_result line_plain_text(const lines *text, size_t length, plain_numbers *out);

#endif
