/* plan.c - the file of a plan, and whether a plan fits a job (see plan.h). Rank 0 reads and writes
 * the file; the other ranks get a copy. */
#define _POSIX_C_SOURCE 200809L
#include "mpi/checkpoint/plan.h"

#include "external/disk/crc32c.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char title[] = "ordo-mpi checkpoint 1\n";

/* The numbers of a plan, with their names in the file. */
typedef struct field {
    const char *name;
    size_t      offset;
    const char *option; /* what the user sees; NULL: the input file says it */
} field;

static const field fields[] = {
    {"id", offsetof(plan, id), NULL},
    {"elements", offsetof(plan, total), NULL},
    {"type", offsetof(plan, type), "the type of keys"},
    {"element_bytes", offsetof(plan, element), NULL},
    {"record_size", offsetof(plan, record_size), "--record-size"},
    {"key_offset", offsetof(plan, key_offset), "--key-offset"},
    {"descending", offsetof(plan, descending), "--descending"},
    {"input_bytes", offsetof(plan, input_bytes), "the size of the input"},
    {"input_seconds", offsetof(plan, input_seconds), "the time of the input"},
    {"input_nanoseconds", offsetof(plan, input_nanoseconds), "the time of the input"},
    {"ranges", offsetof(plan, ranges), "--ranges"},
};

enum {
    FIELDS = sizeof fields / sizeof *fields,
    FILE_ROOM = 4096 + MOST_RANGES * 72
};

static uint64_t get(const plan *p, const field *f)
{
    uint64_t value;
    memcpy(&value, (const char *)p + f->offset, sizeof value);
    return value;
}

static void put(plan *p, const field *f, uint64_t value)
{
    memcpy((char *)p + f->offset, &value, sizeof value);
}

/* ---- The job ---- */

/* What the plan of this job would say before the keys are read; type 0 is unknown. */
static bool describe_job(const job *j, plan *p)
{
    struct stat status = {0};
    uint64_t    of_file[3] = {0};
    bool const  fine = j->rank != 0 || stat(j->w.input, &status) == 0;
    if (!all_fine(j->world, fine, "%s: cannot open: %s", j->w.input, strerror(errno)))
        return false;
    of_file[0] = (uint64_t)status.st_size;
    of_file[1] = (uint64_t)status.st_mtim.tv_sec;
    of_file[2] = (uint64_t)status.st_mtim.tv_nsec;
    MPI_Bcast(of_file, 3, MPI_UINT64_T, 0, j->world);
    p->input_bytes = of_file[0];
    p->input_seconds = of_file[1];
    p->input_nanoseconds = of_file[2];
    p->type = (uint64_t)j->w.type;
    p->record_size = j->w.record_size;
    p->key_offset = j->w.key_offset;
    p->descending = j->w.descending;
    p->ranges = j->w.ranges;
    return true;
}

/* NULL, or what differs. Type and number of ranges may be left out by the user. */
static const char *difference(const plan *saved, const plan *wanted)
{
    for (size_t i = 0; i < FIELDS; i++) {
        uint64_t const want = get(wanted, &fields[i]);
        bool const     optional =
            fields[i].offset == offsetof(plan, type) || fields[i].offset == offsetof(plan, ranges);
        if (fields[i].option != NULL && want != get(saved, &fields[i]) && (!optional || want != 0))
            return fields[i].option;
    }
    return NULL;
}

/* ---- The file ---- */

static bool parse_cuts(const char *text, plan *p)
{
    const char *at = strstr(text, "\ncut ");
    for (uint64_t g = 1; g < p->ranges; g++) {
        plan_cut *const c = &p->cuts[g];
        if (at == NULL || sscanf(at, " cut %" SCNu64 " %" SCNu64 " %" SCNu64, &c->order, &c->ties,
                                 &c->position) != 3)
            return false;
        at = strstr(at + 1, "\ncut ");
    }
    p->cuts[0].position = 0;
    p->cuts[p->ranges].position = p->total;
    return true;
}

/* A file with a valid checksum may still be written by hand. */
static bool consistent(const plan *p)
{
    size_t const key = p->type <= INT_MAX ? ordo_type_size((ordo_type)p->type) : 0;
    if (key == 0 || p->element != (p->record_size != 0 ? p->record_size : key))
        return false;
    for (uint64_t g = 0; g < p->ranges; g++)
        if (p->cuts[g].position > p->cuts[g + 1].position)
            return false;
    return true;
}

