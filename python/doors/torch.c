/* torch.c - the operators torch.ops.ordo.sort, argsort, topk, argtopk and rank of PyTorch, and the
 * list of all operators, by PyTorch's stable C interface.
 *
 * Results are those of PyTorch's functions: NaN is the largest number in both directions, and tied
 * elements are in the order of their indices. The library has NaNs last in descending order, too,
 * so a second, short step moves them. Work on a GPU is only enqueued on the current stream. */
#include "torch.h"

#include <math.h>
#include <string.h>

/* ---- The order of rows ---- */

static bool is_nan(const rows *r, size_t i)
{
    return r->type == ORDO_F32 ? isnan(((const float *)r->keys)[i])
                               : isnan(((const double *)r->keys)[i]);
}

/* Whether the last element of a row is a NaN. Tells it without a look only for CPU memory. */
static bool may_end_with_nan(const call *c, const rows *r, const int64_t *index)
{
    const ordo_segments *const s = &r->segments;
    size_t const               step = s->step > 0 ? s->step : 1;
    if (!r->is_float || r->length == 0)
        return false;
    if (c->flags != 0)
        return true;
    for (size_t i = 0; i < r->count; i++) {
        size_t const start =
            s->group > 0 ? i / s->group * s->group_stride + i % s->group : i * r->length;
        size_t const last = (size_t)index[start + (r->length - 1) * step];
        if (is_nan(r, start + last * step))
            return true;
    }
    return false;
}

static ordo_status argsort_keys(call *c, const rows *r, ordo_type type, const void *keys,
                                uint64_t flags, torch_tensor *index)
{
    ordo_sort_opts const opts = {.struct_size = sizeof opts,
                                 .flags = flags | c->flags,
                                 .stream = c->stream,
                                 .segments = rows_segments(r)};
    void                *to;
    TRY(tensor_data(index, &to));
    return call_check_ordo(c, ordo_argsort(c->ctx, type, keys, r->all, ORDO_U64, to, &opts));
}

/* Moves the NaNs of each row from the end to the start, by a sort of one flag per element. */
static ordo_status move_nans(call *c, const rows *r, torch_tensor **index)
{
    torch_tensor *values, *flags, *order;
    void         *data;
    TRY(tensor_take(c, r->tensor, r->dim, *index, &values));
    TRY(tensor_apply(c, "aten::isnan", "", values, NULL, &flags));
    TRY(tensor_data(flags, &data));
    TRY(tensor_make_like(c, r, r->length, aoti_torch_dtype_int64(), &order));
    TRY(argsort_keys(c, r, ORDO_U8, data, ORDO_DESCENDING, order));
    return tensor_take(c, *index, r->dim, order, index);
}

static ordo_status order_rows(call *c, const rows *r, bool descending, torch_tensor **index)
{
    void *data;
    TRY(tensor_make_like(c, r, r->length, aoti_torch_dtype_int64(), index));
    if (r->all == 0)
        return ORDO_OK;
    TRY(argsort_keys(c, r, r->type, r->keys, descending ? ORDO_DESCENDING : 0, *index));
    TRY(tensor_data(*index, &data));
    return descending && may_end_with_nan(c, r, data) ? move_nans(c, r, index) : ORDO_OK;
}

/* ---- sort, argsort ---- */

/* argsort(Tensor x, int dim, bool descending, bool stable): every sort is stable. */
static ordo_status operator_argsort(call *c)
{
    torch_tensor *const x = argument_tensor(c, 0);
    torch_tensor       *index;
    rows                r;
    TRY(rows_along(c, x, (int64_t)c->arguments[1], &r));
    TRY(order_rows(c, &r, (bool)c->arguments[2], &index));
    return tensor_return(c, 0, index);
}

/* ---- topk ---- */

static ordo_status topk_keys(call *c, const rows *r, ordo_type type, const void *keys, size_t n,
                             size_t k, uint64_t flags, torch_tensor **index)
{
    ordo_segments const segments = {.struct_size = sizeof segments, .count = r->count, .length = n};
    ordo_select_opts const opts = {.struct_size = sizeof opts,
                                   .flags = flags | c->flags,
                                   .stream = c->stream,
                                   .segments = r->count == 1 ? NULL : &segments};
    void                  *to;
    TRY(tensor_make_like(c, r, k, aoti_torch_dtype_int64(), index));
    TRY(tensor_data(*index, &to));
    return call_check_ordo(
        c, ordo_topk(c->ctx, type, keys, r->count * n, k, NULL, ORDO_U64, to, NULL, &opts));
}

ordo_status torch_first_of_flags(call *c, const rows *r, torch_tensor *flags, size_t n, size_t k,
                                 torch_tensor **index)
{
    void *data;
    TRY(tensor_data(flags, &data));
    return topk_keys(c, r, ORDO_U8, data, n, k, ORDO_DESCENDING, index);
}

/* The NaNs of each row, then its largest numbers. The candidates are k elements of each kind. Their
 * flags are 1 for NaNs and for all numbers, and 0 for numbers among the candidates for NaNs. */
