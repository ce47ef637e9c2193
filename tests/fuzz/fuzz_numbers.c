/* fuzz_numbers.c - the readers of numbers against strtod() and its relatives.
 *
 * The input is lines. number_parse() accepts what a plain state machine accepts and gives the bits
 * of strtod() or strtof(); a finite number that these make infinite is out of range, and only that.
 * A CSV cell agrees with it. The keys of -g order lines as strtold()
 * does; those of -n and -h order them as digits do that are compared one by one. */
#include "fuzz.h"

#include "cli/csv/csv_keys.h"
#include "cli/io/number/number.h"
#include "cli/lines/key_encode.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("1.25e280\n1e30\n0.5\n-17\n1e400\n-1e-400\n"),
    FUZZ_SEED("0.0000000000000000000000000000001e30\n0.05\n+5e-1\n00.1\n"),
    FUZZ_SEED("9007199254740993\n9007199254740992.9999999\n18446744073709551616\n1e19\n"),
    FUZZ_SEED("5e-324\n2.4703282292062327208e-324\n2.2250738585072011e-308\n1e-45\n"),
    FUZZ_SEED("1.7976931348623158e308\n1.7976931348623159e308\n3.4028235677973367e38\n"),
    FUZZ_SEED("nan\n-NaN\nnan(12)\ninf\n-Infinity\n0x1.8p3\n0x\n x\n"),
    FUZZ_SEED("1K\n1k\n-2M\n0G\n3.5Q\n4R\n007\n-0\n.\n-.5T\n"),
    FUZZ_SEED("123456789012345678901234567890.12345678901234567890e-7\n1e99999999999\n"),
};
const size_t fuzz_seed_count = sizeof fuzz_seeds / sizeof fuzz_seeds[0];

const char *const fuzz_words[] = {"e",          "e-",
                                  "E+",         "e308",
                                  "e-324",      ".",
                                  "-",          "+",
                                  "0",          "00000000000000000000",
                                  "9999999999", "5",
                                  "\n",         "nan",
                                  "inf",        "0x",
                                  "p-3",        "e999999",
                                  "K",          "Q",
                                  " ",          "1e",
                                  "4932",       "000000000000000000000000e30"};
const size_t      fuzz_word_count = sizeof fuzz_words / sizeof fuzz_words[0];

enum {
    MOST_LINES = 12
};

/* ---- Values ---- */

static const char *digits_end(const char *p)
{
    while (isdigit((unsigned char)*p))
        p++;
    return p;
}

/* Whether the text is a number as number.h says. *integer: without fraction and exponent. */
static bool is_number(const char *p, bool *integer, bool *special)
{
    p += *p == '-' || *p == '+';
    *special =
        strcasecmp(p, "nan") == 0 || strcasecmp(p, "inf") == 0 || strcasecmp(p, "infinity") == 0;
    *integer = false;
    if (*special)
        return true;
    const char *const whole = p;
    p = digits_end(p);
    bool any = p > whole;
    *integer = any && *p == '\0';
    if (*p == '.') {
        const char *const fraction = ++p;
        p = digits_end(p);
        any |= p > fraction;
    }
    if (any && (*p == 'e' || *p == 'E')) {
        p += 1 + (p[1] == '-' || p[1] == '+');
        any = isdigit((unsigned char)*p);
        p = digits_end(p);
    }
    return any && *p == '\0';
}

static void check_integers(const char *text, const char *end, bool number, bool integer)
{
    int64_t  i = 0;
    uint64_t u = 0;

    errno = 0;
    const long long signed_value = strtoll(text, NULL, 10);
    const bool      fits_signed = errno == 0;
    errno = 0;
    const unsigned long long value = strtoull(text, NULL, 10);
    const bool               fits = errno == 0 && (text[0] != '-' || value == 0);
    const number_result      a = number_parse(ORDO_I64, text, end, &i);
    const number_result      b = number_parse(ORDO_U64, text, end, &u);

    if (!number || !integer) {
        FUZZ_CHECK(a == (number ? NUMBER_NOT_INTEGER : NUMBER_BAD) && b == a);
        return;
    }
    FUZZ_CHECK(a == (fits_signed ? NUMBER_OK : NUMBER_RANGE) &&
               (!fits_signed || i == signed_value));
    FUZZ_CHECK(b == (fits ? NUMBER_OK : NUMBER_RANGE) && (!fits || u == value));
}

