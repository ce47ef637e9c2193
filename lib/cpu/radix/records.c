/* records.c - chooses the loops that turn keys into records and records into results (record_type).
 * A value is copied to its payload and back with memcpy, so it is restored in any byte order. */
#include "core/keybits.h"
#include "core/lists.h"
#include "cpu/radix/records.h"

#include <string.h>

/* kernels NULL: the generic loops. */
static const record_type *type_of(const cpu_kernels *kernels, ordo_type type)
{
    return &(kernels != NULL ? kernels : &cpu_kernels_generic)->loops->records[type];
}

#define STORE_INDEX(name, out_type, record, index)                                                 \
    static void store_index_##name(const radix_io *io, size_t at, size_t count,                    \
                                   const void *records)                                            \
    {                                                                                              \
        const record *const from = records;                                                        \
        out_type *const     to = (out_type *)io->out + at;                                         \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = (out_type)(index);                                                             \
    }
STORE_INDEX(u32_p32, uint32_t, record_p32, from[i])
STORE_INDEX(u64_p32, uint64_t, record_p32, (uint32_t)from[i])
STORE_INDEX(u32_p64, uint32_t, record_p64, from[i].index)
STORE_INDEX(u64_p64, uint64_t, record_p64, from[i].index)

/* ---- Which kind ---- */

enum record_kind records_kind_of_keys(ordo_type type)
{
    return ordo_type_size(type) == sizeof(uint64_t) ? RECORD_K64 : RECORD_K32;
}

enum record_kind records_kind_of_argsort(ordo_type type, size_t n)
{
    return ordo_type_size(type) <= sizeof(uint32_t) && n - 1 <= UINT32_MAX ? RECORD_P32
                                                                           : RECORD_P64;
}

enum record_kind records_kind_of_pairs(ordo_type type, size_t value_size)
{
    return ordo_type_size(type) <= sizeof(uint32_t) && value_size <= sizeof(uint32_t) ? RECORD_P32
                                                                                      : RECORD_P64;
}

/* ---- Jobs ---- */

bool records_are_keys(const ordo_sort_job *job)
{
    return (job->type == ORDO_U32 || job->type == ORDO_U64) && !job->descending;
}

const cpu_words_map *records_map(const ordo_sort_job *job)
{
    static const cpu_words_map same = {0, 0, 0}, turned = {0, UINT64_MAX, 0};
    static const cpu_words_map of_i32 = {0, UINT64_C(1) << 31, 0};
    static const cpu_words_map of_i64 = {0, UINT64_C(1) << 63, 0};
    static const cpu_words_map turned_i32 = {0, INT32_MAX, 0}, turned_i64 = {0, INT64_MAX, 0};
    static const cpu_words_map of_f32 = {0x007fffff, UINT64_C(1) << 31, INT32_MAX};
    static const cpu_words_map of_f64 = {0x000fffffffffffff, UINT64_C(1) << 63, INT64_MAX};
    switch (job->type) {
    case ORDO_I32:
        return job->descending ? &turned_i32 : &of_i32;
    case ORDO_I64:
        return job->descending ? &turned_i64 : &of_i64;
    case ORDO_F32:
        return job->descending ? NULL : &of_f32;
    case ORDO_F64:
        return job->descending ? NULL : &of_f64;
    default:
        return job->descending ? &turned : &same;
    }
}

radix_io records_of_keys(const cpu_kernels *kernels, const ordo_sort_job *job)
{
    const record_type *const type = type_of(kernels, job->type);
    bool const               is_bits = records_are_keys(job);
    return (radix_io){.kernels = kernels,
                      .kind = records_kind_of_keys(job->type),
                      .n = job->n,
                      .load = is_bits ? NULL : type->load_keys,
                      .store = is_bits ? NULL : type->store_keys,
                      .map = records_map(job),
                      .key_size = ordo_type_size(job->type),
                      .in = cpu_input(job),
                      .out = job->keys,
                      .spare = job->keys,
                      .turned = job->descending};
}

radix_io records_of_argsort(const cpu_kernels *kernels, const ordo_argsort_job *job,
                            enum record_kind kind)
{
    const record_type *const type = type_of(kernels, job->type);
    bool const               packed = kind == RECORD_P32, narrow = job->index_type == ORDO_U32;
    return (radix_io){.kernels = kernels,
                      .kind = kind,
                      .n = job->n,
                      .load = packed ? type->load_index_p32 : type->load_index_p64,
                      .store = packed   ? narrow ? store_index_u32_p32 : store_index_u64_p32
                               : narrow ? store_index_u32_p64
                                        : store_index_u64_p64,
                      .load_digits = packed ? type->load_digits_32 : type->load_digits_64,
                      .folded = true,
                      .rising = true,
                      .key_size = ordo_type_size(job->type),
                      .in = job->keys,
                      .out = job->index,
                      .spare = packed && !narrow ? job->index : NULL,
                      .turned = job->descending};
}

