/* input.c - reading an array (see input.h).
 *
 * Binary input is read into one block. The data stay where they are in it, unless the .npy header
 * has an odd length. */
#include "cli/io/input/input.h"

#include "cli/io/names.h"
#include "cli/io/number/keys.h"

#include <stdlib.h>

/* Of a name without the end of a compressed file. */
static bool ends_with(const char *name, const char *end)
{
    const size_t length = codec_stem(name), size = strlen(end);
    return length >= size && memcmp(name + length - size, end, size) == 0;
}

file_format format_of_name(const char *name)
{
    const bool raw = ends_with(name, ".bin") || ends_with(name, ".raw");
    const bool text =
        ends_with(name, ".txt") || ends_with(name, ".text") || ends_with(name, ".csv");

    return ends_with(name, ".npy") ? FORMAT_NPY
           : raw                   ? FORMAT_RAW
           : text                  ? FORMAT_TEXT
                                   : FORMAT_AUTO;
}

file_format input_format(const input_request *request, const char *block, size_t length)
{
    if (request->format != FORMAT_AUTO)
        return (file_format)request->format;
    const bool raw = request->path != NULL && format_of_name(request->path) == FORMAT_RAW;
    return npy_is(block, length) ? FORMAT_NPY : raw ? FORMAT_RAW : FORMAT_TEXT;
}

void input_swap_bytes(void *data, size_t n, size_t size)
{
    unsigned char *element = data;
    for (size_t i = 0; i < n; i++, element += size)
        for (size_t j = 0; j < size / 2; j++) {
            const unsigned char byte = element[j];
            element[j] = element[size - 1 - j];
            element[size - 1 - j] = byte;
        }
}

int type_of_name(const char *option, const char *name, bool allow_bits)
{
    const int type = ordo_type_parse(name);
    if (type == 0)
        cli_error("%s: '%s' is not one of: i8, u8, i16, u16, i32, u32, i64, u64, f32, f64%s",
                  option, cli_quoted(name), allow_bits ? ", bits" : "");
    return type;
}

static bool wants_bits(const input_request *request)
{
    return request->allow_bits && request->dtype != NULL && strcmp(request->dtype, "bits") == 0;
}

bool input_type(const input_request *request, int *type)
{
    *type = 0;
    return request->dtype == NULL || wants_bits(request) ||
           (*type = type_of_name(request->dtype_option, request->dtype, request->allow_bits)) != 0;
}

bool input_find_array(const input_request *request, const char *name, file_format format, int type,
                      const char *block, size_t length, npy_array *a)
{
    const char *const option = request->dtype_option;

    if (format == FORMAT_NPY && !npy_parse(block, length, a))
        return cli_fail("%s: %s", name, a->why);
    if (format == FORMAT_NPY)
        return type == 0 || (ordo_type)type == a->type ||
               cli_fail("%s: %s asks for %s, but the file holds %s; leave out %s", name, option,
                        ordo_type_name((ordo_type)type), ordo_type_name(a->type), option);
    if (type == 0 && option == NULL)
        return cli_fail("%s: raw input does not say its type; expected an .npy or a text file",
                        name);
    if (type == 0)
        return cli_fail("%s: raw input does not say its type: give %s (" NAMES_TYPES ")", name,
                        option);
    const size_t size = ordo_type_size((ordo_type)type);
    *a = (npy_array){.type = (ordo_type)type, .n = length / size};
    return length % size == 0 ||
           cli_fail("%s: %zu bytes are not a multiple of %zu, the size of an element of type %s",
                    name, length, size, ordo_type_name((ordo_type)type));
}

static bool from_bits(size_t length, input *out)
{
    if (length > SIZE_MAX / 8)
        return cli_fail("%s: the input has too many bits", out->name);
    out->bits = true;
    out->type = ORDO_U8;
    out->n = length * 8;
    out->data = out->block;
    return true;
}

static bool from_array(const input_request *request, int type, size_t length, input *out)
{
    npy_array a;

    if (!input_find_array(request, out->name, out->format, type, out->block, length, &a))
        return false;
    const size_t size = ordo_type_size(a.type);
    char        *data = (char *)out->block + a.offset;
    if (a.offset % size != 0)
        data = memmove(out->block, data, a.n * size);
    if (a.swapped)
        input_swap_bytes(data, a.n, size);
    out->type = a.type;
    out->n = a.n;
    out->data = data;
    return true;
}

bool input_allows_bits(const input_request *request, const char *name, file_format format)
{
    return !wants_bits(request) || format == FORMAT_RAW ||
           cli_fail("%s: %s bits is for raw input: %s", name, request->dtype_option,
                    strcmp(request->dtype_option, "--dtype") == 0
                        ? "give --from raw"
                        : "let the name of the file end in .bin or .raw");
}

bool input_from(const input_request *request, source *s, input *out)
{
    int type;

    *out = (input){.name = s->name};
    if (!input_type(request, &type) || !source_fill(s, INPUT_HEADER))
        return false;
    out->format = input_format(request, s->block, s->end);
    const bool ok =
        (out->block = source_take(s)) != NULL &&
        (wants_bits(request) ? from_bits(s->end, out) : from_array(request, type, s->end, out));
    if (!ok)
        input_free(out);
    return ok;
}

bool input_read(const input_request *request, input *out)
{
    return input_read_files(request, &request->path, 1, out);
}

void input_free(input *in)
{
    free(in->block);
    free(in->ends);
    lines_free(&in->kept);
    in->block = in->data = NULL;
    in->ends = NULL;
}

/* Byte i is not after element i. */
bool input_to_flags(input *in, const char *option)
{
    const size_t         size = ordo_type_size(in->type);
    unsigned char *const bytes = in->data;

    if (type_is_float(in->type))
        return cli_fail("%s: %s needs integers, but the numbers have type %s", in->name, option,
                        ordo_type_name(in->type));
    for (size_t i = 0; size > 1 && i < in->n; i++)
        bytes[i] = key_load(size, bytes + i * size) != 0;
    return true;
}
