/* test_external_lines.c - ordo_external_sort_lines: whole lines and keys, lines that hold their
 * end byte, files, pipes and callbacks, ties, long lines, little memory and failures.
 *
 * The expected text comes from a stable insertion of line numbers by qsort() on keys. The tiny
 * library accepts a few kilobytes of memory, so a few thousand lines pass through every phase. */
#define _GNU_SOURCE
#include "ordo_external_lines.h"
#include "tapes.h"
#include "testkit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
#ifdef ORDO_TINY
    TEXT = 150 << 10,
    MEMORY = 64 << 10,
    KIND_STEP = 1,
    TESTED_LEVELS = 2,
#else
    TEXT = 9 << 20,
    MEMORY = 8 << 20,
    TESTED_LEVELS = 1,
    KIND_STEP = 6, /* WORDS and MIXED; the tiny library reaches every phase with all kinds */
#endif
    MOST_KEY = 1 << 16
};

static char input[TEXT + 1], expected[TEXT + 1], result[TEXT + 2];

typedef struct line { /* of the oracle */
    const char *bytes;
    size_t      length;
    char       *key;
    size_t      key_length;
} line;

typedef struct place { /* what qsort() moves; most comparisons read no line */
    uint64_t head;     /* the first 8 bytes of the key as a number: zeros follow a shorter key */
    size_t   number;
} place;

typedef enum line_kind { /* of the lines of a text */
    WORDS,
    NUMBERS,
    TIES,
    LONG_ENDS, /* long common beginnings */
    EMPTY,
    BYTES,
    MIXED, /* a few long lines */
    SORTED,
    LINE_KINDS
} line_kind;

static uint64_t state = 1;
static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % below;
}

static size_t put_line(line_kind kind, size_t i, char *to)
{
    size_t n = 0;
    switch (kind) {
    case WORDS:
        for (size_t m = 1 + draw(12); n < m; n++)
            to[n] = (char)('a' + draw(26));
        break;
    case NUMBERS:
        return (size_t)sprintf(to, "%u", draw(100000000));
    case TIES:
        return (size_t)sprintf(to, "tie %u", draw(3));
    case LONG_ENDS:
        memset(to, 'x', 40);
        return 40 + (size_t)sprintf(to + 40, "%u", draw(1000));
    case EMPTY:
        return draw(8) == 0 ? (size_t)sprintf(to, "%u", draw(9)) : 0;
    case BYTES:
        for (size_t m = draw(6); n < m; n++)
            to[n] = (char)draw(256);
        break;
    case MIXED:
        for (size_t m = draw(100) == 0 ? draw(MEMORY / 256) : draw(30); n < m; n++)
            to[n] = (char)('a' + draw(3));
        break;
    default:
        return (size_t)sprintf(to, "%08zu", i);
    }
    return n;
}

/* Fills the input with lines; the last one has no end if `open`. Returns its length. */
static size_t make_text(line_kind kind, size_t most, char end, bool open)
{
    size_t used = 0;
    for (size_t i = 0;; i++) {
        static char one[MEMORY];
        size_t      n = put_line(kind, i, one);
        for (size_t b = 0; b < n; b++)
            one[b] = (char)(one[b] == end ? 'e' : one[b]);
        if (used + n + 1 > most)
            break;
        memcpy(input + used, one, n);
        used += n;
        input[used++] = end;
    }
    return used - (open && used > 0 && (used < 2 || input[used - 2] != end));
}

/* ---- Keys and lines of the callbacks ---- */

/* The bytes after the first 'e', each in two bytes, and then the number of bytes. */
static ptrdiff_t key_of(void *user, const char *text, size_t length, void *into, size_t room)
{
    const char *const mark = memchr(text, 'e', length);
    size_t const      from = mark != NULL ? (size_t)(mark - text) : length / 2;
    char *const       to = into;
    size_t            n = 0;
    (void)user;
    if (2 * (length - from) + 1 > room)
        return (ptrdiff_t)(2 * (length - from) + 1);
    for (size_t i = from; i < length; i++) {
        to[n++] = text[i];
        to[n++] = (char)(length & 3);
    }
    to[n++] = (char)(length & 1);
    return (ptrdiff_t)n;
}

static ptrdiff_t bad_key(void *user, const char *text, size_t length, void *into, size_t room)
{
    (void)user, (void)into, (void)room;
    if (length > 0 && text[0] == 'z') {
        errno = EDOM;
        return -1;
    }
    return 0;
}

/* A line ends with the first newline behind an even number of 'q'. */
static size_t split_quoted(void *user, const char *text, size_t length)
{
    bool odd = false;
    (void)user;
    for (size_t i = 0; i < length; i++) {
        odd ^= text[i] == 'q';
        if (text[i] == '\n' && !odd)
            return i + 1;
    }
    return 0;
}

