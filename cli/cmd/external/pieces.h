/* pieces.h - steps of commands that sort lines and rows larger than memory. */
#ifndef ORDO_CLI_CMD_EXTERNAL_PIECES_H
#define ORDO_CLI_CMD_EXTERNAL_PIECES_H

#include "cli/cmd/external/external.h"

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

#endif
