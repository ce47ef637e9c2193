/* cuda_arrays.cuh - a list of the arrays of a job, for copies to the device and back. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_ARRAYS_H
#define ORDO_CUDA_RUNTIME_CUDA_ARRAYS_H

#include <stddef.h>

enum {
    MOST_ARRAYS = 20,
    READ = 1,   /* the device reads its contents */
    WRITTEN = 2 /* the caller reads what the device writes */
};

struct job_array {
    void      **pointer; /* the pointer in the job; replaced by device memory */
    void       *host;
    size_t      bytes;
    int         use;
    const char *what;
};

struct job_arrays {
    job_array at[MOST_ARRAYS];
    int       count;
};

template <typename T>
static void add(job_arrays *arrays, T **pointer, size_t bytes, int use, const char *what)
{
    arrays->at[arrays->count++] = {(void **)pointer, (void *)*pointer, bytes, use, what};
}

#endif
