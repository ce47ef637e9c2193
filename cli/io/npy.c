/* npy.c - reading and writing the header of .npy files (see npy.h).
 *
 * The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3,), }.
 * The file is not trusted: a small strict parser reads a bounded range and accepts three known
 * keys, each once, in any order. Fortran order has no effect on one dimension and is accepted. */
#include "cli/io/npy.h"

#include "cli/base/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    MAGIC_LENGTH = 6,
    HEADER_LIMIT = 1 << 20, /* no array of numbers has a longer one */
    SHAPE_TEXT = 40
};

typedef struct reader { /* the unread part of the header */
    const char *p, *end;
} reader;

typedef struct header {
    bool        has[3]; /* descr, fortran_order, shape */
    const char *descr;  /* the string, or the text of a list; NULL: neither */
    size_t      descr_length;
    size_t      dimensions, n;
    const char *shape; /* the text of the tuple */
    size_t      shape_length;
} header;

static const char magic[MAGIC_LENGTH] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

bool npy_is(const void *bytes, size_t length)
{
    return length >= MAGIC_LENGTH && memcmp(bytes, magic, MAGIC_LENGTH) == 0;
}

__attribute__((format(printf, 2, 3))) static bool fail(npy_array *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out->why, sizeof out->why, format, args);
    va_end(args);
    return false;
}

/* The header starts after a length field of two bytes in version 1, of four bytes later. */
static size_t header_start(const unsigned char *bytes) { return bytes[6] > 1 ? 12 : 10; }

static uint32_t header_length(const unsigned char *bytes)
{
    const uint32_t length = bytes[8] | (uint32_t)bytes[9] << 8;
    return bytes[6] > 1 ? length | (uint32_t)bytes[10] << 16 | (uint32_t)bytes[11] << 24 : length;
}

bool npy_header_fits(const void *bytes, size_t length)
{
    return !npy_is(bytes, length) || (length >= 12 && header_length(bytes) <= length - 12);
}

static void skip_space(reader *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
        r->p++;
}

static bool take(reader *r, char c)
{
    skip_space(r);
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

/* A quoted string without escapes. */
static bool take_string(reader *r, const char **text, size_t *length)
{
    skip_space(r);
    if (r->p == r->end || (*r->p != '\'' && *r->p != '"'))
        return false;
    const char quote = *r->p++;
    *text = r->p;
    while (r->p < r->end && *r->p != quote && *r->p != '\\')
        r->p++;
    if (r->p == r->end || *r->p == '\\')
        return false;
    *length = (size_t)(r->p++ - *text);
    return true;
}

static bool take_word(reader *r, const char *word)
{
    const size_t length = strlen(word);
    skip_space(r);
    if ((size_t)(r->end - r->p) < length || memcmp(r->p, word, length) != 0)
        return false;
    r->p += length;
    return true;
}

static bool take_size(reader *r, size_t *out)
{
    skip_space(r);
    const char *const first = r->p;
    size_t            value = 0;
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++)
        if (__builtin_mul_overflow(value, (size_t)10, &value) ||
            __builtin_add_overflow(value, (size_t)(*r->p - '0'), &value))
            return false;
    if (r->p == first)
        return false;
    if (r->p < r->end && *r->p == 'L') /* Python 2 wrote long integers so */
        r->p++;
    *out = value;
    return true;
}

static bool take_shape(reader *r, header *h)
{
    skip_space(r);
    h->shape = r->p;
    if (!take(r, '('))
        return false;
    while (!take(r, ')')) {
        if (!take_size(r, &h->n))
            return false;
        h->dimensions++;
        if (!take(r, ',')) {
            if (!take(r, ')') || h->dimensions == 1) /* (3) is a number, not a tuple */
                return false;
            break;
        }
    }
    h->shape_length = (size_t)(r->p - h->shape);
    return true;
}

/* A structured dtype is a list; its text is kept for the message. */
static bool take_descr(reader *r, header *h)
{
    skip_space(r);
    if (r->p < r->end && *r->p == '[') {
        const char *last = r->end - 1;
        while (*last != ']' && last > r->p)
            last--;
        h->descr = r->p;
        h->descr_length = (size_t)(last - r->p) + 1;
        return false;
    }
    if (take_string(r, &h->descr, &h->descr_length))
        return true;
    h->descr = NULL;
    return false;
}

static bool take_entry(reader *r, header *h)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    const char              *key;
    size_t                   length, k = 0;

    if (!take_string(r, &key, &length) || !take(r, ':'))
        return false;
    while (k < 3 && (length != strlen(keys[k]) || memcmp(key, keys[k], length) != 0))
        k++;
    if (k == 3 || h->has[k])
        return false;
    h->has[k] = true;
    return k == 0   ? take_descr(r, h)
           : k == 1 ? take_word(r, "False") || take_word(r, "True")
                    : take_shape(r, h);
}

