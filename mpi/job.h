/* job.h - what the user asked for, and what the files of ordo-mpi share. */
#ifndef ORDO_MPI_JOB_H
#define ORDO_MPI_JOB_H

#include "mpi/slices.h"

enum {
    MOST_NUMBERS = 1000, /* of -q and -k */
    MOST_RANGES = 4096,  /* of a checkpoint */
    MOST_DIRECTORIES = 64
};

typedef struct wishes {
    const char *command; /* of mpi_commands, or help, version or completion */
    const char *input, *output;
    file_format from, format;
    ordo_type   type;
    bool        descending, time, resume, lines;
    ordo_ties   ties;
    ordo_nans   nans;
    ordo_method method;
    size_t      threads; /* 0: the library's choice */
    size_t      q_count, k_count;
    double      q[MOST_NUMBERS];
    uint64_t    k[MOST_NUMBERS];
    size_t      record_size, key_offset; /* record_size 0: the elements are keys */
    const char *checkpoint;              /* a folder, or NULL                    */
    size_t      ranges;                  /* of a new checkpoint                  */
    uint64_t    memory;                  /* of a rank; 0: all parts are in memory */
    const char *directories[MOST_DIRECTORIES];
    size_t      directory_count;
    const char *model;              /* predict: a file that tune wrote      */
    double      keys, nodes;        /* tune: keys of a rank; predict: all   */
    double      latency, bandwidth; /* predict; 0: those of the model       */
    double      taper;              /* predict: divides the bandwidth       */
} wishes;

typedef struct job {
    MPI_Comm         world;
    int              rank, size;
    wishes           w;
    ordo_ctx        *ctx;
    ordo_comm        comm;
    slice            in;
    ordo_dist_report report;
    char             trouble[1024]; /* what is wrong with the command line of this rank, or "" */
} job;

/* Fills j->w. False with j->trouble. Not collective. */
bool read_options(job *j, int argc, char **argv);
/* agreement.c: whether every rank has a command line without an error, and all have the same
 * command, files and options, except for those that need not be the same. One rank prints why
 * not. */
bool agree_on_options(const job *j);
void print_help(void);
/* The same text, to be freed; NULL without memory. */
char *help_text(void);

/* shell.c: whether the command line asks for a completion script or the manual page; then both are
 * printed and *code is the exit code. Needs no MPI. */
bool shell_command(int argc, char **argv, int *code);

/* The options of a call of the library. */
static inline ordo_dist_opts opts_of(job *j)
{
    return ORDO_OPTS(ordo_dist_opts, .flags = j->w.descending ? ORDO_DESCENDING : 0,
                     .report = &j->report);
}

/* The lines of this rank. */
static inline ordo_strings strings_of(const job *j)
{
    return ORDO_OPTS(ordo_strings, .bytes = j->in.text, .offsets = j->in.offsets);
}

/* Every rank has the same status; one of them prints the message. */
bool succeeded(const job *j, ordo_status status);

/* `numbers`: the output is an array of numbers, also if the input is records. */
file_format format_of_output(const wishes *w, bool numbers);
slice_wish  wish_of_input(const wishes *w);

/* lines.c: every command on lines. */
bool do_lines(job *j);

/* external.c: sort with -S. */
bool sort_external(job *j);

/* The commands that write no file, and rank. */
bool do_rank(job *j);
bool do_quantiles(job *j);
bool do_select(job *j);
bool do_topk(job *j);

#endif
