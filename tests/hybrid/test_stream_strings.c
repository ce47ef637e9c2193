/* test_stream_strings.c - the order of strings found with a device
 * (lib/hybrid/strings/hybrid_strings.h), on machines without one (streamkit.h). The results equal
 * the CPU's bytes for alphabets of one letter to all bytes, lengths of 0 to 900, beginnings shared
 * by all strings or by families, and letters that a sample misses. If a device function fails or
 * device memory is too small, the CPU does the job; a context for the device only reports the
 * device's error and leaves the results unchanged. A cancelled call ends. All this holds for the
 * rounds and for the sample sort. */
#define _POSIX_C_SOURCE 200809L
#include "streamkit.h"

#include <string.h>

enum {
    MOST = 2500,
    LONGEST = 900,
    FEWER = TESTKIT_SANITIZED ? 5 : 1 /* test one of this many combinations */
};

static ordo_ctx *cpu;

/* ---- Strings: bytes with offsets, and the same strings with zero bytes at their ends ---- */

static size_t       n;
static char         bytes[MOST * LONGEST];
static guard_block  packed, ended; /* an inaccessible page follows the last string */
static uint64_t     offsets[MOST + 1];
static const char  *pointers[MOST];
static bool         zeros; /* a string contains a zero byte, so only offsets can represent it */
static test_rng     rng;
static ordo_strings forms[2];

static size_t below(size_t bound) { return (size_t)(test_rng_next(&rng) >> 20) % bound; }

static void letters(char *to, size_t count, const char *alphabet)
{
    size_t const all = strlen(alphabet);
    for (size_t i = 0; i < count; i++)
        to[i] = alphabet[below(all)];
}

typedef size_t make_string(char *to, size_t i); /* returns its length */

#define PROTEIN "ACDEFGHIKLMNPQRSTVWY"

static size_t of_acgt(char *to, size_t i)
{
    (void)i;
    size_t const length = below(60);
    letters(to, length, "ACGT");
    return length;
}

static size_t of_any_byte(char *to, size_t i)
{
    size_t const length = i % 3 == 0 ? below(9) : below(500);
    for (size_t at = 0; at < length; at++)
        to[at] = (char)below(i % 2 == 0 ? 3 : 256);
    return length;
}

static size_t of_text(char *to, size_t i)
{
    (void)i;
    size_t const length = 1 + below(500);
    for (size_t at = 0; at < length; at++)
        to[at] = (char)('!' + below(94));
    return length;
}

static size_t all_equal(char *to, size_t i)
{
    (void)i;
    memset(to, 'x', 300);
    return 300;
}

static size_t all_empty(char *to, size_t i)
{
    (void)to, (void)i;
    return 0;
}

static size_t shared_long(char *to, size_t i)
{
    memset(to, 'p', 700);
    letters(to + 700, 40, i % 7 == 0 ? "p" : "op");
    return 700 + below(40);
}

static size_t ladder(char *to, size_t i)
{
    memset(to, 'a', LONGEST);
    return i % LONGEST;
}

static size_t few_values(char *to, size_t i)
{
    (void)i;
    test_rng own = {1000 + below(12)};
    for (size_t at = 0; at < 80; at++)
        to[at] = (char)('a' + test_rng_next(&own) % 26);
    return 80;
}

/* Protein records: families share beginnings of different lengths; some members are equal. */
static size_t family(char *to, size_t i)
{
    size_t const length = 20 + below(101);
    if (i % 3 != 0) {
        test_rng     own = {77 + below(i % 2 == 0 ? 2 : 9)};
        size_t const shared = 10 + below(150);
        for (size_t at = 0; at < length; at++)
            to[at] = PROTEIN[(test_rng_next(&own) >> 30) % 20];
        if (shared < length)
            letters(to + shared, length - shared, PROTEIN);
    } else {
        letters(to, length, PROTEIN);
    }
    to[0] = 'M';
    return length;
}

/* One string begins with a letter that the sample misses. */
static size_t rare_letter(char *to, size_t i)
{
    size_t const length = of_acgt(to, i) + 1;
    to[0] = i == 1001 ? 'N' : 'C';
    return length;
}

