/* line_words.c - keys as 64-bit words (see line_sort.h).
 *
 * The bits of a key depend on the longest number or text. They are first taken from a sample of the
 * lines, and all lines are encoded. If a line does not fit, all lines are looked at and encoded
 * again with the right bits. Each thread encodes a part of the lines. */
#include "cli/lines/line_sort.h"

#include "cli/base/workers.h"
#include "cli/io/number/digits.h"
#include "cli/lines/line_order.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINES_PER_THREAD = 1 << 14, /* estimate: a thread costs less than this many lines */
    MOST_KEYS = 8,
    MOST_DIGITS = 18, /* of a number */
    MOST_TEXT = 7,    /* bytes of a text */
    COUNT_BITS = 3,   /* for the number of these bytes */
    MONTH_BITS = 4,
    WORD_BITS = 64,
    SAMPLE = 2048 /* lines */
};

typedef struct word_shape {   /* of a key in all lines */
    size_t   whole, fraction; /* digits of the longest number, before and after the point */
    size_t   text;            /* bytes of the longest text */
    bool     negative;        /* there are negative numbers */
    unsigned bits;
    uint64_t zero; /* added to a number, so that no number is negative */
} word_shape;

typedef struct word_part { /* the lines of a thread */
    size_t     first, end, step;
    word_shape shapes[MOST_KEYS];
    bool       fits;
} word_part;

typedef struct word_job {
    const line_order *order;
    const lines      *l;
    uint64_t         *words;
    word_shape        shapes[MOST_KEYS];
    word_part         parts[WORKERS_MOST];
} word_job;

static uint64_t power_of_ten(size_t digits)
{
    uint64_t value = 1;
    while (digits-- > 0)
        value *= 10;
    return value;
}

/* Sets the bits of a key; false if a key alone has too many. */
static bool set_bits(const line_key *key, word_shape *s)
{
    if (key->kind == KEY_MONTH) {
        s->bits = MONTH_BITS;
    } else if (key->kind == KEY_NUMERIC) {
        if (s->whole > MOST_DIGITS || s->fraction > MOST_DIGITS - s->whole)
            return false;
        const uint64_t range = power_of_ten(s->whole + s->fraction);
        s->zero = s->negative ? range : 0;
        s->bits = WORD_BITS - (unsigned)__builtin_clzll(2 * range - (s->negative ? 0 : range));
    } else {
        s->bits = 8 * (unsigned)s->text + COUNT_BITS;
        return s->text <= MOST_TEXT;
    }
    return true;
}

