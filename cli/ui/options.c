/* options.c - the option parser: one pass over argv against a table (see options.h).
 *
 * A wrong option is answered with what was wrong, what was expected and, for a name, the nearest
 * known one by edit distance. */
#include "cli/ui/options.h"

#include "cli/io/textnum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LONGEST_NAME = 32, /* names longer than this are not compared; no option is */
    MOST_OPTIONS = 64  /* of a command                                          */
};

static bool power_of_ten(const char *digits, uint64_t *value)
{
    if (digits[0] < '0' || digits[0] > '9')
        return false;
    unsigned exponent = 0;
    for (; *digits >= '0' && *digits <= '9' && exponent < 100; digits++)
        exponent = exponent * 10 + (unsigned)(*digits - '0');
    if (*digits != '\0')
        return false;
    while (*value != 0 && exponent-- > 0)
        if (__builtin_mul_overflow(*value, UINT64_C(10), value))
            return false;
    return true;
}

static bool power_of_two(const char *digits, uint64_t *value)
{
    const size_t length = strlen(digits);
    if (*value != 2 || length < 1 || length > 2 || strspn(digits, "0123456789") != length)
        return false;
    unsigned exponent = 0;
    for (; *digits != '\0'; digits++)
        exponent = exponent * 10 + (unsigned)(*digits - '0');
    if (exponent > 63)
        return false;
    *value = UINT64_C(1) << exponent;
    return true;
}

static bool unit_suffix(const char *suffix, uint64_t *value)
{
    static const char units[] = "KMGT";
    const char *const unit = suffix[0] != '\0' ? strchr(units, suffix[0]) : NULL;
    if (unit == NULL)
        return false;
    const bool binary = suffix[1] == 'i';
    if (suffix[binary ? 2 : 1] != '\0')
        return false;
    for (const char *u = units; u <= unit; u++)
        if (__builtin_mul_overflow(*value, binary ? UINT64_C(1024) : UINT64_C(1000), value))
            return false;
    return true;
}

bool option_count(const char *text, uint64_t *out)
{
    uint64_t    value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            return false;
    if (p == text)
        return false;
    if ((*p == 'e' || *p == 'E') && !power_of_ten(p + 1, &value))
        return false;
    if (*p == '^' && !power_of_two(p + 1, &value))
        return false;
    if (*p != '\0' && *p != 'e' && *p != 'E' && *p != '^' && !unit_suffix(p, &value))
        return false;
    *out = value;
    return true;
}

int option_dtype(const char *name, bool bits_too)
{
    const int type = ordo_type_parse(name);
    char      quoted[40];
    if (type == 0)
        cli_error("--dtype: '%s' is not one of: i8, u8, i16, u16, i32, u32, i64, u64, f32, f64%s",
                  cli_printable(name, strlen(name), quoted, sizeof quoted),
                  bits_too ? ", bits" : "");
    return type;
}

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