static ordo_status topk_nans_first(call *c, const rows *r, size_t k, torch_tensor *numbers,
                                   torch_tensor **index)
{
    torch_tensor *nans, *flags, *is, *all, *order;
    TRY(tensor_apply(c, "aten::isnan", "", r->tensor, NULL, &flags));
    TRY(torch_first_of_flags(c, r, flags, r->length, k, &nans));
    TRY(tensor_take(c, flags, r->dim, nans, &is));
    TRY(tensor_apply(c, "aten::eq", "Tensor", numbers, numbers, &all));
    TRY(tensor_join(c, is, all, r->dim, &flags));
    TRY(tensor_join(c, nans, numbers, r->dim, &all));
    TRY(torch_first_of_flags(c, r, flags, 2 * k, k, &order));
    return tensor_take(c, all, r->dim, order, index);
}

/* Reads CPU memory once; a GPU is not asked. */
static bool may_have_nans(const call *c, const rows *r)
{
    enum {
        BLOCK = 4096
    };
    if (!r->is_float || c->flags != 0)
        return r->is_float;
    for (size_t lo = 0; lo < r->all; lo += BLOCK) {
        size_t const hi = lo + BLOCK < r->all ? lo + BLOCK : r->all;
        bool         found = false;
        if (r->type == ORDO_F32)
            for (size_t i = lo; i < hi; i++)
                found |= isnan(((const float *)r->keys)[i]);
        else
            for (size_t i = lo; i < hi; i++)
                found |= isnan(((const double *)r->keys)[i]);
        if (found)
            return true;
    }
    return false;
}

/* argtopk(Tensor x, int k, int dim, bool largest, bool sorted): the result is always sorted. */
static ordo_status operator_argtopk(call *c)
{
    torch_tensor *const x = argument_tensor(c, 0);
    int64_t const       k = (int64_t)c->arguments[1];
    bool const          largest = (bool)c->arguments[3];
    torch_tensor       *index;
    rows                r;
    TRY(rows_moved(c, x, (int64_t)c->arguments[2], &r));
    if (k < 0 || (uint64_t)k > r.length)
        return call_fail(ORDO_E_ARG,
                         "k is %lld; expected a number from 0 to %zu, the elements of a row",
                         (long long)k, r.length);
    if (r.count == 0 || k == 0) {
        TRY(tensor_make_like(c, &r, (size_t)k, aoti_torch_dtype_int64(), &index));
    } else {
        TRY(topk_keys(c, &r, r.type, r.keys, r.length, (size_t)k, largest ? ORDO_DESCENDING : 0,
                      &index));
        if (largest && r.length > 1 && may_have_nans(c, &r))
            TRY(topk_nans_first(c, &r, (size_t)k, index, &index));
    }
    if (r.from != r.dim)
        TRY(tensor_move(c, index, r.dim, r.from, &index));
    return tensor_return(c, 0, index);
}

/* ---- Elements and their indices ---- */

/* An operator that finds indices, and the elements there. Only the second step has a gradient. */
static ordo_status take_found(call *c, const char *name, torch_value *stack, int64_t dim)
{
    torch_tensor *const x = argument_tensor(c, 0);
    torch_tensor       *index, *values;
    TRY(tensor_lend(x, &stack[0]));
    TRY(tensor_call(c, name, "", stack, &index));
    TRY(tensor_take(c, x, dim, index, &values));
    TRY(tensor_return(c, 0, values));
    return tensor_return(c, 1, index);
}

/* sort(Tensor x, int dim, bool descending, bool stable) */
static ordo_status operator_sort(call *c)
{
    torch_value stack[] = {0, c->arguments[1], c->arguments[2], c->arguments[3]};
    return take_found(c, "ordo::argsort", stack, (int64_t)c->arguments[1]);
}

/* topk(Tensor x, int k, int dim, bool largest, bool sorted) */
static ordo_status operator_topk(call *c)
{
    torch_value stack[] = {0, c->arguments[1], c->arguments[2], c->arguments[3], c->arguments[4]};
    return take_found(c, "ordo::argtopk", stack, (int64_t)c->arguments[2]);
}

/* median.dim(Tensor x, int dim, bool keepdim) */
static ordo_status operator_median_dim(call *c)
{
    torch_value stack[] = {0, c->arguments[1]};
    TRY(take_found(c, "ordo::argmedian", stack, (int64_t)c->arguments[1]));
    for (size_t i = 0; i < 2 && !(bool)c->arguments[2]; i++) {
        torch_value   squeeze[] = {0, c->arguments[1]};
        torch_tensor *result = c->results[i];
        c->results[i] = NULL;
        TRY(tensor_own(c, result));
        TRY(tensor_lend(result, &squeeze[0]));
        TRY(tensor_call(c, "aten::squeeze", "dim", squeeze, &result));
        TRY(tensor_return(c, i, result));
    }
    return ORDO_OK;
}

