/* backend_load.c - finds and opens a backend that is a shared object of its own.
 *
 * It lies beside libordo, or in the folder the caller names; either way it is opened by its
 * absolute path, so that no search path can put another in its place. It stays open: CUDA does not
 * like to be unloaded while its threads run. */
#define _GNU_SOURCE
#include "plan/plan.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLUGIN "libordo_cuda.so"

enum {
    PATH_SIZE = 4096
};

static const char here = 0; /* something of this library, whose file is asked for */

/* The absolute path of the plugin; false if there is no such file. */
static bool plugin_path(const char *directory, char *path, size_t size, char *why, size_t why_size)
{
    char folder[PATH_SIZE];
    if (*directory != '\0') {
        snprintf(folder, sizeof folder, "%s", directory);
    } else {
        Dl_info self;
        if (dladdr(&here, &self) == 0 || self.dli_fname == NULL ||
            strlen(self.dli_fname) >= sizeof folder) {
            snprintf(why, why_size, "the folder of libordo is unknown; set ORDO_BACKEND_DIR");
            return false;
        }
        char *const real = realpath(self.dli_fname, NULL);
        snprintf(folder, sizeof folder, "%s", real != NULL ? real : self.dli_fname);
        free(real);
        char *const slash = strrchr(folder, '/');
        if (slash != NULL)
            *slash = '\0';
        else
            snprintf(folder, sizeof folder, ".");
    }
    char wanted[PATH_SIZE + sizeof PLUGIN + 1];
    snprintf(wanted, sizeof wanted, "%s/" PLUGIN, folder);
    char *const found = realpath(wanted, NULL);
    if (found == NULL || strlen(found) >= size) {
        snprintf(why, why_size, "no " PLUGIN " in %.160s", folder);
        free(found);
        return false;
    }
    snprintf(path, size, "%s", found);
    free(found);
    return true;
}

const ordo_backend *ordo_backend_load(const char *directory, char *why, size_t why_size)
{
    char path[PATH_SIZE];
    if (!plugin_path(directory, path, sizeof path, why, why_size))
        return NULL;
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) {
        snprintf(why, why_size, "%s", dlerror());
        return NULL;
    }
    ordo_backend_entry *entry = NULL;
    void *const         symbol = dlsym(library, ORDO_BACKEND_ENTRY);
    _Static_assert(sizeof entry == sizeof symbol, "POSIX: functions are found by dlsym");
    memcpy(&entry, &symbol, sizeof entry);
    if (entry == NULL) {
        snprintf(why, why_size, "%.160s has no " ORDO_BACKEND_ENTRY, path);
        return NULL;
    }
    const ordo_backend *const table = entry(ORDO_BACKEND_ABI);
    if (table == NULL || table->abi != ORDO_BACKEND_ABI || table->struct_size < sizeof *table) {
        snprintf(why, why_size, "%.160s was built for another version of libordo", path);
        return NULL;
    }
    return table;
}