/* ---- The oracle ---- */

static line *all;
static bool  descends;

static int compare_keys(const line *x, const line *y)
{
    size_t const common = x->key_length < y->key_length ? x->key_length : y->key_length;
    int const    order = memcmp(x->key, y->key, common);
    return order != 0 ? order : (x->key_length > y->key_length) - (x->key_length < y->key_length);
}

static int by_key(const void *a, const void *b)
{
    const place *const x = a, *const y = b;
    int order = (x->head > y->head) - (x->head < y->head);
    if (order == 0)
        order = compare_keys(&all[x->number], &all[y->number]);
    if (descends)
        order = -order;
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

/* Writes the expected text and returns its length. */
static size_t expect(const ordo_line_format *format, size_t length, uint64_t flags, size_t *lines)
{
    place *places = test_need((length + 1) * sizeof *places);
    char  *keys = test_need(4 * length + MOST_KEY);
    size_t n = 0, used = 0, key_bytes = 0;
    all = test_need((length + 1) * sizeof *all);
    for (size_t at = 0; at < length; n++) {
        const char *const end = memchr(input + at, (int)format->end, length - at);
        size_t size = format->split != NULL ? format->split(format->user, input + at, length - at)
                      : end != NULL         ? (size_t)(end - input) + 1 - at
                                            : 0;
        bool const is_open = size == 0 && input[length - 1] != (char)format->end;
        size = size == 0 ? length - at : size;
        line *const one = &all[n];
        *one = (line){.bytes = input + at, .length = size - !is_open};
        places[n] = (place){.number = n};
        one->key = keys + key_bytes;
        if (format->key != NULL)
            one->key_length = (size_t)format->key(format->user, one->bytes, one->length, one->key,
                                                  4 * length + MOST_KEY - key_bytes);
        else
            memcpy(one->key, one->bytes, one->key_length = one->length);
        for (size_t i = 0; i < sizeof places->head && i < one->key_length; i++)
            places[n].head |= (uint64_t)(unsigned char)one->key[i] << (56 - 8 * i);
        key_bytes += one->key_length;
        at += size;
    }
    descends = (flags & ORDO_DESCENDING) != 0;
    qsort(places, n, sizeof *places, by_key);
    for (size_t i = 0; i < n; i++) {
        const line *const one = &all[places[i].number];
        if ((flags & ORDO_UNIQUE) != 0 && i > 0 &&
            compare_keys(one, &all[places[i - 1].number]) == 0)
            continue;
        memcpy(expected + used, one->bytes, one->length);
        used += one->length;
        expected[used++] = (char)format->end;
    }
    free(all);
    free(keys);
    free(places);
    *lines = n;
    return used;
}

/* ---- Cases ---- */

enum {
    CONTEXTS = 2
};

static ordo_ctx         *both[CONTEXTS]; /* of 1 and 3 threads */
static uint64_t          most_levels;
static uint64_t          most_runs; /* of the options */
static const char *const here[] = {"."};

static ordo_external_opts options(uint64_t flags)
{
    return ORDO_OPTS(ordo_external_opts, .flags = flags | ORDO_SPILL_IN_MEMORY, .memory = MEMORY,
                     .directories = here, .directory_count = 1, .most_runs = most_runs);
}

static void check_sort_with(ordo_ctx *ctx, const ordo_line_format *format, size_t length,
                            uint64_t flags, bool needs_runs, size_t wanted, size_t lines)
{
    tape                     from = {.bytes = input, .size = length};
    tape                     to = {.bytes = result, .size = sizeof result};
    ordo_external_opts const opts = options(flags);
    ordo_external_report     report = ORDO_OPTS(ordo_external_report, .n = 0);
    ordo_source const        source =
        ORDO_OPTS(ordo_source, .read = tape_read, .user = &from, .bytes = length);
    ordo_sink const sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &to);
    CHECK_STATUS(ORDO_OK, ordo_external_sort_lines(ctx, format, &source, &sink, &opts, &report),
                 ctx);
    CHECK_EQ_U64(wanted, to.at);
    CHECK(memcmp(expected, result, wanted) == 0);
    CHECK_EQ_U64(lines, report.n);
    CHECK(!needs_runs || report.runs > 1);
    CHECK((report.runs > 0) == (report.spilled > 0));
    most_levels = report.levels > most_levels ? report.levels : most_levels;
}

/* Sorts with each context. */
static void check_sort(const ordo_line_format *format, size_t length, uint64_t flags,
                       bool needs_runs)
{
    size_t       lines;
    size_t const wanted = expect(format, length, flags, &lines);
    for (size_t i = 0; i < CONTEXTS; i++)
        check_sort_with(both[i], format, length, flags, needs_runs, wanted, lines);
}

