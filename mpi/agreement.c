/* agreement.c - whether the command lines of all ranks fit together.
 *
 * A launcher can start processes with different arguments. Ranks that take different ways through
 * the program would wait for each other for ever or write a mixed result, so they compare their
 * arguments first. Temporary folders, threads and the number of bytes of -S are properties of a
 * machine and may differ. */
#define _POSIX_C_SOURCE 200809L
#include "external/disk/crc32c.h"
#include "mpi/job.h"

#include <stdio.h>

typedef struct field {
    const char *name;
    size_t      at, bytes; /* in wishes; bytes 0: a string */
} field;

#define STRING(name, member)                                                                       \
    {                                                                                              \
        name, offsetof(wishes, member), 0                                                          \
    }
#define VALUE(name, member)                                                                        \
    {                                                                                              \
        name, offsetof(wishes, member), sizeof(((wishes *)NULL)->member)                           \
    }

static const field fields[] = {
    STRING("the command", command),
    STRING("the input file", input),
    STRING("--output", output),
    VALUE("--from", from),
    VALUE("--format", format),
    VALUE("the type of keys", type),
    VALUE("--descending", descending),
    VALUE("--time", time),
    VALUE("--resume", resume),
    VALUE("--text", lines),
    VALUE("--ties", ties),
    VALUE("--nans", nans),
    VALUE("--method", method),
    VALUE("-q", q_count),
    VALUE("-q", q),
    VALUE("-k", k_count),
    VALUE("-k", k),
    VALUE("--record-size", record_size),
    VALUE("--key-offset", key_offset),
    STRING("--checkpoint", checkpoint),
    VALUE("--ranges", ranges),
    STRING("--model", model),
    VALUE("--keys", keys),
    VALUE("--nodes", nodes),
    VALUE("--latency", latency),
    VALUE("--bandwidth", bandwidth),
    VALUE("--taper", taper),
};

enum {
    FIELDS = sizeof fields / sizeof *fields,
    MEMORY = FIELDS, /* whether there is a -S */
    SUMS
};

static void sum_up(const wishes *w, uint32_t sums[SUMS])
{
    for (size_t i = 0; i < FIELDS; i++) {
        const char *at = (const char *)w + fields[i].at, *text;
        size_t      bytes = fields[i].bytes;
        if (bytes == 0) {
            memcpy(&text, at, sizeof text);
            at = text;
            bytes = text != NULL ? strlen(text) + 1 : 0;
        }
        sums[i] = crc32c(at, bytes);
    }
    sums[MEMORY] = w->memory != 0;
}

/* Prints the error of the first rank that has one, and its number if others have none. */
static bool all_parsed(const job *j)
{
    bool const fine = j->trouble[0] == 0;
    int        first[2] = {fine ? j->size : j->rank, !fine};
    MPI_Allreduce(MPI_IN_PLACE, first, 2, MPI_INT, MPI_MIN, j->world);
    if (first[0] == j->rank && first[1])
        cli_line(stderr, "ordo-mpi: %s", j->trouble);
    else if (first[0] == j->rank)
        cli_line(stderr, "ordo-mpi: rank %d: %s", j->rank, j->trouble);
    return first[0] == j->size;
}

bool agree_on_options(const job *j)
{
    uint32_t mine[SUMS], first[SUMS];
    size_t   i = 0;
    if (!all_parsed(j))
        return false;
    sum_up(&j->w, mine);
    memcpy(first, mine, sizeof first);
    MPI_Bcast(first, SUMS, MPI_UINT32_T, 0, j->world);
    while (i < SUMS && mine[i] == first[i])
        i++;
    return all_fine(j->world, i == SUMS,
                    "%s differs from that of rank 0; expected the same command, files and options "
                    "on every process (only -T, --threads and the bytes of -S may differ)",
                    i < FIELDS ? fields[i].name : "-S");
}