static bool take_dictionary(reader *r, header *h)
{
    if (!take(r, '{'))
        return false;
    while (!take(r, '}')) {
        if (!take_entry(r, h))
            return false;
        if (!take(r, ',')) {
            if (!take(r, '}'))
                return false;
            break;
        }
    }
    skip_space(r);
    return r->p == r->end && h->has[0] && h->has[1] && h->has[2];
}

/* "<f4" and the like. The size is in bytes; in the names of types it is in bits. Bools are u8. */
static bool read_descr(const char *text, size_t length, npy_array *out)
{
    const bool marked = length == 3 && memchr("<>=|", text[0], 4) != NULL;
    const char other_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<';
    char       name[8];

    if (!marked && length != 2)
        return false;
    const bool truth = text[marked] == 'b' && text[marked + 1] == '1';
    snprintf(name, sizeof name, "%c%d", truth ? 'u' : text[marked], 8 * (text[marked + 1] - '0'));
    out->type = (ordo_type)ordo_type_parse(name);
    out->swapped = marked && text[0] == other_order;
    return out->type != 0;
}

static bool find_header(const unsigned char *bytes, size_t length, reader *r, npy_array *out)
{
    if (!npy_is(bytes, length))
        return fail(out, "not an .npy file: it does not start with \\x93NUMPY");
    const size_t start = length > 6 ? header_start(bytes) : 10;
    if (length < start)
        return fail(out, "truncated .npy header: the file has %zu bytes", length);
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return fail(out, "unknown .npy format version %u.%u (expected 1.0, 2.0 or 3.0)",
                    (unsigned)bytes[6], (unsigned)bytes[7]);
    const uint32_t claimed = header_length(bytes);
    if (claimed > HEADER_LIMIT || claimed > length - start)
        return fail(out,
                    "bad .npy header: it claims %lu bytes, the file has %zu after the length field "
                    "(at most %d are read)",
                    (unsigned long)claimed, length - start, (int)HEADER_LIMIT);
    r->p = (const char *)bytes + start;
    r->end = r->p + claimed;
    out->offset = start + claimed;
    return true;
}

static bool check_data(const header *h, size_t length, bool whole, npy_array *out)
{
    const size_t size = ordo_type_size(out->type);
    const size_t there = length - out->offset;
    size_t       bytes;
    char         shape[SHAPE_TEXT];

    cli_printable(h->shape, h->shape_length, shape, sizeof shape);
    if (h->dimensions != 1)
        return fail(out, "the array has %zu dimensions, shape %s; only one dimension is supported",
                    h->dimensions, shape);
    if (__builtin_mul_overflow(h->n, size, &bytes))
        return fail(out, "bad .npy header: shape %s of %zu-byte elements is larger than any file",
                    shape, size);
    if (whole && bytes != there)
        return fail(out,
                    "%s: the header says %zu elements, %zu bytes; the file has %zu bytes of data",
                    there < bytes ? "truncated .npy data" : "trailing bytes after the .npy data",
                    h->n, bytes, there);
    out->n = h->n;
    return true;
}

static bool parse(const void *bytes, size_t length, bool whole, npy_array *out)
{
    header h = {.shape = ""};
    reader r = {NULL, NULL};
    char   quoted[60];

    memset(out, 0, sizeof *out);
    if (!find_header(bytes, length, &r, out))
        return false;
    const char *const text = r.p;
    const bool        well_formed = take_dictionary(&r, &h);
    if (h.descr != NULL && !read_descr(h.descr, h.descr_length, out))
        return fail(out,
                    "dtype '%s' is not supported (expected b1 i1 u1 i2 u2 i4 u4 i8 u8 f4 or f8)",
                    cli_printable(h.descr, h.descr_length, quoted, sizeof quoted));
    if (!well_formed)
        return fail(out, "bad .npy header: cannot read it from byte %zu: '%s'",
                    (size_t)(r.p - text),
                    cli_printable(r.p, (size_t)(r.end - r.p), quoted, sizeof quoted));
    return check_data(&h, length, whole, out);
}

bool npy_parse(const void *bytes, size_t length, npy_array *out)
{
    return parse(bytes, length, true, out);
}

bool npy_parse_start(const void *bytes, size_t length, npy_array *out)
{
    return parse(bytes, length, false, out);
}

size_t npy_write_header(ordo_type type, size_t n, char *out)
{
    const bool   little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    const size_t size = ordo_type_size(type);
    const char   order = size == 1 ? '|' : little ? '<' : '>';
    char         text[NPY_HEADER_MAX];
    const int    used = snprintf(text, sizeof text,
                                 "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%zu,), }",
                                 order, ordo_type_name(type)[0], size, n);
    const size_t total = (10 + (size_t)used + 1 + 63) / 64 * 64;

    memcpy(out, magic, MAGIC_LENGTH);
    out[6] = 1;
    out[7] = 0;
    out[8] = (char)((total - 10) & 0xff);
    out[9] = (char)((total - 10) >> 8);
    memset(out + 10, ' ', total - 10);
    memcpy(out + 10, text, (size_t)used);
    out[total - 1] = '\n';
    return total;
}
