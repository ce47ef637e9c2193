/* first.c - the section `first`: calls that find nothing prepared.
 *
 * `context` makes a context, sorts and frees the context. `process` starts this program again as
 *     ordo-race --first LIBRARY N THREADS CLOCK
 * The child makes keys, loads the library, sorts in a new context, and prints the seconds from
 * loading to the end of the sort, and the digest of the keys. The start of the process is not in
 * the time. */
#define _POSIX_C_SOURCE 200809L /* popen */
#include "race.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum verb {
    CONTEXT,
    PROCESS,
    VERBS
} verb;

static const char *const verb_names[VERBS] = {"context", "process"};
static room              keys, work;

static void prepare(const row *r, const side *maker)
{
    size_t const copies = copies_of(r->n), all = copies * r->n;
    room_of(&work, all * r->type->size);
    make_keys(maker, r->type, r->dist, r->n, copies, room_of(&keys, all * r->type->size));
}

static void reset(const row *r)
{
    memcpy(work.at, keys.at, copies_of(r->n) * r->n * r->type->size);
}

static ordo_status call(const row *r, const side *s, size_t copy, uint64_t *number)
{
    side        fresh;
    void *const in = (char *)work.at + copy * r->n * r->type->size;

    (void)number;
    side_open(&fresh, s->lib);
    ordo_status const status = fresh.lib->sort(fresh.ctx, r->type->type, in, r->n, NULL);
    fresh.lib->ctx_free(fresh.ctx);
    return status;
}

static span result(const row *r, size_t copy, uint64_t number)
{
    (void)number;
    return (span){(const char *)work.at + copy * r->n * r->type->size, r->n * r->type->size};
}

static outcome run_child(const row *r, const side *s)
{
    char    self[1024], command[4096];
    outcome o = {0};

    ssize_t const length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        fail("/proc/self/exe", "cannot be read");
    self[length] = '\0';
    int const needed = snprintf(command, sizeof command, "exec '%s' --first '%s' %zu %u %s", self,
                                s->lib->path, r->n, set.threads, set.cpu_time ? "cpu" : "elapsed");
    if (needed < 0 || (size_t)needed >= sizeof command)
        fail(s->lib->path, "the path is too long");
    FILE *const pipe = popen(command, "r");
    if (pipe == NULL || fscanf(pipe, "%lf %" SCNx64, &o.seconds, &o.digest) != 2 ||
        pclose(pipe) != 0)
        fail(r->name, "the process failed");
    return o;
}

int first_child(int argc, char **argv)
{
    static library lib;
    side           s;
    uint64_t       state = 1;

    if (argc != 6)
        return 2;
    size_t const    n = strtoull(argv[3], NULL, 10);
    uint32_t *const array = malloc(n * sizeof *array);
    if (array == NULL)
        fail("memory", "not enough for the keys");
    set.threads = (unsigned)strtoul(argv[4], NULL, 10);
    set.cpu_time = strcmp(argv[5], "cpu") == 0;
    for (size_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        array[i] = (uint32_t)(state >> 32);
    }
    double const start = now();
    library_open(&lib, argv[2]);
    side_open(&s, &lib);
    if (lib.sort(s.ctx, ORDO_U32, array, n, NULL) != ORDO_OK)
        fail("sort", lib.last_error(s.ctx));
    printf("%.9f %" PRIx64 "\n", now() - start, digest_bytes(0, (span){array, n * sizeof *array}));
    free(array);
    return 0;
}

static void list(const section *self, row_list *rows, size_t n)
{
    for (int v = 0; v < VERBS; v++)
        row_add(rows,
                (row){.section = self,
                      .verb = v,
                      .type = type_of(ORDO_U32),
                      .dist = dist_of(ORDO_DIST_UNIFORM),
                      .n = n},
                verb_names[v], "");
}

static outcome time_row(const row *r, const side *s, bool digest)
{
    static const calls all = {reset, call, result};
    return r->verb == PROCESS ? run_child(r, s) : time_calls(&all, r, s, digest);
}

const section first_section = {"first", false, NULL, list, prepare, time_row};
