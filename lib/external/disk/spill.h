/* spill.h - the temporary files of one call: one file in each directory.
 *
 * Data are appended and later read at their offsets. The files have no name, so they are gone when
 * the process ends for any reason. If a directory is full, the data go to the next one. */
#ifndef ORDO_EXTERNAL_SPILL_H
#define ORDO_EXTERNAL_SPILL_H

#include "external/disk/failure.h"

enum {
    SPILL_MOST_DIRECTORIES = 64
};

typedef struct spill {
    const char *const *directories;
    unsigned           count;
    int                fds[SPILL_MOST_DIRECTORIES];   /* -1: not open */
    uint64_t           sizes[SPILL_MOST_DIRECTORIES]; /* bytes appended */
    unsigned           current;                       /* the directory of the next data */
    bool               tmpfs;                         /* a file system in memory is allowed */
    bool               kept;          /* the file is called "runs" and stays; nothing is released */
    atomic_ullong      written, read; /* bytes, for the report */
    failure           *failure;
} spill;

void spill_init(spill *s, const char *const *directories, unsigned count, bool tmpfs, failure *f);
void spill_close(spill *s);

/* Where temporary files are if the caller names no directory. */
const char *spill_default(void);

/* Records why there are no temporary files in a directory. */
bool spill_no_directory(failure *f, int error, const char *directory);

/* Opens the kept file of an earlier call, which has `bytes` bytes in use. */
bool spill_reopen(spill *s, uint64_t bytes);

/* Continues in the next directory, so that several disks share the work. */
void spill_turn(spill *s);

/* Appends data. *file and *offset say where they are. */
bool spill_append(spill *s, const void *data, size_t bytes, unsigned *file, uint64_t *offset);

/* Pieces of data in the sequence in which they were appended. */
typedef struct spill_place {
    unsigned file;
    uint64_t offset;
} spill_place;
typedef struct spill_list {
    spill_place *places; /* to be freed */
    size_t       count, capacity;
} spill_list;
bool spill_list_append(spill_list *l, spill *s, const void *data, size_t bytes);

/* Reads data. Several threads may call it. */
bool spill_read(spill *s, unsigned file, void *into, size_t bytes, uint64_t offset);

/* Records that the checksum of a block is wrong. */
bool spill_damaged(const spill *s, unsigned file, uint64_t offset);

/* Data that were read for the last time and whose disk space is not given back yet. */
typedef struct spill_gap {
    unsigned file;
    uint64_t begin, end;
} spill_gap;

/* Adds data to a gap. Gives the disk space of large gaps back, where the file system can; data that
 * do not follow the gap begin another one. spill_release() gives back what is left. */
void spill_pass(const spill *s, spill_gap *gap, unsigned file, uint64_t offset, uint64_t bytes);
void spill_release(const spill *s, spill_gap *gap);

/* Fails if the directories have less than `bytes` bytes of free space together. */
bool spill_check_space(const spill *s, uint64_t bytes);

#endif