static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void check_value(const char *text)
{
    const char *const   end = text + strlen(text);
    bool                integer, special;
    const bool          number = is_number(text, &integer, &special);
    double              wide = 0, expected = strtod(text, NULL);
    float               narrow = 0;
    const float         expected_narrow = strtof(text, NULL);
    const number_result r = number_parse(ORDO_F64, text, end, &wide);
    const number_result s = number_parse(ORDO_F32, text, end, &narrow);

    check_integers(text, end, number, integer);
    FUZZ_CHECK((r == NUMBER_BAD) == !number && (s == NUMBER_BAD) == !number);
    FUZZ_CHECK(r != NUMBER_INEXACT || integer);
    if (!number)
        return;
    FUZZ_CHECK((r == NUMBER_RANGE) == (isinf(expected) && !special));
    FUZZ_CHECK((s == NUMBER_RANGE) == (isinf(expected_narrow) && !special));
    FUZZ_CHECK(isnan(expected) ? isnan(wide) && isnan(narrow) : same(wide, expected));
    FUZZ_CHECK(isnan(expected) || same((double)narrow, (double)expected_narrow));
    const csv_number cell = csv_read_number((csv_span){text, end});
    FUZZ_CHECK((cell.class == CSV_RANGE) == (r == NUMBER_RANGE));
    FUZZ_CHECK((cell.class == CSV_NAN) == (isnan(expected) != 0));
    FUZZ_CHECK(cell.class == CSV_NAN || same(cell.rounded, expected));
}

/* ---- Order of keys ---- */

static int sign(int order) { return (order > 0) - (order < 0); }

/* No number, NaN with a minus, NaN, numbers. */
static int general_rank(const char *text, long double *value)
{
    char *end;

    *value = strtold(text, &end);
    return end == text ? 0 : !isnan(*value) ? 3 : signbit(*value) != 0 ? 1 : 2;
}

static int general_order(const char *a, const char *b)
{
    long double x, y;
    const int   i = general_rank(a, &x), j = general_rank(b, &y);

    return i != j ? sign(i - j) : i < 3 ? 0 : (x > y) - (x < y);
}

typedef struct digits { /* -n, -h */
    int         sign, unit;
    const char *whole, *fraction;
    size_t      whole_count, fraction_count;
} digits;

static digits read_digits(const char *p, bool human)
{
    static const char units[] = "KMGTPEZYRQ";
    digits            d = {.sign = 1};

    p += strspn(p, " \t");
    d.sign = *p == '-' ? -1 : 1;
    p += *p == '-';
    d.whole = p + strspn(p, "0");
    p = digits_end(p);
    d.whole_count = (size_t)(p - d.whole);
    d.fraction = p;
    if (*p == '.') {
        d.fraction = ++p;
        p = digits_end(p);
        d.fraction_count = (size_t)(p - d.fraction);
        while (d.fraction_count > 0 && d.fraction[d.fraction_count - 1] == '0')
            d.fraction_count--;
    }
    if (d.whole_count == 0 && d.fraction_count == 0)
        return (digits){.sign = 0};
    const char *const unit = *p != '\0' ? strchr(units, *p == 'k' ? 'K' : *p) : NULL;
    d.unit = human && unit != NULL ? d.sign * (int)(unit - units + 1) : 0;
    return d;
}

static int decimal_order(const char *a, const char *b, bool human)
{
    const digits x = read_digits(a, human), y = read_digits(b, human);

    if (x.sign != y.sign || x.sign == 0)
        return sign(x.sign - y.sign);
    if (x.unit != y.unit)
        return sign(x.unit - y.unit);
    if (x.whole_count != y.whole_count)
        return x.whole_count > y.whole_count ? x.sign : -x.sign;
    int order = x.whole_count > 0 ? memcmp(x.whole, y.whole, x.whole_count) : 0;
    for (size_t i = 0; order == 0 && (i < x.fraction_count || i < y.fraction_count); i++)
        order = (i < x.fraction_count ? x.fraction[i] : '0') -
                (i < y.fraction_count ? y.fraction[i] : '0');
    return x.sign * sign(order);
}

static void check_order(const char *letters, char **texts, size_t n)
{
    const line_request request = {.letters = letters, .stable = true};
    key_bytes          keys[MOST_LINES] = {{.used = 0}};
    line_order         order;

    FUZZ_CHECK(line_order_make(&request, &order));
    for (size_t i = 0; i < n; i++)
        FUZZ_CHECK(key_encode(&order, texts[i], strlen(texts[i]), &keys[i]));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const size_t a = keys[i].used, b = keys[j].used;
            const int    bytes = memcmp(keys[i].data, keys[j].data, a < b ? a : b);
            const int    found = bytes != 0 ? sign(bytes) : (a > b) - (a < b);
            FUZZ_CHECK(found == (letters[0] == 'g'
                                     ? general_order(texts[i], texts[j])
                                     : decimal_order(texts[i], texts[j], letters[0] == 'h')));
        }
    for (size_t i = 0; i < n; i++)
        key_bytes_free(&keys[i]);
    line_order_free(&order);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1);
    char       *texts[MOST_LINES], *at = text;
    size_t      n = 0;

    FUZZ_CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    while (n < MOST_LINES && at != NULL) {
        texts[n++] = at;
        at = strchr(at, '\n');
        if (at != NULL)
            *at++ = '\0';
    }
    for (size_t i = 0; i < n; i++)
        check_value(texts[i]);
    check_order("g", texts, n);
    check_order("n", texts, n);
    check_order("h", texts, n);
    free(text);
    return 0;
}
