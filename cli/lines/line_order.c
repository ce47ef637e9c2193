/* line_order.c - reads the ordering options and key definitions (see line_order.h).
 *
 * A key is POS1[,POS2], a position FIELD[.BYTE][OPTIONS]; fields and bytes count from 1. A key with
 * options of its own takes none of the options for all keys; a key without takes all of them. */
#include "cli/lines/line_order.h"

#include "cli/base/as_sort.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char kinds[] = {[KEY_NUMERIC] = 'n', [KEY_GENERAL] = 'g', [KEY_HUMAN] = 'h',
                             [KEY_MONTH] = 'M',   [KEY_VERSION] = 'V', [KEY_RANDOM] = 'R'};
enum {
    KINDS = sizeof kinds
};

static bool holds(const char *letters, char letter) { return strchr(letters, letter) != NULL; }

/* In the words of sort(1), which lists all letters that order; d implies i. */
static bool incompatible(const char *letters)
{
    char   list[16];
    size_t n = 0;

    for (const char *l = "dfghiMnRV"; *l != '\0'; l++)
        if (holds(letters, *l) && (*l != 'i' || !holds(letters, 'd')))
            list[n++] = *l;
    list[n] = '\0';
    return cli_fail("options '-%s' are incompatible", list);
}

/* Names two letters that cannot be used together. Numbers and months are compared alone; -V, -R, -d
 * and -i can be combined. `key` is the value of -k; NULL: the options for all keys. */
static bool check_letters(const char *letters, const char *key)
{
    static const char alone[] = "nghM", together[] = "VRdi";
    char              first = '\0';

    for (const char *l = letters; *l != '\0'; l++) {
        const bool is_alone = holds(alone, *l);
        if (!is_alone && !holds(together, *l))
            continue;
        if (first != '\0' && first != *l && (is_alone || holds(alone, first)))
            return cli_is_sort() ? incompatible(letters)
                   : key != NULL
                       ? cli_fail("sort: -k %s: the options %c and %c cannot be used together; "
                                  "expected one of n, g, h, M, V",
                                  cli_quoted(key), first, *l)
                       : cli_fail("sort: -%c and -%c cannot be used together; expected one of -n, "
                                  "-g, -h, -M, -V",
                                  first, *l);
        if (first == '\0' || is_alone)
            first = *l;
    }
    return true;
}

/* Folds lower case, and drops what the letters d and i leave out. */
static void make_tables(line_key *key, const char *letters)
{
    const bool fold = holds(letters, 'f'), dictionary = holds(letters, 'd');
    const bool printable = holds(letters, 'i');

    key->changed = fold || dictionary || printable;
    for (int c = 0; c < 256; c++) {
        const bool lower = c >= 'a' && c <= 'z';
        const bool word = lower || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '\n' ||
                          c == '\t' || c == ' ';
        key->image[c] = (uint8_t)(fold && lower ? c - 'a' + 'A' : c);
        key->drop[c] = dictionary ? !word : printable && (c < ' ' || c > '~');
    }
}

/* A random order wins over a version order. */
static void set_letters(line_key *key, const char *letters)
{
    for (int kind = KEY_NUMERIC; kind < KINDS; kind++)
        if (holds(letters, kinds[kind]))
            key->kind = (key_kind)kind;
    key->reverse = holds(letters, 'r');
    make_tables(key, letters);
}

/* Reads digits, which may follow white space and a '+', into *value; a number that does not fit is
 * SIZE_MAX, beyond every line. NULL if there are none. */
static const char *read_position(const char *p, size_t *value)
{
    p += strspn(p, " \t\n\v\f\r");
    p += *p == '+';
    if (!is_digit(*p))
        return NULL;
    for (*value = 0; is_digit(*p); p++)
        if (__builtin_mul_overflow(*value, (size_t)10, value) ||
            __builtin_add_overflow(*value, (size_t)(*p - '0'), value))
            *value = SIZE_MAX;
    return p;
}

/* `name`: what sort(1) says. Returns NULL. */
static const char *bad_key(const char *key, const char *why, const char *name)
{
    if (cli_is_sort())
        cli_error("%s: invalid field specification %s", name, sort_quoted(key));
    else if (isalpha((unsigned char)key[0]))
        cli_error("sort: -k: '%s' is not a field such as 2,2n; the name of a column needs --csv or "
                  "--tsv",
                  cli_quoted(key));
    else
        cli_error("sort: -k: '%s': %s; expected FIELD[.BYTE][OPTIONS][,FIELD[.BYTE][OPTIONS]], "
                  "such as 2,2n",
                  cli_quoted(key), why);
    return NULL;
}

