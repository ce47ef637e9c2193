/* backend_load.c - finds and opens a backend in its own shared object.
 *
 * The plugin is loaded from the folder of the file that contains this code (libordo.so, or the
 * program that libordo.a is linked into), or from the folder that the caller gives. Both are
 * absolute paths. The path of this code comes from /proc/self/maps. The dynamic linker's names are
 * not safe: they are argv[0] for the main program, and relative to an old working directory after
 * dlopen("./libordo.so"), so they could lead to a foreign folder.
 *
 * A plugin is never unloaded, because CUDA cannot be unloaded while its threads run.
 *
 * The file also asks the CUDA driver for the contexts of the process, if the driver is loaded. */
#define _GNU_SOURCE
#include "plan/plan.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLUGIN "libordo_cuda.so"
#define GONE " (deleted)" /* what the kernel appends to the path of a removed file */

enum {
    LINE_BEFORE_PATH = 128 /* bytes of a line of /proc/self/maps before the path, at most */
};

static const char here = 0; /* an address inside the file of this code */

/* The path at the end of a line of /proc/self/maps if the addresses of the line include `address`,
 * else NULL. Changes the line. The path is "" for memory without a file. */
static const char *path_of_mapping(char *line, uintptr_t address)
{
    unsigned long long first, end;
    int                path = 0;
    if (sscanf(line, "%llx-%llx %*s %*s %*s %*s %n", &first, &end, &path) < 2 || path == 0 ||
        address < first || address >= end)
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    return line + path;
}

/* Finds the folder of the file with this code; false: `why` has the reason. */
static bool own_folder(char folder[PATH_MAX], char *why, size_t why_size)
{
    char        line[PATH_MAX + LINE_BEFORE_PATH];
    const char *path = NULL;
    FILE *const maps = fopen("/proc/self/maps", "re");
    if (maps == NULL) {
        snprintf(why, why_size,
                 "the folder of libordo is unknown: /proc/self/maps: %s; set ORDO_BACKEND_DIR",
                 strerror(errno));
        return false;
    }
    while (path == NULL && fgets(line, sizeof line, maps) != NULL)
        path = path_of_mapping(line, (uintptr_t)&here);
    fclose(maps);
    size_t const length = path != NULL ? strlen(path) : 0, gone = strlen(GONE);
    if (length == 0 || length >= PATH_MAX || path[0] != '/' || strstr(path, "\\012") != NULL) {
        snprintf(why, why_size, "the folder of libordo is unknown; set ORDO_BACKEND_DIR");
        return false;
    }
    if (length >= gone && strcmp(path + length - gone, GONE) == 0) {
        snprintf(why, why_size, "%.150s was removed or replaced after it was loaded; restart",
                 path);
        return false;
    }
    memcpy(folder, path, length + 1);
    *strrchr(folder, '/') = '\0';
    return true;
}

/* Finds the absolute path of the plugin; false: `why` has the reason. */
static bool plugin_path(const char *directory, char path[PATH_MAX], char *why, size_t why_size)
{
    char folder[PATH_MAX], wanted[PATH_MAX + sizeof "/" PLUGIN]; /* "" is the root folder */
    if (*directory != '\0' && *directory != '/') {
        snprintf(why, why_size, "ORDO_BACKEND_DIR is '%.100s'; expected an absolute path",
                 directory);
        return false;
    }
    if (*directory == '\0' && !own_folder(folder, why, why_size))
        return false;
    snprintf(wanted, sizeof wanted, "%s/" PLUGIN, *directory == '\0' ? folder : directory);
    if (realpath(wanted, path) == NULL) {
        snprintf(why, why_size, "no " PLUGIN " in %.160s", *directory == '\0' ? folder : directory);
        return false;
    }
    return true;
}

/* Stores the address of a function of a library, or NULL, in the function pointer at `function`. */
static void find_function(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);
    _Static_assert(sizeof(ordo_backend_entry *) == sizeof symbol,
                   "POSIX: functions are found by dlsym");
    memcpy(function, &symbol, sizeof symbol);
}

/* The table of an opened plugin; NULL: `why` has the reason. */
static const ordo_backend *table_of(void *library, const char *path, char *why, size_t why_size)
{
    ordo_backend_entry *entry = NULL;
    find_function(library, ORDO_BACKEND_ENTRY, &entry);
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

const ordo_backend *ordo_backend_load(const char *directory, char *why, size_t why_size)
{
    char                path[PATH_MAX];
    const ordo_backend *table = NULL;
    if (!plugin_path(directory, path, why, why_size))
        return NULL;
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library != NULL)
        table = table_of(library, path, why, why_size);
    else
        snprintf(why, why_size, "%s", dlerror());
    return table;
}

/* ---- CUDA contexts of the process ---- */

typedef int driver_get(int *device, int ordinal);                       /* cuDeviceGet */
typedef int driver_state(int device, unsigned int *flags, int *active); /* cuDevicePrimaryCtx... */

bool ordo_device_is_in_use(size_t device)
{
    void *const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver == NULL)
        return false;
    driver_get   *get = NULL;
    driver_state *state = NULL;
    find_function(driver, "cuDeviceGet", &get);
    find_function(driver, "cuDevicePrimaryCtxGetState", &state);
    int          handle = 0, active = 0;
    unsigned int flags = 0;
    int const    ordinal = device == 0 ? 0 : (int)(device - 1);
    bool const   answered = get != NULL && state != NULL && get(&handle, ordinal) == 0 &&
                          state(handle, &flags, &active) == 0;
    dlclose(driver);
    return answered && active != 0;
}
