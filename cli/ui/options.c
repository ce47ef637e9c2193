/* options.c - the option parser: one pass over argv against a table (see options.h).
 *
 * The message about a wrong option says what is wrong and what was expected. For an unknown name it
 * suggests the nearest known name by edit distance. */
#include "cli/ui/options.h"

#include "cli/base/as_sort.h"
#include "cli/ui/option_messages.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Finds the name, which may be abbreviated for options of sort(1). */
static bool set_choice(const char *command, const option_spec *spec, const char *shown,
                       const char *text, int *out)
{
    const bool   as_sort = spec->kind == OPTION_MAYBE || strcmp(spec->name, "sort") == 0;
    const size_t size = strlen(text);
    size_t       length;
    int          value = (int)spec->least, found = 0, matches = 0;

    for (const char *name = spec->choices; *name != '\0' && matches != INT_MAX;
         name += length, value++) {
        name += *name == ' ';
        length = strcspn(name, " ");
        if (*name == '-' || size > length || memcmp(name, text, size) != 0 ||
            (size < length && !as_sort))
            continue;
        found = value;
        matches = size == length ? INT_MAX : matches + 1;
    }
    if (matches != 1 && matches != INT_MAX)
        return option_not_listed(command, spec, shown, text, matches > 1);
    *out = spec->kind == OPTION_BITS ? *out | 1 << (found - (int)spec->least) : found;
    return true;
}

static bool set_count(const char *command, const option_spec *spec, const char *shown,
                      const char *text, uint64_t *out)
{
    if (!option_count(text, out))
        return cli_fail("%s: %s: '%s' is not %s", command, shown, cli_quoted(text), option_a_count);
    const bool small = *out < spec->least;
    return (!small && *out <= spec->most) ||
           cli_fail("%s: %s: %s is too %s; expected at %s %llu", command, shown, cli_quoted(text),
                    small ? "small" : "large", small ? "least" : "most",
                    (unsigned long long)(small ? spec->least : spec->most));
}

static bool set_size(const char *command, const option_spec *spec, const char *shown,
                     const char *text, uint64_t *out)
{
    return (option_size(text, out) && *out >= spec->least) ||
           cli_fail("%s: %s: '%s' is not %s", command, shown, cli_quoted(text),
                    "a number of bytes, such as 512M, 4Gi or 1e9, or a share of the memory of "
                    "this machine, such as 50%");
}

