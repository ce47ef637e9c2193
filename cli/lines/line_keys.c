/* line_keys.c - encodes the keys of all lines with several threads (see line_keys.h).
 *
 * Each thread encodes a part of the lines. A first look at the lines, which ends at the first line
 * that does not fit, says whether the key fits a word. Bytes of variable length go to a buffer for
 * each thread; the buffers are then copied together.
 * Memory: 8 bytes a line for words; otherwise 8 bytes a line and the encoded bytes, which are about
 * the bytes of the keys plus, with a last resort, those of the line, and twice that while
 * copying. */
#include "cli/lines/line_keys.h"

#include "cli/io/parts.h"
#include "cli/lines/key_encode.h"
#include "cli/lines/key_number.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINES_PER_THREAD = 1 << 14, /* estimate: a thread costs less than this many lines */
    MOST_DIGITS = 18,           /* of a number that fits a word                       */
    MOST_TEXT = 7               /* bytes of a text that fits a word with its length   */
};

static const uint64_t powers[MOST_DIGITS + 1] = {1,
                                                 10,
                                                 100,
                                                 1000,
                                                 10000,
                                                 100000,
                                                 1000000,
                                                 10000000,
                                                 100000000,
                                                 1000000000,
                                                 10000000000,
                                                 100000000000,
                                                 1000000000000,
                                                 10000000000000,
                                                 100000000000000,
                                                 1000000000000000,
                                                 10000000000000000,
                                                 100000000000000000,
                                                 1000000000000000000};

typedef struct part { /* the lines of a thread */
    const line_order *order;
    const lines      *l;
    size_t            first, end;
    bool              ok;      /* every line fits; there was enough memory */
    size_t    whole, fraction; /* digits of the longest number, before and after the point */
    uint64_t *words;
    uint64_t *offsets; /* of line 0 */
    key_bytes bytes;
    char     *to; /* where bytes go */
} part;

typedef void (*part_work)(part *p);

typedef struct task {
    part_work work;
    part     *parts;
} task;

static void run_task(void *arg, size_t i)
{
    const task *const t = arg;
    t->work(&t->parts[i]);
}

/* Does every part; returns whether all are ok. */
static bool for_parts(part *parts, size_t n, part_work work)
{
    task t = {work, parts};
    bool ok = true;

    parts_run(n, run_task, &t);
    for (size_t i = 0; i < n; i++)
        ok &= parts[i].ok;
    return ok;
}

static size_t make_parts(const line_order *order, const lines *l, unsigned threads, part *parts)
{
    const size_t n = parts_of(l->n, LINES_PER_THREAD, threads);

    for (size_t i = 0; i < n; i++)
        parts[i] = (part){.order = order,
                          .l = l,
                          .first = l->n / n * i,
                          .end = i + 1 < n ? l->n / n * (i + 1) : l->n};
    return n;
}

static key_span find_key(const part *p, size_t i)
{
    const uint64_t *const at = &p->l->offsets[i];
    return key_find(p->order, &p->order->keys[0], p->l->bytes + at[0], (size_t)(at[1] - at[0]));
}

static void look_at_numbers(part *p)
{
    p->ok = true;
    for (size_t i = p->first; p->ok && i < p->end; i++) {
        const decimal_key d = decimal_read(find_key(p, i), false, NULL);
        const size_t      whole = (size_t)(d.whole_end - d.whole);
        const size_t      fraction = (size_t)(d.fraction_end - d.fraction);
        p->whole = whole > p->whole ? whole : p->whole;
        p->fraction = fraction > p->fraction ? fraction : p->fraction;
        p->ok = p->whole <= MOST_DIGITS && p->fraction <= MOST_DIGITS - p->whole;
    }
}

static void look_at_text(part *p)
{
    p->ok = true;
    for (size_t i = p->first; p->ok && i < p->end; i++) {
        const key_span span = find_key(p, i);
        p->ok = span.end - span.begin <= MOST_TEXT;
    }
}

static void look_at_month(part *p) { p->ok = true; }

static uint64_t take_digits(uint64_t value, const char *p, const char *end)
{
    for (; p < end; p++)
        value = value * 10 + (uint64_t)(*p - '0');
    return value;
}

/* The number times 10^fraction, as an unsigned integer of the same order. */
static uint64_t number_word(key_span span, size_t fraction)
{
    const decimal_key d = decimal_read(span, false, NULL);
    uint64_t          value = take_digits(0, d.whole, d.whole_end);

    value = take_digits(value, d.fraction, d.fraction_end) *
            powers[fraction - (size_t)(d.fraction_end - d.fraction)];
    return (d.negative ? 0 - value : value) ^ UINT64_C(1) << 63;
}

/* The bytes from the highest on, then their number. */
static uint64_t text_word(const line_key *key, key_span span)
{
    uint64_t word = 0, n = 0;

    for (const char *p = span.begin; p < span.end; p++)
        if (!key->drop[(unsigned char)*p])
            word |= (uint64_t)key->image[(unsigned char)*p] << 8 * (MOST_TEXT - n++);
    return word | n;
}

