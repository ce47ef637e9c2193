/* test_options.c - option structs of older and newer callers, unknown flags and enum values,
 * reserved fields, and the names of types and statuses.
 *
 * An older caller's struct is shorter, a newer caller's longer. A newer caller may have fields
 * that this library does not know, but must leave them zero. */
#include "testkit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    N = 8,
    MUCH = 128
};

static ordo_ctx     *ctx;
static const int32_t keys[N] = {1, 2, 2, 4, 5, 5, 5, 9};
static uint32_t      ranks[N];
static unsigned char flags[N], moved[4 * N];

/* A struct with spare bytes, for the struct_size of a newer library. */
typedef union future {
    size_t              struct_size;
    ordo_ctx_opts       ctx;
    ordo_rank_opts      rank;
    ordo_scan_opts      scan;
    ordo_partition_opts partition;
    ordo_order_opts     order;
    unsigned char       bytes[sizeof(ordo_ctx_opts) + MUCH];
} future;

/* One call for each options struct. */
static ordo_status with_ctx(const future *opts)
{
    ordo_ctx         *made = ctx;
    ordo_status const status = ordo_ctx_create(&made, &opts->ctx);
    CHECK(status == ORDO_OK ? made != NULL : made == NULL);
    CHECK((status == ORDO_OK) == (ordo_last_error(NULL)[0] == '\0'));
    ordo_ctx_free(made);
    return status;
}

static ordo_status with_rank(const future *opts)
{
    return ordo_rank_sorted(ctx, ORDO_I32, keys, N, ORDO_U32, ranks, &opts->rank);
}

static ordo_status with_rank_scratch(const future *opts)
{
    size_t bytes;
    return ordo_rank_sorted_scratch(ctx, ORDO_I32, N, ORDO_U32, &opts->rank, &bytes);
}

static ordo_status with_scan(const future *opts)
{
    return ordo_scan(ctx, ORDO_SUM, ORDO_I32, keys, N, ORDO_I32, ranks, &opts->scan);
}

static ordo_status with_scan_scratch(const future *opts)
{
    size_t bytes;
    return ordo_scan_scratch(ctx, ORDO_SUM, ORDO_I32, N, ORDO_I32, &opts->scan, &bytes);
}

static ordo_status with_bits(const future *opts)
{
    return ordo_scan_bits(ctx, ORDO_FLAG_BYTES, flags, N, ORDO_U32, ranks, NULL, &opts->scan);
}

static ordo_status with_bits_scratch(const future *opts)
{
    size_t bytes;
    return ordo_scan_bits_scratch(ctx, ORDO_FLAG_BYTES, N, ORDO_U32, &opts->scan, &bytes);
}

static ordo_status with_partition(const future *opts)
{
    return ordo_partition(ctx, ORDO_FLAG_BYTES, flags, keys, N, 4, moved, NULL, &opts->partition);
}

static ordo_status with_partition_scratch(const future *opts)
{
    size_t bytes;
    return ordo_partition_scratch(ctx, ORDO_FLAG_BYTES, N, 4, &opts->partition, &bytes);
}

static ordo_status with_order(const future *opts)
{
    int sorted;
    return ordo_is_sorted(ctx, ORDO_I32, keys, N, &sorted, NULL, &opts->order);
}

static const struct user {
    const char *name;
    ordo_status (*call)(const future *opts);
    size_t   size;
    uint64_t known_flags; /* UINT64_MAX: the struct has no flags */
} users[] = {
    {"ctx_create", with_ctx, sizeof(ordo_ctx_opts), UINT64_MAX},
    {"rank_sorted", with_rank, sizeof(ordo_rank_opts), ORDO_DESCENDING | ORDO_CHECK},
    {"rank_sorted_scratch", with_rank_scratch, sizeof(ordo_rank_opts),
     ORDO_DESCENDING | ORDO_CHECK},
    {"scan", with_scan, sizeof(ordo_scan_opts), ORDO_EXCLUSIVE},
    {"scan_scratch", with_scan_scratch, sizeof(ordo_scan_opts), ORDO_EXCLUSIVE},
    {"scan_bits", with_bits, sizeof(ordo_scan_opts), ORDO_EXCLUSIVE},
    {"scan_bits_scratch", with_bits_scratch, sizeof(ordo_scan_opts), ORDO_EXCLUSIVE},
    {"partition", with_partition, sizeof(ordo_partition_opts), ORDO_UNSET_FIRST},
    {"partition_scratch", with_partition_scratch, sizeof(ordo_partition_opts), ORDO_UNSET_FIRST},
    {"is_sorted", with_order, sizeof(ordo_order_opts), ORDO_DESCENDING},
};