static bool parse(const char *text, size_t length, plan *p)
{
    const char *const last = strstr(text, "\ncrc ");
    uint32_t          crc;
    if (strncmp(text, title, sizeof title - 1) != 0 || last == NULL ||
        sscanf(last, " crc %" SCNx32, &crc) != 1 || (size_t)(last + 1 - text) >= length ||
        crc != crc32c(text, (size_t)(last + 1 - text)))
        return false;
    for (size_t i = 0; i < FIELDS; i++) {
        char              line[64];
        uint64_t          value;
        int const         name = snprintf(line, sizeof line, "\n%s ", fields[i].name);
        const char *const at = strstr(text, line);
        if (at == NULL || sscanf(at + name, "%" SCNu64, &value) != 1)
            return false;
        put(p, &fields[i], value);
    }
    return p->ranges >= 1 && p->ranges <= MOST_RANGES && parse_cuts(text, p) && consistent(p);
}

static void path_of(const job *j, const char *name, char path[PATH_ROOM])
{
    snprintf(path, PATH_ROOM, "%s/%s", j->w.checkpoint, name);
}

/* On rank 0, with room for FILE_ROOM bytes in `text`. *found is false if there is no file. */
static bool load(const char *path, char *text, plan *p, bool *found)
{
    int const   fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    bool        fine = false;
    *found = fd >= 0 || errno != ENOENT;
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size < FILE_ROOM &&
        read_at(fd, text, (uint64_t)status.st_size, 0)) {
        text[status.st_size] = 0;
        fine = parse(text, (size_t)status.st_size, p);
    }
    if (fd >= 0)
        close(fd);
    return fine || !*found;
}

bool plan_read(const job *j, plan *p, bool *found)
{
    char        path[PATH_ROOM];
    int         there = 0;
    bool        fine = true;
    plan *const wanted = calloc(1, sizeof *wanted);
    char *const text = malloc(FILE_ROOM);
    memset(p, 0, sizeof *p);
    path_of(j, "manifest", path);
    if (!all_fine(j->world, wanted != NULL && text != NULL, "no memory for a plan")) {
        free(wanted);
        free(text);
        return false;
    }
    if (j->rank == 0) {
        fine = load(path, text, p, found);
        there = *found;
    }
    free(text);
    MPI_Bcast(&there, 1, MPI_INT, 0, j->world);
    *found = there;
    fine = all_fine(j->world, fine, "%s is not a manifest of a checkpoint, or is damaged", path) &&
           describe_job(j, wanted);
    if (fine && *found) {
        MPI_Bcast(p, (int)sizeof *p, MPI_BYTE, 0, j->world);
        const char *const differs = difference(p, wanted);
        fine = all_fine(j->world, differs == NULL || j->rank != 0,
                        "%s is the checkpoint of another job: %s differs; expected the same input "
                        "and options",
                        j->w.checkpoint, differs != NULL ? differs : "") &&
               differs == NULL;
    } else if (fine)
        *p = *wanted;
    free(wanted);
    return fine;
}

/* ---- Writing ---- */

static size_t format_plan(const plan *p, char *text)
{
    size_t length = (size_t)snprintf(text, FILE_ROOM, "%s", title);
    for (size_t i = 0; i < FIELDS; i++)
        length += (size_t)snprintf(text + length, FILE_ROOM - length, "%s %" PRIu64 "\n",
                                   fields[i].name, get(p, &fields[i]));
    for (uint64_t g = 1; g < p->ranges; g++)
        length += (size_t)snprintf(text + length, FILE_ROOM - length,
                                   "cut %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", p->cuts[g].order,
                                   p->cuts[g].ties, p->cuts[g].position);
    uint32_t const crc = crc32c(text, length);
    return length + (size_t)snprintf(text + length, FILE_ROOM - length, "crc %08" PRIx32 "\n", crc);
}

/* Through a second name, so that the manifest is whole or missing. */
static bool save(const char *path, const char *temporary, const plan *p)
{
    char *const  text = malloc(FILE_ROOM);
    size_t const length = text != NULL ? format_plan(p, text) : 0;
    int const    fd =
        text != NULL ? open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
    bool fine = fd >= 0 && write_at(fd, text, length, 0) && fsync(fd) == 0;
    if (fd >= 0)
        fine = close(fd) == 0 && fine;
    free(text);
    return fine && rename(temporary, path) == 0;
}

bool plan_sync_folder(const job *j)
{
    int const fd = open(j->w.checkpoint, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool      fine = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL); /* EINVAL: not supported */
    if (fd >= 0)
        close(fd);
    return fine;
}

bool plan_save(const job *j, const plan *p)
{
    char path[PATH_ROOM], temporary[PATH_ROOM];
    path_of(j, "manifest", path);
    path_of(j, "manifest.new", temporary);
    bool const fine = j->rank != 0 || (save(path, temporary, p) && plan_sync_folder(j));
    return all_fine(j->world, fine, "%s: cannot write: %s", path, strerror(errno));
}
