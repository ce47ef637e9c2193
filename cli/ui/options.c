/* options.c - the option parser: one pass over argv against a table (see options.h).
 *
 * The message about a wrong option says what is wrong and what was expected. For an unknown name it
 * suggests the nearest known name by edit distance. */
#include "cli/ui/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_NAME = 32, /* names longer than this are not compared; no option is */
    MOST_OPTIONS = 96  /* of a command                                          */
};

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

/* How many letters to insert, drop, replace or swap with their neighbour to turn a into b. */
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

/* One word begins with the other, and the common part is long enough. */
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
    size_t       best_distance = length < 3 ? 1 : length < 6 ? 2 : length < 10 ? 3 : 4;

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

static const char *dashes(const option_spec *spec) { return spec->name[1] == '\0' ? "-" : "--"; }

/* The option of this command that does what an option of sort(1) does; NULL if there is none. */
static const char *option_for_habit(const char *typed, const option_spec *specs)
{
    static const struct {
        const char *typed, *name;
    } habits[] = {{"reverse", "descending"},
                  {"u", "unique"},
                  {"s", "stable"},
                  {"parallel", "threads"},
                  {"r", "smallest"},
                  {"reverse", "smallest"},
                  {"n", "k"},
                  {"j", "threads"},
                  {"q", "quiet"},
                  {"c", "check"},
                  {"column", "key"},
                  {"key", "column"},
                  {"by", "key"},
                  {"t", "text"}};

    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++)
        for (const option_spec *s = specs; strcmp(typed, habits[i].typed) == 0 && s->name != NULL;
             s++)
            if (strcmp(s->name, habits[i].name) == 0)
                return s->name;
    return NULL;
}

static bool unknown_option(const char *command, const char *shown, const char *name,
                           const option_spec *specs)
{
    const char *names[MOST_OPTIONS + 1] = {"help"};
    size_t      n = 1;
    for (const option_spec *s = specs; s->name != NULL && n < MOST_OPTIONS; s++)
        if (s->name[1] != '\0')
            names[n++] = s->name;
    const char  letter[2] = {shown[1], '\0'};
    const char *near = option_for_habit(name != NULL ? name : letter, specs);

    if (near == NULL && name != NULL)
        near = nearest_name(name, names, n);
    if (near != NULL)
        return cli_fail("%s: unknown option '%s'; did you mean '%s%s'?", command, cli_quoted(shown),
                        near[1] == '\0' ? "-" : "--", near);
    return cli_fail("%s: unknown option '%s'; see 'ordo %s --help'", command, cli_quoted(shown),
                    command);
}

static bool set_choice(const char *command, const option_spec *spec, const char *text, int *out)
{
    const bool   as_sort = spec->kind == OPTION_MAYBE || strcmp(spec->name, "sort") == 0;
    const size_t size = strlen(text);
    char         list[256] = ""; /* holds the names of every option */
    size_t       used = 0, length;
    int          begun = 0, matches = 0; /* the name that begins with text, and how many do */

    *out = (int)spec->least;
    for (const char *name = spec->choices; *name != '\0'; name += length, ++*out) {
        name += *name == ' ';
        length = strcspn(name, " ");
        if (*name == '-')
            continue;
        if (length == size && memcmp(name, text, size) == 0)
            return true;
        if (as_sort && size > 0 && size < length && memcmp(name, text, size) == 0) {
            begun = *out;
            matches++;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", used > 0 ? ", " : "",
                                 (int)length, name);
    }
    *out = begun;
    return matches == 1 || cli_fail("%s: %s%s: '%s' is not one of: %s", command, dashes(spec),
                                    spec->name, cli_quoted(text), list);
}

static bool set_count(const char *command, const option_spec *spec, const char *text, uint64_t *out)
{
    if (!option_count(text, out))
        return cli_fail("%s: %s%s: '%s' is not %s", command, dashes(spec), spec->name,
                        cli_quoted(text), option_a_count);
    const bool small = *out < spec->least;
    return (!small && *out <= spec->most) ||
           cli_fail("%s: %s%s: %s is too %s; expected at %s %llu", command, dashes(spec),
                    spec->name, cli_quoted(text), small ? "small" : "large",
                    small ? "least" : "most",
                    (unsigned long long)(small ? spec->least : spec->most));
}

