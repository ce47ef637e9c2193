/* cmd_rank.c - `ordo rank`: the ranks of any array, of a sorted array, of lines, or of FASTA
 * records. */
#include "cli/cmd/command.h"

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n20\\n' | ordo rank                  # 4 1 2 2\n"
    "  printf '30\\n10\\n20\\n20\\n' | ordo rank --ties average   # 4 1 2.5 2.5\n"
    "  ordo rank scores.npy --descending -o ranks.npy          # the largest has rank 1\n"
    "  ordo rank keys.bin --dtype f32 --sorted --explain -o ranks.bin\n"
    "  ordo rank names.txt --text --ties dense\n"
    "  ordo rank scores.npy --groups class.npy --descending    # ranks in each class\n"
    "  ordo rank scores.npy --then dates.npy                   # dates decide ties\n"
    "  ordo rank --csv scores.csv --key points:desc --by class --as place\n\n"
    "Usage: ordo rank [FILE] [options]\n"
    "Prints the rank of each element, counted from 1. --ties decides the ranks of ties.\n\n"
    "Ranking:\n"
    "* --ties T          " NAMES_TIES_EXAMPLES
    "* -r, --descending  the largest element has rank 1; NaN is still last\n"
    "* --sorted          the input is sorted, so ranking takes one pass; if it is not\n"
    "                    sorted, the ranks are undefined\n"
    "  --check           with --sorted: first check that the input is sorted\n"
    "* --text            the input is lines of any bytes, not numbers\n" HELP_FASTA
    "* --groups FILE     a file with the group of each number: ranks start at 1 in each group\n"
    "  --groups-dtype T  type of raw groups: u8, i32, f64, ...\n"
    "* --then FILES      files with further keys, separated by commas; they decide ties\n"
    "  --rank-type T     u32, u64 or f64; default: u32, or u64 from 2^32 elements on; f64\n"
    "                    for average\n"
    "  --algorithm A     auto, radix, sample, intervals, merge, bitonic, split, bubble,\n"
    "                    rough, halving, windows, or on a GPU insertion or global; with --sorted:\n"
    "                    auto, sequential (one loop), threads (one segment per thread), or on\n"
    "                    a GPU naive, shuffle or hybrid\n";

static const option_spec specs[] = {CHOICE("ties", ties, ORDO_TIES_MIN, option_ties),
                                    DESCENDING,
                                    FLAG("sorted", sorted),
                                    FLAG("check", check_order),
                                    FLAG("text", text),
                                    FASTA_OPTIONS,
                                    CSV_OPTIONS,
                                    CSV_KEYS,
                                    TEXT("as", 0, csv.as),
                                    GROUPS_OPTIONS,
                                    TEXT("then", 0, then_files),
                                    NAMED("rank-type", rank_type, "u32 u64 f64"),
                                    EXTERNAL_OPTIONS,
                                    RESUME_OPTION,
                                    ALGORITHM("auto sequential threads " SORT_ALGORITHMS
                                              " naive shuffle hybrid windows - - - - "
                                              "insertion global intervals"),
                                    ARRAY_OPTIONS};

/* The types to choose from depend on --ties: average ranks are f64 only. */
static bool parse_rank_type(options *o)
{
    const bool average = o->ties == ORDO_TIES_AVERAGE;

    o->index_type = o->rank_type != NULL ? ordo_type_parse(o->rank_type) : average ? ORDO_F64 : 0;
    if (o->rank_type == NULL || o->index_type == ORDO_F64 ||
        (!average && (o->index_type == ORDO_U32 || o->index_type == ORDO_U64)))
        return true;
    if (average)
        return cli_fail("rank: --rank-type: '%s' cannot hold average ranks, which are fractions: "
                        "the type is f64",
                        cli_quoted(o->rank_type));
    return cli_fail("rank: --rank-type: '%s' is not one of: u32, u64, f64",
                    cli_quoted(o->rank_type));
}

