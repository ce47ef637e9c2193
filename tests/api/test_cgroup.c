/* test_cgroup.c - how many CPUs a cgroup grants, read from trees built in a temporary folder:
 * v2 and v1, nested limits, "max" and -1, fractions, files that are missing or nonsense. */
#define _GNU_SOURCE
#include "core/cpus.h"
#include "testkit.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[64];

/* Writes root/path, making the folders on the way. */
static void put(const char *path, const char *text)
{
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *const file = fopen(whole, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(whole);
        exit(99);
    }
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *at)
{
    (void)st, (void)flag, (void)at;
    return remove(path);
}

static void clear(void)
{
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    mkdir(root, 0700);
}

static void expect(unsigned cpus, const char *what)
{
    char proc[128], sys[128];
    snprintf(proc, sizeof proc, "%s/cgroup", root);
    snprintf(sys, sizeof sys, "%s/sys", root);
    testkit_case("%s", what);
    CHECK_EQ_U64(cpus, ordo_cgroup_cpus(proc, sys));
    clear();
}

static void test_v2(void)
{
    put("cgroup", "0::/a/b\n");
    put("sys/a/b/cpu.max", "200000 100000\n");
    expect(2, "v2 exact");

    put("cgroup", "0::/a/b\n");
    put("sys/a/b/cpu.max", "150000 100000\n");
    expect(2, "v2 rounds up");

    put("cgroup", "0::/a/b\n");
    put("sys/a/b/cpu.max", "max 100000\n");
    expect(0, "v2 max");

    put("cgroup", "0::/a/b\n");
    put("sys/a/b/cpu.max", "800000 100000\n");
    put("sys/a/cpu.max", "300000 100000\n");
    expect(3, "v2 an ancestor grants less");

    put("cgroup", "0::/a/b/c\n");
    put("sys/a/b/c/cpu.max", "max 100000\n");
    put("sys/a/b/cpu.max", "50000 100000\n");
    put("sys/a/cpu.max", "max 100000\n");
    expect(1, "v2 half a CPU in the middle");

    put("cgroup", "0::/\n");
    put("sys/cpu.max", "400000 100000\n");
    expect(4, "v2 in a namespace, the root has the limit");

    put("cgroup", "0::/a\n");
    put("sys/a/memory.max", "max\n");
    expect(0, "v2 without cpu controller");
}

static void test_v1(void)
{
    put("cgroup", "5:memory:/m\n4:cpu,cpuacct:/x/y\n1:name=systemd:/\n");
    put("sys/cpu,cpuacct/x/y/cpu.cfs_quota_us", "250000\n");
    put("sys/cpu,cpuacct/x/y/cpu.cfs_period_us", "100000\n");
    expect(3, "v1 rounds up");

    put("cgroup", "4:cpu:/x/y\n");
    put("sys/cpu/x/y/cpu.cfs_quota_us", "-1\n");
    put("sys/cpu/x/y/cpu.cfs_period_us", "100000\n");
    expect(0, "v1 no quota");

    put("cgroup", "4:cpu:/x/y\n");
    put("sys/cpu/x/y/cpu.cfs_quota_us", "-1\n");
    put("sys/cpu/x/y/cpu.cfs_period_us", "100000\n");
    put("sys/cpu/x/cpu.cfs_quota_us", "100000\n");
    put("sys/cpu/x/cpu.cfs_period_us", "50000\n");
    expect(2, "v1 an ancestor's quota");

    put("cgroup", "4:cpuset:/x\n");
    put("sys/cpuset/x/cpu.cfs_quota_us", "100000\n");
    put("sys/cpuset/x/cpu.cfs_period_us", "100000\n");
    put("sys/cpu/x/cpu.cfs_quota_us", "100000\n");
    put("sys/cpu/x/cpu.cfs_period_us", "100000\n");
    expect(0, "v1 cpuset is not cpu");
}

static void test_nonsense(void)
{
    expect(0, "no file at all");

    put("cgroup", "0::/a\n");
    put("sys/a/cpu.max", "many\n");
    expect(0, "words for numbers");

    put("cgroup", "0::/a\n");
    put("sys/a/cpu.max", "100000 0\n");
    expect(0, "a period of 0");

    put("cgroup", "0::/a\n");
    put("sys/a/cpu.max", "");
    expect(0, "an empty file");

    put("cgroup", "no colons\n\n::\n0:\n");
    expect(0, "lines that are no entries");
}

static void test_this_process(void)
{
    ordo_cpus const cpus = ordo_cpus_count();
    unsigned const  usable = ordo_cpus_usable(&cpus);
    testkit_case("this process");
    CHECK(cpus.online >= 1 && cpus.affinity >= 1);
    CHECK(usable >= 1 && usable <= cpus.affinity);
    CHECK(cpus.cgroup == 0 || usable <= cpus.cgroup);

    ordo_cpus const tight = {8, 4, 2}, loose = {8, 4, 0}, narrow = {8, 1, 3};
    CHECK_EQ_U64(2, ordo_cpus_usable(&tight));
    CHECK_EQ_U64(4, ordo_cpus_usable(&loose));
    CHECK_EQ_U64(1, ordo_cpus_usable(&narrow));
}

int main(void)
{
    const char *const tmp = getenv("TMPDIR");
    testkit_start();
    snprintf(root, sizeof root, "%.40s/ordo-cgroup-XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(root) == NULL) {
        perror(root);
        return 99;
    }
    test_v2();
    test_v1();
    test_nonsense();
    test_this_process();
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return testkit_done();
}
