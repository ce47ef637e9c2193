/* cpus.h - the number of CPUs this process may use: online, affinity, cgroup quota. */
#ifndef ORDO_CORE_CPUS_H
#define ORDO_CORE_CPUS_H

typedef struct ordo_cpus {
    unsigned online;   /* of the machine */
    unsigned affinity; /* CPUs that the process may run on */
    unsigned cgroup;   /* quota in CPUs, rounded up; 0: no limit */
} ordo_cpus;

ordo_cpus ordo_cpus_count(void);

/* The default number of threads; at least 1. */
unsigned ordo_cpus_usable(const ordo_cpus *cpus);

/* The quota of the cgroup named in the file `proc_self_cgroup`, for hierarchies mounted under
 * sys_root: the smallest of the group and its ancestors, v1 and v2. 0: no limit, or unknown. */
unsigned ordo_cgroup_cpus(const char *proc_self_cgroup, const char *sys_root);

#endif
