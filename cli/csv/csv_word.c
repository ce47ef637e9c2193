/* csv_word.c - values of CSV as words (see csv_word.h). */
#include "cli/csv/csv_word.h"

enum {
    MOST_DIGITS = 15,  /* of a number with places: different numbers are different f64 */
    WHOLE_DIGITS = 18, /* of a number without */
    SHORT_TEXT = 7
};

csv_form csv_form_first(csv_type type)
{
    return (csv_form){.kind = type == CSV_NUMBER ? FORM_PLACES
                              : type == CSV_DATE ? FORM_DATE
                              : type == CSV_TEXT ? FORM_SHORT
                                                 : FORM_LISTED};
}

csv_form csv_form_wider(csv_form a, csv_form b)
{
    if (a.kind != b.kind)
        return a.kind > b.kind ? a : b;
    return a.places > b.places ? a : b;
}

/* Reads a plain decimal number as an integer of `places` places. *found: the places it has. False
 * if it has more of them, too many digits, or is written in another way. */
static bool read_places(csv_span value, unsigned places, int64_t *out, unsigned *found)
{
    const char    *p = value.begin;
    const bool     minus = p < value.end && *p == '-';
    uint64_t       number = 0;
    const unsigned most = places > 0 ? MOST_DIGITS : WHOLE_DIGITS;

    p += minus;
    const char *const whole = p;
    while (p < value.end && is_digit(*p) && p - whole <= WHOLE_DIGITS)
        number = number * 10 + (uint64_t)(*p++ - '0');
    size_t   digits = (size_t)(p - whole);
    unsigned fraction = 0;
    if (p < value.end && *p == '.') {
        const char *const first = ++p;
        while (p < value.end && is_digit(*p) && p - first <= MOST_DIGITS)
            number = number * 10 + (uint64_t)(*p++ - '0');
        fraction = (unsigned)(p - first);
        digits += fraction;
    }
    *found = fraction;
    if (p != value.end || digits == 0 || digits > WHOLE_DIGITS || fraction > places ||
        digits - fraction + places > most)
        return false;
    for (unsigned i = fraction; i < places; i++)
        number *= 10;
    *out = minus ? -(int64_t)number : (int64_t)number;
    return true;
}

static bool number_word(csv_form *form, csv_span value, uint64_t *word, csv_class *class)
{
    unsigned found = 0;
    int64_t  whole;

    value = csv_trim(value);
    if (form->kind == FORM_PLACES && read_places(value, form->places, &whole, &found)) {
        *word = (uint64_t)whole ^ UINT64_C(1) << 63;
        return true;
    }
    const csv_number number = csv_read_number(value);
    *class = number.class;
    if (number.class == CSV_NAN || number.class == CSV_EMPTY) {
        *word = CSV_SPECIAL + number.class;
        return true;
    }
    if (number.class != CSV_VALUE)
        return false;
    if (number.rest != 0) {
        *form = (csv_form){.kind = FORM_BYTES};
    } else if (form->kind == FORM_FLOAT) {
        *word = csv_float_order(number.rounded);
        return true;
    } else {
        const bool more = found > form->places && found <= MOST_DIGITS;
        *form = more ? (csv_form){.kind = FORM_PLACES, .places = found}
                     : (csv_form){.kind = FORM_FLOAT};
    }
    return false;
}

static bool date_word(csv_form *form, csv_span value, uint64_t *word, csv_class *class)
{
    const csv_date date = csv_read_date(value);

    *class = date.class;
    *word = date.class == CSV_EMPTY ? CSV_SPECIAL + date.class : date.ticks;
    if (date.rest != 0)
        form->kind = FORM_BYTES;
    return date.class != CSV_OTHER && date.rest == 0;
}

static bool short_word(csv_form *form, csv_span value, uint64_t *word)
{
    const size_t length = (size_t)(value.end - value.begin);

    if (length > SHORT_TEXT) {
        form->kind = FORM_LISTED;
        return false;
    }
    *word = length;
    for (size_t i = 0; i < length; i++)
        *word |= (uint64_t)(unsigned char)value.begin[i] << 8 * (SHORT_TEXT - i);
    return true;
}

bool csv_word(const csv_key *key, csv_form *form, csv_span value, uint64_t *word, csv_class *class)
{
    bool ok = true;

    *class = CSV_VALUE;
    switch (form->kind) {
    case FORM_PLACES:
    case FORM_FLOAT:
        ok = number_word(form, value, word, class);
        break;
    case FORM_DATE:
        ok = date_word(form, value, word, class);
        break;
    case FORM_SHORT:
        ok = short_word(form, value, word);
        break;
    case FORM_LISTED:
    case FORM_BYTES:
        ok = false;
    }
    if (ok && key->descending && *class == CSV_VALUE)
        *word = ~*word; /* values of numbers and dates stay below the special words */
    return ok;
}
