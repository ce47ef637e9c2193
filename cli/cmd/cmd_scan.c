/* cmd_scan.c - `ordo scan`: prefix sums, products, minima and maxima, running counts of flags. */
#include "cli/cmd/command.h"

#include <string.h>

static const char help[] =
    "Examples:\n"
    "  printf '3\\n1\\n4\\n' | ordo scan                          # 3 4 8\n"
    "  printf '3\\n1\\n4\\n' | ordo scan --exclusive              # 0 3 4\n"
    "  printf '3\\n1\\n4\\n' | ordo scan --op max                 # 3 3 4\n"
    "  printf '0\\n1\\n1\\n' | ordo scan --bits                   # 0 1 2\n"
    "  ordo scan lengths.npy --wide --exclusive -o offsets.npy\n"
    "  ordo scan mask.bin --dtype bits -n 1000 --format text\n"
    "  ordo scan --csv sales.csv --column price --by city      # a column 'sum'\n\n"
    "Usage: ordo scan [FILE] [options]\n"
    "Result i is the sum, minimum, maximum or product of elements 1 to i.\n\n"
    "Scanning:\n"
    "* --op OP           sum (the default), min, max or product\n"
    "* --exclusive       result i does not include element i\n"
    "* --wide            64-bit sums and products: i8..i32 to i64, u8..u32 to u64, f32 to f64\n"
    "* --bits            elements are flags, set if not 0; results count the set flags\n"
    "* --dtype bits      raw input holds packed flags, lowest bit first; implies --bits\n"
    "* -n N              use only the first N packed flags\n"
    "  --count-type T    type of the counts: u32 or u64; default: u32, or u64 from 2^32\n"
    "                    flags on\n"
    "  --algorithm A     auto; on a GPU with --bits: ballot (the ballot counting poster) or\n"
    "                    shared (the scan that the poster compares with); on a GPU for\n"
    "                    sums of u32 and i32: ballot\n";

static const option_spec specs[] = {CHOICE("op", op, ORDO_SUM, "sum min max product"),
                                    FLAG("exclusive", exclusive),
                                    FLAG("wide", wide),
                                    FLAG("bits", bits),
                                    COUNT("n", 'n', n, 0, SIZE_MAX - 1),
                                    INDEX_TYPE("count-type"),
                                    ALGORITHM("auto - - - - - - - - - - - - - - - ballot shared"),
                                    CSV_OPTIONS,
                                    RUNNING_OPTIONS,
                                    EXTERNAL_OPTIONS,
                                    ARRAY_OPTIONS};

static const char *wrong(execution *e)
{
    options *const o = &e->o;
    const bool     packed = o->dtype != NULL && strcmp(o->dtype, "bits") == 0;

    o->bits |= packed;
    o->op = o->op != 0 ? o->op : ORDO_SUM;
    return o->n != OPTION_UNSET && !packed  ? "-n needs --dtype bits"
           : o->index_type != 0 && !o->bits ? "--count-type needs --bits"
           : o->bits && o->wide ? "--wide cannot be used with --bits: use --count-type u64"
           : o->bits && o->op != ORDO_SUM ? "--bits counts flags: only --op sum can be used with it"
           : o->wide && o->op != ORDO_SUM && o->op != ORDO_PRODUCT
               ? "--wide is only for --op sum and product"
           : o->algorithm == ORDO_ALGORITHM_SHARED && !o->bits ? "--algorithm shared needs --bits"
                                                               : running_wrong(e);
}

static ordo_scan_opts library_options(const execution *e)
{
    return ORDO_OPTS(ordo_scan_opts, .flags = e->o.exclusive ? ORDO_EXCLUSIVE : 0,
                     .algorithm = (uint32_t)e->o.algorithm);
}

static bool scan_flags(execution *e)
{
    const ordo_scan_opts opts = library_options(e);
    input *const         in = &e->in;

    if (in->bits && e->o.n != OPTION_UNSET) {
        if (e->o.n > in->n)
            return cli_fail("%s: -n asks for %llu flags, but the input has %zu", in->name,
                            (unsigned long long)e->o.n, in->n);
        in->n = (size_t)e->o.n;
    }
    if (!in->bits && !input_to_flags(in, "--bits"))
        return false;
    const ordo_type type = index_type(e->o.index_type, in->n);
    void *const     counts = new_results(e, type, in->n, "the counts");
    if (counts == NULL)
        return false;
    call_begin("scanning");
    return call_done(e, "scan",
                     ordo_scan_bits(e->ctx, in->bits ? ORDO_FLAG_BITS : ORDO_FLAG_BYTES, in->data,
                                    in->n, type, counts, NULL, &opts)) &&
           write_results(e, type, counts, in->n);
}

bool scan_numbers(execution *e, ordo_type type, const void *data, size_t n, ordo_type out_type,
                  void *out, const ordo_segments *segments)
{
    ordo_scan_opts opts = library_options(e);

    opts.segments = segments;
    call_begin("scanning");
    return call_done(e, "scan",
                     ordo_scan(e->ctx, (ordo_op)e->o.op, type, data, n, out_type, out, &opts));
}

/* Works in place if the results have the type of the input. */
static bool scan_values(execution *e)
{
    const input *const in = &e->in;
    const ordo_type    type = e->o.wide ? ordo_type_wide(in->type) : in->type;
    void *const        sums = type == in->type ? in->data : new_results(e, type, in->n, "the sums");

    return sums != NULL && scan_numbers(e, in->type, in->data, in->n, type, sums, NULL) &&
           write_results(e, type, sums, in->n);
}

static bool work(execution *e) { return e->o.bits ? scan_flags(e) : scan_values(e); }

const command command_scan = {
    "scan", help, specs, READS | WRITES | PACKED_BITS | CSV_IN | CSV_GROUPS, 0, wrong, work};