static void encode_words(part *p)
{
    const line_key *const key = &p->order->keys[0];
    const uint64_t        flip = key->reverse ? UINT64_MAX : 0;

    p->ok = true;
    for (size_t i = p->first; i < p->end; i++) {
        const key_span span = find_key(p, i);
        p->words[i] = flip ^ (key->kind == KEY_NUMERIC ? number_word(span, p->fraction)
                              : key->kind == KEY_MONTH ? (uint64_t)month_read(span)
                                                       : text_word(key, span));
    }
}

/* Whether one key fits a word in every line; sets the digits of numbers in all parts. */
static bool fits_words(const line_order *order, part *parts, size_t n)
{
    const key_kind kind = order->keys[0].kind;
    size_t         whole = 0, fraction = 0;

    if (order->n != 1 || (kind != KEY_NUMERIC && kind != KEY_MONTH && kind != KEY_BYTES))
        return false;
    if (!for_parts(parts, n,
                   kind == KEY_NUMERIC ? look_at_numbers
                   : kind == KEY_MONTH ? look_at_month
                                       : look_at_text))
        return false;
    for (size_t i = 0; i < n; i++) {
        whole = parts[i].whole > whole ? parts[i].whole : whole;
        fraction = parts[i].fraction > fraction ? parts[i].fraction : fraction;
    }
    for (size_t i = 0; i < n; i++)
        parts[i].fraction = fraction;
    return whole + fraction <= MOST_DIGITS;
}

/* Offsets count from the beginning of the part. */
static void encode_bytes(part *p)
{
    p->ok = true;
    for (size_t i = p->first; p->ok && i < p->end; i++) {
        const uint64_t *const at = &p->l->offsets[i];
        p->offsets[i] = p->bytes.used;
        p->ok = key_encode(p->order, p->l->bytes + at[0], (size_t)(at[1] - at[0]), &p->bytes) &&
                p->bytes.used - p->offsets[i] <= UINT32_MAX;
    }
}

static void copy_bytes(part *p)
{
    if (p->bytes.used > 0)
        memcpy(p->to + p->whole, p->bytes.data, p->bytes.used);
    for (size_t i = p->first; i < p->end; i++)
        p->offsets[i] += p->whole;
    p->ok = true;
}

/* The buffer of a single part becomes the result. */
static bool join_bytes(part *parts, size_t n, lines *out)
{
    size_t used = 0;

    for (size_t i = 0; i < n; i++) {
        parts[i].whole = used;
        used += parts[i].bytes.used;
    }
    out->offsets[out->n] = used;
    if (n == 1) {
        out->bytes = (char *)parts[0].bytes.data;
        parts[0].bytes.data = NULL;
        return out->bytes != NULL || (out->bytes = cli_alloc(1, 1, "the keys")) != NULL;
    }
    out->bytes = cli_alloc(used, 1, "the encoded keys of the lines");
    for (size_t i = 0; i < n; i++)
        parts[i].to = out->bytes;
    return out->bytes != NULL && for_parts(parts, n, copy_bytes);
}

static bool make_bytes(part *parts, size_t n, lines *out)
{
    out->offsets = cli_alloc(out->n + 1, sizeof *out->offsets, "the offsets of the keys");
    if (out->offsets == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        parts[i].offsets = out->offsets;
    const bool ok = for_parts(parts, n, encode_bytes)
                        ? join_bytes(parts, n, out)
                        : cli_fail("sort: not enough memory for the encoded keys of the lines");
    for (size_t i = 0; i < n; i++)
        key_bytes_free(&parts[i].bytes);
    return ok;
}

bool line_keys_make(const line_order *order, const lines *l, unsigned threads, line_keys *out)
{
    part         parts[PARTS_MOST];
    const size_t n = make_parts(order, l, threads, parts);

    *out = (line_keys){.words = NULL};
    if (order->n == 0)
        return true;
    if (fits_words(order, parts, n)) {
        out->words = cli_alloc(l->n, sizeof *out->words, "the keys of the lines");
        for (size_t i = 0; i < n; i++)
            parts[i].words = out->words;
        return out->words != NULL && for_parts(parts, n, encode_words);
    }
    out->bytes.n = l->n;
    if (make_bytes(parts, n, &out->bytes))
        return true;
    line_keys_free(out);
    return false;
}

void line_keys_free(line_keys *keys)
{
    free(keys->words);
    keys->words = NULL;
    lines_free(&keys->bytes);
}

static int compare_lines(const lines *l, size_t i, size_t j)
{
    return lines_compare(l->bytes + l->offsets[i], (size_t)(l->offsets[i + 1] - l->offsets[i]),
                         l->bytes + l->offsets[j], (size_t)(l->offsets[j + 1] - l->offsets[j]));
}

int line_keys_compare(const line_order *order, const lines *l, const line_keys *keys, size_t i,
                      size_t j)
{
    if (keys->bytes.bytes != NULL)
        return compare_lines(&keys->bytes, i, j);
    if (keys->words != NULL && (keys->words[i] != keys->words[j] || !order->last_resort))
        return (keys->words[i] > keys->words[j]) - (keys->words[i] < keys->words[j]);
    return order->reverse ? compare_lines(l, j, i) : compare_lines(l, i, j);
}