/* The same, after the letters of a first key. */
static size_t rare_deep_letter(char *to, size_t i)
{
    size_t const length = family(to, i);
    if (i == 1003 && length > 60)
        to[60] = (char)0xfe;
    if (i % 50 == 49)
        to[length - 1] = '~';
    return length;
}

/* One string has another beginning, and another string is a prefix of the common beginning. */
static size_t one_differs(char *to, size_t i)
{
    memcpy(to, "the same beginning ", 19);
    if (i == 1501)
        to[7] = 'S';
    if (i == 1601)
        return 8;
    letters(to + 19, 30, "ab");
    return 19 + below(31);
}

static const struct {
    const char  *name;
    make_string *make;
    bool         rounds; /* needs more than one round */
    bool         misfit; /* the sample misses a letter or a beginning */
} shapes[] = {
    {"ACGT", of_acgt, false, false},
    {"any byte", of_any_byte, false, false},
    {"text", of_text, false, false},
    {"all equal", all_equal, false, false},
    {"all empty", all_empty, false, false},
    {"long shared beginning", shared_long, false, false},
    {"ladder", ladder, true, false},
    {"few values", few_values, true, false},
    {"families", family, true, false},
    {"a rare letter", rare_letter, false, true},
    {"a rare letter deep inside", rare_deep_letter, true, false},
    {"one that differs", one_differs, false, true},
};

enum {
    SHAPES = sizeof shapes / sizeof *shapes
};

static size_t shape_of(make_string *make)
{
    size_t i = 0;
    while (shapes[i].make != make)
        i++;
    return i;
}

static void make_strings(size_t shape, size_t count)
{
    n = count;
    rng = (test_rng){shape + count};
    zeros = false;
    for (size_t i = 0; i < n; i++) {
        size_t const length = shapes[shape].make(bytes + offsets[i], i);
        offsets[i + 1] = offsets[i] + length;
        zeros |= memchr(bytes + offsets[i], 0, length) != NULL;
    }
    guard_free(&packed.region);
    guard_free(&ended.region);
    packed = guard_alloc(offsets[n], GUARD_END);
    ended = guard_alloc(offsets[n] + n, GUARD_END);
    memcpy(packed.data, bytes, offsets[n]);
    char *to = ended.data;
    for (size_t i = 0; i < n; i++) {
        size_t const length = (size_t)(offsets[i + 1] - offsets[i]);
        pointers[i] = memcpy(to, bytes + offsets[i], length);
        to[length] = '\0';
        to += length + 1;
    }
    forms[0] = (ordo_strings){sizeof(ordo_strings), packed.data, offsets, NULL};
    forms[1] = (ordo_strings){sizeof(ordo_strings), NULL, NULL, pointers};
}

/* ---- Calls ---- */

typedef enum verb {
    ARGSORT_32,
    ARGSORT_64,
    RANK_32,
    RANK_AVERAGE,
    SORT,
    POINTERS,
    VERBS
} verb;

typedef struct result {
    size_t   bytes; /* valid bytes of out */
    uint64_t out[MOST + 1];
    char     text[MOST * LONGEST];
} result;

static result expected, found;

static ordo_algorithm algorithm; /* of all contexts but the one that gives the expected results */

static ordo_status call(ordo_ctx *ctx, verb what, int form, uint64_t flags, result *to)
{
    uint32_t const       by = to == &expected ? ORDO_ALGORITHM_AUTO : algorithm;
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = flags, .algorithm = by);
    bool const           average = what == RANK_AVERAGE;
    ordo_rank_opts const rank = ORDO_OPTS(ordo_rank_opts, .flags = flags, .algorithm = by,
                                          .ties = average ? ORDO_TIES_AVERAGE : ORDO_TIES_DENSE);
    memset(to->out, 0xee, sizeof to->out);
    to->text[0] = '\0';
    to->bytes = n * (what == ARGSORT_32 || what == RANK_32 ? 4 : 8);
    switch (what) {
    case ARGSORT_32:
    case ARGSORT_64:
        return ordo_argsort_strings(ctx, &forms[form], n, what == ARGSORT_32 ? ORDO_U32 : ORDO_U64,
                                    to->out, &opts);
    case RANK_32:
    case RANK_AVERAGE:
        return ordo_rank_strings(ctx, &forms[form], n, average ? ORDO_F64 : ORDO_U32, to->out,
                                 &rank);
    case SORT:
        to->bytes = (n + 1) * 8;
        return ordo_sort_strings(ctx, &forms[0], n, to->text, to->out, &opts);
    default:
        memcpy(to->out, pointers, n * sizeof *pointers);
        return ordo_sort_pointers(ctx, (const char **)(void *)to->out, n, &opts);
    }
}

