/* torch_select.c - the operators median, quantile and cumsum of PyTorch. */
#include "torch.h"

#include <math.h>
#include <string.h>

/* ---- Results with one element for each row ---- */

/* The rows of an optional dimension; without it all elements are one row. */
static ordo_status read_rows(call *c, torch_tensor *x, bool has_dim, int64_t dim, rows *out)
{
    return has_dim ? rows_moved(c, x, dim, out) : rows_flat(c, x, out);
}

/* The sizes of a tensor with one element for each row. Returns how many sizes there are. */
static int64_t reduced_sizes(const rows *r, bool has_dim, bool keepdim, int64_t *out)
{
    int64_t dims = 0;
    for (int64_t i = 0; i < r->dims; i++) {
        bool const gone = !has_dim || i == r->from;
        if (!gone)
            out[dims++] = r->sizes[i < r->from ? i : i - 1];
        else if (keepdim)
            out[dims++] = 1;
    }
    return dims;
}

static ordo_status need_elements(const rows *r, const char *name)
{
    return r->length > 0
               ? ORDO_OK
               : call_fail(ORDO_E_ARG, "%s: a row has no elements; expected 1 or more", name);
}

/* The segments of a call with a few results for each row. On a GPU a call without segments waits
 * for the number of NaNs, and writes quantiles to host memory. */
static const ordo_segments *reduced_segments(const call *c, const rows *r)
{
    return c->flags != 0 ? &r->segments : rows_segments(r);
}

/* ---- median ---- */

/* Whether f32 keys take the place of f16 or bf16. */
static bool is_half(const rows *r)
{
    return r->type == ORDO_F32 && r->dtype != aoti_torch_dtype_float32();
}

/* Writes the lower median of each row, or NaN if the row has one, as keys to a tensor of some
 * sizes. */
static ordo_status select_medians(call *c, const rows *r, int64_t dims, const int64_t *sizes,
                                  torch_tensor **out)
{
    ordo_select_opts const opts = {.struct_size = sizeof opts,
                                   .flags = c->flags,
                                   .nans = r->is_float ? ORDO_NANS_PROPAGATE : ORDO_NANS_LAST,
                                   .stream = c->stream,
                                   .segments = reduced_segments(c, r)};
    void                  *to;
    TRY(need_elements(r, "median"));
    size_t const k = (r->length - 1) / 2;
    TRY(tensor_make(c, dims, sizes, is_half(r) ? aoti_torch_dtype_float32() : r->dtype, out));
    TRY(tensor_data(*out, &to));
    if (r->count > 0)
        TRY(call_check_ordo(c, ordo_select(c->ctx, r->type, r->keys, r->all, &k, 1, to, &opts)));
    return ORDO_OK;
}

/* median(Tensor x) */
ordo_status operator_median(call *c)
{
    torch_tensor *const x = argument_tensor(c, 0);
    torch_tensor       *values;
    rows                r;
    TRY(rows_flat(c, x, &r));
    TRY(select_medians(c, &r, 0, NULL, &values));
    if (is_half(&r))
        TRY(tensor_convert(c, values, r.dtype, &values));
    return tensor_return(c, 0, values);
}

static inline size_t find_bits(const char *row, size_t size, const char *value)
{
    size_t i = 0;
    while (memcmp(row + i * size, value, size) != 0)
        i++;
    return i;
}

/* The index of the first key of a row that ties with a median, which is one of its keys. */
static size_t find_first(ordo_type type, const char *row, const char *median)
{
    size_t i = 0;
    if (type == ORDO_F32) {
        const float *const keys = (const void *)row;
        float              value;
        memcpy(&value, median, sizeof value);
        while (!(keys[i] == value || isnan(keys[i])))
            i++;
        return i;
    }
    if (type == ORDO_F64) {
        const double *const keys = (const void *)row;
        double              value;
        memcpy(&value, median, sizeof value);
        while (!(keys[i] == value || isnan(keys[i])))
            i++;
        return i;
    }
    switch (ordo_type_size(type)) { /* inlined for each size */
    case 1:
        return find_bits(row, 1, median);
    case 2:
        return find_bits(row, 2, median);
    case 4:
        return find_bits(row, 4, median);
    default:
        return find_bits(row, 8, median);
    }
}

/* The index of the first element of each row that is the median, on the CPU. A row with a NaN has
 * the median NaN, so the first NaN ends the search, too. */
static ordo_status search_medians(const rows *r, torch_tensor *medians, torch_tensor *index)
{
    size_t const size = ordo_type_size(r->type);
    void        *values, *to;
    TRY(tensor_data(medians, &values));
    TRY(tensor_data(index, &to));
    for (size_t i = 0; i < r->count; i++)
        ((int64_t *)to)[i] = (int64_t)find_first(
            r->type, (const char *)r->keys + i * r->length * size, (const char *)values + i * size);
    return ORDO_OK;
}