void records_shorten(const cpu_kernels *kernels, ordo_type type, radix_io *io)
{
    const record_type *const of = type_of(kernels, type);
    io->load = of->load_short;
    io->load_digits = io->kind == RECORD_P32 ? of->load_short_digits : NULL;
}

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static uint64_t rising_key_##tag(const void *keys, size_t i)                                   \
    {                                                                                              \
        return key_fold_##tag(((const key *)keys)[i]);                                             \
    }                                                                                              \
    static uint64_t falling_key_##tag(const void *keys, size_t i)                                  \
    {                                                                                              \
        return key_desc_##tag(((const key *)keys)[i]);                                             \
    }
#include "core/types.def"

records_key_fn *records_key_of(ordo_type type, bool descending)
{
    return descending ? BY_TYPE(type, falling_key, ) : BY_TYPE(type, rising_key, );
}

void records_bits(const cpu_kernels *kernels, const ordo_key_column *column, size_t at,
                  size_t count, uint64_t *bits)
{
    radix_io const io = {
        .in = column->keys, .turned = column->descending, .folded = column->folded};
    type_of(kernels, column->type)->load_digits_64(&io, at, count, bits);
}

void records_words(const cpu_kernels *kernels, const ordo_argsort_job *job, const cpu_tie_map *map,
                   uint64_t *words)
{
    short_map const shortened = {map->least, UINT64_MAX, map->shift, map->index_bits, 0};
    radix_io const  io = {.in = job->keys, .turned = job->descending, .shortened = &shortened};
    type_of(kernels, job->type)->load_short(&io, 0, job->n, words);
}

radix_io records_of_order(const cpu_kernels *kernels, ordo_type type, const void *keys, size_t n,
                          bool descending, bool folded)
{
    const record_type *const of = type_of(kernels, type);
    enum record_kind const   kind = records_kind_of_keys(type);
    bool const               is_bits = (type == ORDO_U32 || type == ORDO_U64) && !descending;
    return (radix_io){.kernels = kernels,
                      .kind = kind,
                      .n = n,
                      .load_digits = is_bits              ? NULL
                                     : kind == RECORD_K32 ? of->load_digits_32
                                                          : of->load_digits_64,
                      .key_size = ordo_type_size(type),
                      .in = keys,
                      .turned = descending,
                      .folded = folded};
}

radix_io records_of_pairs(const cpu_kernels *kernels, const ordo_pairs_job *job)
{
    const ordo_sort_job *const keys = &job->keys;
    const record_type *const   type = type_of(kernels, keys->type);
    enum record_kind const     kind = records_kind_of_pairs(keys->type, job->value_size);
    bool const                 packed = kind == RECORD_P32;
    return (radix_io){.kernels = kernels,
                      .kind = kind,
                      .n = keys->n,
                      .load = packed ? type->load_pairs_p32 : type->load_pairs_p64,
                      .store = packed ? type->store_pairs_p32 : type->store_pairs_p64,
                      .load_digits = packed ? type->load_digits_32 : type->load_digits_64,
                      .key_size = ordo_type_size(keys->type),
                      .in = keys->keys,
                      .out = keys->keys,
                      .values = job->values,
                      .value_size = job->value_size,
                      .turned = keys->descending};
}

/* ---- Whole arrays ---- */

typedef struct array_work {
    const radix_io *io;
    char           *records;
} array_work;

static void load_piece(void *arg, size_t lo, size_t hi)
{
    const array_work *const work = arg;
    work->io->load(work->io, lo, hi - lo, work->records + lo * record_size(work->io->kind));
}

static void store_piece(void *arg, size_t lo, size_t hi)
{
    const array_work *const work = arg;
    work->io->store(work->io, lo, hi - lo, work->records + lo * record_size(work->io->kind));
}

ordo_status records_load(const radix_io *io, const cpu_records *records, ordo_exec *exec)
{
    array_work work = {io, records->array};
    if (io->load == NULL)
        return ORDO_OK;
    return cpu_done(ordo_loop(exec, io->n, cpu_grain(io->n), load_piece, &work));
}

ordo_status records_store(const radix_io *io, const cpu_records *records, ordo_exec *exec)
{
    array_work work = {io, records->array};
    if (io->store == NULL)
        return ORDO_OK;
    return cpu_done(ordo_loop(exec, io->n, cpu_grain(io->n), store_piece, &work));
}

/* ---- Ties ---- */

typedef struct alike_work {
    const void *keys;
    bool (*fold_alike)(const void *keys, size_t lo, size_t hi);
    atomic_bool differ;
} alike_work;

static void alike_piece(void *arg, size_t lo, size_t hi)
{
    alike_work *const work = arg;
    if (!atomic_load_explicit(&work->differ, memory_order_relaxed) &&
        !work->fold_alike(work->keys, lo, hi))
        atomic_store_explicit(&work->differ, true, memory_order_relaxed);
}

ordo_status records_fold_alike(ordo_type type, const void *keys, size_t n, bool *alike,
                               ordo_exec *exec)
{
    *alike = true;
    if (!ordo_is_float(type))
        return ORDO_OK;
    alike_work work = {.keys = keys, .fold_alike = type_of(NULL, type)->fold_alike};
    atomic_init(&work.differ, false);
    if (!ordo_loop(exec, n, cpu_grain(n), alike_piece, &work))
        return ORDO_E_CANCELLED;
    *alike = !atomic_load_explicit(&work.differ, memory_order_relaxed);
    return ORDO_OK;
}
