/* cmd_scan.c - `ordo scan`: prefix sums, minima and maxima, and running counts of flags. */
#include "help.h"
#include "input.h"
#include "output.h"
#include "report.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Examples:\n"
    "  printf '3\\n1\\n4\\n' | ordo scan                          # 3 4 8\n"
    "  printf '3\\n1\\n4\\n' | ordo scan --exclusive              # 0 3 4\n"
    "  printf '3\\n1\\n4\\n' | ordo scan --op max                 # 3 3 4\n"
    "  printf '0\\n1\\n1\\n' | ordo scan --bits                   # 0 1 2\n"
    "  ordo scan lengths.npy --wide --exclusive -o offsets.npy\n"
    "  ordo scan mask.bin --dtype bits -n 1000 --format text\n"
    "\n"
    "Usage: ordo scan [FILE] [options]\n"
    "Result i is the sum (minimum, maximum) of elements 1 to i.\n"
    "\n"
    "Scanning:\n"
    "  --op OP           sum (the default), min or max\n"
    "  --exclusive       result i leaves element i out\n"
    "  --wide            sums of 64 bits: i8..i32 to i64, u8..u32 to u64, f32 to f64\n"
    "  --bits            elements are flags, set if not 0; results count the set ones\n"
    "  --dtype bits      raw input holds packed flags, lowest bit first; implies --bits\n"
    "  -n N              of packed flags, use the first N\n"
    "  --count-type T    type of those counts: u32 or u64; default: u32, u64 from 2^32\n"
    "                    flags on\n"
    "  --algorithm A     auto\n"
    "\n" HELP_INPUT "\n" HELP_OUTPUT "\n" HELP_COMMON;

static const option_choice op_choices[] = {
    {"sum", ORDO_SUM}, {"min", ORDO_MIN}, {"max", ORDO_MAX}, {NULL, 0}};
static const option_choice count_choices[] = {{"u32", ORDO_U32}, {"u64", ORDO_U64}, {NULL, 0}};
static const option_choice algorithm_choices[] = {{"auto", ORDO_ALGORITHM_AUTO}, {NULL, 0}};

typedef struct scan_options {
    input_request  in;
    const char    *out;
    int            format, op, count_type, algorithm;
    bool           exclusive, wide, bits;
    uint64_t       n;
    common_options common;
} scan_options;

static options_result read_options(int argc, char **argv, scan_options *o)
{
    const option_spec specs[] = {
        OPTION_CHOICE_AT("op", 0, &o->op, op_choices),
        OPTION_FLAG_AT("exclusive", 0, &o->exclusive),
        OPTION_FLAG_AT("wide", 0, &o->wide),
        OPTION_FLAG_AT("bits", 0, &o->bits),
        OPTION_COUNT_AT("n", 'n', &o->n, 0, SIZE_MAX - 1),
        OPTION_CHOICE_AT("count-type", 0, &o->count_type, count_choices),
        OPTION_CHOICE_AT("algorithm", 0, &o->algorithm, algorithm_choices),
        OPTION_CHOICE_AT("from", 0, &o->in.format, format_choices),
        OPTION_TEXT_AT("dtype", 0, &o->in.dtype),
        OPTION_FLAG_AT("skip-bad", 0, &o->in.skip_bad),
        OPTION_TEXT_AT("output", 'o', &o->out),
        OPTION_CHOICE_AT("format", 0, &o->format, format_choices),
        COMMON_OPTIONS(o->common),
        OPTION_END,
    };
    size_t n;
    return options_parse(argc, argv, specs, help, &o->in.path, 1, &n);
}

/* Options that contradict each other. */
static bool check_options(scan_options *o)
{
    const bool packed = o->in.dtype != NULL && strcmp(o->in.dtype, "bits") == 0;

    o->bits |= packed;
    const char *const wrong =
        o->n != OPTION_UNSET && !packed  ? "-n goes with --dtype bits only"
        : o->count_type != 0 && !o->bits ? "--count-type goes with --bits only"
        : o->bits && o->wide             ? "--wide does not go with --bits: use --count-type u64"
        : o->bits && o->op != ORDO_SUM   ? "--bits counts flags: --op min and max do not go with it"
        : o->wide && o->op != ORDO_SUM   ? "--wide is for sums"
                                         : NULL;
    if (wrong != NULL)
        cli_error("scan: %s", wrong);
    return wrong == NULL;
}