static const char *wrong(execution *e)
{
    options *const o = &e->o;
    const bool     for_sorted =
        o->algorithm == ORDO_ALGORITHM_SEQUENTIAL || o->algorithm == ORDO_ALGORITHM_THREADS ||
        (o->algorithm >= ORDO_ALGORITHM_NAIVE && o->algorithm <= ORDO_ALGORITHM_HYBRID);
    const bool strings = strings_option(o) != NULL;
    const bool sorts = o->algorithm != ORDO_ALGORITHM_AUTO && !for_sorted;
    const bool beside = o->groups_file != NULL || o->then_files != NULL;

    if (csv_option(o) != NULL)
        return parse_rank_type(o) ? csv_wrong(e) : "";
    return !parse_rank_type(o)    ? ""
           : strings && o->sorted ? numbers_only(e, "--sorted")
           : strings && o->algorithm && o->algorithm != ORDO_ALGORITHM_SAMPLE
               ? numbers_only(e, "an --algorithm other than auto and sample")
           : o->check_order && !o->sorted ? "--check needs --sorted"
           : for_sorted && !o->sorted
               ? "--algorithm sequential, threads, naive, shuffle and hybrid need --sorted"
           : sorts && o->sorted  ? "--sorted accepts only --algorithm auto, sequential, threads, "
                                   "naive, shuffle and hybrid"
           : beside && o->sorted ? "--sorted cannot be used with --groups and --then"
                                 : beside_wrong(e);
}

/* Says where the order breaks; elements are counted from 1. */
static bool complain(const input *in, size_t where, bool descending)
{
    const size_t      size = ordo_type_size(in->type);
    const char *const later = (const char *)in->data + where * size;
    const char *const earlier = later - size;
    const bool        number = in->type < ORDO_F32 || key_order(in->type, earlier) != KEY_ORDER_NAN;
    char              later_text[NUMBER_TEXT_MAX + 1], earlier_text[NUMBER_TEXT_MAX + 1];

    later_text[number_format(in->type, later, later_text)] = '\0';
    earlier_text[number_format(in->type, earlier, earlier_text)] = '\0';
    return cli_fail("%s: not sorted: element %zu (%s) %s element %zu (%s); leave out --sorted",
                    in->name, where + 1, later_text,
                    !number      ? "must come before"
                    : descending ? "is greater than"
                                 : "is less than",
                    where, earlier_text);
}

static bool check_order(execution *e)
{
    const input *const in = &e->in;
    int                sorted = 0;
    size_t             where = 0;

    call_begin("checking");
    return call_done(e, "check",
                     ordo_is_sorted(e->ctx, in->type, in->data, in->n, &sorted, &where,
                                    &ORDO_OPTS(ordo_order_opts, .flags = descending_flag(e)))) &&
           (sorted || complain(in, where, e->o.descending));
}

/* Ranks inside groups, ranks of rows of columns, or ranks of the input if neither is given. */
static ordo_status call_library(execution *e, const beside_arrays *b, ordo_type type, void *ranks)
{
    const uint32_t       ties = (uint32_t)e->o.ties;
    const ordo_rank_opts opts = ORDO_OPTS(ordo_rank_opts, .flags = descending_flag(e), .ties = ties,
                                          .algorithm = (uint32_t)e->o.algorithm);
    const ordo_strings   strings = strings_of(e);
    const input *const   in = &e->in;

    if (b->groups != NULL)
        return ordo_group_rank(
            e->ctx, b->groups, in->type, in->data, e->n, type, ranks,
            &ORDO_OPTS(ordo_group_opts, .flags = descending_flag(e), .ties = ties));
    if (b->columns != NULL)
        return ordo_lexrank(e->ctx, b->columns, b->count, e->n, type, ranks,
                            &ORDO_OPTS(ordo_rank_opts, .ties = ties));
    if (strings_option(&e->o) != NULL)
        return ordo_rank_strings(e->ctx, &strings, e->n, type, ranks, &opts);
    return (e->o.sorted ? ordo_rank_sorted : ordo_rank)(e->ctx, in->type, in->data, in->n, type,
                                                        ranks, &opts);
}

static bool write_ranks(execution *e, const beside_arrays *b)
{
    const ordo_type type = index_type(e->o.index_type, e->n);
    void *const     ranks = new_results(e, type, e->n, "the ranks");

    if (ranks == NULL)
        return false;
    call_begin("ranking");
    return call_done(e, "rank", call_library(e, b, type, ranks)) &&
           write_results(e, type, ranks, e->n);
}

static bool work(execution *e)
{
    return (!e->o.check_order || check_order(e)) && with_beside(e, write_ranks);
}

const command command_rank = {
    "rank", help,  specs, READS | WRITES | LINES_IN | EXTERNAL | CSV_IN | CSV_GROUPS,
    0,      wrong, work};