/* A number is missing at the beginning of `rest`. */
static const char *missing(const char *key, const char *rest, const char *why, const char *name)
{
    if (!cli_is_sort())
        return bad_key(key, why, name);
    cli_error("%s: invalid count at start of %s", name, sort_quoted(rest));
    return NULL;
}

static const char *stray(const char *key, const char *why)
{
    return bad_key(key, why, "stray character in field spec");
}

/* Reads FIELD[.BYTE] and option letters, which are appended to letters. *blanks: b is one. */
static const char *read_end(const char *text, const char *from, size_t *field, size_t *byte,
                            bool *blanks, char *letters)
{
    const char *p = read_position(from, field);
    size_t      n = strlen(letters);

    if (p == NULL)
        return missing(text, from, "a field number is missing",
                       from == text ? "invalid number at field start" : "invalid number after ','");
    if (*field == 0)
        return bad_key(text, "fields count from 1", "field number is zero");
    from = p + 1;
    if (*p == '.' && (p = read_position(from, byte)) == NULL)
        return missing(text, from, "a byte number is missing after '.'",
                       "invalid number after '.'");
    for (; *p != '\0' && *p != ','; p++) {
        if (!holds("bdfghiMnRrV", *p))
            return stray(text, "unknown option");
        *blanks |= *p == 'b';
        if (!holds(letters, *p)) {
            letters[n++] = *p;
            letters[n] = '\0';
        }
    }
    return p;
}

/* `letters` gets the options of the key itself. */
static bool read_key(const char *text, line_key *key, char *letters)
{
    size_t first_byte = 1;

    const char *p =
        read_end(text, text, &key->first_field, &first_byte, &key->first_blanks, letters);
    if (p == NULL)
        return false;
    if (first_byte == 0)
        return bad_key(text, "bytes count from 1", "character offset is zero") != NULL;
    key->first_field--;
    key->first_byte = first_byte - 1;
    if (*p == ',')
        p = read_end(text, p + 1, &key->last_field, &key->last_byte, &key->last_blanks, letters);
    if (p != NULL && *p != '\0')
        return stray(text, "there is a second ','") != NULL;
    return p != NULL;
}

/* Gives the key its own options or, if it has none, those for all keys. */
static bool set_key(const char *text, const char *inherited, const char *own, line_key *key)
{
    const bool        inherits = own[0] == '\0';
    const char *const letters = inherits ? inherited : own;

    if (!check_letters(letters, inherits ? NULL : text))
        return false;
    if (inherits)
        key->first_blanks = key->last_blanks = holds(inherited, 'b');
    set_letters(key, letters);
    return true;
}

enum {
    LETTERS = 16 /* bytes for the options of a key */
};

/* As sort(1), looks at how options fit after all keys have been read. */
static bool read_keys(const line_request *request, line_order *out)
{
    char *const own = calloc(request->n + 1, LETTERS);
    bool        ok = own != NULL || cli_fail("sort: not enough memory for the keys");

    for (size_t i = 0; ok && i < request->n; i++)
        ok = read_key(request->keys[i], &out->keys[i], own + i * LETTERS);
    for (size_t i = 0; ok && i < request->n; i++)
        ok = set_key(request->keys[i], request->letters, own + i * LETTERS, &out->keys[i]);
    free(own);
    return ok;
}

static bool read_separator(const char *text, int *separator)
{
    const char *const advice = strcmp(text, "\\t") == 0 ? "; the shell writes a tab as $'\\t'" : "";

    *separator = -1;
    if (strcmp(text, "\\0") == 0)
        *separator = '\0';
    else if (text[0] == '\0' && cli_is_sort())
        return cli_fail("empty tab");
    else if (text[0] != '\0' && text[1] != '\0' && cli_is_sort())
        return cli_fail("multi-character tab %s", sort_quoted(text));
    else if (text[0] == '\0' || text[1] != '\0')
        return cli_fail("sort: -t: '%s' is not one byte, and not \\0%s", cli_quoted(text), advice);
    else
        *separator = (unsigned char)text[0];
    return true;
}

