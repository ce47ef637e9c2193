/* cmd_scan.c - `ordo scan`: prefix sums, minima and maxima, and running counts of flags. */
#include "cli/ui/help.h"
#include "cli/cmd/task.h"

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
static const option_choice algorithm_choices[] = {{"auto", ORDO_ALGORITHM_AUTO}, {NULL, 0}};

typedef struct scan_options {
    task_options task;
    int          op, count_type, algorithm;
    bool         exclusive, wide, bits;
    uint64_t     n;
} scan_options;

static options_result read_options(int argc, char **argv, scan_options *o)
{
    const option_spec specs[] = {
        OPTION_CHOICE_AT("op", 0, &o->op, op_choices),
        OPTION_FLAG_AT("exclusive", 0, &o->exclusive),
        OPTION_FLAG_AT("wide", 0, &o->wide),
        OPTION_FLAG_AT("bits", 0, &o->bits),
        OPTION_COUNT_AT("n", 'n', &o->n, 0, SIZE_MAX - 1),
        OPTION_CHOICE_AT("count-type", 0, &o->count_type, index_type_choices),
        OPTION_CHOICE_AT("algorithm", 0, &o->algorithm, algorithm_choices),
        TASK_OPTIONS(o->task),
        OPTION_END,
    };
    size_t n;
    return options_parse(argc, argv, specs, help, &o->task.in.path, 1, &n);
}

/* Options that contradict each other. */
static bool check_options(scan_options *o)
{
    const bool packed = o->task.in.dtype != NULL && strcmp(o->task.in.dtype, "bits") == 0;

    o->bits |= packed;
    const char *const wrong =
        o->n != OPTION_UNSET && !packed  ? "-n goes with --dtype bits only"
        : o->count_type != 0 && !o->bits ? "--count-type goes with --bits only"
        : o->bits && o->wide             ? "--wide does not go with --bits: use --count-type u64"
        : o->bits && o->op != ORDO_SUM   ? "--bits counts flags: --op min and max do not go with it"
        : o->wide && o->op != ORDO_SUM   ? "--wide is for sums"
                                         : NULL;
    return task_check("scan", wrong, &o->task);
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
    *type = task_index_type(o->count_type, in->n);
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
    *type = o->wide ? ordo_type_wide(in->type) : in->type;
    if (*type != in->type && (*out = cli_alloc(in->n, ordo_type_size(*type), "the sums")) == NULL)
        return false;
    session_begin("scanning");
    return session_end(ordo_scan(
        ctx, (ordo_op)o->op, in->type, in->data, in->n, *type, *out != NULL ? *out : in->data,
        &ORDO_OPTS(ordo_scan_opts, .flags = o->exclusive ? ORDO_EXCLUSIVE : 0)));
}

/* Everything between input and output. */
static bool scan(task *t, const scan_options *o)
{
    input *const in = &t->in;
    ordo_type    type = in->type;
    void        *results = NULL;

    bool ok = o->bits ? scan_flags(t->ctx, o, in, &type, &results)
                      : scan_values(t->ctx, o, in, &type, &results);
    timing_mark(&t->t, "scan");
    ok = ok && task_write(t, type, results != NULL ? results : in->data, in->n);
    free(results);
    return ok;
}

int cmd_scan(int argc, char **argv)
{
    scan_options         o = {.op = ORDO_SUM, .n = OPTION_UNSET, .task.in.bits_too = true};
    const options_result r = read_options(argc, argv, &o);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;
    if (!check_options(&o))
        return CLI_TROUBLE;

    task       t;
    const bool ok = task_begin(&t, "scan", &o.task) && scan(&t, &o);
    return task_end(&t, &o.task, ok);
}