/* The same on a GPU. */
static ordo_status mark_medians(call *c, const rows *r, torch_tensor *medians, torch_tensor **out)
{
    torch_tensor *is, *nans;
    int64_t       sizes[MOST_DIMS];
    memcpy(sizes, r->sizes, sizeof sizes);
    if (r->dims > 0)
        sizes[r->dim] = 1;
    TRY(tensor_shape(c, medians, r->dims, sizes, &medians));
    TRY(tensor_apply(c, "aten::eq", "Tensor", r->tensor, medians, &is));
    if (r->is_float) {
        TRY(tensor_apply(c, "aten::isnan", "", r->tensor, NULL, &nans));
        TRY(tensor_apply(c, "aten::logical_or", "", is, nans, &is));
    }
    return torch_first_of_flags(c, r, is, r->length, 1, out);
}

/* argmedian(Tensor x, int dim): the index of the lower median, with the dimension of the row. */
ordo_status operator_argmedian(call *c)
{
    torch_tensor *const x = argument_tensor(c, 0);
    torch_tensor       *values, *index;
    int64_t             sizes[MOST_DIMS];
    rows                r;
    TRY(rows_moved(c, x, (int64_t)c->arguments[1], &r));
    int64_t const dims = reduced_sizes(&r, true, true, sizes);
    TRY(select_medians(c, &r, dims, sizes, &values));
    if (r.count > 0 && c->flags != 0) {
        TRY(mark_medians(c, &r, values, &index));
        TRY(tensor_shape(c, index, dims, sizes, &index));
    } else {
        TRY(tensor_make(c, dims, sizes, aoti_torch_dtype_int64(), &index));
        TRY(search_medians(&r, values, index));
    }
    return tensor_return(c, 0, index);
}

/* ---- quantile ---- */

enum {
    MOST_ON_GPU = 512 /* numbers q that the library copies before a call returns */
};

typedef struct quantiles {
    const double *q;
    size_t        count;
    bool          is_list; /* the result has a dimension for q */
    bool          has_dim, keepdim;
    int64_t       dim;
    char          method[32];
} quantiles;

static ordo_status find_method(const quantiles *o, uint32_t *out)
{
    static const ordo_method methods[] = {ORDO_METHOD_LINEAR, ORDO_METHOD_LOWER, ORDO_METHOD_HIGHER,
                                          ORDO_METHOD_MIDPOINT, ORDO_METHOD_NEAREST};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(o->method, ordo_method_name(methods[i])) == 0) {
            *out = methods[i];
            return ORDO_OK;
        }
    return call_fail(ORDO_E_ARG,
                     "interpolation is '%s'; expected one of linear, lower, higher, "
                     "midpoint, nearest",
                     o->method);
}

static ordo_status check_quantiles(const call *c, const quantiles *o)
{
    if (c->flags != 0 && o->count > MOST_ON_GPU)
        return call_fail(ORDO_E_UNSUPPORTED, "q has %zu elements; expected at most %d on a GPU",
                         o->count, MOST_ON_GPU);
    for (size_t i = 0; i < o->count; i++)
        if (!(o->q[i] >= 0 && o->q[i] <= 1))
            return call_fail(ORDO_E_ARG, "quantile() q is %g; expected numbers in the range [0, 1]",
                             o->q[i]);
    return ORDO_OK;
}

/* Writes the quantiles of a row next to each other, and returns a view with q first. */
static ordo_status select_quantiles(call *c, torch_tensor *x, const quantiles *o)
{
    ordo_quantile_opts opts = {.struct_size = sizeof opts, .nans = ORDO_NANS_PROPAGATE};
    torch_tensor      *out;
    int64_t            sizes[MOST_DIMS + 1];
    void              *to;
    rows               r;
    TRY(find_method(o, &opts.method));
    TRY(read_rows(c, x, o->has_dim, o->dim, &r));
    TRY(need_elements(&r, "quantile"));
    TRY(check_quantiles(c, o));
    int64_t dims = reduced_sizes(&r, o->has_dim, o->keepdim, sizes);
    if (o->is_list)
        sizes[dims++] = (int64_t)o->count;
    TRY(tensor_make(c, dims, sizes, aoti_torch_dtype_float64(), &out));
    TRY(tensor_data(out, &to));
    opts.flags = c->flags;
    opts.stream = c->stream;
    opts.segments = reduced_segments(c, &r);
    if (r.count > 0)
        TRY(call_check_ordo(
            c, ordo_quantiles(c->ctx, r.type, r.keys, r.all, o->q, o->count, to, &opts)));
    if (r.is_float && r.dtype != aoti_torch_dtype_float64())
        TRY(tensor_convert(c, out, r.dtype, &out));
    if (o->is_list && dims > 1)
        TRY(tensor_move(c, out, dims - 1, 0, &out));
    return tensor_return(c, 0, out);
}