/* Memory for `most` texts is taken with the first one. */
static bool add_text(option_texts *list, const char *text, size_t most)
{
    if (list->texts == NULL)
        list->texts = malloc(most * sizeof *list->texts);
    if (list->texts == NULL)
        return cli_fail("not enough memory for the options");
    list->texts[list->n++] = text;
    return true;
}

static bool set_value(const char *command, const option_spec *spec, const char *text, void *into)
{
    void *const field = (char *)into + spec->offset;

    if (spec->kind == OPTION_FLAG)
        return *(bool *)field = true;
    if (spec->kind == OPTION_SET || (spec->kind == OPTION_MAYBE && text == NULL))
        return (*(int *)field = (int)spec->least) != 0;
    if (spec->kind == OPTION_TEXT)
        return (*(const char **)field = text) != NULL;
    if (spec->kind == OPTION_COUNT)
        return set_count(command, spec, text, field);
    if (spec->kind == OPTION_SIZE)
        return (option_size(text, field) && *(uint64_t *)field >= spec->least) ||
               cli_fail("%s: %s%s: '%s' is not %s", command, dashes(spec), spec->name,
                        cli_quoted(text),
                        "a number of bytes, such as 512M, 4Gi or 1e9, or a share of the memory of "
                        "this machine, such as 50%");
    if (spec->kind == OPTION_CHOICE || spec->kind == OPTION_MAYBE)
        return set_choice(command, spec, text, field);
    const char *const wrong = option_real(text, false, field);
    return wrong == NULL || cli_fail("%s: %s%s: '%s' %s", command, dashes(spec), spec->name,
                                     cli_quoted(text), wrong);
}

static bool is_name(const char *name, size_t length, const char *expected)
{
    return length == strlen(expected) && memcmp(name, expected, length) == 0;
}

static const option_spec *find_option(const option_spec *specs, const char *name, size_t length,
                                      char letter)
{
    for (const option_spec *s = specs; s->name != NULL; s++)
        if (letter != '\0' ? s->letter == letter : is_name(name, length, s->name))
            return s;
    return NULL;
}

typedef struct parse {
    int                argc;
    char             **argv;
    int                i; /* of the word being read */
    const option_spec *specs;
    void              *into;
    const char        *given[MOST_OPTIONS]; /* value of each option so far; NULL: none */
    char              *room;                /* for keys of the old form                */
} parse;

/* A size without a unit, which sort(1) counts in units of 1024 bytes, with that unit; other sizes
 * and 0 as they are. Valid until the next call. */
static const char *size_of_sort(const char *text)
{
    static char size[32];
    const bool bare = text[strspn(text, "0")] != '\0' && strspn(text, "0123456789") == strlen(text);

    if (!bare || strlen(text) + sizeof "Ki" > sizeof size)
        return text;
    snprintf(size, sizeof size, "%sKi", text);
    return size;
}

/* Sets the option to value. NULL: the value is the next word, unless the option takes none.
 * `as_sort`: the option is one of sort(1). False after a message. */
static bool take_value(parse *p, const option_spec *spec, const char *value, bool as_sort)
{
    const char *const command = p->argv[0];

    if (spec->kind == OPTION_FLAG || spec->kind == OPTION_SET)
        return value == NULL
                   ? set_value(command, spec, value, p->into)
                   : cli_fail("%s: option %s%s takes no value", command, dashes(spec), spec->name);
    if (spec->kind == OPTION_MAYBE && value == NULL)
        return set_value(command, spec, value, p->into);
    if (value == NULL && p->i + 1 >= p->argc)
        return cli_fail("%s: option %s%s needs a value", command, dashes(spec), spec->name);
    if (value == NULL)
        value = p->argv[++p->i];
    if (spec->kind == OPTION_TEXTS || spec->kind == OPTION_KEYS)
        return add_text((option_texts *)((char *)p->into + spec->offset), value, (size_t)p->argc);
    const char **const before = &p->given[spec - p->specs];
    if (*before != NULL && strcmp(*before, value) != 0)
        return cli_fail("%s: option %s%s is given twice: '%s' and '%s'", command, dashes(spec),
                        spec->name, cli_quoted(*before), cli_quoted(value));
    *before = value;
    if (spec->kind == OPTION_SIZE && as_sort)
        value = size_of_sort(value);
    return set_value(command, spec, value, p->into);
}