bool line_order_make(const line_request *request, line_order *out)
{
    const char *const letters = request->letters;
    const bool        whole = request->n == 0 && strspn(letters, "r") < strlen(letters);
    bool              ok = request->n > 0 || check_letters(letters, NULL);

    *out = (line_order){.n = whole ? 1 : request->n,
                        .separator = -1,
                        .line_end = request->zero ? '\0' : '\n',
                        .reverse = holds(letters, 'r'),
                        .last_resort = !request->stable && !request->unique,
                        .seed = request->seed};
    if (request->separator != NULL)
        ok = ok && read_separator(request->separator, &out->separator);
    out->keys = calloc(out->n + 1, sizeof *out->keys);
    if (out->keys == NULL)
        ok = cli_fail("sort: not enough memory for the keys");
    ok = ok && read_keys(request, out);
    if (ok && whole) {
        out->keys[0].first_blanks = holds(letters, 'b');
        set_letters(&out->keys[0], letters);
    }
    if (!ok)
        line_order_free(out);
    return ok;
}

void line_order_free(line_order *order)
{
    free(order->keys);
    order->keys = NULL;
    order->n = 0;
}

/* ---- Where the bytes of a key are in a line ----
 *
 * With a separator, field f is what lies between separators f - 1 and f. Without one, a field
 * starts with its blanks. A position beyond the line is the end of the line, and a key that ends
 * before it begins is empty. --debug shows an empty key where GNU sort does. */

/* The end of the field that begins at p. */
static const char *field_end(int separator, const char *p, const char *end)
{
    if (separator >= 0) {
        const char *const found = memchr(p, separator, (size_t)(end - p));
        return found != NULL ? found : end;
    }
    p = skip_blanks(p, end);
    while (p < end && !is_blank(*p))
        p++;
    return p;
}

/* The beginning of field `count`, from 0. */
static const char *field_begin(int separator, const char *p, const char *end, size_t count)
{
    for (; count > 0 && p < end; count--) {
        p = field_end(separator, p, end);
        if (separator >= 0 && p < end)
            p++;
    }
    return p;
}

static const char *forward(const char *p, const char *end, size_t count)
{
    return count < (size_t)(end - p) ? p + count : end;
}

/* The positions of a key, which may end before it begins. Moves the cursor to the field after
 * it. */
static key_span locate(const line_order *order, const line_key *key, const char *line,
                       size_t length, key_cursor *cursor)
{
    const int         separator = order->separator;
    const char *const line_end = line + length;
    const key_cursor  from =
        cursor->field <= key->first_field ? *cursor : (key_cursor){.field = 0, .at = line};
    const char *begin = field_begin(separator, from.at, line_end, key->first_field - from.field);
    const char *end = line_end;

    if (key->last_field > 0) {
        const size_t last = key->last_field - 1;
        end = last >= key->first_field
                  ? field_begin(separator, begin, line_end, last - key->first_field)
                  : field_begin(separator, line, line_end, last);
        if (key->last_byte == 0) {
            end = field_end(separator, end, line_end);
            *cursor = (key_cursor){last + 1, end + (separator >= 0 && end < line_end)};
        } else if (key->last_blanks) {
            end = skip_blanks(end, line_end);
        }
        end = forward(end, line_end, key->last_byte);
    }
    if (key->first_blanks)
        begin = skip_blanks(begin, line_end);
    begin = forward(begin, line_end, key->first_byte);
    const bool from_start = key->first_field == 0 && key->first_byte == 0;
    return (key_span){from_start && end < begin ? end : begin, end};
}

key_span key_find_next(const line_order *order, const line_key *key, const char *line,
                       size_t length, key_cursor *cursor)
{
    const key_span span = locate(order, key, line, length, cursor);
    return (key_span){span.begin, span.end < span.begin ? span.begin : span.end};
}

key_span key_find(const line_order *order, const line_key *key, const char *line, size_t length)
{
    key_cursor cursor = {.field = 0, .at = line};
    return key_find_next(order, key, line, length, &cursor);
}

key_span key_shown(const line_order *order, const line_key *key, const char *line, size_t length)
{
    key_cursor cursor = {.field = 0, .at = line};
    key_span   span = locate(order, key, line, length, &cursor);
    const bool empty = span.end < span.begin;

    if (key->kind != KEY_BYTES && key->kind != KEY_VERSION && key->kind != KEY_RANDOM) {
        span.begin = skip_blanks(span.begin, empty ? line + length : span.end);
        span.end = empty                    ? span.begin
                   : key->kind == KEY_MONTH ? month_end(span)
                   : key->kind == KEY_GENERAL
                       ? general_end(span)
                       : decimal_read(span, key->kind == KEY_HUMAN, NULL).end;
    }
    return (key_span){span.begin, empty ? span.begin : span.end};
}
