/* csv_word.h - keys of CSV as 64-bit words.
 *
 * A number is a decimal integer of a fixed number of places if it has at most 15 digits, where that
 * order is also the order of f64 (without places: any integer below 2^62), or else the order of its
 * f64. A date is its ticks. Text of at most 7 bytes is its bytes and their number. */
#ifndef ORDO_CLI_CSV_CSV_WORD_H
#define ORDO_CLI_CSV_CSV_WORD_H

#include "cli/csv/csv_keys.h"

#define CSV_SPECIAL (UINT64_MAX - 7) /* plus a csv_class: words after all values */

typedef enum form_kind {
    FORM_PLACES, /* a decimal integer         */
    FORM_FLOAT,  /* the order of an f64       */
    FORM_DATE,
    FORM_SHORT,  /* text of at most 7 bytes   */
    FORM_LISTED, /* the number of the value in a list: csv_list_find() */
    FORM_BYTES   /* no word: csv_encode()      */
} form_kind;

typedef struct csv_form {
    form_kind kind;
    unsigned  places; /* after the decimal point */
} csv_form;

csv_form csv_form_first(csv_type type);
csv_form csv_form_wider(csv_form a, csv_form b);

/* The word of a value without quotes, in the order of the key, for forms before FORM_LISTED. False
 * if the value is bad (*class is not CSV_VALUE) or needs the form that *form then is. */
bool csv_word(const csv_key *key, csv_form *form, csv_span value, uint64_t *word, csv_class *class);

#endif
