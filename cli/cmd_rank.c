/* cmd_rank.c - `ordo rank`: the ranks of a sorted array. */
#include "help.h"
#include "input.h"
#include "output.h"
#include "report.h"
#include "session.h"
#include "textnum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Examples:\n"
    "  printf '10\\n20\\n20\\n30\\n' | ordo rank                  # 1 2 2 4\n"
    "  printf '10\\n20\\n20\\n30\\n' | ordo rank --ties average   # 1 2.5 2.5 4\n"
    "  ordo rank scores.npy --descending -o ranks.npy\n"
    "  ordo rank keys.bin --dtype f32 --sorted --explain -o ranks.bin\n"
    "\n"
    "Usage: ordo rank [FILE] [options]\n"
    "Ranks of a sorted array, from 1: equal keys get equal ranks.\n"
    "\n"
    "Ranking:\n"
    "  --ties T          min (1 2 2 4, the default), max (1 3 3 4), dense (1 2 2 3),\n"
    "                    ordinal (1 2 3 4) or average (1 2.5 2.5 4)\n"
    "  --descending      the largest key comes first; NaN is last either way\n"
    "  --sorted          trust that the keys are sorted; without it they are checked\n"
    "  --check           check them although --sorted is given\n"
    "  --rank-type T     u32, u64 or f64; default: u32, u64 from 2^32 keys on, f64 for\n"
    "                    average\n"
    "  --algorithm A     auto, sequential (one loop) or threads (a segment a thread)\n"
    "\n" HELP_INPUT "\n" HELP_OUTPUT "\n" HELP_COMMON;

static const option_choice ties_choices[] = {
    {"min", ORDO_TIES_MIN},         {"max", ORDO_TIES_MAX},         {"dense", ORDO_TIES_DENSE},
    {"ordinal", ORDO_TIES_ORDINAL}, {"average", ORDO_TIES_AVERAGE}, {NULL, 0}};
static const option_choice rank_type_choices[] = {
    {"u32", ORDO_U32}, {"u64", ORDO_U64}, {"f64", ORDO_F64}, {NULL, 0}};
static const option_choice algorithm_choices[] = {{"auto", ORDO_ALGORITHM_AUTO},
                                                  {"sequential", ORDO_ALGORITHM_SEQUENTIAL},
                                                  {"threads", ORDO_ALGORITHM_THREADS},
                                                  {NULL, 0}};

typedef struct rank_options {
    input_request  in;
    const char    *out;
    int            format, ties, rank_type, algorithm;
    bool           sorted, descending, check;
    common_options common;
} rank_options;

static options_result read_options(int argc, char **argv, rank_options *o)
{
    const option_spec specs[] = {
        OPTION_CHOICE_AT("ties", 0, &o->ties, ties_choices),
        OPTION_FLAG_AT("descending", 0, &o->descending),
        OPTION_FLAG_AT("sorted", 0, &o->sorted),
        OPTION_FLAG_AT("check", 0, &o->check),
        OPTION_CHOICE_AT("rank-type", 0, &o->rank_type, rank_type_choices),
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

static bool is_nan(ordo_type type, const void *value)
{
    if (type == ORDO_F32)
        return isnan(*(const float *)value);
    return type == ORDO_F64 && isnan(*(const double *)value);
}

/* Says where the order breaks; elements are counted from 1. */
static void complain(const input *in, size_t where, bool descending)
{
    const size_t      size = ordo_type_size(in->type);
    const char *const later = (const char *)in->data + where * size;
    const char *const earlier = later - size;
    char              later_text[NUMBER_TEXT_MAX + 1], earlier_text[NUMBER_TEXT_MAX + 1];
    const char       *relation = descending ? "is greater than" : "is less than";

    later_text[number_format(in->type, later, later_text)] = '\0';
    earlier_text[number_format(in->type, earlier, earlier_text)] = '\0';
    if (is_nan(in->type, earlier))
        relation = "must come before";
    cli_error("%s: not sorted: element %zu (%s) %s element %zu (%s); sort it first", in->name,
              where + 1, later_text, relation, where, earlier_text);
}

static bool check_order(ordo_ctx *ctx, const input *in, bool descending)
{
    int    sorted = 0;
    size_t where = 0;

    session_begin("checking");
    const ordo_status status =
        ordo_is_sorted(ctx, in->type, in->data, in->n, &sorted, &where,
                       &ORDO_OPTS(ordo_order_opts, .flags = descending ? ORDO_DESCENDING : 0));
    if (!session_end(status))
        return false;
    if (!sorted)
        complain(in, where, descending);
    return sorted != 0;
}

static ordo_type rank_type_of(const rank_options *o, size_t n)
{
    if (o->rank_type != 0)
        return (ordo_type)o->rank_type;
    if (o->ties == ORDO_TIES_AVERAGE)
        return ORDO_F64;
    return n <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
}

/* Everything between input and output. */
static bool rank(ordo_ctx *ctx, const rank_options *o, const input *in, output *out, timing *t)
{
    const ordo_type rank_type = rank_type_of(o, in->n);

    if (!o->sorted || o->check) {
        if (!check_order(ctx, in, o->descending))
            return false;
        timing_mark(t, "check");
    }
    void *const ranks = cli_alloc(in->n, ordo_type_size(rank_type), "the ranks");
    if (ranks == NULL)
        return false;
    session_begin("ranking");
    const ordo_status status = ordo_rank_sorted(
        ctx, in->type, in->data, in->n, rank_type, ranks,
        &ORDO_OPTS(ordo_rank_opts, .flags = o->descending ? ORDO_DESCENDING : 0,
                   .ties = (uint32_t)o->ties, .algorithm = (uint32_t)o->algorithm));
    bool ok = session_end(status);
    timing_mark(t, "rank");
    ok = ok && output_array(out, rank_type, ranks, in->n) && output_commit(out);
    timing_mark(t, "write");
    free(ranks);
    return ok;
}

int cmd_rank(int argc, char **argv)
{
    rank_options         o = {.format = FORMAT_AUTO};
    const options_result r = read_options(argc, argv, &o);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;
    if (o.ties == ORDO_TIES_AVERAGE && o.rank_type != 0 && o.rank_type != ORDO_F64)
        return cli_error("rank: --ties average gives fractions: it needs --rank-type f64");

    ordo_ctx *const ctx = session_open("rank", &o.common);
    if (ctx == NULL)
        return CLI_TROUBLE;
    input  in = {.name = ""};
    output out = {.fd = -1};
    timing t;

    timing_start(&t);
    bool ok = input_read(&o.in, &in);
    timing_mark(&t, "read");
    ok = ok && output_open(&out, o.out, o.format != 0 ? (file_format)o.format : in.format) &&
         rank(ctx, &o, &in, &out, &t) && report_print(ctx, &o.common, "none", &t);
    output_abandon(&out);
    input_free(&in);
    session_close();
    return ok ? CLI_OK : CLI_TROUBLE;
}
