/* polars.c - the expressions rank, argsort, top_k, median, quantile and rolling_median of Polars,
 * by its plugin interface.
 *
 * Results are those of Polars: nulls have no rank and are no observations, and NaN is the largest
 * number in both directions. Tied rows keep their order. */
#include "contexts.h"
#include "polars_call.h"
#include "ties.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum {
    VERSION_MINOR = 1 /* of the plugin interface; the major number is 0 */
};

/* ---- Errors ---- */

static _Thread_local char message[256];

ordo_status polars_fail(ordo_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return status;
}

EXPORT uint32_t    _polars_plugin_get_version(void);
EXPORT const char *_polars_plugin_get_last_error_message(void);

uint32_t _polars_plugin_get_version(void) { return VERSION_MINOR; }

const char *_polars_plugin_get_last_error_message(void) { return message; }

/* ---- One call ---- */

ordo_status polars_check(const call *c, ordo_status status)
{
    return status == ORDO_OK ? status : polars_fail(status, "%s", ordo_last_error(c->ctx));
}

void *polars_allocate(size_t n, size_t size)
{
    void *const memory = malloc(n * size + 1);
    if (memory == NULL)
        (void)polars_fail(ORDO_E_NOMEM, "%zu bytes are refused", n * size);
    return memory;
}

ordo_status polars_make_values(call *c, size_t n, size_t size)
{
    c->out.n = n;
    ALLOCATE(c->out.values, n, size);
    return ORDO_OK;
}

static ordo_type index_type(const call *c) { return c->options.wide ? ORDO_U64 : ORDO_U32; }

static size_t index_at(const call *c, const void *indices, size_t i)
{
    return c->options.wide ? (size_t)((const uint64_t *)indices)[i]
                           : ((const uint32_t *)indices)[i];
}

static void set_index(const call *c, void *indices, size_t i, size_t value)
{
    if (c->options.wide)
        ((uint64_t *)indices)[i] = value;
    else
        ((uint32_t *)indices)[i] = (uint32_t)value;
}

static ordo_status check_rows(const call *c)
{
    if (!c->options.wide && c->in.n > UINT32_MAX)
        return polars_fail(ORDO_E_UNSUPPORTED, "%zu rows need Polars with 64-bit indices", c->in.n);
    return ORDO_OK;
}

/* Moves the first `valid` of n elements to the places of the valid rows; others are 0. Inlined for
 * each size. */
static inline void spread(const uint8_t *validity, size_t n, size_t valid, size_t size, char *at)
{
    for (size_t row = n; row-- > 0;) {
        uint64_t   value = 0;
        bool const is_valid = polars_is_valid(validity, row);
        valid -= is_valid;
        memcpy(&value, at + valid * size, size);
        value = is_valid ? value : 0;
        memcpy(at + row * size, &value, size);
    }
}

/* The validity of the rows becomes that of the result. */
static void keep_nulls(call *c, size_t size)
{
    if (c->in.validity == NULL)
        return;
    if (size == 4)
        spread(c->in.validity, c->in.n, c->in.valid, 4, c->out.values);
    else
        spread(c->in.validity, c->in.n, c->in.valid, 8, c->out.values);
    c->out.validity = c->in.validity;
    c->out.nulls = c->in.n - c->in.valid;
    c->in.validity = NULL;
}

bool polars_has_nan(const polars_column *in)
{
    bool found = false;
    if (in->kind.is_text)
        return false;
    if (in->kind.type == ORDO_F32)
        for (size_t i = 0; i < in->valid; i++)
            found |= isnan(((const float *)in->keys)[i]);
    if (in->kind.type == ORDO_F64)
        for (size_t i = 0; i < in->valid; i++)
            found |= isnan(((const double *)in->keys)[i]);
    return found;
}

/* Replaces floats with NaNs by unsigned integers in their order, the NaNs last: the library has
 * NaNs last in descending order, too. */