/* ---- Names ---- */

/* The long option of sort(1) that name[0..*length) abbreviates, which must be the only one, and its
 * length; NULL: none. */
static const char *name_of_sort(const char *name, size_t *length)
{
    static const char names[] =
        "batch-size buffer-size check compress-program debug dictionary-order field-separator "
        "files0-from general-numeric-sort help human-numeric-sort ignore-case "
        "ignore-leading-blanks "
        "ignore-nonprinting key merge month-sort numeric-sort output parallel random-sort "
        "random-source reverse sort stable temporary-directory unique version version-sort "
        "zero-terminated ";
    const char *found = NULL;

    for (const char *n = names; *n != '\0'; n = strchr(n, ' ') + 1)
        if (strncmp(n, name, *length) == 0) {
            if (found != NULL)
                return NULL;
            found = n;
        }
    *length = found != NULL ? strcspn(found, " ") : *length;
    return found;
}

/* The name of a long option, written out if it abbreviates one of sort(1); *length: its length. */
static const char *whole_name(const option_spec *specs, const char *word, size_t *length)
{
    const char *const name = word + 2;

    *length = strcspn(name, "=");
    const bool known =
        find_option(specs, name, *length, '\0') != NULL || is_name(name, *length, "version");
    const char *const whole = known || *length == 0 ? NULL : name_of_sort(name, length);
    return whole != NULL ? whole : name;
}

static bool parse_long(parse *p, const char *word, const char *name, size_t length)
{
    const option_spec *const spec = find_option(p->specs, name, length, '\0');
    const char *const        equals = strchr(word, '=');
    char                     bare[LONGEST_NAME + 2];

    if (spec != NULL)
        return take_value(p, spec, equals != NULL ? equals + 1 : NULL, spec->letter == '\0');
    snprintf(bare, sizeof bare, "%.*s", (int)(length < sizeof bare ? length : sizeof bare), name);
    return unknown_option(p->argv[0], word, bare, p->specs);
}

/* Reads a word of letters. The first option that takes a value takes the rest of the word. */
static bool parse_letters(parse *p, const char *word)
{
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const option_spec *const spec = find_option(p->specs, "", 0, *letter);
        const char               shown[] = {'-', *letter, '\0'};
        if (spec == NULL)
            return unknown_option(p->argv[0], letter == word + 1 ? word : shown, NULL, p->specs);
        const bool alone =
            spec->kind == OPTION_FLAG || spec->kind == OPTION_SET || spec->kind == OPTION_MAYBE;
        if (!take_value(p, spec, alone || letter[1] == '\0' ? NULL : letter + 1, true))
            return false;
        if (!alone)
            break;
    }
    return true;
}

/* ---- Keys of the old form ---- */

/* Reads FIELD[.BYTE] at p. NULL if that is not there. */
static const char *read_place(const char *p, uint64_t *field, uint64_t *byte)
{
    char *end;

    *byte = 0;
    if (!isdigit((unsigned char)*p))
        return NULL;
    *field = strtoull(p, &end, 10);
    if (*end == '.' && !isdigit((unsigned char)end[1]))
        return NULL;
    if (*end == '.')
        *byte = strtoull(end + 1, &end, 10);
    return end;
}

/* A number that counts from 0 as one that counts from 1. */
static unsigned long long from_one(uint64_t number)
{
    return (unsigned long long)number + (number < UINT64_MAX);
}