static void expect(const struct user *user, const future *opts, ordo_status status)
{
    bool const            makes_ctx = user->call == with_ctx;
    const ordo_ctx *const asked = makes_ctx ? NULL : ctx;
    CHECK_STATUS(status, user->call(opts), asked);
    CHECK((status == ORDO_OK) == (ordo_last_error(asked)[0] == '\0'));
}

static void test_ages(const struct user *user)
{
    future opts;
    memset(&opts, 0, sizeof opts);
    testkit_case("%s: options of older and newer callers", user->name);

    opts.struct_size = sizeof(size_t); /* of a library without options */
    expect(user, &opts, ORDO_OK);
    opts.struct_size = user->size;
    expect(user, &opts, ORDO_OK);
    opts.struct_size = user->size + 24; /* a newer caller that uses no new field */
    expect(user, &opts, ORDO_OK);
    opts.bytes[user->size] = 1;
    expect(user, &opts, ORDO_E_VERSION);
    opts.bytes[user->size] = 0;
    opts.bytes[user->size + 23] = 0x80;
    expect(user, &opts, ORDO_E_VERSION);
    opts.struct_size = user->size + 23; /* that byte is now outside */
    expect(user, &opts, ORDO_OK);

    static const size_t garbage[] = {
        0, 1, sizeof(size_t) - 1, SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 40};
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        opts.struct_size = garbage[i];
        expect(user, &opts, ORDO_E_ARG);
    }
    CHECK(strstr(ordo_last_error(user->call == with_ctx ? NULL : ctx), "struct_size") != NULL);
}

static void test_flags(const struct user *user)
{
    if (user->known_flags == UINT64_MAX)
        return;
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t const flag = UINT64_C(1) << bit;
        future         opts;
        memset(&opts, 0, sizeof opts);
        opts.rank.struct_size = user->size; /* flags have the same offset in all structs */
        opts.rank.flags = flag;
        testkit_case("%s: flag 0x%llx", user->name, (unsigned long long)flag);
        ordo_status const status = user->call(&opts);
        if (flag == ORDO_ON_DEVICE) { /* the arrays are in host memory; there may be no device */
            CHECK(status == ORDO_E_UNSUPPORTED || status == ORDO_E_ARG ||
                  (status == ORDO_OK && strstr(user->name, "scratch") != NULL));
            CHECK(status == ORDO_OK || strstr(ordo_last_error(ctx), "device") != NULL ||
                  strstr(ordo_last_error(ctx), "host memory") != NULL);
        } else if ((user->known_flags & flag) == 0) {
            CHECK_STATUS(ORDO_E_VERSION, status, ctx);
            CHECK(strstr(ordo_last_error(ctx), "flags") != NULL);
        } else {
            CHECK(status == ORDO_OK || status == ORDO_E_ORDER);
        }
    }
}

/* The call fails with ORDO_E_ARG and a message that contains the word. */
static void refused(ordo_status status, const char *word)
{
    CHECK_STATUS(ORDO_E_ARG, status, ctx);
    if (!CHECK(strstr(ordo_last_error(ctx), word) != NULL))
        testkit_case("'%s' is not in \"%s\"", word, ordo_last_error(ctx));
}

