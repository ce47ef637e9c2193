/* cmd_bwt.c - `ordo bwt` and `ordo unbwt`: the Burrows-Wheeler transform of a file and its inverse.
 *
 * The output of bwt begins with 16 bytes: "ordo bwt", then the primary index as 8 bytes, the lowest
 * first. */
#include "cli/cmd/command.h"

#include "ordo_text.h"

#include <string.h>

static const char magic[8] = {'o', 'r', 'd', 'o', ' ', 'b', 'w', 't'};
enum {
    HEADER = 16
};

static const char bwt_help[] =
    "Examples:\n"
    "  ordo bwt book.txt -o book.bwt\n"
    "  ordo unbwt book.bwt -o copy.txt\n\n"
    "Usage: ordo bwt [FILE] -o OUTPUT [options]\n"
    "Writes the Burrows-Wheeler transform of a text: the byte before each suffix, in the order\n"
    "of the suffixes. The text is all bytes of FILE; stdin if FILE is '-' or not given. The\n"
    "output begins with 16 bytes, 'ordo bwt' and the primary index (8 bytes, the lowest first),\n"
    "which ordo unbwt needs. Memory: about 23 bytes for each byte of the text, up to 44.\n\n"
    "Transform:\n"
    "  -o, --output FILE the output file; default: stdout, if that is not a terminal\n"
    "  --algorithm A     auto, induced, doubling or msd; see ordo suffix\n";

static const char unbwt_help[] =
    "Examples:\n"
    "  ordo bwt book.txt | ordo unbwt > copy.txt\n\n"
    "Usage: ordo unbwt [FILE] [options]\n"
    "Writes the text of a transform that ordo bwt wrote. FILE is a file; stdin if it is '-' or\n"
    "not given. Memory: 8 bytes for each byte of the text.\n\n"
    "Text:\n"
    "  -o, --output FILE the output file; default: stdout\n";

static const option_spec bwt_specs[] = {TEXT("output", 'o', out),
                                        ALGORITHM("auto induced doubling msd"), COMMON_OPTIONS};
static const option_spec unbwt_specs[] = {TEXT("output", 'o', out), COMMON_OPTIONS};

/* Bytes that are no text must not go to a terminal. */
static const char *binary(execution *e)
{
    e->o.format = FORMAT_RAW;
    return NULL;
}

static const char *any_bytes(execution *e)
{
    e->o.format = FORMAT_TEXT;
    return NULL;
}

static bool transform(execution *e)
{
    const ordo_text_opts opts = ORDO_OPTS(ordo_text_opts, .algorithm = (uint32_t)e->o.algorithm);
    size_t               n;
    uint64_t             primary = 0;
    uint8_t              header[HEADER];
    char *const          text = read_whole_text(e, 0, &n);
    void *const          bwt = text != NULL ? new_results(e, ORDO_U8, n, "the transform") : NULL;

    if (bwt == NULL)
        return false;
    call_begin("transforming");
    if (!call_done(e, "bwt", ordo_bwt(e->ctx, text, n, bwt, &primary, &opts)))
        return false;
    memcpy(header, magic, sizeof magic);
    for (unsigned i = 0; i < 8; i++)
        header[8 + i] = (uint8_t)(primary >> 8 * i);
    return finish_output(e, output_bytes(&e->out, header, HEADER) && output_bytes(&e->out, bwt, n));
}

static bool invert(execution *e)
{
    size_t            n;
    uint64_t          primary = 0;
    const char *const file = read_whole_text(e, 0, &n);

    if (file == NULL)
        return false;
    if (n < HEADER || memcmp(file, magic, sizeof magic) != 0)
        return cli_fail("unbwt: %s is not a transform of ordo bwt: it does not begin with "
                        "'ordo bwt' and a primary index",
                        e->paths[0] != NULL ? cli_quoted(e->paths[0]) : "stdin");
    for (unsigned i = 0; i < 8; i++)
        primary |= (uint64_t)(uint8_t)file[8 + i] << 8 * i;
    n -= HEADER;
    void *const text = new_results(e, ORDO_U8, n, "the text");
    if (text == NULL)
        return false;
    call_begin("inverting");
    return call_done(e, "unbwt", ordo_unbwt(e->ctx, file + HEADER, n, primary, text, NULL)) &&
           finish_output(e, output_bytes(&e->out, text, n));
}

const command command_bwt = {"bwt", bwt_help, bwt_specs, WRITES | FEW | NO_ARRAY,
                             0,     binary,   transform};
const command command_unbwt = {"unbwt", unbwt_help, unbwt_specs, WRITES | FEW | NO_ARRAY,
                               0,       any_bytes,  invert};
