/* fuzz_text.c - the reader of text numbers: plain lines, which several threads read, give the
 * same result as reading line by line, and every refusal has a reason. Numbers that are written
 * and read again have the same bits (a NaN is some NaN). Floats are written as the shortest text
 * that reads back as the same number.
 *
 * The first byte of the input chooses the type and whether bad lines are skipped. */
#include "fuzz.h"

#include "cli/io/number/number.h"
#include "cli/io/text/text_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("\x00"
              "1\n2\n3\n"),
    FUZZ_SEED("\x00"
              "-9223372036854775808\n9223372036854775807\n"),
    FUZZ_SEED("\x00"
              "18446744073709551615\r\n0\r\n"),
    FUZZ_SEED("\x00"
              "0.1\n1e300\n-2.5e-10\n5e-324\nnan\ninf\n-Infinity\n123456.789\n"),
    FUZZ_SEED("\x09"
              "0.1\n3.4028235e38\n1e-45\n16777217\n-0\n0.30000001\n"),
    FUZZ_SEED("\x0a"
              "0.30000000000000004\n9007199254740993\n2.2250738585072011e-308\n1e23\n"),
    FUZZ_SEED("\x82"
              "255\n256\nx\n\n7\n"),
    FUZZ_SEED("\x80"
              "1\nx\n2.5\n  +3  \n\t4"),
};
const size_t fuzz_seed_count = sizeof fuzz_seeds / sizeof fuzz_seeds[0];

const char *const fuzz_words[] = {"\n", "\r\n",        "e",   "e-",   "E+3", ".",  "-",
                                  "+",  "nan",         "inf", " ",    "\t",  "0x", "1e5",
                                  "00", "99999999999", ".5",  "e308", "e-5", "7"};
const size_t      fuzz_word_count = sizeof fuzz_words / sizeof fuzz_words[0];

static bool is_nan(ordo_type type, const void *value)
{
    if (type == ORDO_F32)
        return isnan(*(const float *)value);
    return type == ORDO_F64 && isnan(*(const double *)value);
}

/* Compares the text with the shortest one, which a search by digits finds. */
static void check_shortest(ordo_type type, const void *value, const char *text)
{
    const bool   single = type == ORDO_F32;
    const double v = single ? (double)*(const float *)value : *(const double *)value;
    char         expected[NUMBER_TEXT_MAX + 1];

    for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits++) {
        snprintf(expected, sizeof expected, "%.*g", digits, v);
        const double back = single ? (double)strtof(expected, NULL) : strtod(expected, NULL);
        if (!(back < v || back > v))
            break;
    }
    FUZZ_CHECK(strcmp(text, expected) == 0);
}

static void check_round_trip(const text_numbers *a)
{
    const size_t size = ordo_type_size(a->type);
    char         text[NUMBER_TEXT_MAX + 1];
    uint64_t     back;

    for (size_t i = 0; i < a->n; i++) {
        const char *const value = (const char *)a->values + i * size;
        const size_t      length = number_format(a->type, value, text);
        FUZZ_CHECK(length > 0 && length <= NUMBER_TEXT_MAX);
        text[length] = '\0';
        FUZZ_CHECK(number_parse(a->type, text, text + length, &back) == NUMBER_OK);
        if (is_nan(a->type, value)) {
            FUZZ_CHECK(strcmp(text, "nan") == 0 && is_nan(a->type, &back));
            continue;
        }
        FUZZ_CHECK(memcmp(&back, value, size) == 0);
        if (a->type == ORDO_F32 || a->type == ORDO_F64)
            check_shortest(a->type, value, text);
    }
}

static bool do_nothing(void *user, const source *s)
{
    (void)user;
    return s != NULL;
}

/* The source is a text in memory, read to its end. With `slowly`, line by line. */
static bool read_text(char *text, size_t length, int type, bool skip_bad, bool slowly,
                      text_numbers *out)
{
    source s = {
        .name = "text", .fd = -1, .line_end = '\n', .ended = true, .block = text, .end = length};

    text_start(out, &s, type, skip_bad);
    out->each = slowly ? do_nothing : NULL;
    const bool ok = text_read(out);
    text_end(out);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const int    type = (data[0] & 0x7f) % 11;
    const bool   skip_bad = data[0] >= 0x80;
    const size_t length = size - 1;
    char *const  text = malloc(length + 1);
    text_numbers first, second;

    FUZZ_CHECK(text != NULL);
    memcpy(text, data + 1, length);
    text[length] = '\0';
    const bool ok = read_text(text, length, type, skip_bad, false, &first);
    FUZZ_CHECK(read_text(text, length, type, skip_bad, true, &second) == ok);
    FUZZ_CHECK(ok || (first.bad_line == second.bad_line && strcmp(first.why, second.why) == 0));
    FUZZ_CHECK(ok || (first.bad_line > 0 && first.why[0] != '\0'));
    /* If bad lines are skipped, the only error is an integer that the type cannot hold. */
    FUZZ_CHECK(ok || !skip_bad || (type == 0 && strstr(first.why, "cannot hold") != NULL));
    if (ok) {
        FUZZ_CHECK(first.type == second.type && first.n == second.n);
        FUZZ_CHECK(type == 0 || first.type == (ordo_type)type);
        FUZZ_CHECK(first.skipped == second.skipped && (skip_bad || first.skipped == 0));
        FUZZ_CHECK(memcmp(first.values, second.values, first.n * ordo_type_size(first.type)) == 0);
        check_round_trip(&first);
    }
    free(first.values);
    free(second.values);
    free(text);
    return 0;
}
