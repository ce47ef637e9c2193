/* external_memory.c - ordo_external_memory: the default limit of memory of external calls. */
#define _POSIX_C_SOURCE 200809L
#include "core/base.h"
#include "external/external_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first number in a file, behind `name`; UINT64_MAX if there is none ("max"). */
static uint64_t number_in(const char *path, const char *name)
{
    FILE *const  file = fopen(path, "re");
    size_t const skip = strlen(name);
    char         line[256];
    uint64_t     value = UINT64_MAX;

    while (file != NULL && value == UINT64_MAX && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, skip) == 0 && sscanf(line + skip, "%" SCNu64, &value) != 1)
            value = UINT64_MAX;
    if (file != NULL)
        fclose(file);
    return value;
}

uint64_t ordo_external_memory(void)
{
    long const     pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t const kilobytes = number_in("/proc/meminfo", "MemAvailable:");
    uint64_t const most = number_in("/sys/fs/cgroup/memory.max", "");
    uint64_t const used = number_in("/sys/fs/cgroup/memory.current", "");
    uint64_t       all = (uint64_t)1 << 30;

    if (kilobytes != UINT64_MAX)
        all = kilobytes * 1024;
    else if (pages > 0 && page > 0)
        all = (uint64_t)pages / 2 * (uint64_t)page;
    if (most != UINT64_MAX && used != UINT64_MAX && most > used)
        all = ordo_min(all, most - used);
    return ordo_max(all / 100 * ORDO_EXTERNAL_PERCENT, EXTERNAL_LEAST_MEMORY);
}