/* Counts and sizes of sort(1). Of several sizes the largest is used. */
static bool set_sort_number(const option_spec *spec, const char *shown, const char *text,
                            uint64_t *out)
{
    const uint64_t before = spec->kind == OPTION_SIZE ? *out : 0;

    if (!option_sort_number(spec, shown, text, out))
        return false;
    *out = *out > spec->most ? spec->most : *out > before ? *out : before;
    return true;
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

static bool set_value(const char *command, const option_spec *spec, const char *shown,
                      const char *text, void *into)
{
    void *const field = (char *)into + spec->offset;
    const bool  is_number = spec->kind == OPTION_COUNT || spec->kind == OPTION_SIZE;

    if (spec->kind == OPTION_FLAG)
        return *(bool *)field = true;
    if (spec->kind == OPTION_SET || (spec->kind == OPTION_MAYBE && text == NULL))
        return (*(int *)field = (int)spec->least) != 0;
    if (spec->kind == OPTION_TEXT)
        return (*(const char **)field = text) != NULL;
    if (is_number && cli_is_sort())
        return set_sort_number(spec, shown, text, field);
    if (spec->kind == OPTION_COUNT)
        return set_count(command, spec, shown, text, field);
    if (spec->kind == OPTION_SIZE)
        return set_size(command, spec, shown, text, field);
    if (spec->kind == OPTION_CHOICE || spec->kind == OPTION_MAYBE || spec->kind == OPTION_BITS)
        return set_choice(command, spec, shown, text, field);
    const char *const wrong = option_real(text, false, field);
    return wrong == NULL || cli_fail("%s: %s: '%s' %s", command, shown, cli_quoted(text), wrong);
}

static bool is_name(const char *name, size_t length, const char *expected)
{
    return length == strlen(expected) && memcmp(name, expected, length) == 0;
}

static const option_spec *find_option(const option_spec *specs, const char *name, size_t length,
                                      char letter)
{
    for (const option_spec *s = specs; s->name != NULL; s++)
        if (letter != '\0' ? s->letter == letter
                           : (length > 1 || !cli_is_sort()) && is_name(name, length, s->name))
            return s;
    return NULL;
}

typedef struct parse {
    int                argc;
    char             **argv;
    int                i; /* of the word being read */
    const option_spec *specs;
    void              *into;
    const char        *given[OPTIONS_MOST]; /* value of each option so far; NULL: none */
    char              *room;                /* for keys of the old form                          */
    bool               old_keys;            /* +FIELD may stand alone, without -FIELD            */
    bool               posix;               /* sort(1) with POSIXLY_CORRECT: operands end options */
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

/* Sets the option, typed as "-S" or "--name", to value. NULL: the value is the next word, unless
 * the option takes none. False after a message. */
static bool take_value(parse *p, const option_spec *spec, const char *typed, const char *value)
{
    const char *const shown = option_shown(spec, typed);
    const char *const command = p->argv[0];
    const bool        alone = spec->kind == OPTION_FLAG || spec->kind == OPTION_SET;
    const bool        is_next = value == NULL;

    if (alone && value != NULL)
        return option_takes_no_value(command, shown);
    if (alone || (spec->kind == OPTION_MAYBE && value == NULL))
        return set_value(command, spec, shown, value, p->into);
    if (value == NULL && p->i + 1 >= p->argc)
        return option_needs_value(command, shown);
    if (value == NULL)
        value = p->argv[++p->i];
    if (spec->kind == OPTION_IGNORED) {
        p->i -= is_next && value[strspn(value, "0123456789")] != '\0';
        return true;
    }
    if (spec->kind == OPTION_TEXTS || spec->kind == OPTION_KEYS)
        return add_text((option_texts *)((char *)p->into + spec->offset), value, (size_t)p->argc);
    const bool         once = spec->kind == OPTION_TEXT && spec->choices != NULL;
    const bool         last_counts = spec->kind == OPTION_BITS || (cli_is_sort() && !once);
    const char **const before = &p->given[spec - p->specs];
    if (*before != NULL && !last_counts && strcmp(*before, value) != 0)
        return option_twice(command, spec, shown, *before, value);
    *before = value;
    if (spec->kind == OPTION_SIZE && (typed[1] != '-' || spec->letter == '\0') && !cli_is_sort())
        value = size_of_sort(value);
    return set_value(command, spec, shown, value, p->into);
}

/* ---- Names ---- */

/* The name of a long option, written out if it abbreviates one of sort(1); *length: its length.
 * *several: it abbreviates several. */
static const char *whole_name(const option_spec *specs, const char *word, size_t *length,
                              bool *several)
{
    const char *const name = word + 2, *found = NULL;

    *several = false;
    *length = strcspn(name, "=");
    if (*length == 0 || find_option(specs, name, *length, '\0') != NULL)
        return name;
    for (const option_spec *s = sort_options; s->name != NULL; s++) {
        if (s->name[1] == '\0' || strncmp(s->name, name, *length) != 0)
            continue;
        if (s->name[*length] == '\0')
            return name;
        *several |= found != NULL;
        found = s->name;
    }
    if (found == NULL || *several)
        return name;
    *length = strlen(found);
    return found;
}

static bool parse_long(parse *p, const char *word, const char *name, size_t length)
{
    const option_spec *const spec = find_option(p->specs, name, length, '\0');
    const char *const        equals = strchr(word, '=');
    const int                shown = (int)(length <= OPTION_LONGEST ? length : OPTION_LONGEST + 1);
    char                     typed[2 + OPTION_LONGEST + 2];

    snprintf(typed, sizeof typed, "--%.*s", shown, name);
    return spec != NULL ? take_value(p, spec, typed, equals != NULL ? equals + 1 : NULL)
                        : option_unknown(p->argv[0], word, typed + 2, '\0', p->specs);
}

/* Reads a word of letters. The first option that takes a value takes the rest of the word. */
static bool parse_letters(parse *p, const char *word)
{
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const option_spec *const spec = find_option(p->specs, "", 0, *letter);
        const char               shown[] = {'-', *letter, '\0'};
        if (spec == NULL)
            return option_unknown(p->argv[0], letter == word + 1 ? word : shown, NULL, *letter,
                                  p->specs);
        const bool alone =
            spec->kind == OPTION_FLAG || spec->kind == OPTION_SET || spec->kind == OPTION_MAYBE;
        if (!take_value(p, spec, shown, alone || letter[1] == '\0' ? NULL : letter + 1))
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
    size_t bytes = 1;

    for (int i = 1; i < p->argc; i++)
        bytes += strlen(p->argv[i]) + sizeof "99,99,"; /* each number may get a digit more */
    if (keys->made == NULL)
        p->room = keys->made = malloc(bytes);
    return keys->made != NULL || cli_fail("not enough memory for the options");
}

static const char key_letters[] = "bdfghiMnRrV";

/* The end `next` of the key that begins with `word` has no byte number behind its '.', or other
 * letters. */
static bool bad_old_end(const parse *p, const char *word, const char *next, bool byte_missing)
{
    if (cli_is_sort() && byte_missing)
        return cli_fail("invalid number after '.': invalid count at start of %s",
                        sort_quoted(strchr(next, '.') + 1));
    if (cli_is_sort())
        return cli_fail("stray character in field spec: invalid field specification %s",
                        sort_quoted(next));
    return cli_fail("%s: '%s %s': a byte number is missing after '.'", p->argv[0], cli_quoted(word),
                    cli_quoted(next));
}

/* Adds +FIELD[.BYTE][OPTIONS], and -FIELD[.BYTE][OPTIONS] if that is the next word, as a key of the
 * form of -k. *is_key: the word is a key. False after a message. */
static bool take_old_key(parse *p, const option_spec *spec, const char *word, bool *is_key)
{
    option_texts *const keys = (option_texts *)((char *)p->into + spec->offset);
    uint64_t            field, byte;
    const char         *letters = word[0] == '+' ? read_place(word + 1, &field, &byte) : NULL;

    const char *const next = p->i + 1 < p->argc ? p->argv[p->i + 1] : "";
    const bool        has_end = next[0] == '-' && isdigit((unsigned char)next[1]);
    p->old_keys |= word[0] == '+' && has_end && !p->posix;
    *is_key = p->old_keys && letters != NULL && letters[strspn(letters, key_letters)] == '\0';
    if (!*is_key)
        return true;
    if (!make_room(p, keys))
        return false;
    char *const text = p->room;
    p->room += sprintf(p->room, "%llu.%llu%s", from_one(field), from_one(byte), letters);
    if (has_end) {
        letters = read_place(next + 1, &field, &byte);
        if (letters == NULL || (cli_is_sort() && letters[strspn(letters, key_letters)] != '\0'))
            return bad_old_end(p, word, next, letters == NULL);
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

/* Whether keys of the old form may stand alone: not in the versions of POSIX that have none. */
static bool allows_old_keys(void)
{
    const char *const asked = cli_is_sort() ? getenv("_POSIX2_VERSION") : NULL;
    const long        version = asked != NULL ? strtol(asked, NULL, 10) : 0;

    return version < 200112 || version >= 200809;
}

/* With POSIXLY_CORRECT, -o may follow operands of sort(1), too. */
static bool is_operand(const parse *p, const char *word, const option_texts *operands)
{
    const bool output =
        p->old_keys && strncmp(word, "-o", 2) == 0 && (word[2] != '\0' || p->i + 1 < p->argc);

    return word[0] != '-' || word[1] == '\0' || (p->posix && operands->n > 0 && !output);
}

options_result options_parse(int argc, char **argv, const option_spec *specs, void *into,
                             option_texts *operands, size_t most)
{
    parse      p = {.argc = argc,
                    .argv = argv,
                    .i = 1,
                    .specs = specs,
                    .into = into,
                    .old_keys = allows_old_keys(),
                    .posix = cli_is_sort() && getenv("POSIXLY_CORRECT") != NULL};
    const bool letter_h = find_option(specs, "", 0, 'h') != NULL;
    bool       only_operands = false, ok = true, several;

    for (; ok && p.i < argc; p.i++) {
        const char *const word = argv[p.i];
        if (only_operands || is_operand(&p, word, operands)) {
            const bool may_be_key = !only_operands && !(p.posix && operands->n > 0);
            ok = take_operand(&p, word, may_be_key, operands, most);
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (word[1] != '-') {
            if (strcmp(word, "-h") == 0 && !letter_h)
                return OPTIONS_HELP;
            ok = parse_letters(&p, word);
        } else {
            size_t            length;
            const char *const name = whole_name(specs, word, &length, &several);
            const bool        bare = strchr(word, '=') == NULL &&
                              (cli_is_sort() || find_option(specs, name, length, '\0') == NULL);
            if (bare && is_name(name, length, "help"))
                return OPTIONS_HELP;
            if (strcmp(word, "--help=all") == 0 && !cli_is_sort())
                return OPTIONS_HELP_ALL;
            if (bare && is_name(name, length, "version"))
                return OPTIONS_VERSION;
            ok = several && cli_is_sort() ? option_ambiguous(word, length, specs)
                                          : parse_long(&p, word, name, length);
        }
    }
    return ok ? OPTIONS_OK : OPTIONS_BAD;
}
