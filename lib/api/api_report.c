/* api_report.c - the report of the last call, the sentence made of the report, the profile of the
 * call, and the texts of statuses and of the version.
 *
 * These functions keep the text of the last error unless they fail themselves. */
#define _POSIX_C_SOURCE 200809L
#include "api/api_ctx.h"

#include <stdio.h>
#include <string.h>

/* ---- Fields ---- */

static ordo_status check_size(ordo_exec *exec, const void *out, const char *what, size_t *given)
{
    memcpy(given, out, sizeof *given);
    FAIL_IF(*given < sizeof *given || *given > API_MAX_OPTS, ORDO_E_ARG,
            "%s->struct_size is %zu; set it to the sizeof of the struct", what, *given);
    return ORDO_OK;
}

ordo_status api_check_report(ordo_exec *exec, const void *report)
{
    size_t given;
    return report == NULL ? ORDO_OK : check_size(exec, report, "report", &given);
}

ordo_status api_copy_out(ordo_exec *exec, void *dst, const void *src, size_t known)
{
    size_t given;
    FAIL_IF(dst == NULL, ORDO_E_ARG, "out is NULL; expected the address of a struct");
    TRY(check_size(exec, dst, "out", &given));
    memset((char *)dst + sizeof given, 0, given - sizeof given);
    size_t const both = ordo_min(given, known);
    memcpy((char *)dst + sizeof given, (const char *)src + sizeof given, both - sizeof given);
    return ORDO_OK;
}

/* No context is a const object. const in a signature means that the call changes nothing that the
 * caller can see. */
static ordo_ctx *mutable(const ordo_ctx *ctx) { return (ordo_ctx *)ctx; }

/* Returns the ticks of api_clock_ticks for one of api_clock_short since both were read, after an
 * interval long enough for four digits. */
static double rate_since(const uint64_t since[2])
{
    double const enough = api_clock_second() / 10000;
    double       both[2];
    do {
        both[0] = (double)(api_clock_ticks() - since[0]);
        both[1] = (double)(api_clock_short() - since[1]);
    } while (both[0] < enough);
    return both[0] / both[1];
}

static bool is_rate(double rate) { return rate > 0.1 && rate < 10; } /* 100 MHz to 10 GHz */

/* Returns the seconds of the last call. The rate of api_clock_short is that since the context was
 * created. If that is no rate of a clock, a suspension or a migration of the virtual machine has
 * set one of the clocks, and the rate is measured again. */
static double seconds_of(const ordo_ctx *ctx)
{
    double rate = ctx->lasted_few ? rate_since(ctx->created) : 1;
    if (!is_rate(rate)) {
        uint64_t const now[2] = {api_clock_ticks(), api_clock_short()};
        rate = rate_since(now);
    }
    return is_rate(rate) ? (double)ctx->lasted / api_clock_second() * rate : 0;
}

ordo_status ordo_last_report(const ordo_ctx *ctx, ordo_report *out)
{
    ordo_ctx *const own = mutable(ctx);
    ordo_report     report = {.operation = "", .backend = "", .algorithm = "", .isa = ""};
    TRY(api_occupy(own));
    ordo_fpmode const mode = ordo_fpmode_enter();
    if (ctx->report.operation != NULL) {
        report = ctx->report;
        report.seconds = seconds_of(ctx);
    }
    if (ctx->plan.device != DEVICE_OPEN)
        report.predicted_cuda = report.predicted_hybrid = 0;
    ordo_status const status = api_copy_out(&own->exec, out, &report, sizeof report);
    ordo_fpmode_leave(mode);
    return api_vacate(own, status);
}

/* ---- Names ---- */

typedef struct word {
    const char *name, *phrase;
} word;

static const word inputs[] = {
    [ORDO_INPUT_ANY] = {"any", ""},
    [ORDO_INPUT_SORTED] = {"sorted", "already sorted"},
    [ORDO_INPUT_REVERSED] = {"reversed", "sorted in the opposite order"},
    [ORDO_INPUT_RUNS] = {"runs", "few sorted runs"},
    [ORDO_INPUT_DISPLACED] = {"displaced", "sorted except for a few keys"},
    [ORDO_INPUT_ROUGH] = {"rough", "roughly sorted"},
    [ORDO_INPUT_EQUAL] = {"equal", "many equal keys"},
};