/* ---- rank ---- */

static ordo_status find_ties(const char *method, uint32_t *out)
{
    static const char *const names[] = {"min", "max", "dense", "ordinal", "average"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(method, names[i]) == 0) {
            *out = i;
            return ORDO_OK;
        }
    return call_fail(ORDO_E_ARG,
                     "method is '%s'; expected one of min, max, dense, ordinal, average", method);
}

/* rank(Tensor x, int dim, str method) */
static ordo_status operator_rank(call *c)
{
    torch_tensor *const x = argument_tensor(c, 0);
    ordo_rank_opts      opts = {.struct_size = sizeof opts};
    char                method[32];
    torch_tensor       *ranks;
    void               *to;
    rows                r;
    TRY(argument_string(c, 2, method, sizeof method));
    TRY(find_ties(method, &opts.ties));
    TRY(rows_along(c, x, (int64_t)c->arguments[1], &r));
    bool const is_average = opts.ties == ORDO_TIES_AVERAGE;
    TRY(tensor_make_like(c, &r, r.length,
                         is_average ? aoti_torch_dtype_float64() : aoti_torch_dtype_int64(),
                         &ranks));
    TRY(tensor_data(ranks, &to));
    opts.flags = c->flags;
    opts.stream = c->stream;
    opts.segments = rows_segments(&r);
    if (r.all > 0)
        TRY(call_check_ordo(c, ordo_rank(c->ctx, r.type, r.keys, r.all,
                                         is_average ? ORDO_F64 : ORDO_U64, to, &opts)));
    return tensor_return(c, 0, ranks);
}

/* ---- Registration ---- */

#define OPERATOR(NAME)                                                                             \
    static void NAME##_kernel(torch_value *stack, uint64_t inputs, uint64_t outputs)               \
    {                                                                                              \
        call_run(operator_##NAME, stack, inputs, outputs);                                         \
    }

OPERATOR(argmedian)
OPERATOR(argsort)
OPERATOR(argtopk)
OPERATOR(cumsum)
OPERATOR(median)
OPERATOR(median_dim)
OPERATOR(quantile)
OPERATOR(quantile_scalar)
OPERATOR(rank)
OPERATOR(sort)
OPERATOR(topk)

#define DIRECTION "int dim=-1, bool descending=False, bool stable=True"
#define FIRST "int k, int dim=-1, bool largest=True, bool sorted=True"
#define QUANTILE "int? dim=None, bool keepdim=False, *, str interpolation='linear'"
#define PAIR "(Tensor values, Tensor indices)"

/* A composite calls other operators, whose gradients and devices it has. */
static const struct {
    const char   *name, *schema;
    torch_kernel *kernel;
    bool          is_composite;
} operators[] = {
    {"argmedian", "argmedian(Tensor x, int dim) -> Tensor", argmedian_kernel, false},
    {"argsort", "argsort(Tensor x, " DIRECTION ") -> Tensor", argsort_kernel, false},
    {"argtopk", "argtopk(Tensor x, " FIRST ") -> Tensor", argtopk_kernel, false},
    {"cumsum", "cumsum(Tensor x, int dim, *, ScalarType? dtype=None) -> Tensor", cumsum_kernel,
     false},
    {"median", "median(Tensor x) -> Tensor", median_kernel, false},
    {"median.dim", "median.dim(Tensor x, int dim, bool keepdim=False) -> " PAIR, median_dim_kernel,
     true},
    {"quantile", "quantile(Tensor x, Tensor q, " QUANTILE ") -> Tensor", quantile_kernel, false},
    {"quantile.scalar", "quantile.scalar(Tensor x, float q, " QUANTILE ") -> Tensor",
     quantile_scalar_kernel, false},
    {"rank", "rank(Tensor x, int dim=-1, str method='average') -> Tensor", rank_kernel, false},
    {"sort", "sort(Tensor x, " DIRECTION ") -> " PAIR, sort_kernel, true},
    {"topk", "topk(Tensor x, " FIRST ") -> " PAIR, topk_kernel, true},
};

static void must(torch_error error, const char *what)
{
    aoti_torch_check(error == 0, __func__, __FILE__, __LINE__, what);
}

static void implement(const char *key, bool are_composite)
{
    torch_library *library;
    must(aoti_torch_library_init_impl("ordo", key, __FILE__, __LINE__, &library), key);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].is_composite == are_composite)
            must(torch_library_impl(library, operators[i].name, operators[i].kernel,
                                    TORCH_VERSION_2_10),
                 operators[i].name);
}

/* Registers the operators when the module is loaded. They stay until the process ends. */
__attribute__((constructor)) static void register_operators(void)
{
    torch_library *library;
    must(aoti_torch_library_init_def("ordo", __FILE__, __LINE__, &library), "ordo");
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        must(aoti_torch_library_def(library, operators[i].schema), operators[i].schema);
    implement("CPU", false);
    implement("CUDA", false);
    implement("CompositeImplicitAutograd", true);
}
