/* fasta.h - the records of a FASTA file, compared by sequence or by header.
 *
 * A record is a header, which is a line that starts with '>', and all lines up to the next header.
 * Lines end with LF or CRLF; the last line may have no end. Blank lines belong to the record before
 * them. A record without residues is an empty sequence. Blank lines before the first header belong
 * to no record and stay first. Any other text before the first header is an error, and so is a zero
 * byte anywhere. */
#ifndef ORDO_CLI_IO_FASTA_H
#define ORDO_CLI_IO_FASTA_H

#include "cli/io/output.h"

typedef enum fasta_key {
    FASTA_SEQUENCE = 1, /* all residues of the record, without line ends */
    FASTA_HEADER = 2    /* the header, without '>' and line end          */
} fasta_key;

typedef struct fasta {
    const char  *name; /* for messages                                                 */
    fasta_key    by;
    size_t       n;           /* records                                               */
    char        *bytes;       /* the file; the reader rearranges each record           */
    uint64_t    *starts;      /* record i is bytes[starts[i] .. starts[i + 1])         */
    const char **keys;        /* n keys, each ends with a zero byte                    */
    uint64_t    *first_lines; /* by sequence: lines[first_lines[i]] is the first of i  */
    uint32_t    *lines;       /* by sequence: length and line end of each line         */
    const char  *missing_end; /* the end that the last line does not have; "" if it does */
    size_t       bad_line;    /* of fasta_parse(), from 1; 0: none                     */
    const char  *why;         /* what is wrong there                                   */
} fasta;

/* Reads all records of a file (NULL or "-": stdin). Needs memory for the file, 24 bytes for each
 * record and 4 for each line. False after a message; nothing is left to free then. */
bool fasta_read(const char *path, fasta_key by, fasta *out);
void fasta_free(fasta *f);

/* The same from bytes[0..length], where bytes[length] is a zero byte. Takes over bytes, which
 * fasta_free() frees also after a failure. False if the text is wrong (out->why) or after a message
 * (out->why is NULL). */
bool fasta_parse(char *bytes, size_t length, fasta_key by, fasta *out);

/* The keys in the form that the library takes, valid while f is. */
ordo_strings fasta_strings(const fasta *f);

/* The header of record i, without '>' and line end. */
const char *fasta_header(const fasta *f, size_t i, size_t *length);

/* Writes the records in the order of index[0..f->n), of type ORDO_U32 or ORDO_U64, with the bytes
 * of the input. The last record of the input gets its missing line end if another one follows. With
 * `unique`, skips records whose key is equal to the previous one. */
bool fasta_write(const fasta *f, ordo_type type, const void *index, bool unique, output *out);

/* Writes a record with a header and lines of `width` residues; 0: one line. */
bool fasta_write_record(const char *header, const char *sequence, size_t length, size_t width,
                        output *out);

#endif