static const word strategies[] = {
    [ORDO_STRATEGY_PLAIN] = {"plain", ""},
    [ORDO_STRATEGY_REGISTERS] = {"registers", "sorted in registers"},
    [ORDO_STRATEGY_CACHE] = {"cache", "sorted by one thread inside its cache"},
    [ORDO_STRATEGY_TOP_BITS] = {"top_bits", "split into buckets by top bits"},
    [ORDO_STRATEGY_SPLITTERS] = {"splitters", "split into buckets by splitters from a sample"},
    [ORDO_STRATEGY_IN_PLACE] = {"in_place", "in place, because scratch was refused"},
    [ORDO_STRATEGY_REVERSE] = {"reverse", "reversed the order"},
    [ORDO_STRATEGY_MERGE_RUNS] = {"merge_runs", "merged the runs"},
    [ORDO_STRATEGY_MERGE_BACK] = {"merge_back", "sorted the displaced keys and merged them back"},
    [ORDO_STRATEGY_WINDOWS] = {"windows", "sorted overlapping windows of twice the radius"},
    [ORDO_STRATEGY_POINTERS] = {"pointers", "sorted pointers, then moved the elements"},
    [ORDO_STRATEGY_BRACKETS] = {"brackets", "one pass, between brackets from a sample"},
    [ORDO_STRATEGY_CELLS] = {"cells", "counted the cells of a sample"},
    [ORDO_STRATEGY_MISSED] = {"missed", "the sample missed, so digits outside its brackets"},
    [ORDO_STRATEGY_DIGITS] = {"digits", "selected digit by digit"},
    [ORDO_STRATEGY_SORTED_COPY] = {"sorted_copy", "sorted a copy of all keys"},
    [ORDO_STRATEGY_STREAMED] = {"streamed", "streamed through the device in chunks"},
    [ORDO_STRATEGY_ROUNDS] = {"rounds", "in rounds, because device memory was too small"},
    [ORDO_STRATEGY_BLOCK] = {"block", "in one thread block"},
    [ORDO_STRATEGY_CLUSTER] = {"cluster", "in one cluster of thread blocks"},
    [ORDO_STRATEGY_DEVICE_DIGITS] = {"device_digits", "the device chose the digits"},
    [ORDO_STRATEGY_COUNTING] = {"counting", "counted the values"},
    [ORDO_STRATEGY_SWEEP] = {"sweep", "a sample, then one pass over the array"},
    [ORDO_STRATEGY_SCATTER] = {"scatter", "wrote each rank straight to its place"},
    [ORDO_STRATEGY_BUCKETED] = {"bucketed", "bucketed the ranks by index"},
    [ORDO_STRATEGY_ONE_PASS] = {"one_pass", "in one pass"},
    [ORDO_STRATEGY_NO_KEYS] = {"no_keys", "read no keys"},
    [ORDO_STRATEGY_HEADS] = {"heads", "found the starts of ties, then the ranks"},
    [ORDO_STRATEGY_SUB_ARRAYS] = {"sub_arrays", "sorted sub-arrays and merged them"},
    [ORDO_STRATEGY_PHASES] = {"phases", "in four phases on all devices"},
    [ORDO_STRATEGY_VALUES] = {"values", "counted how often each of the few values occurs"},
    [ORDO_STRATEGY_SEGMENTS] = {"segments", "each segment by itself"},
};

enum {
    INPUTS = sizeof inputs / sizeof *inputs,
    STRATEGIES = sizeof strategies / sizeof *strategies
};

const char *ordo_input_name(ordo_input input)
{
    return (unsigned)input < INPUTS ? inputs[input].name : NULL;
}

const char *ordo_strategy_name(ordo_strategy strategy)
{
    return (unsigned)strategy < STRATEGIES ? strategies[strategy].name : NULL;
}

/* ---- Paths ---- */

const ordo_path *ordo_last_path(const ordo_ctx *ctx)
{
    return ctx == NULL ? NULL : ctx->plan.cpu->path_at(ctx->exec.path_table, ctx->exec.path_row);
}