static void check(ordo_ctx *ctx, ordo_status status, verb what)
{
    if (!CHECK_STATUS(ORDO_OK, status, ctx))
        return;
    CHECK_BYTES(expected.out, found.out, expected.bytes, expected.bytes / n);
    if (what == SORT)
        CHECK_BYTES(expected.text, found.text, offsets[n], 1);
}

/* A failed call has written nothing. */
static void check_untouched(verb what)
{
    static result untouched;
    memset(untouched.out, 0xee, sizeof untouched.out);
    if (what == POINTERS)
        memcpy(untouched.out, pointers, n * sizeof *pointers);
    CHECK_BYTES(untouched.out, found.out, sizeof found.out, 8);
}

/* Whether the device took part: by rounds, or in the phases of the sample sort. */
static bool by_device(const ordo_ctx *ctx)
{
    return algorithm == ORDO_ALGORITHM_SAMPLE ? facts_of(ctx).strategy == ORDO_STRATEGY_PHASES
                                              : was_streamed(ctx);
}

static void same_bytes(ordo_ctx *ctx, bool streams, size_t of)
{
    bool const rounds = streams && algorithm == ORDO_ALGORITHM_AUTO;
    for (size_t shape = 0; shape < SHAPES; shape++) {
        make_strings(shape, MOST - shape * 31);
        for (verb what = ARGSORT_32; what < VERBS; what++)
            for (int form = 0; form < 2; form++)
                for (int down = 0; down < 2; down++) {
                    bool const by_pointer = form == 1 || what == POINTERS;
                    if ((by_pointer && zeros) || (what >= SORT && form == 1) ||
                        (shape + (size_t)what + (size_t)form + (size_t)down) % (of * FEWER) != 0)
                        continue;
                    testkit_case("%s, verb %d, form %d, descending %d", shapes[shape].name,
                                 (int)what, form, down);
                    uint64_t const flags = down ? ORDO_DESCENDING : 0;
                    CHECK_STATUS(ORDO_OK, call(cpu, what, form, flags, &expected), cpu);
                    check(ctx, call(ctx, what, form, flags, &found), what);
                    CHECK(by_device(ctx) == streams);
                    if (rounds && shapes[shape].rounds)
                        CHECK(facts_of(ctx).rounds > 1);
                    if (rounds && shapes[shape].misfit)
                        CHECK_EQ_U64(2, facts_of(ctx).surveys);
                }
    }
}

/* ---- Failures ---- */

static const char *const functions[] = {"begin", "copy_in",  "close_side", "wait_side",
                                        "join",  "sort",     "iota",       "mark",
                                        "await", "copy_out", "end"};

static void lose_device(const char *function, int at, verb what)
{
    testkit_case("verb %d, lost in call %d of %s", (int)what, at, function);
    make_strings(shape_of(family), MOST);
    CHECK_STATUS(ORDO_OK, call(cpu, what, 0, 0, &expected), cpu);
    for (int hybrid = 0; hybrid < 2; hybrid++) {
        ordo_ctx *const ctx = play_context(hybrid ? ORDO_HYBRID : ORDO_CUDA, 4, 0);
        play_fail(function, at, false);
        ordo_status const status = call(ctx, what, 0, 0, &found);
        if (hybrid || status == ORDO_OK) {
            check(ctx, status, what);
            if (at == 1) /* every function is called */
                CHECK(hybrid && !by_device(ctx) && facts_of(ctx).device_status == ORDO_E_DEVICE);
        } else if (CHECK_STATUS(ORDO_E_DEVICE, status, ctx)) {
            CHECK(strstr(ordo_last_error(ctx), function) != NULL);
            check_untouched(what);
        }
        /* The next call works again. */
        play_without_failures();
        check(ctx, call(ctx, what, 0, 0, &found), what);
        CHECK(by_device(ctx));
        ordo_ctx_free(ctx);
    }
}

