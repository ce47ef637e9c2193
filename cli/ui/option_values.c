/* option_values.c - reads counts, sizes, numbers and lists of them (see options.h). */
#define _DEFAULT_SOURCE /* strsep */

#include "cli/ui/options.h"

#include "cli/io/number/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char option_a_count[] = "a whole number below 2^64, such as 1000, 1e6, 128M, 4Gi or 2^28";

const char option_columns[] = "";
const char option_ties[] =
#define ORDO_TIES_ROW(ID, name, rank, example) " " #name
#include "lib/core/ties.def"
    ;
const char option_methods[] =
#define ORDO_METHOD_ROW(ID, name, place) " " #name
#include "lib/core/methods.def"
    ;
const char option_types[] =
#define ORDO_TYPE(ID, tag, key, bits) " " #tag
#include "lib/core/types.def"
    ;

static bool read_digits(const char *text, size_t length, uint64_t *out)
{
    errno = 0;
    *out = strtoull(text, NULL, 10);
    return errno == 0 && length > 0 && strspn(text, "0123456789") == length;
}

bool option_count(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    const char *const suffix = text + strspn(text, "0123456789");
    const char *const unit = *suffix != '\0' ? strchr(units, *suffix) : NULL;
    uint64_t          value, base = 10, exponent = 0;

    if (!read_digits(text, (size_t)(suffix - text), &value))
        return false;
    if (unit != NULL) {
        base = suffix[1] == 'i' ? 1024 : 1000;
        exponent = (uint64_t)(unit - units) + 1;
        if (suffix[base == 1024 ? 2 : 1] != '\0')
            return false;
    } else if (*suffix != '\0') {
        const bool two = *suffix == '^' && value == 2;
        if ((!two && *suffix != 'e' && *suffix != 'E') ||
            !read_digits(suffix + 1, strlen(suffix + 1), &exponent))
            return false;
        base = two ? 2 : 10;
        value = two ? 1 : value;
    }
    for (; value != 0 && exponent > 0; exponent--)
        if (__builtin_mul_overflow(value, base, &value))
            return false;
    *out = value;
    return true;
}

bool option_size(const char *text, uint64_t *out)
{
    const size_t length = strlen(text);
    char         number[32];

    if (length < 2 || length >= sizeof number)
        return option_count(text, out);
    memcpy(number, text, length + 1);
    if (strchr("kmgt", number[length - 1]) != NULL)
        number[length - 1] = (char)(number[length - 1] - 'a' + 'A');
    if (number[length - 1] == 'b')
        number[length - 1] = '\0';
    if (number[length - 1] != '%')
        return option_count(number, out);
    number[length - 1] = '\0';
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (!option_count(number, out) || *out > 100 || pages <= 0 || page <= 0)
        return false;
    *out = (uint64_t)pages / 100 * *out * (uint64_t)page;
    return true;
}

const char *option_real(const char *text, bool nan, double *out)
{
    const number_result r = number_parse(ORDO_F64, text, text + strlen(text), out);
    const bool          read = r == NUMBER_OK || r == NUMBER_INEXACT;

    return r == NUMBER_RANGE               ? "is beyond the range of f64"
           : read && (nan || !isnan(*out)) ? NULL
                                           : "is not a number such as 0.5";
}

/* Reads one part of a list into *value: a uint64_t if most is 0, else a double. */
static bool read_part(const char *command, const char *option, const char *part, int most,
                      void *value)
{
    const char *const wrong = most == 0 ? NULL : option_real(part, true, value);

    if (wrong != NULL)
        return cli_fail("%s: %s: '%s' %s", command, option, cli_quoted(part), wrong);
    if (most == 0 && !option_count(part, value))
        return cli_fail("%s: %s: '%s' is not %s", command, option, cli_quoted(part),
                        option_a_count);
    if (most == 0)
        return *(uint64_t *)value > 0 ||
               cli_fail("%s: %s: elements are counted from 1; there is no element %s", command,
                        option, cli_quoted(part));
    return (*(double *)value >= 0 && *(double *)value <= most) ||
           cli_fail("%s: %s: %s is not a number from 0 to %d", command, option, cli_quoted(part),
                    most);
}

void *option_list(const char *command, const char *option, const char *text, int most, size_t *n)
{
    char *const     copy = strdup(text), *rest = copy, *part;
    uint64_t *const values = malloc((strlen(text) + 1) * sizeof *values); /* at least the parts */
    bool            ok = copy != NULL && values != NULL;

    if (!ok)
        cli_error("%s: %s: not enough memory", command, option);
    for (*n = 0; ok && (part = strsep(&rest, ",")) != NULL; ++*n)
        ok = read_part(command, option, part, most, &values[*n]);
    free(copy);
    if (ok)
        return values;
    free(values);
    return NULL;
}

/* ---- Options from environment variables, as gzip and bzip2 read them ---- */

static const char blanks[] = " \t\n\v\f\r";

static const char *value_of(const char *name)
{
    const char *const value = getenv(name);
    return value != NULL ? value : "";
}

/* One block of memory: the array, then the copies of the variables. */
char **options_add_words(int *argc, char **argv, const char *const *names)
{
    size_t bytes = 0;
    for (const char *const *name = names; *name != NULL; name++)
        bytes += strlen(value_of(*name)) + 1;
    /* A word takes a letter and a blank, or the end of the variable. */
    const size_t most = (size_t)*argc + bytes / 2 + 2;
    char **const words = malloc(most * sizeof *words + bytes);
    size_t       n = 1;

    if (words == NULL) {
        cli_error("%s: not enough memory for the options", argv[0]);
        return NULL;
    }
    char *copy = (char *)(words + most);
    words[0] = argv[0];
    for (const char *const *name = names; *name != NULL; name++) {
        const size_t size = strlen(value_of(*name)) + 1;
        char        *rest = memcpy(copy, value_of(*name), size), *word;
        copy += size;
        while ((word = strsep(&rest, blanks)) != NULL)
            if (word[0] != '\0')
                words[n++] = word;
    }
    memcpy(words + n, argv + 1, (size_t)(*argc - 1) * sizeof *words);
    n += (size_t)(*argc - 1);
    words[n] = NULL;
    *argc = (int)n;
    return words;
}