static void test_enums(void)
{
    static const int bad[] = {-1, 0, ORDO_TYPES + 1, 99, 1 << 28};
    size_t           bytes;
    int              sorted;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ordo_type const type = (ordo_type)bad[i];
        testkit_case("type %d", bad[i]);
        refused(ordo_rank_sorted(ctx, type, keys, N, ORDO_U32, ranks, NULL), "type");
        refused(ordo_rank_sorted(ctx, ORDO_I32, keys, N, type, ranks, NULL), "rank_type");
        refused(ordo_rank_sorted_scratch(ctx, type, N, ORDO_U32, NULL, &bytes), "type");
        refused(ordo_scan(ctx, ORDO_SUM, type, keys, N, ORDO_I32, ranks, NULL), "type");
        refused(ordo_scan(ctx, ORDO_SUM, ORDO_I32, keys, N, type, ranks, NULL), "out_type");
        refused(ordo_scan(ctx, (ordo_op)(bad[i] * 4), ORDO_I32, keys, N, ORDO_I32, ranks, NULL),
                "op");
        refused(ordo_scan_bits(ctx, ORDO_FLAG_BYTES, flags, N, type, ranks, NULL, NULL),
                "count_type");
        refused(ordo_scan_bits(ctx, (ordo_flags_kind)(bad[i] * 3), flags, N, ORDO_U32, ranks, NULL,
                               NULL),
                "kind");
        refused(ordo_partition(ctx, (ordo_flags_kind)(bad[i] * 3), flags, keys, N, 4, moved, NULL,
                               NULL),
                "kind");
        refused(ordo_is_sorted(ctx, type, keys, N, &sorted, NULL, NULL), "type");
        CHECK(ordo_type_size(type) == 0 && ordo_type_name(type) == NULL);
    }
    for (uint32_t value = 5; value < UINT32_MAX / 3; value *= 3) {
        ordo_rank_opts const ties = ORDO_OPTS(ordo_rank_opts, .ties = value);
        ordo_rank_opts const algorithm = ORDO_OPTS(ordo_rank_opts, .algorithm = value);
        ordo_ctx            *made = NULL;
        testkit_case("enum in options %u", value);
        refused(ordo_rank_sorted(ctx, ORDO_I32, keys, N, ORDO_F64, moved, &ties), "ties");
        refused(ordo_rank_sorted(ctx, ORDO_I32, keys, N, ORDO_U32, ranks, &algorithm), "algorithm");
        CHECK_STATUS(ORDO_E_ARG, ordo_ctx_create(&made, &ORDO_OPTS(ordo_ctx_opts, .where = value)),
                     NULL);
        CHECK(made == NULL && strstr(ordo_last_error(NULL), "where") != NULL);
    }
}