static ordo_status order_floats(call *c)
{
    polars_column *const in = &c->in;
    void                *mapped;
    if (!polars_has_nan(in))
        return ORDO_OK;
    ALLOCATE(mapped, in->valid, ordo_type_size(in->kind.type));
    in->memory[1] = mapped;
    for (size_t i = 0; i < in->valid; i++)
        if (in->kind.type == ORDO_F32) {
            float const x = ((const float *)in->keys)[i] + 0.0f;
            uint32_t    bits;
            memcpy(&bits, &x, sizeof bits);
            bits = (bits >> 31) != 0 ? ~bits : bits | UINT32_C(1) << 31;
            ((uint32_t *)mapped)[i] = isnan(x) ? UINT32_MAX : bits;
        } else {
            double const x = ((const double *)in->keys)[i] + 0.0;
            uint64_t     bits;
            memcpy(&bits, &x, sizeof bits);
            bits = (bits >> 63) != 0 ? ~bits : bits | UINT64_C(1) << 63;
            ((uint64_t *)mapped)[i] = isnan(x) ? UINT64_MAX : bits;
        }
    in->kind.type = in->kind.type == ORDO_F32 ? ORDO_U32 : ORDO_U64;
    in->keys = mapped;
    return ORDO_OK;
}

static uint64_t direction(bool descending) { return descending ? ORDO_DESCENDING : 0; }

/* ---- rank ---- */

static ordo_status polars_rank(call *c)
{
    ordo_rank_opts opts = {.struct_size = sizeof opts, .flags = direction(c->options.descending)};
    const char *const method = c->options.method;
    if (!door_find_ties(method, strlen(method), &opts.ties))
        return polars_fail(ORDO_E_ARG, "rank method '%s' is not known", method);
    TRY(check_rows(c));
    ordo_type const type = opts.ties == ORDO_TIES_AVERAGE ? ORDO_F64 : index_type(c);
    TRY(polars_make_values(c, c->in.n, ordo_type_size(type)));
    if (c->options.descending)
        TRY(order_floats(c));
    TRY(polars_check(c, c->in.kind.is_text ? ordo_rank_strings(c->ctx, &c->in.strings, c->in.valid,
                                                               type, c->out.values, &opts)
                                           : ordo_rank(c->ctx, c->in.kind.type, c->in.keys,
                                                       c->in.valid, type, c->out.values, &opts)));
    keep_nulls(c, ordo_type_size(type));
    return ORDO_OK;
}

/* ---- argsort ---- */

/* Turns indices of valid rows into rows, and puts the other rows before or after them. */
static ordo_status place_nulls(const call *c, void *order)
{
    size_t const nulls = c->in.n - c->in.valid, first = c->options.nulls_last ? 0 : nulls;
    size_t      *rows, valid = 0, null_at = c->options.nulls_last ? c->in.valid : 0;
    if (c->in.validity == NULL)
        return ORDO_OK;
    ALLOCATE(rows, c->in.valid, sizeof *rows);
    for (size_t row = 0; row < c->in.n; row++)
        if (polars_is_valid(c->in.validity, row))
            rows[valid++] = row;
    for (size_t i = c->in.valid; i-- > 0;) /* from the end: places after i are free */
        set_index(c, order, first + i, rows[index_at(c, order, i)]);
    for (size_t row = 0; row < c->in.n; row++)
        if (!polars_is_valid(c->in.validity, row))
            set_index(c, order, null_at++, row);
    free(rows);
    return ORDO_OK;
}

static ordo_status polars_argsort(call *c)
{
    ordo_sort_opts const opts = {.struct_size = sizeof opts,
                                 .flags = direction(c->options.descending)};
    ordo_type const      type = index_type(c);
    TRY(check_rows(c));
    TRY(polars_make_values(c, c->in.n, ordo_type_size(type)));
    if (c->options.descending)
        TRY(order_floats(c));
    TRY(polars_check(c, c->in.kind.is_text
                            ? ordo_argsort_strings(c->ctx, &c->in.strings, c->in.valid, type,
                                                   c->out.values, &opts)
                            : ordo_argsort(c->ctx, c->in.kind.type, c->in.keys, c->in.valid, type,
                                           c->out.values, &opts)));
    return place_nulls(c, c->out.values);
}

/* ---- top_k ---- */

ordo_status polars_end_with_nulls(call *c, size_t found)
{
    if (found == c->out.n)
        return ORDO_OK;
    ALLOCATE(c->out.validity, c->out.n / 8 + 1, 1);
    memset(c->out.validity, 0, c->out.n / 8 + 1);
    for (size_t i = 0; i < found; i++)
        c->out.validity[i / 8] |= (uint8_t)(1 << i % 8);
    c->out.nulls = c->out.n - found;
    return ORDO_OK;
}

