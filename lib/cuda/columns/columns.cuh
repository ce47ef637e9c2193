/* columns.cuh - key columns for kernels, and the steps that lexsort, lexrank and groups share. */
#ifndef ORDO_CUDA_COLUMNS_COLUMNS_H
#define ORDO_CUDA_COLUMNS_COLUMNS_H

#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_keys.cuh"

enum {
    COLUMNS_MOST = 16,
    COLUMN_THREADS = 256,
    COLUMN_RESIDENT = 16 /* blocks per multiprocessor */
};

static inline size_t column_grid(const cuda_call *call, size_t n)
{
    return ordo_max(
        ordo_min(ordo_div_up(n, COLUMN_THREADS), (size_t)call->facts->sms * COLUMN_RESIDENT), 1);
}

struct key_column {
    const void *keys;
    uint64_t    flip; /* integers: key bits = key ^ flip */
    uint8_t     bytes;
    bool        is_float, descending, folded;
};

struct key_columns { /* a kernel argument */
    key_column at[COLUMNS_MOST];
    unsigned   count;
};

static inline key_column key_column_of(const ordo_key_column &column)
{
    key_column to = {};
    to.keys = column.keys;
    to.bytes = (uint8_t)cuda_type_size(column.type);
    to.descending = column.descending;
    to.folded = column.folded;
    (void)with_key_code(column.type, column.descending, KEY_TOTAL, [&](auto code) {
        to.is_float = decltype(code)::is_float;
        if constexpr (!decltype(code)::is_float)
            to.flip = code.flip;
        return ORDO_OK;
    });
    return to;
}

/* Row `row` of an array of unsigned integers of `bytes` bytes. */
static DEVICE uint64_t column_read(const void *array, uint64_t row, unsigned bytes)
{
    return bytes == 8   ? ((const uint64_t *)array)[row]
           : bytes == 4 ? ((const uint32_t *)array)[row]
           : bytes == 2 ? ((const uint16_t *)array)[row]
                        : ((const uint8_t *)array)[row];
}

/* The key bits of a key of the column. */
static DEVICE uint64_t column_encode(const key_column &c, uint64_t raw)
{
    if (!c.is_float)
        return raw ^ c.flip;
    return c.bytes == 8 ? key_code<uint64_t, true>{c.descending, c.folded}.encode(raw)
                        : key_code<uint32_t, true>{c.descending, c.folded}.encode((uint32_t)raw);
}

static DEVICE uint64_t column_bits(const key_column &c, uint64_t row)
{
    return column_encode(c, column_read(c.keys, row, c.bytes));
}

/* dev_place_ranks.cu: sets ranks[index[i]] to the rank of row i in the order. */
struct place_job {
    size_t          n;
    ordo_type       index_type;
    const void     *index;
    const uint8_t  *heads;
    bool            grouped;
    const uint64_t *ranked; /* rows of the order from *ranked on get rank 0 or NaN; NULL: all rows
                             * are ranked */
    ordo_ties       ties;
    ordo_type       rank_type;
    void           *ranks;
};
size_t      place_ranks_scratch(const place_job &job);
ordo_status place_ranks(cuda_call *call, const place_job &job);

#endif
