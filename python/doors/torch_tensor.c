/* torch_tensor.c - tensors that an operator makes, and the operators of PyTorch that it calls. */
#include "torch_call.h"

#include <string.h>

ordo_status tensor_own(call *c, torch_tensor *tensor)
{
    if (c->owned_count == MOST_OWNED) {
        TRY_TORCH(aoti_torch_delete_tensor_object(tensor));
        return call_fail(ORDO_E_UNSUPPORTED, "a call needs more than %d tensors", MOST_OWNED);
    }
    c->owned[c->owned_count++] = tensor;
    return ORDO_OK;
}

ordo_status tensor_return(call *c, size_t i, torch_tensor *tensor)
{
    TRY_TORCH(aoti_torch_new_tensor_handle(tensor, &c->results[i]));
    return ORDO_OK;
}

ordo_status tensor_data(torch_tensor *tensor, void **out)
{
    TRY_TORCH(aoti_torch_get_data_ptr(tensor, out));
    return ORDO_OK;
}

static void find_strides(int64_t dims, const int64_t *sizes, int64_t *out)
{
    int64_t stride = 1;
    for (int64_t i = dims; i-- > 0;) {
        out[i] = stride;
        stride *= sizes[i] > 1 ? sizes[i] : 1;
    }
}

ordo_status tensor_make(call *c, int64_t dims, const int64_t *sizes, int32_t dtype,
                        torch_tensor **out)
{
    int64_t strides[MOST_DIMS + 1];
    find_strides(dims, sizes, strides);
    TRY_TORCH(aoti_torch_empty_strided(dims, sizes, strides, dtype, c->device_type, c->device_index,
                                       out));
    return tensor_own(c, *out);
}

ordo_status tensor_make_like(call *c, const rows *r, size_t length, int32_t dtype,
                             torch_tensor **out)
{
    int64_t sizes[MOST_DIMS];
    memcpy(sizes, r->sizes, sizeof sizes);
    if (r->dims > 0)
        sizes[r->dim] = (int64_t)length;
    return tensor_make(c, r->dims, sizes, dtype, out);
}

static void move(int64_t *numbers, int64_t from, int64_t to)
{
    int64_t const number = numbers[from];
    for (; from < to; from++)
        numbers[from] = numbers[from + 1];
    for (; from > to; from--)
        numbers[from] = numbers[from - 1];
    numbers[to] = number;
}

ordo_status tensor_move(call *c, torch_tensor *tensor, int64_t from, int64_t to, torch_tensor **out)
{
    int64_t *sizes, *strides, dims, moved_sizes[MOST_DIMS], moved_strides[MOST_DIMS];
    TRY_TORCH(aoti_torch_get_dim(tensor, &dims));
    TRY_TORCH(aoti_torch_get_sizes(tensor, &sizes));
    TRY_TORCH(aoti_torch_get_strides(tensor, &strides));
    memcpy(moved_sizes, sizes, (size_t)dims * sizeof *sizes);
    memcpy(moved_strides, strides, (size_t)dims * sizeof *strides);
    move(moved_sizes, from, to);
    move(moved_strides, from, to);
    TRY_TORCH(aoti_torch__reinterpret_tensor(tensor, dims, moved_sizes, moved_strides, 0, out));
    return tensor_own(c, *out);
}

ordo_status tensor_shape(call *c, torch_tensor *tensor, int64_t dims, const int64_t *sizes,
                         torch_tensor **out)
{
    int64_t strides[MOST_DIMS + 1];
    find_strides(dims, sizes, strides);
    TRY_TORCH(aoti_torch__reinterpret_tensor(tensor, dims, sizes, strides, 0, out));
    return tensor_own(c, *out);
}

ordo_status tensor_convert(call *c, torch_tensor *tensor, int32_t dtype, torch_tensor **out)
{
    int64_t *sizes, dims;
    TRY_TORCH(aoti_torch_get_dim(tensor, &dims));
    TRY_TORCH(aoti_torch_get_sizes(tensor, &sizes));
    TRY(tensor_make(c, dims, sizes, dtype, out));
    TRY_TORCH(aoti_torch_copy_(*out, tensor, 0));
    return ORDO_OK;
}

/* ---- Operators of PyTorch ---- */

ordo_status tensor_lend(torch_tensor *tensor, torch_value *out)
{
    torch_tensor *handle;
    TRY_TORCH(aoti_torch_new_tensor_handle(tensor, &handle));
    *out = 0;
    memcpy(out, &handle, sizeof handle);
    return ORDO_OK;
}

ordo_status tensor_call(call *c, const char *name, const char *overload, torch_value *stack,
                        torch_tensor **out)
{
    TRY_TORCH(torch_call_dispatcher(name, overload, stack, TORCH_VERSION_2_10));
    memcpy(out, stack, sizeof *out);
    return tensor_own(c, *out);
}

ordo_status tensor_apply(call *c, const char *name, const char *overload, torch_tensor *a,
                         torch_tensor *b, torch_tensor **out)
{
    torch_value stack[2];
    TRY(tensor_lend(a, &stack[0]));
    if (b != NULL)
        TRY(tensor_lend(b, &stack[1]));
    return tensor_call(c, name, overload, stack, out);
}

ordo_status tensor_take(call *c, torch_tensor *from, int64_t dim, torch_tensor *index,
                        torch_tensor **out)
{
    torch_value stack[4] = {0, (torch_value)dim, 0, false};
    int64_t     dims;
    TRY_TORCH(aoti_torch_get_dim(from, &dims));
    TRY(tensor_lend(from, &stack[0]));
    TRY(tensor_lend(index, &stack[2]));
    /* Of one dimension both are the same, and the first takes less than half of the time. */
    return tensor_call(c, dims == 1 ? "aten::index_select" : "aten::gather", "", stack, out);
}

ordo_status tensor_join(call *c, torch_tensor *a, torch_tensor *b, int64_t dim, torch_tensor **out)
{
    torch_value stack[2] = {0, (torch_value)dim}, parts[2];
    torch_list *list;
    TRY(tensor_lend(a, &parts[0]));
    TRY(tensor_lend(b, &parts[1]));
    TRY_TORCH(torch_new_list_reserve_size(2, &list));
    TRY_TORCH(torch_list_push_back(list, parts[0]));
    TRY_TORCH(torch_list_push_back(list, parts[1]));
    memcpy(stack, &list, sizeof list);
    return tensor_call(c, "aten::cat", "", stack, out);
}
