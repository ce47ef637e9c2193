/* input.h - a whole array from a file or stdin, in any of the three formats. */
#ifndef ORDO_CLI_IO_INPUT_INPUT_H
#define ORDO_CLI_IO_INPUT_INPUT_H

#include "cli/base/cli.h"
#include "cli/io/npy.h"
#include "cli/io/source.h"
#include "cli/io/text/text_lines.h"

#define INPUT_HEADER (1 << 17) /* bytes read first: more than the header of a usual .npy file */

typedef struct input_request {
    const char *path;   /* NULL or "-": stdin                                         */
    int         format; /* a file_format; AUTO: npy by its first bytes, raw if the name ends in
                             * .bin or .raw, otherwise text                               */
    const char *dtype;  /* a type name, "bits" if allowed, or NULL                    */
    const char *dtype_option; /* the option that gives dtype, for messages; NULL: none    */
    bool        allow_bits;   /* "bits" (packed flags, raw only) is a valid dtype           */
    bool        skip_bad;     /* text: leave bad lines out and say how many                 */
    unsigned    others;       /* for text_print_notes()                                     */
    bool        keep_lines;   /* text: keep the line of each number                         */
} input_request;

typedef struct input {
    const char *name;   /* for messages                                                   */
    file_format format; /* never AUTO                                                     */
    bool        bits;   /* data are packed bits; type is then ORDO_U8, n counts the bits  */
    ordo_type   type;
    size_t      n;
    void       *data;  /* aligned for its type; writable                                  */
    void       *block; /* what input_free() frees                                         */
    lines       kept;  /* the line of each number; bytes is NULL if lines were not kept   */
    size_t     *ends;  /* how many numbers the files up to each one have                  */
} input;

/* False after a message; nothing is left to free then. */
bool input_read(const input_request *request, input *out);
void input_free(input *in);

/* The same from n files, whose numbers follow each other: all text, or all of one format and type.
 * request->path is not used. */
bool input_read_files(const input_request *request, const char *const *paths, size_t n, input *out);

/* Reads binary data from a source that is open, to its end. False after a message. */
bool input_from(const input_request *request, source *s, input *out);

/* The format of an input whose first `length` bytes are in block. */
file_format input_format(const input_request *request, const char *block, size_t length);

/* The type that --dtype names: 0 if it is not given or is "bits". False after a message. */
bool input_type(const input_request *request, int *type);

/* Finds the array in `length` bytes of binary data. block needs to hold only the .npy header.
 * The type is 0 if it is not given. False after a message. */
bool input_find_array(const input_request *request, const char *name, file_format format, int type,
                      const char *block, size_t length, npy_array *a);

/* Reverses the bytes of each element. */
void input_swap_bytes(void *data, size_t n, size_t size);

/* Turns integers of any size into flags of one byte each, in place, for the option shown as
 * `option`. False after a message. */
bool input_to_flags(input *in, const char *option);

/* The format that the end of a file name implies: .npy; .bin or .raw; .txt, .text or .csv.
 * Otherwise FORMAT_AUTO. */
file_format format_of_name(const char *name);

/* The ordo_type called name, given by `option`, or 0 after a message. */
int type_of_name(const char *option, const char *name, bool allow_bits);

#endif