static ordo_status gather_strings(call *c, const uint64_t *index, size_t found, size_t n)
{
    const ordo_strings *const in = &c->in.strings;
    int64_t                  *offsets;
    size_t                    all = 0;
    TRY(polars_make_values(c, n + 1, sizeof *offsets));
    c->out.n = n;
    offsets = c->out.values;
    for (size_t i = 0; i < n; i++) {
        offsets[i] = (int64_t)all;
        if (i < found)
            all += in->offsets[index[i] + 1] - in->offsets[index[i]];
    }
    offsets[n] = (int64_t)all;
    ALLOCATE(c->out.bytes, all, 1);
    for (size_t i = 0; i < found; i++)
        memcpy(c->out.bytes + offsets[i], in->bytes + in->offsets[index[i]],
               (size_t)(offsets[i + 1] - offsets[i]));
    return ORDO_OK;
}

static ordo_status find_strings(call *c, size_t found, size_t n)
{
    ordo_sort_opts const opts = {.struct_size = sizeof opts,
                                 .flags = direction(c->options.descending)};
    uint64_t            *index;
    size_t              *k;
    ALLOCATE(index, found, sizeof *index);
    c->in.memory[2] = index;
    ALLOCATE(k, found, sizeof *k);
    for (size_t i = 0; i < found; i++)
        k[i] = i;
    ordo_status const status =
        ordo_select_strings(c->ctx, &c->in.strings, c->in.valid, k, found, index, &opts);
    free(k);
    TRY(polars_check(c, status));
    return gather_strings(c, index, found, n);
}

static ordo_status find_numbers(call *c, size_t found, size_t n)
{
    ordo_select_opts const opts = {.struct_size = sizeof opts,
                                   .flags = direction(c->options.descending)};
    size_t const           size = ordo_type_size(c->in.kind.type);
    const char *const      keys = c->in.keys; /* before they are replaced by integers */
    uint64_t              *index;
    TRY(polars_make_values(c, n, size));
    memset(c->out.values, 0, n * size);
    ALLOCATE(index, found, sizeof *index);
    c->in.memory[2] = index;
    if (c->options.descending)
        TRY(order_floats(c));
    TRY(polars_check(c, ordo_topk(c->ctx, c->in.kind.type, c->in.keys, c->in.valid, found, NULL,
                                  ORDO_U64, index, NULL, &opts)));
    for (size_t i = 0; i < found; i++)
        memcpy((char *)c->out.values + i * size, keys + index[i] * size, size);
    return ORDO_OK;
}

static ordo_status polars_top_k(call *c)
{
    if (c->options.k < 0)
        return polars_fail(ORDO_E_ARG, "k is %lld; expected 0 or more", (long long)c->options.k);
    size_t const n = (uint64_t)c->options.k < c->in.n ? (size_t)c->options.k : c->in.n;
    size_t const found = n < c->in.valid ? n : c->in.valid;
    TRY(c->in.kind.is_text ? find_strings(c, found, n) : find_numbers(c, found, n));
    return polars_end_with_nulls(c, found);
}

/* ---- The expressions ---- */

typedef struct expression {
    const char *name;
    ordo_status (*run)(call *);
    bool needs_numbers;
    /* The format of the result; NULL: that of the series. */
    const char *(*format)(const polars_options *, const arrow_schema *);
} expression;

static const char *index_format(const polars_options *options, const arrow_schema *field)
{
    (void)field;
    return options->wide ? "L" : "I";
}

static const char *rank_format(const polars_options *options, const arrow_schema *field)
{
    return strcmp(options->method, "average") == 0 ? "g" : index_format(options, field);
}

static const char *mean_format(const polars_options *options, const arrow_schema *field)
{
    (void)options;
    return strcmp(field->format, "f") == 0 ? "f" : "g";
}

/* Strings come as views and leave as offsets and bytes. */
static const char *same_format(const polars_options *options, const arrow_schema *field)
{
    (void)options;
    return strcmp(field->format, "vu") == 0   ? "U"
           : strcmp(field->format, "vz") == 0 ? "Z"
                                              : field->format;
}

