/* csv_keys.h - which columns decide the order of rows, and how their values are compared.
 *
 * Numbers are read as the text reader does, blanks around them included; dates are ISO 8601;
 * natural order is that of `sort -V`. Values of numbers and dates come in the order: values, NaN,
 * text (with CSV_BAD_TEXT), empty; a descending key reverses only the order inside each class. */
#ifndef ORDO_CLI_CSV_CSV_KEYS_H
#define ORDO_CLI_CSV_CSV_KEYS_H

#include "cli/csv/csv_table.h"
#include "cli/lines/key_encode.h"

enum {
    CSV_MOST_KEYS = 15 /* one column of ordo_lexsort() is for bad rows */
};

typedef enum csv_type {
    CSV_GUESS, /* CSV_NUMBER if all values of a sample are numbers, otherwise CSV_TEXT */
    CSV_NUMBER,
    CSV_TEXT,
    CSV_DATE,
    CSV_NATURAL
} csv_type;

typedef enum csv_bad { /* rows with a value that is no number or date, and rows with too many or too
                        * few fields                                                             */
    CSV_BAD_ERROR = 1, /* stop with a message                                                    */
    CSV_BAD_LAST,      /* put the row after all others                                           */
    CSV_BAD_SKIP,      /* leave the row out                                                      */
    CSV_BAD_TEXT       /* compare such values as text, after numbers; missing fields are empty   */
} csv_bad;

typedef struct csv_key {
    csv_type type;
    bool     guessed, descending;
    bool     directed; /* by :asc or :desc */
    size_t   column;
} csv_key;

typedef struct csv_keys {
    csv_key keys[CSV_MOST_KEYS];
    size_t  n;
    size_t  wanted[CSV_MOST_KEYS]; /* the columns of all keys, ascending, each once */
    size_t  wanted_count;
    size_t  slot[CSV_MOST_KEYS]; /* of each key in wanted */
    csv_bad bad;
} csv_keys;

typedef struct csv_request {
    const char        *command, *option; /* for messages                                   */
    const char *const *texts;            /* NAME|N[:TYPE][:asc|:desc]                      */
    size_t             n;
    bool               largest; /* keys without a direction are descending                 */
    bool               reverse; /* all keys                                                */
    bool               groups;  /* keys name groups: a column of numbers is compared by number,
                                 * then as text, so that 1 and 1.0 differ                  */
    csv_bad            bad;
} csv_request;

/* Finds the columns that the texts name and guesses types. False after a message. */
bool csv_keys_find(const csv_table *table, const csv_request *request, csv_keys *out);

/* The column called or numbered text[0..length). False after a message. */
bool csv_column_find(const csv_table *table, const char *command, const char *option,
                     const char *text, size_t length, size_t *column);

/* For the end of a message, if the only column of the first row seems to hold several: the option
 * that separates them. Otherwise "". A static buffer. */
const char *csv_separator_hint(const csv_table *table);

/* The name of a column for messages: "column 3 'price'". A static buffer. */
const char *csv_column_shown(const csv_table *table, size_t column);

/* The names of the first columns, or how many columns there are. Returns out. */
const char *csv_names_shown(const csv_table *table, char *out, size_t capacity);

/* The columns with a number in the first rows whose other values there are numbers or empty. If
 * only most of them are, prints what then happens to the column, `otherwise`, if it is not NULL.
 * `columns` has room for all columns. False after a message. */
bool csv_number_columns(const csv_table *table, const char *otherwise, size_t *columns, size_t *n);

/* ---- Values ---- */

typedef enum csv_class { /* in the order of values */
    CSV_VALUE = 1,
    CSV_NAN,
    CSV_OTHER, /* no number or no date */
    CSV_EMPTY,
    CSV_INEXACT, /* an integer that no type holds      */
    CSV_RANGE    /* a number beyond the range of f64   */
} csv_class;

/* Whether a value of this class makes its row bad, unless values may be text. */
static inline bool csv_class_is_bad(csv_class class)
{
    return class == CSV_OTHER || class == CSV_INEXACT || class == CSV_RANGE;
}

typedef struct csv_number {
    csv_class class;
    double rounded;
    int    rest; /* of an integer of 64 bits: what `rounded` lacks */
} csv_number;

csv_number csv_read_number(csv_span value);

/* Appends the bytes of a value, without quotes, in the order of the key. *class says what the value
 * is. False if there is not enough memory. */
bool csv_encode(const csv_key *key, csv_span value, key_bytes *out, csv_class *class);

/* Without blanks at both ends. */
static inline csv_span csv_trim(csv_span value)
{
    while (value.begin < value.end && (*value.begin == ' ' || *value.begin == '\t'))
        value.begin++;
    while (value.end > value.begin && (value.end[-1] == ' ' || value.end[-1] == '\t'))
        value.end--;
    return value;
}

/* ---- Values as 64-bit words ----
 *
 * A number is a decimal integer of a fixed number of places if it has at most 15 digits, where that
 * order is also the order of f64 (without places: any integer below 2^62), or else the order of its
 * f64. A date is its ticks. */

#define CSV_SPECIAL (UINT64_MAX - 7) /* plus a csv_class: words after all values */

typedef enum form_kind {
    FORM_PLACES, /* a decimal integer         */
    FORM_FLOAT,  /* the order of an f64       */
    FORM_DATE,
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

/* ---- The different values of a column, each with a number: a hash table ----
 *
 * A column of text with few different values is sorted by their numbers. */

enum {
    CSV_LIST_MOST = 1 << 14 /* values; the table stays in the cache */
};

typedef struct csv_list {
    size_t    n;
    key_bytes bytes;   /* of the values, one after another                          */
    uint64_t *offsets; /* CSV_LIST_MOST + 1: value i is bytes[offsets[i]..offsets[i + 1]) */
    uint32_t *slots;   /* number of a value and 1; 0: free                          */
} csv_list;

typedef enum csv_found {
    CSV_FOUND,
    CSV_LIST_FULL,
    CSV_LIST_NO_MEMORY
} csv_found;

/* The number of a value, which is added if it is new. An empty list is all zeros. */
csv_found csv_list_find(csv_list *list, csv_span value, uint64_t *number);
void      csv_list_free(csv_list *list);

/* Replaces the numbers of n lists by numbers in the order of the key: values that tie have the same
 * number in all lists. orders[i] gets an array for list i, to be freed; NULL for an empty list.
 * False if there is not enough memory; nothing is left to free then. */
bool csv_lists_order(const csv_key *key, const csv_list *const *lists, size_t n, uint64_t **orders);

#endif
