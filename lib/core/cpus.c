/* cpus.c - counts the usable CPUs (see cpus.h).
 *
 * Linux has the cgroup quota in cpu.max ("quota period" or "max period", v2) or in cpu.cfs_quota_us
 * and cpu.cfs_period_us (v1; -1: none), one pair for each group on the path. A container may show
 * the path of the host, so the root group is read as well. */
#define _GNU_SOURCE
#include "core/cpus.h"

#include "core/base.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_PATH = 4096
};

/* Reads up to two numbers from a small file; "max" reads as -1. Returns how many it found. */
static int read_numbers(const char *path, long long value[2])
{
    FILE *const file = fopen(path, "re");
    char        text[64] = "";
    if (file == NULL)
        return 0;
    size_t const got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[got] = '\0';
    if (strncmp(text, "max", 3) == 0) {
        value[0] = -1;
        return 1 + (sscanf(text + 3, "%lld", &value[1]) == 1);
    }
    int const numbers = sscanf(text, "%lld %lld", &value[0], &value[1]);
    return numbers < 0 ? 0 : numbers;
}

static unsigned quota_of(const char *dir, bool v2)
{
    char      path[MAX_PATH + 32];
    long long value[2] = {-1, 0}, period[2] = {0, 0};

    snprintf(path, sizeof path, "%s/%s", dir, v2 ? "cpu.max" : "cpu.cfs_quota_us");
    int const numbers = read_numbers(path, value);
    if (v2) {
        if (numbers != 2)
            return 0;
        period[0] = value[1];
    } else {
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", dir);
        if (numbers < 1 || read_numbers(path, period) < 1)
            return 0;
    }
    if (value[0] <= 0 || period[0] <= 0)
        return 0;
    long long const cpus = value[0] / period[0] + (value[0] % period[0] != 0);
    return cpus > UINT_MAX ? UINT_MAX : (unsigned)cpus;
}

static unsigned least(unsigned a, unsigned b)
{
    if (a == 0 || b == 0)
        return a + b;
    return a < b ? a : b;
}

/* The smallest quota of root/group and all its ancestors up to root. */
static unsigned quota_of_path(const char *root, const char *group, bool v2)
{
    char     dir[MAX_PATH];
    unsigned cpus = 0;

    int const length = snprintf(dir, sizeof dir, "%s%s", root, group);
    if (length < 0 || (size_t)length >= sizeof dir)
        return 0;
    size_t const root_length = strlen(root);
    for (char *end = dir + length; end >= dir + root_length; end--) {
        if (*end != '/' && *end != '\0')
            continue;
        *end = '\0';
        cpus = least(cpus, quota_of(dir, v2));
    }
    return cpus;
}

static bool names_cpu(const char *controllers)
{
    char const *at = controllers;
    while (at != NULL && *at != '\0') {
        size_t const length = strcspn(at, ",");
        if (length == 3 && strncmp(at, "cpu", 3) == 0)
            return true;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return false;
}

unsigned ordo_cgroup_cpus(const char *proc_self_cgroup, const char *sys_root)
{
    static const char *const v2_mounts[] = {"", "/unified"};
    static const char *const v1_mounts[] = {"/cpu", "/cpu,cpuacct", "/cpuacct,cpu"};
    FILE *const              file = fopen(proc_self_cgroup, "re");
    char                     line[MAX_PATH];
    unsigned                 cpus = 0;

    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) { /* id:controllers:/group */
        line[strcspn(line, "\n")] = '\0';
        char *const controllers = strchr(line, ':');
        char *const group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
        if (group == NULL)
            continue;
        *group = '\0';
        bool const v2 = controllers[1] == '\0';
        if (!v2 && !names_cpu(controllers + 1))
            continue;
        const char *const *const mounts = v2 ? v2_mounts : v1_mounts;
        size_t const             count =
            v2 ? sizeof v2_mounts / sizeof *v2_mounts : sizeof v1_mounts / sizeof *v1_mounts;
        for (size_t i = 0; i < count; i++) {
            char      root[MAX_PATH];
            int const length = snprintf(root, sizeof root, "%s%s", sys_root, mounts[i]);
            if (length > 0 && (size_t)length < sizeof root)
                cpus = least(cpus, quota_of_path(root, group + 1, v2));
        }
    }
    fclose(file);
    return cpus;
}

ordo_cpus ordo_cpus_count(void)
{
    ordo_cpus  cpus = {1, 1, ordo_cgroup_cpus("/proc/self/cgroup", "/sys/fs/cgroup")};
    long const online = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t  set;

    if (online > 0)
        cpus.online = (unsigned)online;
    cpus.affinity = cpus.online;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        cpus.affinity = (unsigned)CPU_COUNT(&set);
    return cpus;
}

unsigned ordo_cpus_usable(const ordo_cpus *cpus)
{
    unsigned const usable = least(cpus->affinity, cpus->cgroup);
    return usable == 0 ? 1 : usable;
}
