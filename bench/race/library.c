/* library.c - loads the two builds of libordo, and the tables of types and distributions. */
#define _POSIX_C_SOURCE 200809L /* strdup, stat */
#include "race.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const type_row types[] = {
#define ORDO_TYPE(ID, tag, key, bits) {ORDO_##ID, #tag, sizeof(key)},
#include "lib/core/types.def"
    {ORDO_I8, NULL, 0}};

const dist_row dists[] = {{ORDO_DIST_UNIFORM, "uniform"},
                          {ORDO_DIST_GAUSSIAN, "gaussian"},
                          {ORDO_DIST_SIGNED, "signed"},
                          {ORDO_DIST_LOGUNIFORM, "loguniform"},
                          {ORDO_DIST_FEW, "few"},
                          {ORDO_DIST_ZIPF, "zipf"},
                          {ORDO_DIST_SORTED, "sorted"},
                          {ORDO_DIST_REVERSE, "reverse"},
                          {ORDO_DIST_ORGANPIPE, "organpipe"},
                          {ORDO_DIST_SAWTOOTH, "sawtooth"},
                          {ORDO_DIST_KSORTED, "ksorted"},
                          {ORDO_DIST_DUPES, "dupes"},
                          {ORDO_DIST_STRINGS, "strings"},
                          {ORDO_DIST_FASTA, "fasta"},
                          {ORDO_DIST_UNIFORM, NULL}};

const type_row *type_of(ordo_type type)
{
    const type_row *at = types;
    while (at->type != type)
        at++;
    return at;
}

const dist_row *dist_of(ordo_dist dist)
{
    const dist_row *at = dists;
    while (at->dist != dist)
        at++;
    return at;
}

/* ISO C has no cast from an object pointer to a function pointer, so the bytes are copied. */
static void load(void *loaded, const char *name, void *function, bool needed)
{
    void *const address = dlsym(loaded, name);
    if (address == NULL && needed)
        fail(name, dlerror());
    memcpy(function, &address, sizeof address);
}

void library_open(library *lib, const char *path)
{
    static const char file[] = "/libordo.so";
    struct stat       status;
    size_t const      length = strlen(path);

    lib->path = malloc(length + sizeof file);
    if (lib->path == NULL)
        fail(path, "not enough memory");
    memcpy(lib->path, path, length + 1);
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        memcpy(lib->path + length, file, sizeof file);
    lib->folder = strdup(lib->path);
    if (lib->folder == NULL)
        fail(path, "not enough memory");
    char *const slash = strrchr(lib->folder, '/');
    if (slash == NULL)
        fail(path, "expected a build folder or a path with a slash");
    *slash = '\0';

    void *const loaded = dlopen(lib->path, RTLD_NOW | RTLD_LOCAL);
    if (loaded == NULL)
        fail(lib->path, dlerror());
#define CALL(name) load(loaded, "ordo_" #name, &lib->name, true);
    RACE_CALLS(CALL)
#undef CALL
#define CALL(name) load(loaded, "ordo_" #name, &lib->name, false);
    RACE_NEWER_CALLS(CALL)
#undef CALL
}

void side_open(side *s, const library *lib)
{
    ordo_ctx_opts const opts = {.struct_size = sizeof opts,
                                .where = set.on_gpu ? ORDO_CUDA : ORDO_CPU,
                                .threads = set.threads,
                                .calibration = ""};
    s->lib = lib;
    if (lib->ctx_create(&s->ctx, &opts) != ORDO_OK)
        fail(lib->path, "cannot create a context");
}