static ordo_status check_input(const expression *e, const arrow_schema *field)
{
    polars_type type;
    bool const  known = polars_type_of(field, &type) &&
                       !(e->run == polars_top_k && strcmp(field->format, "b") == 0);
    if (!known || (e->needs_numbers && !type.is_number))
        return polars_fail(ORDO_E_UNSUPPORTED, "ordo.%s does not take column '%s'; expected %s",
                           e->name, field->name,
                           e->needs_numbers ? "integers, floats or booleans"
                                            : "numbers, dates, times, strings or binary data");
    return ORDO_OK;
}

static ordo_status read_options(const uint8_t *bytes, size_t count, polars_options *options)
{
    if (!polars_read_options(bytes, count, options))
        return polars_fail(ORDO_E_ARG,
                           "the keyword arguments are not those of this version of ordo");
    return ORDO_OK;
}

static ordo_status run_on(const expression *e, call *c, const polars_series *in, polars_series *out)
{
    door_context context;
    TRY(check_input(e, in->field));
    ordo_status status = polars_read_column(in, &c->in);
    if (status != ORDO_OK)
        return polars_fail(status, "there is no memory for %zu rows", c->in.n);
    c->out.name = in->field->name;
    c->out.format = e->format(&c->options, in->field);
    status = door_borrow(c->in.n, &context);
    if (status != ORDO_OK)
        return polars_fail(status, "%s", ordo_last_error(NULL));
    c->ctx = context.ctx;
    status = e->run(c);
    door_return(context);
    if (status == ORDO_OK && polars_export(&c->out, out) != ORDO_OK)
        return polars_fail(ORDO_E_NOMEM, "there is no memory for the result");
    if (status != ORDO_OK) {
        free(c->out.validity);
        free(c->out.values);
        free(c->out.bytes);
    }
    return status;
}

static void run(const expression *e, polars_series *in, size_t count, const uint8_t *kwargs,
                size_t kwargs_size, polars_series *out)
{
    call c = {0};
    memset(out, 0, sizeof *out);
    if (read_options(kwargs, kwargs_size, &c.options) == ORDO_OK)
        (void)run_on(e, &c, in, out);
    polars_free_column(&c.in);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < in[i].count; j++)
            if (in[i].chunks[j]->release != NULL)
                in[i].chunks[j]->release(in[i].chunks[j]);
        if (in[i].release != NULL)
            in[i].release(&in[i]);
    }
}

static void describe(const expression *e, const arrow_schema *fields, const uint8_t *kwargs,
                     size_t kwargs_size, arrow_schema *out)
{
    polars_options options;
    memset(out, 0, sizeof *out);
    if (read_options(kwargs, kwargs_size, &options) == ORDO_OK &&
        check_input(e, fields) == ORDO_OK &&
        !polars_export_field(fields->name, e->format(&options, fields), out))
        (void)polars_fail(ORDO_E_NOMEM, "there is no memory for a name");
}

#define EXPRESSION(NAME, needs_numbers, format)                                                    \
    EXPORT void _polars_plugin_##NAME(polars_series *in, size_t count, const uint8_t *kwargs,      \
                                      size_t kwargs_size, polars_series *out, const void *caller); \
    EXPORT void _polars_plugin_field_##NAME(const arrow_schema *fields, size_t count,              \
                                            arrow_schema *out, const uint8_t *kwargs,              \
                                            size_t kwargs_size);                                   \
    static const expression NAME##_expression = {#NAME, polars_##NAME, needs_numbers, format};     \
    void _polars_plugin_##NAME(polars_series *in, size_t count, const uint8_t *kwargs,             \
                               size_t kwargs_size, polars_series *out, const void *caller)         \
    {                                                                                              \
        (void)caller;                                                                              \
        run(&NAME##_expression, in, count, kwargs, kwargs_size, out);                              \
    }                                                                                              \
    void _polars_plugin_field_##NAME(const arrow_schema *fields, size_t count, arrow_schema *out,  \
                                     const uint8_t *kwargs, size_t kwargs_size)                    \
    {                                                                                              \
        (void)count;                                                                               \
        describe(&NAME##_expression, fields, kwargs, kwargs_size, out);                            \
    }

EXPRESSION(rank, false, rank_format)
EXPRESSION(argsort, false, index_format)
EXPRESSION(top_k, false, same_format)
EXPRESSION(median, true, mean_format)
EXPRESSION(quantile, true, mean_format)
EXPRESSION(rolling_median, true, mean_format)