const ordo_path *ordo_path_at(const ordo_ctx *ctx, size_t i)
{
    if (ctx == NULL)
        return NULL;
    const ordo_backend *const cpu = ctx->plan.cpu;
    for (unsigned table = 1; cpu->path_at(table, 0) != NULL; table++)
        for (unsigned row = 0; cpu->path_at(table, row) != NULL; row++)
            if (i-- == 0)
                return cpu->path_at(table, row);
    return NULL;
}

const char *api_algorithm_name(uint32_t algorithm, char *buffer)
{
    static const char *const names[] = {
        "auto",   "sequential", "threads", "radix",     "sample",  "merge",    "bitonic", "split",
        "bubble", "rough",      "halving", "naive",     "shuffle", "hybrid",   "windows", "prefix",
        "ballot", "shared",     "scans",   "insertion", "global",  "intervals"};
    if (algorithm < sizeof names / sizeof *names)
        return names[algorithm];
    (void)snprintf(buffer, API_ALGORITHM_SIZE, "%u", (unsigned)algorithm);
    return buffer;
}

/* ---- The sentence ---- */

typedef struct sentence {
    char  *text;
    size_t size, length;
} sentence;

__attribute__((format(printf, 2, 3))) static void add(sentence *s, const char *format, ...)
{
    va_list args;
    char    part[96];
    va_start(args, format);
    vsnprintf(part, sizeof part, format, args);
    va_end(args);
    const char *const between = s->length > 0 ? "; " : "";
    size_t const      used = ordo_min(s->length, s->size);
    int const         length =
        snprintf(s->size > 0 ? s->text + used : NULL, s->size - used, "%s%s", between, part);
    s->length += length > 0 ? (size_t)length : 0;
}

static void add_counts(sentence *s, const ordo_facts *f)
{
    const struct {
        const char *name;
        uint64_t    count;
    } counts[] = {{"runs", f->runs},
                  {"displaced keys", f->displaced},
                  {"passes", f->passes},
                  {"buckets", f->buckets},
                  {"bytes per record", f->record_bytes},
                  {"keys per sub-array", f->tile},
                  {"rounds", f->rounds},
                  {"batches", f->batches},
                  {"segments", f->segments},
                  {"buckets handed over to the device", f->handed_over},
                  {"bytes per rank on the link", f->rank_bytes},
                  {"bits per letter", f->letter_bits},
                  {"surveys", f->surveys},
                  {"groups left to the CPU", f->groups},
                  {"bytes of device memory", f->device_bytes},
                  {"bytes needed", f->needed_bytes},
                  {"devices", f->devices}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].count != 0)
            add(s, "%s: %llu", counts[i].name, (unsigned long long)counts[i].count);
}

static void add_seconds(sentence *s, const ordo_facts *f)
{
    static const char *const sorts[] = {"phase I", "phases II and III", "phase IV"};
    static const char *const strings[] = {"survey",  "first keys sent", "later keys sent",
                                          "fetched", "groups",          "CPU"};
    static const char *const selects[] = {"sorted in", "merged in", ""};
    const char *const *const names = f->letter_bits != 0                       ? strings
                                     : f->strategy == ORDO_STRATEGY_SUB_ARRAYS ? selects
                                                                               : sorts;
    if (f->cpu_share > 0)
        add(s, "%.1f %% of the keys sorted by the CPU", 100 * f->cpu_share);
    if (f->packed > 0)
        add(s, "keys packed to %.0f %%", 100 * f->packed);
    for (size_t i = 0; i < (f->letter_bits != 0 ? 6 : 3); i++)
        if (f->phase_seconds[i] > 0)
            add(s, "%s %.1f ms", names[i], 1e3 * f->phase_seconds[i]);
}

/* The phases of a sample sort: the time of the slower device, and the times of CPU and GPU if both
 * took part. */
