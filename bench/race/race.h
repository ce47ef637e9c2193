/* race.h - the parts of ordo-race: libraries, rows, sections of rows, arrays and the verdict.
 *
 * A section lists its rows for a size, prepares the input of a row, and times one side. main.c
 * runs all rows; verdict.c runs the slow ones again and decides. */
#ifndef ORDO_BENCH_RACE_H
#define ORDO_BENCH_RACE_H

#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MOST_ROUNDS = 101,
    MOST_SIZES = 16,
    MOST_COPIES = 4096 /* arrays of a timing                                     */
};

typedef struct settings {
    unsigned    threads;
    size_t      sizes[MOST_SIZES], size_count, rounds, batch;
    double      limit; /* 0.03: a row may take 3 % longer */
    bool        on_gpu, cpu_time;
    const char *filter, *sections, *launcher, *folder, *paths[2];
} settings;
extern settings set;

/* ---- libraries ----------------------------------------------------------------------------- */

/* Functions that every build has, and functions that an old build may lack. */
#define RACE_CALLS(CALL)                                                                           \
    CALL(ctx_create)                                                                               \
    CALL(ctx_free)                                                                                 \
    CALL(last_error)                                                                               \
    CALL(gen)                                                                                      \
    CALL(gen_strings)                                                                              \
    CALL(sort)                                                                                     \
    CALL(sort_pairs)                                                                               \
    CALL(argsort)                                                                                  \
    CALL(rank)                                                                                     \
    CALL(rank_sorted)                                                                              \
    CALL(select)                                                                                   \
    CALL(median)                                                                                   \
    CALL(topk)                                                                                     \
    CALL(scan)                                                                                     \
    CALL(scan_bits)                                                                                \
    CALL(partition)                                                                                \
    CALL(radius)                                                                                   \
    CALL(is_sorted)                                                                                \
    CALL(sort_strings)                                                                             \
    CALL(sort_pointers)                                                                            \
    CALL(argsort_strings)                                                                          \
    CALL(rank_strings)
#define RACE_NEWER_CALLS(CALL)                                                                     \
    CALL(group_counts)                                                                             \
    CALL(group_argsort)                                                                            \
    CALL(group_rank)                                                                               \
    CALL(group_median)                                                                             \
    CALL(group_topk)

typedef struct library {
    char *path, *folder;
#define CALL(name) __typeof__(ordo_##name) *name;
    RACE_CALLS(CALL)
    RACE_NEWER_CALLS(CALL)
#undef CALL
} library;

/* One of the two that race: a library with a context of its own. */
typedef struct side {
    const library *lib;
    ordo_ctx      *ctx;
} side;

/* Prints both and exits with 2. */
__attribute__((noreturn)) void fail(const char *what, const char *why);
/* Loads `path`, a libordo.so or the folder of one. */
void library_open(library *lib, const char *path);
void side_open(side *s, const library *lib);

/* ---- rows ---------------------------------------------------------------------------------- */

typedef struct type_row {
    ordo_type   type;
    const char *name;
    size_t      size;
} type_row;

typedef struct dist_row {
    ordo_dist   dist;
    const char *name;
} dist_row;

extern const type_row types[]; /* all types; the last row has no name */
extern const dist_row dists[]; /* the last row has no name                */
const type_row       *type_of(ordo_type type);
const dist_row       *dist_of(ordo_dist dist);

typedef struct section section;

typedef struct row {
    const section  *section;
    int             verb, shape; /* numbers that the section chose */
    const type_row *type;
    const dist_row *dist;
    size_t          n;
    char            name[64]; /* "keys sort u32 zipf" */
} row;

typedef struct row_list {
    row   *rows;
    size_t count, room;
} row_list;

/* Appends `r` with the name "SECTION VERB TYPE DIST SHAPE" if the filter accepts it and n. Empty
 * parts of the name are left out. */
void row_add(row_list *list, row r, const char *verb, const char *shape);

typedef struct outcome {
    double   seconds; /* of one call                                              */
    uint64_t digest;  /* of all results, if they were asked for; equal if they are */
} outcome;

struct section {
    const char *name;
    bool        on_gpu; /* has rows for arrays in GPU memory */
    /* Why the section cannot run; NULL if it can. May be NULL. */
    const char *(*trouble)(const side *old, const side *new);
    void (*list)(const section *self, row_list *list, size_t n);
    void (*prepare)(const row *r, const side *maker); /* makes the input                       */
    outcome (*time)(const row *r, const side *s, bool digest);
};

extern const section keys_section, rows_section, strings_section, groups_section, first_section,
    lines_section, csv_section, external_section, distributed_section;

/* ---- arrays -------------------------------------------------------------------------------- */

/* Memory that grows; with -g memory of the GPU if on_gpu is set. */
typedef struct room {
    void  *at;
    size_t bytes;
    bool   on_gpu;
} room;

typedef struct span {
    const void *at;
    size_t      bytes;
} span;

void  gpu_load(void);
void  gpu_finish(void); /* waits for the GPU if there is one */
void *room_of(room *r, size_t bytes);
void  copy_bytes(void *to, const void *from, size_t bytes); /* either may be in GPU memory */

/* The number of arrays of n keys in one timing. */
size_t copies_of(size_t n);
/* Makes `copies` arrays of n keys, one after the other, in the memory of the CPU. */
void make_keys(const side *maker, const type_row *type, const dist_row *dist, size_t n,
               size_t copies, void *keys);

double   now(void); /* seconds: elapsed or, with -c, of the CPU */
uint64_t digest_bytes(uint64_t digest, span bytes);

/* What a section of calls in this process gives to time_calls. */
typedef struct calls {
    void (*reset)(const row *r); /* restores what calls change; not timed. May be NULL */
    ordo_status (*call)(const row *r, const side *s, size_t copy, uint64_t *number);
    span (*result)(const row *r, size_t copy, uint64_t number);
} calls;

outcome time_calls(const calls *c, const row *r, const side *s, bool digest);

/* ---- the race ------------------------------------------------------------------------------ */

typedef struct ratio {
    double median, least[2]; /* the median of b / a over the rounds; the least seconds of each */
    bool   same;             /* the results are equal                                          */
} ratio;

ratio race(const row *r, const side *a, const side *b, size_t rounds);
/* Races all rows, the slow ones again, and prints tables. Returns the exit code. */
int  judge(const row_list *list, const side *old, const side *new, const side *again);
int  first_child(int argc, char **argv); /* the program as a child of the section `first` */
void commands_clean(void);               /* removes the files of the sections of commands */

#endif
