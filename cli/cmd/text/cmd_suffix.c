/* cmd_suffix.c - `ordo suffix`: the suffix array of a text, and its longest common prefixes. */
#include "cli/cmd/command.h"

#include "ordo_text.h"

#include <string.h>

static const char help[] =
    "Examples:\n"
    "  printf banana | ordo suffix              # 5 3 1 0 4 2\n"
    "  ordo suffix book.txt -o sa.npy\n"
    "  ordo suffix book.txt -o sa.npy --lcp lcp.npy --verify\n"
    "  ordo suffix book.txt -o sa.npy --device cuda --explain\n\n"
    "Usage: ordo suffix [FILE] [options]\n"
    "Prints the positions of all suffixes of a text in lexicographic order. The text is all\n"
    "bytes of FILE; stdin if FILE is '-' or not given. A suffix that is a prefix of another one\n"
    "comes first. Memory: about 22 bytes for each byte of the text, up to 43; on a GPU\n"
    "(--device cuda) 42 bytes of its memory.\n\n"
    "Suffixes:\n"
    "  --lcp FILE        also write, for each suffix, how many bytes it has in common with the\n"
    "                    suffix before it; the format is that of -o, or by the end of FILE\n"
    "  --index-type T    u32 or u64; default: u32 if that is enough\n"
    "  --algorithm A     auto, induced (linear time; only on the CPU), doubling (radix sorts) or\n"
    "                    msd (one bit at a time; slow)\n"
    "  --verify          check the result in linear time before it is written\n";

static const option_spec specs[] = {
    TEXT("lcp", 0, lcp_file), FLAG("verify", verify),
    INDEX_TYPE("index-type"), ALGORITHM("auto induced doubling msd"),
    OUTPUT_OPTIONS,           COMMON_OPTIONS};

static const char *wrong(execution *e)
{
    const options *const o = &e->o;

    if (o->lcp_file != NULL && strcmp(o->lcp_file, "-") == 0)
        return "--lcp needs a file name; stdout is for the suffixes";
    if (o->lcp_file != NULL && o->out != NULL && strcmp(o->lcp_file, o->out) == 0)
        return "--lcp and --output name the same file";
    return NULL;
}

static bool write_lcp(execution *e, const char *text, size_t n, ordo_type type, const void *sa)
{
    output            out = {.fd = -1};
    const file_format named = format_of_name(e->o.lcp_file);
    const file_format format = e->o.format != FORMAT_AUTO ? (file_format)e->o.format
                               : named != FORMAT_AUTO     ? named
                                                          : e->out.format;
    void *const       lcp = new_results(e, type, n, "the common prefixes");

    if (lcp == NULL)
        return false;
    call_begin("common prefixes");
    const bool ok = call_done(e, "lcp", ordo_lcp(e->ctx, text, n, type, sa, lcp, NULL)) &&
                    output_open(&out, e->o.lcp_file, format) && output_array(&out, type, lcp, n) &&
                    output_commit(&out);
    output_abandon(&out);
    return ok;
}

static bool work(execution *e)
{
    const ordo_text_opts opts = ORDO_OPTS(ordo_text_opts, .algorithm = (uint32_t)e->o.algorithm);
    size_t               n;
    char *const          text = read_whole_text(e, 0, &n);

    if (text == NULL)
        return false;
    const ordo_type type = index_type(e->o.index_type, n);
    void *const     sa = new_results(e, type, n, "the suffixes");
    if (sa == NULL)
        return false;
    call_begin("sorting suffixes");
    if (!call_done(e, "sort", ordo_suffix_array(e->ctx, text, n, type, sa, &opts)))
        return false;
    if (e->o.verify) {
        call_begin("verifying");
        if (!call_done(e, "verify", ordo_suffix_check(e->ctx, text, n, type, sa, NULL)))
            return false;
    }
    return (e->o.lcp_file == NULL || write_lcp(e, text, n, type, sa)) &&
           write_results(e, type, sa, n);
}

const command command_suffix = {"suffix", help, specs, WRITES | FEW, 0, wrong, work};