/* Sets the bits of all keys; false if they do not fit a word. */
static bool set_all_bits(const line_order *order, word_shape *shapes)
{
    unsigned bits = 0;

    for (size_t k = 0; k < order->n; k++) {
        if (!set_bits(&order->keys[k], &shapes[k]))
            return false;
        bits += shapes[k].bits;
    }
    return bits <= WORD_BITS;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static void merge_shape(word_shape *into, const word_shape *from)
{
    into->whole = larger(into->whole, from->whole);
    into->fraction = larger(into->fraction, from->fraction);
    into->text = larger(into->text, from->text);
    into->negative |= from->negative;
}

static word_shape shape_of(const line_key *key, key_span span)
{
    if (key->kind == KEY_BYTES)
        return (word_shape){.text = (size_t)(span.end - span.begin)};
    if (key->kind == KEY_MONTH)
        return (word_shape){.text = 0};
    const decimal_key d = decimal_read(span, false, NULL);
    return (word_shape){.whole = (size_t)(d.whole_end - d.whole),
                        .fraction = (size_t)(d.fraction_end - d.fraction),
                        .negative = d.negative};
}

/* Looks at lines, until one does not fit. */
static void look(void *arg, size_t part)
{
    const word_job *const   job = arg;
    const line_order *const order = job->order;
    word_part *const        p = &((word_job *)arg)->parts[part];

    memset(p->shapes, 0, sizeof p->shapes);
    p->fits = true;
    for (size_t i = p->first; p->fits && i < p->end; i += p->step) {
        const uint64_t *const at = &job->l->offsets[i];
        for (size_t k = 0; p->fits && k < order->n; k++) {
            const word_shape s =
                shape_of(&order->keys[k], key_find(order, &order->keys[k], job->l->bytes + at[0],
                                                   (size_t)(at[1] - at[0])));
            merge_shape(&p->shapes[k], &s);
            p->fits = s.text <= MOST_TEXT && s.whole <= MOST_DIGITS &&
                      s.fraction <= MOST_DIGITS - s.whole;
        }
    }
}

static uint64_t take_digits(uint64_t value, const char *p, const char *end)
{
    for (; p < end; p++)
        value = value * 10 + (uint64_t)(*p - '0');
    return value;
}

/* The number times 10^fraction. Clears *fits if it has more digits than the shape. */
static uint64_t number_word(key_span span, const word_shape *s, bool *fits)
{
    const decimal_key d = decimal_read(span, false, NULL);
    const size_t      whole = (size_t)(d.whole_end - d.whole);
    const size_t      fraction = (size_t)(d.fraction_end - d.fraction);
    uint64_t          value = take_digits(0, d.whole, d.whole_end);

    if (whole > s->whole || fraction > s->fraction || (d.negative && !s->negative)) {
        *fits = false;
        return 0;
    }
    value = take_digits(value, d.fraction, d.fraction_end);
    for (size_t i = fraction; i < s->fraction; i++)
        value *= 10;
    return d.negative ? s->zero - value : s->zero + value;
}

/* The bytes from the highest on, then their number. */
static uint64_t text_word(const line_key *key, key_span span, const word_shape *s, bool *fits)
{
    uint64_t word = 0, n = 0;

    if ((size_t)(span.end - span.begin) > s->text) {
        *fits = false;
        return 0;
    }
    for (const char *p = span.begin; p < span.end; p++)
        if (!key->changed || !key->drop[(unsigned char)*p]) {
            word = word << 8 | (key->changed ? key->image[(unsigned char)*p] : (unsigned char)*p);
            n++;
        }
    return word << 8 * (s->text - n) << COUNT_BITS | n;
}

/* The word of any key. Clears *fits if it does not fit the shape. */
static uint64_t key_word(const line_order *order, const line_key *key, const char *line,
                         size_t length, key_cursor *cursor, const word_shape *s, bool *fits)
{
    const key_span span = key_find_next(order, key, line, length, cursor);
    return key->kind == KEY_NUMERIC ? number_word(span, s, fits)
           : key->kind == KEY_MONTH ? (uint64_t)month_read(span)
                                    : text_word(key, span, s, fits);
}

/* ---- Numbers that are a field ---- */

typedef struct field_number { /* of a key: what plain_number() needs */
    bool     is_field;        /* the key is one field */
    uint64_t most, scale;     /* numbers are below `most`, and times `scale` in the word */
} field_number;

static field_number field_number_of(const line_key *key, const word_shape *s)
{
    const bool is_field = key->kind == KEY_NUMERIC && key->first_byte == 0 && key->last_byte == 0 &&
                          key->last_field == key->first_field + 1;
    return is_field ? (field_number){true, power_of_ten(s->whole), power_of_ten(s->fraction)}
                    : (field_number){.is_field = false};
}

/* Reads a number of 1 to 15 digits that is the field at the cursor, which moves on. False if
 * the field is something else. Bytes up to `safe` may be read. */
static bool plain_number(int separator, const char *end, const char *safe, key_cursor *cursor,
                         uint64_t *value)
{
    const char       *p = separator < 0 ? skip_blanks(cursor->at, end) : cursor->at;
    const char *const first = p;

    *value = 0;
    if (safe - p < 16)
        return false;
    p = digits_read(p, 2, value);
    if (p == first || p - first == 16)
        return false;
    if (p > end || (p < end && (separator < 0 ? !is_blank(*p) : *p != separator)))
        return false;
    *cursor = (key_cursor){cursor->field + 1, p + (separator >= 0 && p < end)};
    return true;
}

/* ---- All keys of a line ---- */

static void encode(void *arg, size_t part)
{
    const word_job *const   job = arg;
    const line_order *const order = job->order;
    const char *const       safe = job->l->bytes + job->l->offsets[job->l->n];
    word_part *const        p = &((word_job *)arg)->parts[part];
    field_number            fields[MOST_KEYS] = {{.is_field = false}};
    bool                    fits = true;

    for (size_t k = 0; k < order->n; k++)
        fields[k] = field_number_of(&order->keys[k], &job->shapes[k]);
    for (size_t i = p->first; fits && i < p->end; i++) {
        const uint64_t *const at = &job->l->offsets[i];
        const char *const line = job->l->bytes + at[0], *const end = job->l->bytes + at[1];
        key_cursor cursor = {.field = 0, .at = line};
        uint64_t   word = 0;
        for (size_t k = 0; k < order->n; k++) {
            const line_key *const key = &order->keys[k];
            const key_cursor      before = cursor;
            uint64_t              value;
            if (fields[k].is_field && cursor.field == key->first_field &&
                plain_number(order->separator, end, safe, &cursor, &value) &&
                value < fields[k].most) {
                value = job->shapes[k].zero + value * fields[k].scale;
            } else {
                cursor = before;
                value = key_word(order, key, line, (size_t)(end - line), &cursor, &job->shapes[k],
                                 &fits);
            }
            const uint64_t all = ((uint64_t)1 << job->shapes[k].bits) - 1;
            word = word << job->shapes[k].bits | (key->reverse ? all - value : value);
        }
        job->words[i] = word;
    }
    p->fits = fits;
}

static bool kinds_fit(const line_order *order)
{
    for (size_t k = 0; k < order->n; k++) {
        const key_kind kind = order->keys[k].kind;
        if (kind != KEY_NUMERIC && kind != KEY_MONTH && kind != KEY_BYTES)
            return false;
    }
    return order->n <= MOST_KEYS;
}

/* Looks at every step-th line; false if the keys do not fit. */
static bool find_shapes(word_job *job, size_t parts, size_t step)
{
    bool fits = true;

    for (size_t i = 0; i < parts; i++)
        job->parts[i].step = step;
    workers_run(parts, look, job);
    memset(job->shapes, 0, sizeof job->shapes);
    for (size_t i = 0; i < parts; i++) {
        fits &= job->parts[i].fits;
        for (size_t k = 0; k < job->order->n; k++)
            merge_shape(&job->shapes[k], &job->parts[i].shapes[k]);
    }
    return fits && set_all_bits(job->order, job->shapes);
}

static bool encode_all(word_job *job, size_t parts)
{
    bool fits = true;

    workers_run(parts, encode, job);
    for (size_t i = 0; i < parts; i++)
        fits &= job->parts[i].fits;
    return fits;
}

words_result line_words_make(const line_order *order, const lines *l, unsigned threads,
                             line_words *out)
{
    const size_t n = workers_parts(l->n, LINES_PER_THREAD, threads);
    word_job     job = {.order = order, .l = l};

    if (!kinds_fit(order))
        return WORDS_TOO_LONG;
    for (size_t i = 0; i < n; i++) {
        job.parts[i].first = l->n / n * i;
        job.parts[i].end = i + 1 < n ? l->n / n * (i + 1) : l->n;
    }
    if (!find_shapes(&job, n, l->n / SAMPLE + 1))
        return WORDS_TOO_LONG;
    job.words = cli_alloc(l->n, sizeof *job.words, "the keys of the lines");
    if (job.words == NULL)
        return WORDS_FAILED;
    *out = (line_words){.words = job.words};
    if (encode_all(&job, n) || (find_shapes(&job, n, 1) && encode_all(&job, n))) {
        for (size_t k = 0; k < order->n; k++)
            out->bits += job.shapes[k].bits;
        return WORDS_MADE;
    }
    free(job.words);
    *out = (line_words){.words = NULL};
    return WORDS_TOO_LONG;
}