static void test_kinds(void)
{
    for (int kind = 0; kind < LINE_KINDS; kind += KIND_STEP)
        for (unsigned options_set = 0; options_set < 8; options_set += KIND_STEP) {
            bool const     keyed = (options_set & 1) != 0;
            uint64_t const flags = ((options_set & 2) != 0 ? ORDO_DESCENDING : 0) |
                                   ((options_set & 4) != 0 ? ORDO_UNIQUE : 0);
            ordo_line_format const format =
                ORDO_OPTS(ordo_line_format, .end = '\n', .key = keyed ? key_of : NULL);
            if (!testkit_run_case(3))
                continue;
            testkit_case("kind %d, options %u", kind, options_set);
            size_t const length = make_text((line_kind)kind, TEXT, '\n', options_set % 3 == 0);
            check_sort(&format, length, flags, true);
        }
}

/* Runs that are merged by twos are written more often. */
static void test_few_runs(void)
{
    ordo_line_format const format = ORDO_OPTS(ordo_line_format, .end = '\n');
    uint64_t const         levels_before = most_levels;
    testkit_case("runs as many as fit");
    most_levels = 0;
    check_sort(&format, make_text(WORDS, TEXT, '\n', true), 0, true);
    uint64_t const usual = most_levels;
    testkit_case("runs merged by twos");
    most_runs = 2;
    check_sort(&format, make_text(WORDS, TEXT, '\n', true), 0, true);
    CHECK(most_levels > usual);
    most_runs = 0;
    most_levels = levels_before;
}

static ordo_status sort_tapes(ordo_ctx *ctx, const ordo_line_format *format, tape *from, tape *to,
                              size_t length)
{
    ordo_external_opts const opts = options(0);
    *from = (tape){
        .bytes = input, .size = length, .fail_at = from->fail_at, .error = EIO, .lies = from->lies};
    *to = (tape){.bytes = result,
                 .size = sizeof result,
                 .fail_at = to->fail_at,
                 .error = ENOSPC,
                 .lies = to->lies};
    return ordo_external_sort_lines(
        ctx, format, &ORDO_OPTS(ordo_source, .read = tape_read, .user = from, .name = "tape"),
        &ORDO_OPTS(ordo_sink, .write = tape_write, .user = to), &opts, NULL);
}

static void test_ends(void)
{
    ordo_line_format const zero = ORDO_OPTS(ordo_line_format, .end = 0);
    testkit_case("lines that end with NUL");
    check_sort(&zero, make_text(BYTES, TEXT, 0, true), 0, true);
    ordo_line_format const quoted =
        ORDO_OPTS(ordo_line_format, .end = '\n', .split = split_quoted, .key = key_of);
    for (unsigned i = 0; i < 4; i++) {
        testkit_case("lines that a function splits, %u", i);
        size_t length = make_text(WORDS, TEXT - 1, '\n', i % 2 != 0);
        bool   odd = false;
        for (size_t at = 0; at < length; at++)
            odd ^= input[at] == 'q';
        if (odd)
            input[length++] = 'q';
        check_sort(&quoted, length, i < 2 ? 0 : ORDO_UNIQUE, true);
    }
}

static void test_open_end(ordo_ctx *ctx)
{
    ordo_line_format const quoted =
        ORDO_OPTS(ordo_line_format, .end = '\n', .split = split_quoted, .key = key_of);
    tape from = {.fail_at = 0}, to = {.fail_at = 0};
    testkit_case("the data end inside a line");
    memcpy(input, "one\ntwo q\nthree\n", 16);
    CHECK_STATUS(ORDO_E_ARG, sort_tapes(ctx, &quoted, &from, &to, 16), ctx);
    CHECK(strstr(ordo_last_error(ctx), "inside the line at byte 4") != NULL);
}

static void test_small(void)
{
    ordo_line_format const format = ORDO_OPTS(ordo_line_format, .end = '\n');
    for (size_t length = 0; length < 40; length++) {
        testkit_case("a text of %zu bytes", length);
        check_sort(&format, make_text(BYTES, length, '\n', length % 2 != 0), 0, false);
    }
}

