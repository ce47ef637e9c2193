/* permute.c - gathers an array by an index into scratch and copies it back. The reads jump about
 * memory and are as many as the processor can have under way at once; the rest is sequential. */
#include "cpu/sort/permute.h"

#include <string.h>

typedef struct permute_work {
    const char *from;
    char       *to;
    size_t      size;
    const void *index;
    bool        narrow; /* index is u32 */
} permute_work;

static inline size_t index_at(const permute_work *work, size_t i)
{
    return work->narrow ? ((const uint32_t *)work->index)[i]
                        : (size_t)((const uint64_t *)work->index)[i];
}

#define GATHER(size)                                                                               \
    for (size_t i = lo; i < hi; i++)                                                               \
    memcpy(work->to + i * (size), work->from + index_at(work, i) * (size), (size))

static void gather_piece(void *arg, size_t lo, size_t hi)
{
    const permute_work *const work = arg;
    switch (work->size) {
    case 1:
        GATHER(1);
        break;
    case 2:
        GATHER(2);
        break;
    case 4:
        GATHER(4);
        break;
    case 8:
        GATHER(8);
        break;
    case 16:
        GATHER(16);
        break;
    default:
        GATHER(work->size);
        break;
    }
}

static void copy_piece(void *arg, size_t lo, size_t hi)
{
    const permute_work *const work = arg;
    memcpy(work->to + lo * work->size, work->from + lo * work->size, (hi - lo) * work->size);
}

ordo_status cpu_permute(void *array, size_t size, const ordo_argsort_job *order, void *spare,
                        ordo_exec *exec)
{
    permute_work gather = {array, spare, size, order->index, order->index_type == ORDO_U32};
    permute_work back = {spare, array, size, NULL, false};
    if (!ordo_loop(exec, order->n, cpu_grain(order->n), gather_piece, &gather))
        return ORDO_E_CANCELLED;
    return cpu_done(ordo_loop(exec, order->n, cpu_grain(order->n), copy_piece, &back));
}