static void add_phases(sentence *s, const ordo_facts *f)
{
    static const char *const names[] = {"I", "II", "III", "IV"};
    bool const               shared = f->device_seconds[0] > 0;
    for (size_t i = 0; i < 4; i++)
        if (f->sample_seconds[i] > 0 && shared)
            add(s, "phase %s %.3f ms (CPU %.3f, GPU %.3f)", names[i], 1e3 * f->sample_seconds[i],
                1e3 * f->cpu_seconds[i], 1e3 * f->device_seconds[i]);
        else if (f->sample_seconds[i] > 0)
            add(s, "phase %s %.3f ms", names[i], 1e3 * f->sample_seconds[i]);
    if (f->copy_seconds > 0)
        add(s, "copies %.3f ms", 1e3 * f->copy_seconds);
    if (shared)
        add(s, "idle: CPU %.3f ms, GPU %.3f ms", 1e3 * f->cpu_idle_seconds,
            1e3 * f->device_idle_seconds);
}

size_t ordo_report_text(const ordo_report *report, char *text, size_t size)
{
    const ordo_facts *const f = &report->facts;
    sentence                s = {text, size, 0};
    if (size > 0)
        text[0] = '\0';
    if (f->input != ORDO_INPUT_ANY && f->input < INPUTS)
        add(&s, "%s", inputs[f->input].phrase);
    if (f->strategy != ORDO_STRATEGY_PLAIN && f->strategy < STRATEGIES)
        add(&s, "%s", strategies[f->strategy].phrase);
    if (f->tried_radius != 0)
        add(&s, "radius %llu %s", (unsigned long long)f->tried_radius,
            f->radius_failed != 0 ? "was too small" : "was large enough");
    if (f->radius != 0)
        add(&s, "radius %llu", (unsigned long long)f->radius);
    add_counts(&s, f);
    add_seconds(&s, f);
    add_phases(&s, f);
    if (f->shares_unused != 0)
        add(&s, "the shares of the context are not used: one device did the job");
    if (f->device_status != ORDO_OK)
        add(&s, "the device failed (%s), so the CPU did the job",
            ordo_status_text((ordo_status)f->device_status));
    return s.length;
}

/* ---- Profiles ---- */

bool api_profile_open(ordo_profile *profile, const ordo_alloc *source)
{
    enum {
        MOST_SPANS = 1 << 16
    };
    profile->spans = source->alloc(source->user, MOST_SPANS * sizeof *profile->spans);
    profile->capacity = MOST_SPANS;
    atomic_init(&profile->count, 0);
    return profile->spans != NULL;
}

void api_profile_close(ordo_profile *profile, const ordo_alloc *source)
{
    if (profile->spans != NULL)
        source->release(source->user, profile->spans);
}

size_t ordo_last_profile(const ordo_ctx *ctx, ordo_span *spans, size_t room)
{
    ordo_ctx *const own = mutable(ctx);
    size_t          count = 0;
    if (api_occupy(own) != ORDO_OK)
        return 0;
    if (own->exec.profile != NULL) {
        count = ordo_min(atomic_load_explicit(&own->profile.count, memory_order_relaxed),
                         own->profile.capacity);
        if (spans != NULL)
            memcpy(spans, own->profile.spans, ordo_min(count, room) * sizeof *spans);
    }
    (void)api_vacate(own, ORDO_OK);
    return count;
}

/* ---- Texts ---- */

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *ordo_version(void)
{
    return TEXT(ORDO_VERSION_MAJOR) "." TEXT(ORDO_VERSION_MINOR) "." TEXT(ORDO_VERSION_PATCH);
}

const char *ordo_status_text(ordo_status s)
{
    switch (s) {
    case ORDO_OK:
        return "success";
    case ORDO_E_ARG:
        return "invalid argument";
    case ORDO_E_NOMEM:
        return "out of memory";
    case ORDO_E_UNSUPPORTED:
        return "not supported here";
    case ORDO_E_DEVICE:
        return "device failure";
    case ORDO_E_VERSION:
        return "the caller is newer than this library";
    case ORDO_E_ORDER:
        return "the array is not sorted";
    case ORDO_E_CANCELLED:
        return "cancelled";
    case ORDO_E_BUSY:
        return "the context is in use by another call";
    case ORDO_E_IO:
        return "a file could not be read or written";
    }
    return "unknown status";
}
