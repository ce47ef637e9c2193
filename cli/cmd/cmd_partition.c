/* cmd_partition.c - `ordo partition`: elements whose flag is set first, then the others. */
#include "cli/cmd/command.h"

static const char help[] =
    "Examples:\n"
    "  printf '5\\n8\\n1\\n4\\n' | ordo partition --flags flags.txt     # flags.txt: 0 1 0 1\n"
    "  ordo partition keys.npy --flags mask.npy -o both.npy\n"
    "  ordo partition keys.npy --flags mask.npy --only -o chosen.npy\n"
    "  ordo partition keys.bin --dtype f32 --flags mask.bin --flags-dtype bits\n\n"
    "Usage: ordo partition [FILE] --flags FLAGS [options]\n"
    "Writes the elements whose flag is set, then the others. Both groups keep their order.\n\n"
    "Partitioning:\n"
    "  --flags FLAGS     a file with one flag for each element: integers or bools, set if\n"
    "                    not 0\n"
    "  --flags-dtype T   type of raw flags: u8, i32, ...; bits: packed, lowest bit first\n"
    "  --unset-first     the elements whose flag is not set come first\n"
    "  --only            write only the first group\n";

static const option_spec specs[] = {
    TEXT("flags", 0, flags_file), NAMED("flags-dtype", flags_dtype, option_types),
    FLAG("unset-first", unset_first), FLAG("only", only), ARRAY_OPTIONS};

static const char *wrong(execution *e)
{
    const options *const o = &e->o;

    return o->flags_file == NULL ? "--flags FILE is missing: a file with one flag for each element"
           : both_from_stdin(e, o->flags_file)
               ? "the elements and the flags cannot both come from stdin"
               : NULL;
}

/* Reads the flags. Packed flags may have up to 7 bits more than there are elements. */
static bool read_flags(execution *e, input *flags)
{
    const input_request request = {.path = e->o.flags_file,
                                   .dtype = e->o.flags_dtype,
                                   .dtype_option = "--flags-dtype",
                                   .allow_bits = true};
    const size_t        n = e->in.n;

    if (!input_read(&request, flags))
        return false;
    const bool fits = flags->bits ? flags->n >= n && flags->n - n < 8 : flags->n == n;
    if (!fits)
        return cli_fail("%s has %zu flags, but %s has %zu elements; expected one flag for each "
                        "element",
                        flags->name, flags->n, e->in.name, n);
    return (flags->bits || input_to_flags(flags, "--flags")) &&
           hold_memory(e, flags->bits ? n / 8 : n);
}

static bool split(execution *e, const input *flags)
{
    const input *const        in = &e->in;
    const ordo_flags_kind     kind = flags->bits ? ORDO_FLAG_BITS : ORDO_FLAG_BYTES;
    const ordo_partition_opts opts =
        ORDO_OPTS(ordo_partition_opts, .flags = e->o.unset_first ? ORDO_UNSET_FIRST : 0);
    void *const out = new_results(e, in->type, in->n, "the result");
    size_t      first = 0;

    if (out == NULL)
        return false;
    call_begin("partitioning");
    return call_done(e, "partition",
                     ordo_partition(e->ctx, kind, flags->data, in->data, in->n,
                                    ordo_type_size(in->type), out, &first, &opts)) &&
           write_results(e, in->type, out, e->o.only ? first : in->n);
}

static bool work(execution *e)
{
    input      flags = {.name = ""};
    const bool ok = read_flags(e, &flags) && split(e, &flags);

    input_free(&flags);
    return ok;
}

const command command_partition = {"partition", help, specs, READS | WRITES, 0, wrong, work};