static void test_pipe(ordo_ctx *ctx)
{
    ordo_line_format const format = ORDO_OPTS(ordo_line_format, .end = '\n');
    int                    ends[2], to[2];
    static const char      text[] = "pear\napple\nfig";
    char                   got[64];
    testkit_case("file descriptors");
    if (!CHECK(pipe(ends) == 0))
        return;
    if (CHECK(pipe(to) == 0)) {
        CHECK(write(ends[1], text, sizeof text - 1) == sizeof text - 1);
        close(ends[1]);
        ordo_source const        source = ORDO_OPTS(ordo_source, .fd = ends[0]);
        ordo_sink const          sink = ORDO_OPTS(ordo_sink, .fd = to[1]);
        ordo_external_opts const opts = options(0);
        CHECK_STATUS(ORDO_OK, ordo_external_sort_lines(ctx, &format, &source, &sink, &opts, NULL),
                     ctx);
        CHECK(read(to[0], got, sizeof got) == 15 && memcmp(got, "apple\nfig\npear\n", 15) == 0);
        close(to[0]);
        close(to[1]);
    }
    close(ends[0]);
}

/* ---- Failures ---- */

static void test_failures(ordo_ctx *ctx)
{
    ordo_line_format const format = ORDO_OPTS(ordo_line_format, .end = '\n');
    size_t const           length = make_text(WORDS, TEXT, '\n', false);
    for (size_t at = 1; at < 100; at += 7) {
        tape from = {.fail_at = at, .lies = at % 2 == 0}, to = {.fail_at = 0};
        testkit_case("read %zu fails", at);
        CHECK_STATUS(ORDO_E_IO, sort_tapes(ctx, &format, &from, &to, length), ctx);
        CHECK(strstr(ordo_last_error(ctx), "tape") != NULL);
        from.fail_at = 0;
        to.fail_at = at;
        testkit_case("write %zu fails", at);
        CHECK_STATUS(ORDO_E_IO, sort_tapes(ctx, &format, &from, &to, length), ctx);
    }
    tape                   from = {.fail_at = 0}, to = {.fail_at = 0};
    ordo_line_format const failing = ORDO_OPTS(ordo_line_format, .end = '\n', .key = bad_key);
    testkit_case("a key fails");
    CHECK_STATUS(ORDO_E_IO, sort_tapes(ctx, &failing, &from, &to, length), ctx);
    CHECK(strstr(ordo_last_error(ctx), strerror(EDOM)) != NULL);
}

static void test_long_lines(ordo_ctx *ctx)
{
    ordo_line_format const format = ORDO_OPTS(ordo_line_format, .end = '\n');
    tape                   from = {.fail_at = 0}, to = {.fail_at = 0};
    for (size_t at = 0; at <= TEXT - MEMORY; at += (TEXT - MEMORY) / 3) {
        testkit_case("a line as long as the memory at byte %zu", at);
        size_t const length = make_text(WORDS, TEXT, '\n', false);
        memset(input + at, 'a', MEMORY - 1);
        CHECK_STATUS(ORDO_E_NOMEM, sort_tapes(ctx, &format, &from, &to, length), ctx);
        CHECK(strstr(ordo_last_error(ctx), "expected a larger limit") != NULL);
    }
}

static void test_refused(ordo_ctx *ctx)
{
    ordo_line_format const good = ORDO_OPTS(ordo_line_format, .end = '\n');
    ordo_line_format const wide = ORDO_OPTS(ordo_line_format, .end = 256);
    ordo_line_format const late = ORDO_OPTS(ordo_line_format, .end = '\n', .reserved = 1);
    ordo_source const      source = ORDO_OPTS(ordo_source, .fd = 0);
    ordo_sink const        sink = ORDO_OPTS(ordo_sink, .fd = 1);
    testkit_case("arguments");
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort_lines(ctx, NULL, &source, &sink, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort_lines(ctx, &wide, &source, &sink, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_VERSION, ordo_external_sort_lines(ctx, &late, &source, &sink, NULL, NULL),
                 ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort_lines(ctx, &good, NULL, &sink, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort_lines(ctx, &good, &source, NULL, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_external_sort_lines(ctx, &good, &source, &sink,
                                          &ORDO_OPTS(ordo_external_opts, .most_runs = 1), NULL),
                 ctx);
}

int main(void)
{
    testkit_start();
    for (unsigned i = 0; i < CONTEXTS; i++) {
        ordo_ctx_opts const opts = ORDO_OPTS(ordo_ctx_opts, .threads = 1 + 2 * i);
        if (!CHECK(ordo_ctx_create(&both[i], &opts) == ORDO_OK))
            return testkit_done();
    }
    test_kinds();
    test_few_runs();
    test_ends();
    test_small();
    for (size_t i = 0; i < CONTEXTS; i++) {
        test_open_end(both[i]);
        test_pipe(both[i]);
        test_failures(both[i]);
        test_long_lines(both[i]);
        test_refused(both[i]);
        ordo_ctx_free(both[i]);
    }
    testkit_case("longer runs");
    CHECK(most_levels >= TESTED_LEVELS);
    return testkit_done();
}