static void lose_devices(void)
{
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (verb what = ARGSORT_32; what < VERBS; what++)
            for (int at = 1; at <= 40; at += at == 1 ? 1 + (int)what : 19)
                if ((f + (size_t)what) % FEWER == 0)
                    lose_device(functions[f], at, what);
}

static void little_memory(void)
{
    static const char *const rooms[] = {"0", "100", "20000", "26000"};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        play_memory(rooms[i]);
        ordo_ctx *const ctx = play_context(ORDO_HYBRID, 2, 0);
        same_bytes(ctx, false, 5);
        ordo_ctx_free(ctx);
        testkit_case("%s bytes of device memory, device only", rooms[i]);
        ordo_ctx *const alone = play_context(ORDO_CUDA, 2, 0);
        CHECK_STATUS(ORDO_E_NOMEM, call(alone, RANK_32, 0, 0, &found), alone);
        CHECK(strstr(ordo_last_error(alone), "the device has") != NULL);
        check_untouched(RANK_32);
        ordo_ctx_free(alone);
    }
    play_memory(NULL);
}

/* A memory limit that suffices for the CPU suffices if the CPU may do the job; else the call fails.
 */
static void little_host_memory(void)
{
    static const ordo_where wheres[] = {ORDO_CPU, ORDO_HYBRID, ORDO_CUDA};
    bool const              device = STREAMED || algorithm == ORDO_ALGORITHM_SAMPLE;
    size_t                  refused = 0; /* limits that only the CPU can work with */
    make_strings(shape_of(family), MOST);
    for (verb what = ARGSORT_32; what < VERBS; what++) {
        bool   streamed = false;
        size_t least = 0;
        testkit_case("verb %d within a limit", (int)what);
        CHECK_STATUS(ORDO_OK, call(cpu, what, 0, 0, &expected), cpu);
        for (size_t limit = 1 << 16; limit < 1 << 20; limit += 16384) {
            for (size_t w = 0; w < sizeof wheres / sizeof *wheres; w++) {
                ordo_ctx *const ctx = CONTEXT(.threads = 2, .mem_limit = limit, .where = wheres[w]);
                ordo_status const status = call(ctx, what, 0, 0, &found);
                bool const        alone = wheres[w] == ORDO_CUDA;
                if (status == ORDO_OK && least == 0 && wheres[w] == ORDO_CPU)
                    least = limit;
                if (status == ORDO_OK || (least != 0 && !alone))
                    check(ctx, status, what);
                else if (CHECK_STATUS(ORDO_E_NOMEM, status, ctx))
                    check_untouched(what);
                refused += status != ORDO_OK && least != 0;
                streamed |= by_device(ctx);
                ordo_ctx_free(ctx);
            }
        }
        CHECK(least != 0 && streamed == device);
    }
    if (algorithm == ORDO_ALGORITHM_AUTO) /* the GPU's sample sort takes less than the CPU's */
        CHECK((refused > 0) == device);
}

/* A call that is cancelled anywhere ends and leaves pointers unchanged; the next one works. */
static void cancel(verb what)
{
    int cancelled = 0;
    make_strings(shape_of(rare_deep_letter), MOST);
    testkit_case("verb %d, cancelled", (int)what);
    CHECK_STATUS(ORDO_OK, call(cpu, what, 0, 0, &expected), cpu);
    for (int round = 0; round < 100 && cancelled < 20 / FEWER; round++) {
        canceller with = {.ctx = play_context(ORDO_CUDA, 3, 0), .at = CANCEL_AT(round)};
        if (!canceller_start(&with))
            return;
        ordo_status const status = call(with.ctx, what, 0, 0, &found);
        canceller_end(&with);
        cancelled += status == ORDO_E_CANCELLED;
        if (status == ORDO_OK)
            check(with.ctx, status, what);
        else if (CHECK_STATUS(ORDO_E_CANCELLED, status, with.ctx) && what == POINTERS)
            CHECK_BYTES((const void *)pointers, found.out, n * sizeof *pointers, sizeof *pointers);
        check(with.ctx, call(with.ctx, what, 0, 0, &found), what);
        ordo_ctx_free(with.ctx);
    }
    CHECK(cancelled > 0);
}