static ordo_status read_options(call *c, quantiles *out)
{
    out->has_dim = argument_optional(c, 2, &out->dim);
    out->keepdim = (bool)c->arguments[3];
    return argument_string(c, 4, out->method, sizeof out->method);
}

/* quantile.scalar(Tensor x, float q, int? dim, bool keepdim, str interpolation) */
ordo_status operator_quantile_scalar(call *c)
{
    torch_tensor *const x = argument_tensor(c, 0);
    double const        q = argument_double(c, 1);
    quantiles           o = {.q = &q, .count = 1};
    TRY(read_options(c, &o));
    return select_quantiles(c, x, &o);
}

/* torch.quantile refuses tensors on two devices, too. */
static ordo_status need_one_device(torch_tensor *x, torch_tensor *q)
{
    int32_t types[2], indices[2];
    TRY_TORCH(aoti_torch_get_device_type(x, &types[0]));
    TRY_TORCH(aoti_torch_get_device_type(q, &types[1]));
    TRY_TORCH(aoti_torch_get_device_index(x, &indices[0]));
    TRY_TORCH(aoti_torch_get_device_index(q, &indices[1]));
    if (types[0] == types[1] &&
        (indices[0] == indices[1] || types[0] == aoti_torch_device_type_cpu()))
        return ORDO_OK;
    return call_fail(ORDO_E_ARG, "quantile() x and q are on two devices; expected one");
}

/* quantile(Tensor x, Tensor q, int? dim, bool keepdim, str interpolation): waits for q if that is
 * on a GPU. */
ordo_status operator_quantile(call *c)
{
    torch_tensor *const x = argument_tensor(c, 0), *const q = argument_tensor(c, 1);
    torch_tensor *numbers;
    quantiles     o = {0};
    int64_t       dims, count, *sizes;
    void         *data;
    TRY(read_options(c, &o));
    TRY(need_one_device(x, q));
    TRY_TORCH(aoti_torch_get_dim(q, &dims));
    TRY_TORCH(aoti_torch_get_sizes(q, &sizes));
    TRY_TORCH(aoti_torch_get_numel(q, &count));
    if (dims > 1)
        return call_fail(ORDO_E_ARG,
                         "quantile() q has %lld dimensions; expected a number or 1 dimension",
                         (long long)dims);
    c->device_type = aoti_torch_device_type_cpu();
    c->device_index = -1;
    TRY(tensor_make(c, dims, sizes, aoti_torch_dtype_float64(), &numbers));
    TRY_TORCH(aoti_torch_copy_(numbers, q, 0));
    TRY(tensor_data(numbers, &data));
    o.q = data;
    o.count = (size_t)count;
    o.is_list = dims == 1;
    return select_quantiles(c, x, &o);
}

/* ---- cumsum ---- */

/* The dtype of the sums: integers are summed in 64 bits if the caller names no dtype. */
static int32_t sum_dtype(int32_t dtype)
{
    bool const is_float =
        dtype == aoti_torch_dtype_float64() || dtype == aoti_torch_dtype_float32() ||
        dtype == aoti_torch_dtype_float16() || dtype == aoti_torch_dtype_bfloat16();
    return is_float ? dtype : aoti_torch_dtype_int64();
}

/* cumsum(Tensor x, int dim, ScalarType? dtype) */
ordo_status operator_cumsum(call *c)
{
    torch_tensor *x = argument_tensor(c, 0), *sums;
    int64_t       wanted = 0;
    bool const    has_dtype = argument_optional(c, 2, &wanted);
    int32_t       dtype;
    void         *to;
    rows          r;
    TRY_TORCH(aoti_torch_get_dtype(x, &dtype));
    TRY_TORCH(aoti_torch_get_device_type(x, &c->device_type));
    TRY_TORCH(aoti_torch_get_device_index(x, &c->device_index));
    if (has_dtype && (int32_t)wanted != dtype)
        TRY(tensor_convert(c, x, (int32_t)wanted, &x));
    TRY(rows_along(c, x, (int64_t)c->arguments[1], &r));
    int32_t const        out = has_dtype ? (int32_t)wanted : sum_dtype(dtype);
    ordo_type const      type = out == aoti_torch_dtype_int64() ? ordo_type_wide(r.type) : r.type;
    ordo_scan_opts const opts = {.struct_size = sizeof opts,
                                 .flags = c->flags,
                                 .stream = c->stream,
                                 .segments = rows_segments(&r)};
    TRY(tensor_make_like(c, &r, r.length, is_half(&r) ? aoti_torch_dtype_float32() : out, &sums));
    TRY(tensor_data(sums, &to));
    if (r.all > 0)
        TRY(call_check_ordo(c,
                            ordo_scan(c->ctx, ORDO_SUM, r.type, r.keys, r.all, type, to, &opts)));
    if (is_half(&r))
        TRY(tensor_convert(c, sums, out, &sums));
    return tensor_return(c, 0, sums);
}
