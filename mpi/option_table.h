/* option_table.h - the commands of ordo-mpi and the options of each. The parser, the completion
 * scripts and the tests of the help read this table. */
#ifndef ORDO_MPI_OPTION_TABLE_H
#define ORDO_MPI_OPTION_TABLE_H

#include "cli/ui/options.h"

typedef struct mpi_option {
    option_spec spec;     /* its field is in the struct wishes; a count is a size_t */
    unsigned    commands; /* bit i: command i of mpi_commands has the option */
} mpi_option;

enum {
    MPI_COMMANDS = 8,
    MPI_OPTIONS = 30
};

extern const char *const mpi_commands[MPI_COMMANDS + 1]; /* ends with NULL */
extern const mpi_option  mpi_options[MPI_OPTIONS];

#endif
