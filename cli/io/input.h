/* input.h - a whole array from a file or stdin, in any of the three formats. */
#ifndef ORDO_CLI_IO_INPUT_H
#define ORDO_CLI_IO_INPUT_H

#include "cli/cli.h"
#include "cli/io/npy.h"

typedef struct input_request {
    const char *path;     /* NULL or "-": stdin                                           */
    int         format;   /* a file_format; AUTO: npy by its first bytes, raw if the name ends in
                           * .bin or .raw, otherwise text                                 */
    const char *dtype;    /* a type name, "bits" if bits are wanted, or NULL              */
    bool        bits_too; /* "bits" (packed flags, raw only) is a dtype here              */
    bool        skip_bad; /* text: leave bad lines out and say how many                   */
    bool        text_too; /* the command has --text, which messages may suggest           */
} input_request;

typedef struct input {
    const char *name;   /* for messages                                                   */
    file_format format; /* never AUTO                                                     */
    bool        bits;   /* data are packed bits; type is then ORDO_U8, n the flags        */
    ordo_type   type;
    size_t      n;
    void       *data;  /* aligned for its type; writable                                  */
    void       *block; /* what input_free() frees                                         */
} input;

/* The bytes of the whole input in memory from malloc(), a NUL behind them. name is for messages.
 * False after a message; nothing is left to free then. */
bool input_bytes(const char *path, const char *name, char **block, size_t *length);

/* What to add to the message about a line that is no number. */
const char *input_text_hint(const input_request *request);

/* What messages call an input: its path, or stdin. */
const char *input_name(const char *path);

/* False after a message; nothing is left to free then. */
bool input_read(const input_request *request, input *out);

/* The parts of it. input_open() returns a descriptor, or -1 after a message. */
int         input_open(const char *path, const char *name);
file_format input_format(const input_request *request, const char *block, size_t length);

/* Takes block[0..length), a whole input in memory from malloc() with a NUL behind it, and frees it
 * if it returns false, after a message. */
bool input_parse(const input_request *request, char *block, size_t length, input *out);

/* Checks of binary data; type 0: not given. block need only hold the header of the length bytes.
 * False after a message. */
bool input_check_npy(const char *name, int type, const char *block, size_t length, npy_array *a);
bool input_check_raw(const char *name, int type, size_t length, size_t *n);

/* Turns the bytes of each element round. */
void input_swap_bytes(void *data, size_t n, size_t size);

void input_free(input *in);

/* The format that the end of a file's name says: .npy; .bin or .raw; .txt, .text or .csv.
 * FORMAT_AUTO if it says nothing. */
file_format format_of_name(const char *name);

#endif
