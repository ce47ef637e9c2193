/* torch_call.c - the frame of a call: arguments, context, results, errors. */
#include "torch_call.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_DEVICES = 64,
    KEPT = 4 /* contexts of a GPU that wait for the next call, at most */
};

static _Thread_local char message[512];
static _Thread_local bool is_thrown; /* an operator that this one called threw the message */

ordo_status call_fail(ordo_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

ordo_status call_check_torch(torch_error error, const char *what)
{
    if (error == 0)
        return ORDO_OK;
    if (torch_exception_get_what_without_backtrace != NULL)
        return call_fail(ORDO_E_ARG, "%s", torch_exception_get_what_without_backtrace());
    if (is_thrown)
        return ORDO_E_ARG; /* not every PyTorch keeps the message of an exception */
    return call_fail(ORDO_E_ARG, "PyTorch failed in %s", what);
}

ordo_status call_check_ordo(const call *c, ordo_status status)
{
    return status == ORDO_OK ? status : call_fail(status, "%s", ordo_last_error(c->ctx));
}

/* ---- Arguments ---- */

torch_tensor *argument_tensor(call *c, size_t i)
{
    torch_tensor *tensor;
    memcpy(&tensor, &c->arguments[i], sizeof tensor);
    c->owned[c->owned_count++] = tensor; /* there are at most two */
    return tensor;
}

double argument_double(const call *c, size_t i)
{
    double number;
    memcpy(&number, &c->arguments[i], sizeof number);
    return number;
}

bool argument_optional(call *c, size_t i, int64_t *out)
{
    torch_value *value;
    memcpy(&value, &c->arguments[i], sizeof value);
    if (value == NULL)
        return false;
    *out = (int64_t)*value;
    torch_free_value(value);
    return true;
}

ordo_status argument_string(call *c, size_t i, char *out, size_t size)
{
    torch_string *string;
    const char   *text = "";
    memcpy(&string, &c->arguments[i], sizeof string);
    torch_error const error = torch_string_c_str(string, &text);
    if (error == 0)
        snprintf(out, size, "%s", text);
    TRY_TORCH(torch_delete_string(string));
    return call_check_torch(error, "torch_string_c_str");
}

/* ---- Contexts ---- */

static _Atomic(ordo_ctx *) on_gpu[MOST_DEVICES][KEPT];

static ordo_status borrow_gpu(call *c)
{
    static _Atomic(torch_get_stream *) get_stream;
    torch_get_stream                  *get = atomic_load(&get_stream);
    if (c->device_index < 0 || c->device_index >= MOST_DEVICES)
        return call_fail(ORDO_E_ARG, "the tensor is on GPU %d; expected 0 to %d", c->device_index,
                         MOST_DEVICES - 1);
    if (get == NULL) {
        void *const library = dlopen("libtorch_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
        void *const found = library != NULL ? dlsym(library, TORCH_GET_STREAM) : NULL;
        if (found == NULL)
            return call_fail(ORDO_E_UNSUPPORTED, "this PyTorch has no streams of CUDA");
        memcpy(&get, &found, sizeof get);
        atomic_store(&get_stream, get);
    }
    TRY_TORCH(get(c->device_index, &c->stream));
    c->flags = ORDO_ON_DEVICE;
    for (size_t i = 0; i < KEPT && c->ctx == NULL; i++)
        c->ctx = atomic_exchange(&on_gpu[c->device_index][i], NULL);
    if (c->ctx != NULL)
        return ORDO_OK;
    ordo_ctx_opts const opts = {
        .struct_size = sizeof opts, .where = ORDO_CUDA, .device = (uint64_t)c->device_index + 1};
    return call_check_ordo(c, ordo_ctx_create(&c->ctx, &opts));
}

static void give_back(call *c)
{
    if (c->ctx == NULL)
        return;
    if (c->flags == 0) {
        door_return(c->lent);
        return;
    }
    for (size_t i = 0; i < KEPT; i++) {
        ordo_ctx *empty = NULL;
        if (atomic_compare_exchange_strong(&on_gpu[c->device_index][i], &empty, c->ctx))
            return;
    }
    ordo_ctx_free(c->ctx);
}

static ordo_status borrow(call *c, torch_tensor *tensor, size_t n)
{
    if (c->ctx != NULL)
        return ORDO_OK;
    TRY_TORCH(aoti_torch_get_device_type(tensor, &c->device_type));
    TRY_TORCH(aoti_torch_get_device_index(tensor, &c->device_index));
    if (c->device_type == aoti_torch_device_type_cuda())
        return borrow_gpu(c);
    ordo_status const status = door_borrow(n, &c->lent);
    c->ctx = c->lent.ctx;
    return call_check_ordo(c, status);
}

/* ---- Rows ---- */

static ordo_type type_of(int32_t dtype)
{
    return dtype == aoti_torch_dtype_float32()                                     ? ORDO_F32
           : dtype == aoti_torch_dtype_float64()                                   ? ORDO_F64
           : dtype == aoti_torch_dtype_int64()                                     ? ORDO_I64
           : dtype == aoti_torch_dtype_int32()                                     ? ORDO_I32
           : dtype == aoti_torch_dtype_uint8() || dtype == aoti_torch_dtype_bool() ? ORDO_U8
           : dtype == aoti_torch_dtype_int16()                                     ? ORDO_I16
           : dtype == aoti_torch_dtype_int8()                                      ? ORDO_I8
           : dtype == aoti_torch_dtype_uint16()                                    ? ORDO_U16
           : dtype == aoti_torch_dtype_uint32()                                    ? ORDO_U32
           : dtype == aoti_torch_dtype_uint64()                                    ? ORDO_U64
                                                                                   : 0;
}

/* The keys of a contiguous tensor. */
static ordo_status find_keys(call *c, rows *r)
{
    torch_tensor *keys = r->tensor;
    if (r->dtype == aoti_torch_dtype_float16() || r->dtype == aoti_torch_dtype_bfloat16()) {
        TRY(tensor_convert(c, keys, aoti_torch_dtype_float32(), &keys));
        r->type = ORDO_F32;
    } else {
        r->type = type_of(r->dtype);
        if (r->type == 0)
            return call_fail(ORDO_E_ARG, "the tensor has elements that ordo does not order; "
                                         "expected integers, bool or real numbers of 16 to 64 "
                                         "bits");
    }
    r->is_float = r->type == ORDO_F32 || r->type == ORDO_F64;
    return tensor_data(keys, &r->keys);
}

static ordo_status read_sizes(torch_tensor *tensor, rows *r)
{
    int64_t *sizes;
    TRY_TORCH(aoti_torch_get_dim(tensor, &r->dims));
    TRY_TORCH(aoti_torch_get_sizes(tensor, &sizes));
    if (r->dims > MOST_DIMS)
        return call_fail(ORDO_E_UNSUPPORTED, "the tensor has %lld dimensions; expected at most %d",
                         (long long)r->dims, MOST_DIMS);
    for (int64_t i = 0; i < r->dims; i++)
        r->sizes[i] = sizes[i];
    return ORDO_OK;
}

static ordo_status wrap(int64_t dims, int64_t *dim)
{
    int64_t const most = dims > 0 ? dims - 1 : 0;
    if (*dim < -most - 1 || *dim > most)
        return call_fail(ORDO_E_ARG,
                         "Dimension out of range (expected to be in range of [%lld, %lld], but got "
                         "%lld)",
                         (long long)-most - 1, (long long)most, (long long)*dim);
    *dim = *dim < 0 ? *dim + most + 1 : *dim;
    return ORDO_OK;
}

static ordo_status begin(call *c, torch_tensor *tensor, rows *r)
{
    bool    contiguous;
    int64_t all;
    TRY_TORCH(aoti_torch_get_dtype(tensor, &r->dtype));
    TRY_TORCH(aoti_torch_get_numel(tensor, &all));
    TRY_TORCH(aoti_torch_is_contiguous(tensor, &contiguous));
    r->all = (size_t)all;
    r->tensor = tensor;
    TRY(borrow(c, tensor, r->all));
    if (!contiguous)
        TRY(tensor_convert(c, tensor, r->dtype, &r->tensor));
    return find_keys(c, r);
}

ordo_status rows_along(call *c, torch_tensor *tensor, int64_t dim, rows *out)
{
    size_t inner = 1, outer = 1;
    out->dim = dim;
    TRY(read_sizes(tensor, out));
    TRY(wrap(out->dims, &out->dim));
    out->from = out->dim;
    for (int64_t i = 0; i < out->dim; i++)
        outer *= (size_t)out->sizes[i];
    for (int64_t i = out->dim + 1; i < out->dims; i++)
        inner *= (size_t)out->sizes[i];
    out->length = out->dims > 0 ? (size_t)out->sizes[out->dim] : 1;
    out->count = outer * inner;
    out->segments = (ordo_segments){
        .struct_size = sizeof out->segments, .count = out->count, .length = out->length};
    if (inner > 1) {
        out->segments.stride = 1;
        out->segments.step = inner;
        out->segments.group = inner;
        out->segments.group_stride = inner * out->length;
    }
    return begin(c, tensor, out);
}

ordo_status rows_flat(call *c, torch_tensor *tensor, rows *out)
{
    out->dim = out->from = 0;
    TRY(read_sizes(tensor, out));
    out->count = 1;
    TRY(begin(c, tensor, out));
    out->length = out->all;
    out->segments =
        (ordo_segments){.struct_size = sizeof out->segments, .count = 1, .length = out->length};
    return ORDO_OK;
}

ordo_status rows_moved(call *c, torch_tensor *tensor, int64_t dim, rows *out)
{
    TRY(read_sizes(tensor, out));
    TRY(wrap(out->dims, &dim));
    if (dim + 1 < out->dims)
        TRY(tensor_move(c, tensor, dim, out->dims - 1, &tensor));
    TRY(rows_along(c, tensor, -1, out));
    out->from = dim;
    return ORDO_OK;
}

const ordo_segments *rows_segments(const rows *r) { return r->count == 1 ? NULL : &r->segments; }

/* ---- The call ---- */

void call_run(operator_function *run, torch_value *stack, uint64_t inputs, uint64_t outputs)
{
    (void)inputs;
    call c = {.arguments = stack};
    is_thrown = false;
    ordo_status const status = run(&c);
    give_back(&c);
    for (size_t i = 0; i < c.owned_count; i++)
        (void)aoti_torch_delete_tensor_object(c.owned[i]);
    for (size_t i = 0; i < outputs; i++)
        if (status == ORDO_OK)
            memcpy(&stack[i], &c.results[i], sizeof *c.results);
        else if (c.results[i] != NULL)
            (void)aoti_torch_delete_tensor_object(c.results[i]);
    is_thrown = status != ORDO_OK;
    if (is_thrown)
        aoti_torch_check(false, __func__, __FILE__, __LINE__, message);
}