/* How many letters to insert, drop, replace or swap with their neighbour to make b of a. */
static size_t edit_distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    size_t       cost[LONGEST_NAME + 1][LONGEST_NAME + 1];

    for (size_t i = 0; i <= n; i++)
        cost[i][0] = i;
    for (size_t j = 0; j <= m; j++)
        cost[0][j] = j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            const size_t replace = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = least_of(replace, least_of(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = least_of(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    return cost[n][m];
}

/* How many typing errors a word may have and still be taken for another. */
static size_t errors_allowed(size_t length)
{
    return length < 3 ? 0 : length < 6 ? 1 : length < 10 ? 2 : 3;
}

/* One word begins with the other, and what they share is long enough to be no accident. */
static bool begins_alike(const char *typed, const char *name)
{
    const size_t a = strlen(typed), b = strlen(name);
    return (a > 1 && a <= b && strncmp(typed, name, a) == 0) ||
           (b > 3 && b < a && strncmp(typed, name, b) == 0);
}

const char *nearest_name(const char *typed, const char *const *names, size_t n)
{
    const size_t length = strlen(typed);
    const char  *best = NULL;
    size_t       best_distance = errors_allowed(length) + 1;

    if (length > LONGEST_NAME)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (begins_alike(typed, names[i]))
            return names[i];
    for (size_t i = 0; i < n; i++) {
        const size_t distance = edit_distance(typed, names[i]);
        if (distance < best_distance) {
            best = names[i];
            best_distance = distance;
        }
    }
    return best;
}

/* "-" for a name of one letter, "--" for the others: as people write it. */
static const char *dashes(const option_spec *spec) { return spec->name[1] == '\0' ? "-" : "--"; }

/* The option of this command that does what an option of sort(1) does; NULL if there is none. */
static const char *option_for_habit(const char *typed, const option_spec *specs)
{
    static const struct {
        const char *typed, *name;
    } habits[] = {{"r", "descending"},   {"reverse", "descending"},
                  {"u", "unique"},       {"c", "check"},
                  {"C", "check"},        {"s", "stable"},
                  {"S", "memory-limit"}, {"parallel", "threads"}};

    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++)
        for (const option_spec *s = specs; strcmp(typed, habits[i].typed) == 0 && s->name != NULL;
             s++)
            if (strcmp(s->name, habits[i].name) == 0)
                return s->name;
    return NULL;
}

static options_result unknown_option(const char *command, const char *shown, const char *name,
                                     const option_spec *specs)
{
    const char *names[MOST_OPTIONS + 1] = {"help"};
    size_t      n = 1;
    for (const option_spec *s = specs; s->name != NULL && n < MOST_OPTIONS; s++)
        if (s->name[1] != '\0')
            names[n++] = s->name;
    const char  letter[2] = {shown[1], '\0'};
    const char *near = option_for_habit(name != NULL ? name : letter, specs);
    char        quoted[80];

    if (near == NULL && name != NULL)
        near = nearest_name(name, names, n);
    cli_printable(shown, strlen(shown), quoted, sizeof quoted);
    if (near != NULL)
        cli_error("%s: unknown option '%s'; did you mean '--%s'?", command, quoted, near);
    else
        cli_error("%s: unknown option '%s'; see 'ordo %s --help'", command, quoted, command);
    return OPTIONS_BAD;
}

static bool set_choice(const char *command, const option_spec *spec, const char *text)
{
    char   list[256] = "";
    size_t used = 0;
    for (const option_choice *c = spec->choices; c->name != NULL; c++) {
        if (strcmp(c->name, text) == 0) {
            *spec->to.choice = c->value;
            return true;
        }
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", c->name);
        if (used >= sizeof list)
            used = sizeof list - 1;
    }
    char quoted[80];
    cli_error("%s: %s%s: '%s' is not one of: %s", command, dashes(spec), spec->name,
              cli_printable(text, strlen(text), quoted, sizeof quoted), list);
    return false;
}

static bool set_count(const char *command, const option_spec *spec, const char *text)
{
    char     quoted[80];
    uint64_t value;

    cli_printable(text, strlen(text), quoted, sizeof quoted);
    if (!option_count(text, &value)) {
        cli_error("%s: %s%s: '%s' is not a count such as 1000, 1e6, 128M, 4Gi or 2^28", command,
                  dashes(spec), spec->name, quoted);
        return false;
    }
    if (value < spec->least || value > spec->most) {
        cli_error("%s: %s%s: %s is not between %llu and %llu", command, dashes(spec), spec->name,
                  quoted, (unsigned long long)spec->least, (unsigned long long)spec->most);
        return false;
    }
    *spec->to.count = value;
    return true;
}

static bool set_value(const char *command, const option_spec *spec, const char *text)
{
    switch (spec->kind) {
    case OPTION_FLAG:
        *spec->to.flag = true;
        return true;
    case OPTION_TEXT:
        *spec->to.text = text;
        return true;
    case OPTION_COUNT:
        return set_count(command, spec, text);
    case OPTION_CHOICE:
        return set_choice(command, spec, text);
    case OPTION_REAL:
        break;
    }
    double              value;
    const number_result r = number_parse(ORDO_F64, text, text + strlen(text), &value);
    if ((r == NUMBER_OK || r == NUMBER_INEXACT) && !isnan(value)) {
        *spec->to.real = value;
        return true;
    }
    char quoted[80];
    cli_error("%s: %s%s: '%s' is not a number", command, dashes(spec), spec->name,
              cli_printable(text, strlen(text), quoted, sizeof quoted));
    return false;
}

static const option_spec *find_option(const option_spec *specs, const char *name, size_t length,
                                      char letter)
{
    for (const option_spec *s = specs; s->name != NULL; s++) {
        if (letter != '\0' && s->letter == letter)
            return s;
        if (letter == '\0' && strlen(s->name) == length && memcmp(s->name, name, length) == 0)
            return s;
    }
    return NULL;
}

/* Remembers the value of an option. False after a message if it had another one before. */
static bool remember(const char *command, const option_spec *spec, const char *value,
                     const char **before)
{
    if (*before != NULL && strcmp(*before, value) != 0) {
        char first[80], second[80];
        cli_error("%s: option %s%s is given twice: '%s' and '%s'", command, dashes(spec),
                  spec->name, cli_printable(*before, strlen(*before), first, sizeof first),
                  cli_printable(value, strlen(value), second, sizeof second));
        return false;
    }
    *before = value;
    return true;
}

/* Reads the option at argv[*i] and moves *i to its last word. given[j] is the value that option j
 * of the table had so far, or NULL. */
static options_result parse_option(int argc, char **argv, int *i, const option_spec *specs,
                                   const char **given)
{
    const char *const command = argv[0];
    const char *const word = argv[*i];
    const bool        is_long = word[1] == '-';
    const char *const name = is_long ? word + 2 : NULL;
    const char *const equals = is_long ? strchr(name, '=') : NULL;
    const size_t length = !is_long ? 0 : equals != NULL ? (size_t)(equals - name) : strlen(name);
    const option_spec *const spec = find_option(specs, name, length, is_long ? '\0' : word[1]);

    if (spec == NULL) {
        char bare[LONGEST_NAME + 2] = "";
        if (is_long)
            snprintf(bare, sizeof bare, "%.*s", (int)(length < sizeof bare ? length : sizeof bare),
                     name);
        return unknown_option(command, word, is_long ? bare : NULL, specs);
    }
    const char *value =
        is_long ? (equals != NULL ? equals + 1 : NULL) : (word[2] != '\0' ? word + 2 : NULL);
    if (spec->kind == OPTION_FLAG && value != NULL) {
        cli_error("%s: option %s%s takes no value", command, dashes(spec), spec->name);
        return OPTIONS_BAD;
    }
    if (spec->kind != OPTION_FLAG && value == NULL) {
        if (*i + 1 >= argc) {
            cli_error("%s: option %s%s needs a value", command, dashes(spec), spec->name);
            return OPTIONS_BAD;
        }
        value = argv[++*i];
    }
    if (spec->kind != OPTION_FLAG && !remember(command, spec, value, &given[spec - specs]))
        return OPTIONS_BAD;
    return set_value(command, spec, value) ? OPTIONS_OK : OPTIONS_BAD;
}

options_result options_parse(int argc, char **argv, const option_spec *specs, const char *help,
                             const char **operands, size_t max_operands, size_t *n_operands)
{
    const char *given[MOST_OPTIONS] = {NULL};
    bool        only_operands = false;

    *n_operands = 0;
    for (int i = 1; i < argc; i++) {
        const char *const word = argv[i];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (only_operands || word[0] != '-' || word[1] == '\0') {
            if (*n_operands == max_operands) {
                char quoted[80];
                cli_error("%s: unexpected operand '%s'; see 'ordo %s --help'", argv[0],
                          cli_printable(word, strlen(word), quoted, sizeof quoted), argv[0]);
                return OPTIONS_BAD;
            }
            operands[(*n_operands)++] = word;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            fputs(help, stdout);
            return OPTIONS_HELP;
        } else if (parse_option(argc, argv, &i, specs, given) != OPTIONS_OK) {
            return OPTIONS_BAD;
        }
    }
    return OPTIONS_OK;
}
