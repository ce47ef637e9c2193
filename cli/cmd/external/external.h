/* external.h - numbers and records larger than memory, in the commands that accept -S and -T.
 *
 * external_takes() decides whether a command works on its input in pieces; external_work() does it
 * then, instead of the command's own `work`. The library (ordo_external.h) reads the input through
 * an external_input and writes through an external_output. */
#ifndef ORDO_CLI_CMD_EXTERNAL_EXTERNAL_H
#define ORDO_CLI_CMD_EXTERNAL_EXTERNAL_H

#include "cli/cmd/command.h"
#include "cli/io/text/text_numbers.h"
#include "ordo_external.h"

#include <stdatomic.h>

enum {
    EXTERNAL_LEAST = 8 << 20, /* bytes of memory that the library needs at least */
    EXTERNAL_LINE_HEAD = 10,  /* bytes of an element before its line */
    EXTERNAL_WHY = 400
};

typedef struct external_input {
    const execution *e;
    source           s; /* the file that is read */
    bool             is_open;
    size_t           file; /* its number, from 0 */
    size_t           at;   /* where its elements begin */
    uint64_t         left; /* bytes of the file's elements to come; UINT64_MAX: until its end */
    file_format      format;
    ordo_type        type;    /* of the keys */
    size_t           element; /* bytes of an element */
    bool             swapped;
    uint64_t         n;     /* elements; UINT64_MAX: not known */
    uint64_t         bytes; /* of the elements in a regular file; 0: not known */

    /* Numbers in text. */
    text_numbers  numbers;
    int           asked_type;  /* of --dtype; 0: it is chosen */
    unsigned      others;      /* see text_print_notes() */
    uint64_t      limit;       /* of memory */
    int           spool;       /* a copy of stdin; -1: none */
    bool          in_block;    /* all of stdin is in s.block */
    bool          lines;       /* elements are an order, a length and the line */
    size_t        longest;     /* bytes of the longest line */
    off_t         text_at;     /* where the text of a regular file begins */
    bool          guessed;     /* the first piece stands for all of the text */
    bool          guess_wrong; /* a later one did not fit: the call has failed */
    uint64_t      text_bytes;  /* 0: not known */
    atomic_ullong text_read;

    /* A piece of the text; see external_next_piece(). */
    const char *text;
    fast_text   split;
    void       *values; /* its numbers */
    uint32_t   *starts; /* of its lines */
    size_t      values_room, starts_room;
    size_t      next, ready; /* the next number of `values` to deliver, and how many there are */
    size_t      slow_to;     /* lines up to this number are read one by one */

    char why[EXTERNAL_WHY]; /* what went wrong in a callback; "": nothing */
} external_input;

typedef struct external_output {
    execution            *e;
    const external_input *in;      /* of lines */
    ordo_type             type;    /* of the results */
    size_t                element; /* bytes of an element that the library writes */
    bool                  lines;   /* see external_input */
    bool                  told;    /* writing failed, after a message */
    bool                  add_one, drop_nans, unique;
    bool                  kept; /* the library writes the file itself: see output_keep() */
    bool                  is_first;
    uint64_t              last;  /* order of the last line */
    uint64_t              n;     /* results written */
    off_t                 start; /* of the output; -1: its header cannot be mended */
    off_t                 data;  /* kept: where the results begin */
} external_output;

/* Opens the input and finds its format, type and size; reads the first piece of a text, or all of
 * it. False after a message. */
bool external_open(external_input *in, const execution *e);
void external_close(external_input *in);

/* Begins at the first element. Fills the source of the library. */
bool external_rewind(external_input *in, ordo_source *from);

/* After a wrong guess (in->guess_wrong): reads all of the text; then the command begins again. */
bool external_text_survey(external_input *in);

/* Begins to read a file again, of those that the command was given. False after a message. */
bool external_text_restart(external_input *in, size_t file);

typedef enum piece_result {
    PIECE_READ,  /* in->values has the numbers of in->split */
    PIECE_SLOW,  /* lines up to the number in->slow_to are to be read by text_next() */
    PIECE_END,   /* of the file */
    PIECE_FAILED /* after a message */
} piece_result;

/* external_feed.c: the memory of pieces; reads the next piece of the current file; delivers
 * elements. */
uint64_t     external_text_memory(const external_input *in);
piece_result external_next_piece(external_input *in);
ptrdiff_t    external_text_read(void *user, void *into, size_t bytes);

/* The bytes of the next whole lines, which begin at s.block + s.next; 0 at the end, or if a line is
 * longer than a piece; SIZE_MAX after a message. */
size_t external_find_piece(external_input *in);

/* external_output.c: a header that is mended at the end if the number of results was not known. */
bool external_output_open(external_output *out, execution *e, uint64_t expected, ordo_sink *to);
bool external_output_end(external_output *out);

/* As output_bytes(); sets out->told after a failure. */
bool external_put(external_output *out, const void *bytes, size_t n);

typedef struct indexed_keys {
    ordo_source from; /* of the keys */
    ordo_type   type;
    uint64_t    next; /* the position of the next key */
    char        chunk[1 << 16];
} indexed_keys;

/* Makes *from a source of records of a key and its position, and *to a sink of
 * such records that writes positions. out->type is the type of positions. */
void external_index(indexed_keys *x, external_output *out, ordo_source *from, ordo_sink *to,
                    ordo_elements *elements);

/* ---- Steps of commands that sort lines and rows larger than memory ---- */

enum {
    PIECES_SAMPLE = 1 << 16 /* bytes of a file, to estimate the length of lines */
};

/* The beginning of a file, or of stdin (NULL and "-"), in sample[0..PIECES_SAMPLE). Returns its
 * bytes; 0 if it is not a regular file. */
size_t pieces_sample(const char *path, char *sample);

/* The limit of memory: `asked`, or the default of the library. */
uint64_t pieces_limit(uint64_t asked);

/* Bytes that a command holds beside a call that works within the rest of its limit: small buffers,
 * and what decompressing the input and compressing the output take. s: the source that is read. */
uint64_t pieces_own(const execution *e, const source *s);

/* What `own` bytes leave of a limit, at least EXTERNAL_LEAST. */
uint64_t pieces_rest(uint64_t limit, uint64_t own);

/* Options of the external calls under a limit of which the command takes `own` bytes. */
ordo_external_opts pieces_opts(const execution *e, uint64_t limit, uint64_t own);

/* Ends the call that sorted. told: a message was printed already. False after a message. */
bool pieces_called(execution *e, ordo_status status, bool told);

/* Completes the output if all was written (ok), and prints the report. False after a message. */
bool pieces_finish(execution *e, bool ok, const ordo_external_report *report);

/* The directory of -T or its default; a temporary file without a name in it. -1 after a message. */
const char *pieces_folder(const execution *e);
int         pieces_temporary(const execution *e);

/* A temporary file with what is left of a source. -1 after a message. */
int pieces_copy(const execution *e, source *s);

#endif
