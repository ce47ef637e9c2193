/* fasta.h - the records of a FASTA file, compared by sequence or by header. ordo_parse_fasta() of
 * the library splits the text; ordo_strings.h says what a record is. */
#ifndef ORDO_CLI_IO_INPUT_FASTA_H
#define ORDO_CLI_IO_INPUT_FASTA_H

#include "cli/io/output.h"

typedef enum fasta_key {
    FASTA_SEQUENCE = 1, /* all residues of the record, without line ends */
    FASTA_HEADER = 2    /* the header, without '>' and line end          */
} fasta_key;

typedef struct fasta {
    const char *name;        /* for messages                                              */
    size_t      n;           /* records                                                   */
    char       *text;        /* the file                                                  */
    uint64_t   *starts;      /* record i is text[starts[i] .. starts[i + 1])       */
    char       *keys;        /* key i is keys[offsets[i] .. offsets[i + 1])        */
    uint64_t   *offsets;     /* n + 1                                              */
    const char *missing_end; /* the end that the last line does not have, or ""    */
} fasta;

/* Reads all records of a file (NULL or "-": stdin). Needs memory for the file, for the keys, and 16
 * bytes for each record. False after a message; nothing is left to free then. */
bool fasta_read(ordo_ctx *ctx, const char *path, fasta_key by, fasta *out);
void fasta_free(fasta *f);

/* The same from text[0..length). Takes over text, which fasta_free() frees also after a failure. */
bool fasta_parse(ordo_ctx *ctx, const char *name, char *text, size_t length, fasta_key by,
                 fasta *out);

/* The keys in the form that the library takes, valid while f is. */
ordo_strings fasta_strings(const fasta *f);

/* < 0, 0, > 0: the key of record i comes before, is equal to, comes after that of record j. */
int fasta_compare(const fasta *f, size_t i, size_t j);

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