/* Memory for the values of -k that this command line may make. */
static bool make_room(parse *p, option_texts *keys)
{
    size_t bytes = 0;

    for (int i = 1; i < p->argc; i++)
        bytes += strlen(p->argv[i]) + sizeof "99,99,"; /* each number may get a digit more */
    if (keys->made == NULL)
        p->room = keys->made = malloc(bytes);
    return keys->made != NULL || cli_fail("not enough memory for the options");
}

/* Adds +FIELD[.BYTE][OPTIONS], and -FIELD[.BYTE][OPTIONS] if that is the next word, as a key of the
 * form of -k. *is_key: the word is a key. False after a message. */
static bool take_old_key(parse *p, const option_spec *spec, const char *word, bool *is_key)
{
    option_texts *const keys = (option_texts *)((char *)p->into + spec->offset);
    uint64_t            field, byte;
    const char         *letters = word[0] == '+' ? read_place(word + 1, &field, &byte) : NULL;

    *is_key = letters != NULL && letters[strspn(letters, "bdfghiMnRrV")] == '\0';
    if (!*is_key)
        return true;
    if (!make_room(p, keys))
        return false;
    char *const text = p->room;
    p->room += sprintf(p->room, "%llu.%llu%s", from_one(field), from_one(byte), letters);
    const char *const next = p->i + 1 < p->argc ? p->argv[p->i + 1] : "";
    if (next[0] == '-' && isdigit((unsigned char)next[1])) {
        if ((letters = read_place(next + 1, &field, &byte)) == NULL)
            return cli_fail("%s: '%s %s': a byte number is missing after '.'", p->argv[0],
                            cli_quoted(word), cli_quoted(next));
        p->room += byte > 0 ? sprintf(p->room, ",%llu.%llu%s", from_one(field),
                                      (unsigned long long)byte, letters)
                            : sprintf(p->room, ",%llu%s",
                                      (unsigned long long)(field > 0 ? field : 1), letters);
        p->i++;
    }
    p->room++;
    return add_text(keys, text, (size_t)p->argc);
}

static const option_spec *find_keys(const option_spec *specs)
{
    while (specs->name != NULL && specs->kind != OPTION_KEYS)
        specs++;
    return specs->name != NULL ? specs : NULL;
}

/* ---- The command line ---- */

static bool take_operand(parse *p, const char *word, bool may_be_key, option_texts *operands,
                         size_t most)
{
    const option_spec *const keys = may_be_key ? find_keys(p->specs) : NULL;
    bool                     is_key = false;

    if (keys != NULL && !take_old_key(p, keys, word, &is_key))
        return false;
    if (is_key)
        return true;
    if (operands == NULL || operands->n >= most)
        return cli_fail("%s: unexpected operand '%s'; see 'ordo %s --help'", p->argv[0],
                        cli_quoted(word), p->argv[0]);
    return add_text(operands, word, (size_t)p->argc);
}

options_result options_parse(int argc, char **argv, const option_spec *specs, void *into,
                             option_texts *operands, size_t most)
{
    parse      p = {.argc = argc, .argv = argv, .i = 1, .specs = specs, .into = into};
    const bool letter_h = find_option(specs, "", 0, 'h') != NULL;
    bool       only_operands = false, ok = true;

    for (; ok && p.i < argc; p.i++) {
        const char *const word = argv[p.i];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (only_operands || word[0] != '-' || word[1] == '\0') {
            ok = take_operand(&p, word, !only_operands, operands, most);
        } else if (word[1] != '-') {
            if (strcmp(word, "-h") == 0 && !letter_h)
                return OPTIONS_HELP;
            ok = parse_letters(&p, word);
        } else {
            size_t            length;
            const char *const name = whole_name(specs, word, &length);
            const bool        known = find_option(specs, name, length, '\0') != NULL;
            if (!known && is_name(name, length, "help") && strchr(word, '=') == NULL)
                return OPTIONS_HELP;
            if (!known && strcmp(word, "--help=all") == 0)
                return OPTIONS_HELP_ALL;
            if (!known && is_name(name, length, "version") && strchr(word, '=') == NULL)
                return OPTIONS_VERSION;
            ok = parse_long(&p, word, name, length);
        }
    }
    return ok ? OPTIONS_OK : OPTIONS_BAD;
}
