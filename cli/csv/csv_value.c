/* csv_value.c - numbers, dates and text of CSV as bytes in their order (see csv_keys.h).
 *
 * A number or a date begins with its class. A number is then the order of its nearest f64 in 8
 * bytes and, from 2^53 on, two bytes of what the f64 lacks, so integers of 64 bits compare
 * exactly. A date is 8 bytes of ticks and one of the rest.*/
#include "cli/csv/csv_keys.h"

#include "cli/io/number/number.h"

#include <math.h>
#include <string.h>

enum {
    REST_BIAS = 1 << 15,
    TICKS_PER_SECOND = 10000000,
    KEY_EXTRA = 64
};

/* The order of f64 as unsigned integers, without NaN; -0 is 0. */
static uint64_t float_order(double value)
{
    uint64_t bits;

    value += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

/* What the f64 nearest to an integer lacks. False if the integer does not fit 64 bits. */
static bool find_rest(csv_span value, csv_number *number)
{
    int64_t  as_signed;
    uint64_t as_unsigned;

    if (number_parse(ORDO_I64, value.begin, value.end, &as_signed) == NUMBER_OK)
        as_unsigned = (uint64_t)as_signed;
    else if (number_parse(ORDO_U64, value.begin, value.end, &as_unsigned) != NUMBER_OK)
        return false;
    /* Modulo 2^64 the difference is exact: it is at most 1024. */
    const uint64_t rounded = number->rounded < 0        ? 0 - (uint64_t)-number->rounded
                             : number->rounded < 0x1p64 ? (uint64_t)number->rounded
                                                        : 0;
    number->rest = (int)(int64_t)(as_unsigned - rounded);
    return true;
}

csv_number csv_read_number(csv_span value)
{
    csv_number number = {.class = CSV_VALUE};

    value = csv_trim(value);
    if (value.begin == value.end)
        return (csv_number){.class = CSV_EMPTY};
    switch (number_parse(ORDO_F64, value.begin, value.end, &number.rounded)) {
    case NUMBER_OK:
        break;
    case NUMBER_INEXACT:
        if (!find_rest(value, &number))
            number.class = CSV_INEXACT;
        break;
    case NUMBER_RANGE:
        number.class = CSV_RANGE;
        break;
    default:
        number.class = CSV_OTHER;
    }
    if (number.class == CSV_VALUE && isnan(number.rounded))
        number.class = CSV_NAN;
    return number;
}

/* ---- Dates ---- */

/* Reads `count` digits. False if they are not there or the number is not in least..most. */
static bool take(csv_span *at, int count, unsigned least, unsigned most, unsigned *out)
{
    unsigned value = 0;

    if (at->end - at->begin < count)
        return false;
    for (int i = 0; i < count; i++, at->begin++) {
        if (!is_digit(*at->begin))
            return false;
        value = value * 10 + (unsigned)(*at->begin - '0');
    }
    *out = value;
    return value >= least && value <= most;
}

static bool take_char(csv_span *at, char c)
{
    const bool there = at->begin < at->end && *at->begin == c;
    at->begin += there;
    return there;
}

static bool is_leap(unsigned year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

/* Days since the first day of the year 0. */
static uint64_t days_before(unsigned year, unsigned month, unsigned day)
{
    static const unsigned months[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    const unsigned leaps = year == 0 ? 0 : (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1;

    return (uint64_t)year * 365 + leaps + months[month - 1] + (month > 2 && is_leap(year)) + day -
           1;
}

static bool take_day(csv_span *at, uint64_t *days)
{
    static const unsigned lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned              year, month = 1, day = 1;

    if (!take(at, 4, 0, 9999, &year))
        return false;
    if (take_char(at, '-') &&
        (!take(at, 2, 1, 12, &month) || (take_char(at, '-') && !take(at, 2, 1, 31, &day))))
        return false;
    *days = days_before(year, month, day);
    return day <= lengths[month - 1] + (month == 2 && is_leap(year));
}

static bool take_fraction(csv_span *at, unsigned *nanoseconds)
{
    unsigned count = 0, value = 0;

    for (; at->begin < at->end && is_digit(*at->begin); at->begin++, count++)
        if (count < 9)
            value = value * 10 + (unsigned)(*at->begin - '0');
        else if (*at->begin != '0')
            return false;
    if (count == 0)
        return false;
    for (; count < 9; count++)
        value *= 10;
    *nanoseconds = value;
    return true;
}

/* Seconds east of UTC. */
static bool take_zone(csv_span *at, int *seconds)
{
    unsigned hours, minutes = 0;

    *seconds = 0;
    if (at->begin == at->end || take_char(at, 'Z') || take_char(at, 'z'))
        return true;
    const bool west = *at->begin == '-';
    if ((!take_char(at, '-') && !take_char(at, '+')) || !take(at, 2, 0, 23, &hours))
        return false;
    if (at->begin < at->end) {
        (void)take_char(at, ':');
        if (!take(at, 2, 0, 59, &minutes))
            return false;
    }
    *seconds = (int)(hours * 3600 + minutes * 60);
    *seconds = west ? -*seconds : *seconds;
    return true;
}

typedef struct csv_date { /* in order of ticks, then rest */
    csv_class class;
    uint64_t ticks; /* of 100 ns, below 2^62   */
    unsigned rest;  /* ns below a tick         */
} csv_date;

/* YYYY[-MM[-DD]], then 'T' or a blank and HH:MM[:SS[.FRACTION]], then Z or +HH:MM. */
static csv_date read_date(csv_span value)
{
    const csv_date no_date = {.class = CSV_OTHER};
    csv_span       at = csv_trim(value);
    unsigned       hour = 0, minute = 0, second = 0, nanoseconds = 0;
    int            zone = 0;
    uint64_t       days;

    if (at.begin == at.end)
        return (csv_date){.class = CSV_EMPTY};
    if (!take_day(&at, &days))
        return no_date;
    if (take_char(&at, 'T') || take_char(&at, 't') || take_char(&at, ' ')) {
        if (!take(&at, 2, 0, 23, &hour) || !take_char(&at, ':') || !take(&at, 2, 0, 59, &minute))
            return no_date;
        if (take_char(&at, ':') &&
            (!take(&at, 2, 0, 60, &second) ||
             ((take_char(&at, '.') || take_char(&at, ',')) && !take_fraction(&at, &nanoseconds))))
            return no_date;
        if (!take_zone(&at, &zone))
            return no_date;
    }
    if (at.begin != at.end)
        return no_date;
    /* Two days more, so that no zone makes the time negative. */
    const uint64_t seconds =
        (days + 2) * 86400 + hour * 3600 + minute * 60 + second - (uint64_t)zone;
    return (csv_date){.class = CSV_VALUE,
                      .ticks = seconds * TICKS_PER_SECOND + nanoseconds / 100,
                      .rest = nanoseconds % 100};
}

/* ---- Bytes ---- */

static csv_class encode_number(csv_span value, key_bytes *out)
{
    const csv_number number = csv_read_number(value);

    put_byte(out, number.class);
    if (number.class == CSV_VALUE) {
        put_wide(out, float_order(number.rounded), 8);
        const uint32_t rest = (uint32_t)(number.rest + REST_BIAS);
        if (fabs(number.rounded) >= 0x1p53)
            put_wide(out, rest, 2);
    }
    return number.class;
}

static csv_class encode_date(csv_span value, key_bytes *out)
{
    const csv_date date = read_date(value);

    put_byte(out, date.class);
    if (date.class == CSV_VALUE) {
        put_wide(out, date.ticks, 8);
        put_byte(out, date.rest);
    }
    return date.class;
}

bool csv_encode(const csv_key *key, csv_span value, key_bytes *out, csv_class *class)
{
    size_t from = out->used;

    *class = CSV_VALUE;
    const size_t each = key->type == CSV_NATURAL ? 8 : 2; /* bytes of a byte, at most */
    if (!key_bytes_reserve(out, each * (size_t)(value.end - value.begin) + KEY_EXTRA))
        return false;
    if (key->type == CSV_NUMBER || key->type == CSV_DATE) {
        *class = key->type == CSV_NUMBER ? encode_number(value, out) : encode_date(value, out);
        from++; /* the order of classes is the same in both directions */
        if (csv_class_is_bad(*class)) {
            out->data[from - 1] = CSV_OTHER;
            put_text(out, (key_span){value.begin, value.end});
        }
    } else if (key->type == CSV_NATURAL) {
        version_encode((key_span){value.begin, value.end}, out);
    } else {
        put_text(out, (key_span){value.begin, value.end});
    }
    if (key->descending)
        key_complement(out, from);
    return true;
}

/* ---- Words ---- */

enum {
    MOST_DIGITS = 15, /* of a number with places: different numbers are different f64 */
    WHOLE_DIGITS = 18 /* of a number without */
};

csv_form csv_form_first(csv_type type)
{
    return (csv_form){.kind = type == CSV_NUMBER ? FORM_PLACES
                              : type == CSV_DATE ? FORM_DATE
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
        *word = float_order(number.rounded);
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
    const csv_date date = read_date(value);

    *class = date.class;
    *word = date.class == CSV_EMPTY ? CSV_SPECIAL + date.class : date.ticks;
    if (date.rest != 0)
        form->kind = FORM_BYTES;
    return date.class != CSV_OTHER && date.rest == 0;
}

bool csv_word(const csv_key *key, csv_form *form, csv_span value, uint64_t *word, csv_class *class)
{
    *class = CSV_VALUE;
    const bool ok = form->kind == FORM_DATE ? date_word(form, value, word, class)
                                            : number_word(form, value, word, class);
    if (ok && key->descending && *class == CSV_VALUE)
        *word = ~*word; /* values of numbers and dates stay below the special words */
    return ok;
}
