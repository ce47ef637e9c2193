/* polars_options.c - reads the keyword arguments of an expression from a pickle.
 *
 * A dict of names and plain values needs few of the operations of a pickle: those that Python
 * writes for it. Everything else is refused, so no input does more than set options. */
#include "polars_options.h"

#include <string.h>

enum { /* operations of a pickle */
    PROTOCOL = 0x80,
    FRAME = 0x95,
    EMPTY_DICT = '}',
    MARK = '(',
    MEMOIZE = 0x94,
    SHORT_TEXT = 0x8c,
    TRUE_VALUE = 0x88,
    FALSE_VALUE = 0x89,
    INT_8 = 'K',
    INT_16 = 'M',
    INT_32 = 'J',
    INT_ANY = 0x8a,
    FLOAT = 'G',
    SET_ITEM = 's',
    SET_ITEMS = 'u',
    STOP = '.'
};

enum kind {
    TEXT,
    INTEGER,
    REAL,
    TRUTH
};

static const struct option {
    const char *name;
    enum kind   kind;
    size_t      at;
} known[] = {
    {"method", TEXT, offsetof(polars_options, method)},
    {"q", REAL, offsetof(polars_options, q)},
    {"k", INTEGER, offsetof(polars_options, k)},
    {"window", INTEGER, offsetof(polars_options, window)},
    {"least", INTEGER, offsetof(polars_options, least)},
    {"descending", TRUTH, offsetof(polars_options, descending)},
    {"nulls_last", TRUTH, offsetof(polars_options, nulls_last)},
    {"center", TRUTH, offsetof(polars_options, center)},
    {"wide", TRUTH, offsetof(polars_options, wide)},
};

typedef struct reader {
    const uint8_t *at, *end;
} reader;

/* The next `count` bytes; NULL: there are fewer. */
static const uint8_t *take(reader *r, size_t count)
{
    if ((size_t)(r->end - r->at) < count)
        return NULL;
    r->at += count;
    return r->at - count;
}

static bool skip(reader *r, uint8_t operation, size_t operands)
{
    if (r->at == r->end || *r->at != operation)
        return false;
    return take(r, 1 + operands) != NULL;
}

/* A string of less than METHOD_SIZE bytes; Python numbers it for later use. */
static bool read_text(reader *r, char *out)
{
    if (!skip(r, SHORT_TEXT, 0))
        return false;
    const uint8_t *const length = take(r, 1);
    const uint8_t *const text = length == NULL ? NULL : take(r, *length);
    if (text == NULL || *length >= METHOD_SIZE)
        return false;
    memcpy(out, text, *length);
    out[*length] = '\0';
    (void)skip(r, MEMOIZE, 0);
    return true;
}

/* `size` bytes, least first; with a sign if is_signed. */
static bool read_bytes(reader *r, size_t size, bool is_signed, int64_t *out)
{
    const uint8_t *const bytes = take(r, size);
    uint64_t             value = 0;
    if (bytes == NULL || size > sizeof value)
        return false;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    if (is_signed && size > 0 && size < sizeof value && bytes[size - 1] >= 0x80)
        value |= UINT64_MAX << (8 * size);
    memcpy(out, &value, sizeof value);
    return true;
}

static bool read_integer(reader *r, int64_t *out)
{
    if (skip(r, INT_8, 0))
        return read_bytes(r, 1, false, out);
    if (skip(r, INT_16, 0))
        return read_bytes(r, 2, false, out);
    if (skip(r, INT_32, 0))
        return read_bytes(r, 4, true, out);
    if (!skip(r, INT_ANY, 0))
        return false;
    const uint8_t *const size = take(r, 1);
    return size != NULL && read_bytes(r, *size, true, out);
}

static bool read_real(reader *r, double *out)
{
    const uint8_t *const bytes = skip(r, FLOAT, 0) ? take(r, 8) : NULL;
    uint64_t             value = 0;
    for (size_t i = 0; bytes != NULL && i < 8; i++)
        value = value << 8 | bytes[i];
    memcpy(out, &value, sizeof value);
    return bytes != NULL;
}

static bool read_truth(reader *r, bool *out)
{
    *out = skip(r, TRUE_VALUE, 0);
    return *out || skip(r, FALSE_VALUE, 0);
}

static bool read_item(reader *r, polars_options *options)
{
    char name[METHOD_SIZE];
    if (!read_text(r, name))
        return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) != 0)
            continue;
        void *const out = (char *)options + known[i].at;
        switch (known[i].kind) {
        case TEXT:
            return read_text(r, out);
        case INTEGER:
            return read_integer(r, out);
        case REAL:
            return read_real(r, out);
        case TRUTH:
            return read_truth(r, out);
        }
    }
    return false;
}

bool polars_read_options(const uint8_t *bytes, size_t count, polars_options *options)
{
    memset(options, 0, sizeof *options);
    if (count == 0)
        return true;
    reader r = {bytes, bytes + count};
    if (!skip(&r, PROTOCOL, 1))
        return false;
    (void)skip(&r, FRAME, 8);
    if (!skip(&r, EMPTY_DICT, 0))
        return false;
    (void)skip(&r, MEMOIZE, 0);
    if (skip(&r, MARK, 0)) {
        while (!skip(&r, SET_ITEMS, 0))
            if (!read_item(&r, options))
                return false;
    } else if (r.at < r.end && *r.at != STOP) {
        if (!read_item(&r, options) || !skip(&r, SET_ITEM, 0))
            return false;
    }
    return skip(&r, STOP, 0) && r.at == r.end;
}