/* ---- The sample sort of the paper ---- */

static void sample_shares(void)
{
    static const double shares[] = {0.01, 0.5, 0.99};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        ordo_ctx *const ctx = play_context(ORDO_HYBRID, 3, shares[i]);
        same_bytes(ctx, true, 5);
        CHECK(facts_of(ctx).cpu_share > shares[i] - 0.01 &&
              facts_of(ctx).cpu_share < shares[i] + 0.01);
        ordo_ctx_free(ctx);
    }
    for (ordo_where where = ORDO_CPU; where <= ORDO_CUDA; where++) {
        ordo_ctx *const ctx = play_context(where, 2, 0);
        same_bytes(ctx, where == ORDO_CUDA, 4);
        CHECK(facts_of(ctx).sample_seconds[0] > 0 || where == ORDO_CPU);
        ordo_ctx_free(ctx);
    }
}

static void sample_fewest(void)
{
    ordo_ctx *const ctx = play_context(ORDO_HYBRID, 2, 0.5);
    for (size_t count = 0; count < 70; count += 1 + count / 3)
        for (verb what = ARGSORT_32; what < VERBS; what++) {
            testkit_case("%zu strings, verb %d", count, (int)what);
            make_strings(shape_of(of_acgt), count);
            CHECK_STATUS(ORDO_OK, call(cpu, what, 0, 0, &expected), cpu);
            CHECK_STATUS(ORDO_OK, call(ctx, what, 0, 0, &found), ctx);
            CHECK(memcmp(expected.out, found.out, expected.bytes) == 0);
        }
    ordo_ctx_free(ctx);
}

static void sample_failures(void)
{
    static const char *const steps[] = {"begin", "copy_in", "close_side", "wait_side",   "join",
                                        "label", "count",   "scatter",    "mark",        "await",
                                        "end",   "result",  "copy_out",   "sort_buckets"};
    for (size_t f = 0; f < sizeof steps / sizeof *steps; f++)
        for (verb what = ARGSORT_32; what < VERBS; what++)
            for (int at = 1; at <= 9; at += 4)
                if ((f + (size_t)what) % (4 * FEWER) == 0)
                    lose_device(steps[f], at, what);
    play_memory("10000");
    for (int hybrid = 0; hybrid < 2; hybrid++) {
        ordo_ctx *const ctx = play_context(hybrid ? ORDO_HYBRID : ORDO_CUDA, 2, 0.3);
        testkit_case("sample sort, little device memory, where %d", hybrid);
        make_strings(shape_of(family), MOST);
        CHECK_STATUS(ORDO_OK, call(cpu, SORT, 0, 0, &expected), cpu);
        ordo_status const status = call(ctx, SORT, 0, 0, &found);
        if (hybrid)
            check(ctx, status, SORT);
        else if (CHECK_STATUS(ORDO_E_NOMEM, status, ctx))
            check_untouched(SORT);
        ordo_ctx_free(ctx);
    }
    play_memory(NULL);
}

int main(void)
{
    testkit_start();
    play_start();
    cpu = play_context(ORDO_CPU, 1, 0);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        ordo_ctx *const ctx = play_context(threads == 1 ? ORDO_HYBRID : ORDO_CUDA, threads, 0);
        same_bytes(ctx, STREAMED, threads == 1 ? 2 : 1);
        ordo_ctx_free(ctx);
    }
    little_host_memory();
    if (STREAMED) {
        lose_devices();
        little_memory();
        for (verb what = ARGSORT_32; what < VERBS; what++)
            cancel(what);
    }
    algorithm = ORDO_ALGORITHM_SAMPLE;
    sample_shares();
    sample_fewest();
    sample_failures();
    little_host_memory();
    cancel(RANK_32);
    ordo_ctx_free(cpu);
    guard_free(&packed.region);
    guard_free(&ended.region);
    return testkit_done();
}