static ordo_type wide_type(ordo_type type)
{
    switch (type) {
    case ORDO_I8:
    case ORDO_I16:
    case ORDO_I32:
    case ORDO_I64:
        return ORDO_I64;
    case ORDO_U8:
    case ORDO_U16:
    case ORDO_U32:
    case ORDO_U64:
        return ORDO_U64;
    case ORDO_F32:
    case ORDO_F64:
        return ORDO_F64;
    }
    return type;
}

/* Turns integers of any size into one byte each, in place: byte i is not behind element i. */
static bool to_flag_bytes(input *in)
{
    const size_t         size = ordo_type_size(in->type);
    unsigned char *const bytes = in->data;

    if (in->type == ORDO_F32 || in->type == ORDO_F64) {
        cli_error("%s: --bits needs integers, the input is %s", in->name, ordo_type_name(in->type));
        return false;
    }
    for (size_t i = 0; size > 1 && i < in->n; i++) {
        unsigned char any = 0;
        for (size_t j = 0; j < size; j++)
            any |= bytes[i * size + j];
        bytes[i] = any != 0;
    }
    return true;
}

static bool scan_flags(ordo_ctx *ctx, const scan_options *o, input *in, ordo_type *type, void **out)
{
    if (in->bits && o->n != OPTION_UNSET) {
        if (o->n > in->n) {
            cli_error("%s: -n asks for %llu flags, the input has %zu", in->name,
                      (unsigned long long)o->n, in->n);
            return false;
        }
        in->n = (size_t)o->n;
    }
    if (!in->bits && !to_flag_bytes(in))
        return false;
    *type = o->count_type != 0    ? (ordo_type)o->count_type
            : in->n <= UINT32_MAX ? ORDO_U32
                                  : ORDO_U64;
    *out = cli_alloc(in->n, ordo_type_size(*type), "the counts");
    if (*out == NULL)
        return false;
    session_begin("scanning");
    return session_end(ordo_scan_bits(
        ctx, in->bits ? ORDO_FLAG_BITS : ORDO_FLAG_BYTES, in->data, in->n, *type, *out, NULL,
        &ORDO_OPTS(ordo_scan_opts, .flags = o->exclusive ? ORDO_EXCLUSIVE : 0)));
}

/* In place where the types allow it: *out stays NULL then. */
static bool scan_values(ordo_ctx *ctx, const scan_options *o, input *in, ordo_type *type,
                        void **out)
{
    *type = o->wide ? wide_type(in->type) : in->type;
    if (*type != in->type && (*out = cli_alloc(in->n, ordo_type_size(*type), "the sums")) == NULL)
        return false;
    session_begin("scanning");
    return session_end(ordo_scan(
        ctx, (ordo_op)o->op, in->type, in->data, in->n, *type, *out != NULL ? *out : in->data,
        &ORDO_OPTS(ordo_scan_opts, .flags = o->exclusive ? ORDO_EXCLUSIVE : 0)));
}

/* Everything between input and output. */
static bool scan(ordo_ctx *ctx, const scan_options *o, input *in, output *out, timing *t)
{
    ordo_type type = in->type;
    void     *results = NULL;

    bool ok = o->bits ? scan_flags(ctx, o, in, &type, &results)
                      : scan_values(ctx, o, in, &type, &results);
    timing_mark(t, "scan");
    ok = ok && output_array(out, type, results != NULL ? results : in->data, in->n) &&
         output_commit(out);
    timing_mark(t, "write");
    free(results);
    return ok;
}

int cmd_scan(int argc, char **argv)
{
    scan_options         o = {.op = ORDO_SUM, .n = OPTION_UNSET, .in.bits_too = true};
    const options_result r = read_options(argc, argv, &o);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;
    if (!check_options(&o))
        return CLI_TROUBLE;

    ordo_ctx *const ctx = session_open("scan", &o.common);
    if (ctx == NULL)
        return CLI_TROUBLE;
    input  in = {.name = ""};
    output out = {.fd = -1};
    timing t;

    timing_start(&t);
    bool ok = input_read(&o.in, &in);
    timing_mark(&t, "read");
    ok = ok && output_open(&out, o.out, o.format != 0 ? (file_format)o.format : in.format) &&
         scan(ctx, &o, &in, &out, &t) &&
         report_print(ctx, &o.common, in.bits ? "bits" : "bytes", &t);
    output_abandon(&out);
    input_free(&in);
    session_close();
    return ok ? CLI_OK : CLI_TROUBLE;
}