static void test_names(void)
{
    struct { /* a variable of each type that ORDO_TYPE_OF knows */
        char               c;
        signed char        i8;
        int16_t            i16;
        uint16_t           u16;
        int32_t            i32;
        uint32_t           u32;
        int64_t            i64;
        uint64_t           u64;
        long               l;
        long long          ll;
        unsigned long long ull;
        double             f64;
    } const of = {0};
    static const char *const names[] = {"i8",  "u8",  "i16", "u16", "i32",
                                        "u32", "i64", "u64", "f32", "f64"};
    static const size_t      sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    float const              f[1] = {0};
    uint8_t const            u[1] = {0};

    testkit_case("names of types and statuses");
    char version[64];
    snprintf(version, sizeof version, "%d.%d.%d", ORDO_VERSION_MAJOR, ORDO_VERSION_MINOR,
             ORDO_VERSION_PATCH);
    CHECK(strcmp(ordo_version(), version) == 0);
    for (int i = 0; i < 10; i++) {
        ordo_type const type = (ordo_type)(i + 1);
        CHECK(strcmp(ordo_type_name(type), names[i]) == 0);
        CHECK_EQ_U64(sizes[i], ordo_type_size(type));
        CHECK_EQ_U64(type, ordo_type_parse(names[i]));
    }
    CHECK_EQ_U64(ORDO_I64, ordo_type_wide(ORDO_I8));
    CHECK_EQ_U64(ORDO_I64, ordo_type_wide(ORDO_I64));
    CHECK_EQ_U64(ORDO_U64, ordo_type_wide(ORDO_U16));
    CHECK_EQ_U64(ORDO_F64, ordo_type_wide(ORDO_F32));
    CHECK_EQ_U64(0, ordo_type_parse("f33"));
    CHECK_EQ_U64(0, ordo_type_parse("f32 "));
    CHECK_EQ_U64(0, ordo_type_parse(""));
    CHECK_EQ_U64(0, ordo_type_parse(NULL));
    CHECK(ORDO_TYPE_OF(f) == ORDO_F32 && ORDO_TYPE_OF(u) == ORDO_U8);
    CHECK(ORDO_TYPE_OF(&of.c) == (CHAR_MIN < 0 ? ORDO_I8 : ORDO_U8));
    CHECK(ORDO_TYPE_OF(&of.i8) == ORDO_I8);
    CHECK(ORDO_TYPE_OF(&of.i16) == ORDO_I16 && ORDO_TYPE_OF(&of.u16) == ORDO_U16);
    CHECK(ORDO_TYPE_OF(&of.i32) == ORDO_I32 && ORDO_TYPE_OF(&of.u32) == ORDO_U32);
    CHECK(ORDO_TYPE_OF(&of.i64) == ORDO_I64 && ORDO_TYPE_OF(&of.u64) == ORDO_U64);
    CHECK(ORDO_TYPE_OF(&of.l) == (sizeof(long) == 8 ? ORDO_I64 : ORDO_I32));
    CHECK(ORDO_TYPE_OF(&of.ll) == ORDO_I64 && ORDO_TYPE_OF(&of.ull) == ORDO_U64);
    CHECK(ORDO_TYPE_OF(&of.f64) == ORDO_F64);
    for (int s = 5; s >= -20; s--) {
        const char *const text = ordo_status_text((ordo_status)s);
        CHECK(text != NULL && text[0] != '\0');
    }
    CHECK(strcmp(ordo_status_text(ORDO_E_NOMEM), "out of memory") == 0);
}

static void test_reserved(void)
{
    static uint32_t       words[N], out[N];
    size_t                count;
    ordo_sort_opts const  sort = ORDO_OPTS(ordo_sort_opts, .reserved = 1);
    ordo_order_opts const order = ORDO_OPTS(ordo_order_opts, .reserved = 1);
    ordo_scan_opts const  scan = ORDO_OPTS(ordo_scan_opts, .reserved = 1);

    testkit_case("reserved fields");
    CHECK_STATUS(ORDO_E_VERSION, ordo_sort(ctx, ORDO_U32, words, N, &sort), ctx);
    CHECK_STATUS(ORDO_E_VERSION, ordo_sort_pairs(ctx, ORDO_U32, words, N, out, 4, &sort), ctx);
    CHECK_STATUS(ORDO_E_VERSION, ordo_argsort(ctx, ORDO_U32, words, N, ORDO_U32, out, &sort), ctx);
    CHECK_STATUS(ORDO_E_VERSION, ordo_sort_by(ctx, words, N, 4, test_never_compare, NULL, &sort),
                 ctx);
    CHECK_STATUS(ORDO_E_VERSION, ordo_sort_pointers(ctx, NULL, 0, &sort), ctx);
    CHECK_STATUS(ORDO_E_VERSION, ordo_radius(ctx, ORDO_U32, words, N, &count, &order), ctx);
    CHECK_STATUS(ORDO_E_VERSION, ordo_runs(ctx, ORDO_U32, words, N, &count, &order), ctx);
    CHECK_STATUS(ORDO_E_VERSION, ordo_scan(ctx, ORDO_SUM, ORDO_U32, words, N, ORDO_U32, out, &scan),
                 ctx);
    CHECK_STATUS(ORDO_E_VERSION,
                 ordo_scan_bits(ctx, ORDO_FLAG_BYTES, words, N, ORDO_U32, out, NULL, &scan), ctx);
}

int main(void)
{
    testkit_start();
    ctx = test_context_make(2);
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        test_ages(&users[i]);
        test_flags(&users[i]);
    }
    test_enums();
    test_names();
    test_reserved();
    ordo_ctx_free(ctx);
    return testkit_done();
}
