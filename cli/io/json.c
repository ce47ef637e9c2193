/* json.c - JSON in printable ASCII (see json.h). */
#include "cli/io/json.h"

#include "cli/io/number/number.h"

#include <math.h>
#include <string.h>

/* ---- Texts ---- */

/* The character of 2 to 4 bytes at `text`, and its length; 0 if it is not UTF-8. */
static size_t decode(const unsigned char *text, size_t left, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t          n = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : text[0] >= 0xc0 ? 2 : 0;

    if (n == 0 || n > left || text[0] >= 0xf8)
        return 0;
    *code = text[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3fu);
    }
    const bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < least[n] || *code > 0x10ffff || surrogate ? 0 : n;
}

void json_escape(const char **text, const char *end, char *escaped)
{
    const unsigned char *const at = (const unsigned char *)*text;
    uint32_t                   code = *at;
    const size_t               n = *at < 0x80 ? 1 : decode(at, (size_t)(end - *text), &code);

    *text += n > 0 ? n : 1;
    if (n == 0)
        snprintf(escaped, JSON_ESCAPE, "\\\\x%02x", *at);
    else if (code >= 0x10000)
        snprintf(escaped, JSON_ESCAPE, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
                 0xdc00 + (code & 0x3ff));
    else if (code < 0x20 || code >= 0x7f)
        snprintf(escaped, JSON_ESCAPE, "\\u%04x", code);
    else
        snprintf(escaped, JSON_ESCAPE, code == '"' || code == '\\' ? "\\%c" : "%c", (char)code);
}

static bool put(json_results *j, const char *text)
{
    return output_bytes(j->out, text, strlen(text));
}

static bool put_string(json_results *j, const char *text, size_t length)
{
    const char *const end = text + length;
    char              escaped[JSON_ESCAPE];
    bool              ok = put(j, "\"");

    while (ok && text < end) {
        json_escape(&text, end, escaped);
        ok = put(j, escaped);
    }
    return ok && put(j, "\"");
}

/* ---- Numbers ---- */

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

/* Whether text[0..length) is a number of JSON. */
static bool is_number(const char *text, size_t length)
{
    const char *const end = text + length;
    const char       *p = text + (length > 0 && *text == '-'), *first = p;

    p = skip_digits(p, end);
    if (p == first || (*first == '0' && p > first + 1))
        return false;
    if (p < end && *p == '.') {
        first = ++p;
        p = skip_digits(p, end);
        if (p == first)
            return false;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < end && (*p == '+' || *p == '-');
        first = p;
        p = skip_digits(p, end);
        if (p == first)
            return false;
    }
    return p == end;
}

bool json_digits(json_results *j, const char *text, size_t length)
{
    static const ordo_type types[] = {ORDO_I64, ORDO_U64, ORDO_F64};
    uint64_t               value;

    if (length == 0)
        return put(j, "null");
    if (is_number(text, length))
        return output_bytes(j->out, text, length);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (number_parse(types[i], text, text + length, &value) == NUMBER_OK)
            return json_number(j, types[i], &value);
    return put_string(j, text, length);
}

bool json_number(json_results *j, ordo_type type, const void *value)
{
    char         text[NUMBER_TEXT_MAX];
    const size_t length = number_format(type, value, text);

    if (is_number(text, length))
        return output_bytes(j->out, text, length);
    return length == 3 && memcmp(text, "nan", 3) == 0 ? put(j, "null")
                                                      : put_string(j, text, length);
}

/* ---- Objects ---- */

bool json_begin(json_results *j, output *out, bool array)
{
    *j = (json_results){.out = out, .array = array};
    return !array || put(j, "[");
}

bool json_object(json_results *j)
{
    j->members = 0;
    return put(j, j->objects++ > 0 ? ",\n{" : "{");
}

bool json_name(json_results *j, const char *name, size_t length)
{
    return (j->members++ == 0 || put(j, ", ")) && put_string(j, name, length) && put(j, ": ");
}

bool json_text(json_results *j, const char *text, size_t length)
{
    return put_string(j, text, length);
}

bool json_object_end(json_results *j) { return put(j, "}"); }

bool json_end(json_results *j) { return put(j, j->array ? "]\n" : "\n"); }
