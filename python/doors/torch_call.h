/* torch_call.h - one call of an operator of PyTorch: its arguments, tensors, rows and errors.
 *
 * Functions that can fail return a status and keep a message for the exception. Tensors belong to
 * the call, which frees them at its end. */
#ifndef ORDO_DOORS_TORCH_CALL_H
#define ORDO_DOORS_TORCH_CALL_H

#include "contexts.h"
#include "torch_abi.h"

#include <ordo.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        ordo_status const status_ = (call);                                                        \
        if (status_ != ORDO_OK)                                                                    \
            return status_;                                                                        \
    } while (0)
#define TRY_TORCH(call) TRY(call_check_torch((call), #call))

enum {
    MOST_DIMS = 64, /* of a tensor */
    MOST_OWNED = 32 /* tensors of one call */
};

typedef struct call {
    torch_value  *arguments;
    torch_tensor *owned[MOST_OWNED];
    size_t        owned_count;
    torch_tensor *results[2];
    door_context  lent;
    ordo_ctx     *ctx;
    int32_t       device_type, device_index;
    uint64_t      flags;  /* ORDO_ON_DEVICE for tensors on a GPU */
    void         *stream; /* the current one of that GPU */
} call;

/* The rows of a tensor along a dimension, in contiguous memory. */
typedef struct rows {
    torch_tensor *tensor; /* with the elements of the caller */
    void         *keys;   /* the same elements, or f32 in place of f16 and bf16 */
    ordo_type     type;   /* of the keys */
    int32_t       dtype;  /* of the tensor */
    bool          is_float;
    int64_t       dims, dim, sizes[MOST_DIMS];
    int64_t       from; /* the dimension of the caller; rows_moved has moved it to dim */
    size_t        length, count, all;
    ordo_segments segments;
} rows;

typedef ordo_status operator_function(call *c);

/* Runs an operator, and writes its results to the stack or throws the message. */
void call_run(operator_function *run, torch_value *stack, uint64_t inputs, uint64_t outputs);

ordo_status call_fail(ordo_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
ordo_status call_check_torch(torch_error error, const char *what);
ordo_status call_check_ordo(const call *c, ordo_status status);

/* Each argument is read once. An optional number that is not given keeps its value in *out. */
torch_tensor *argument_tensor(call *c, size_t i);
double        argument_double(const call *c, size_t i);
bool          argument_optional(call *c, size_t i, int64_t *out);
ordo_status   argument_string(call *c, size_t i, char *out, size_t size);

/* The rows along dimension `dim`, which may be negative. */
ordo_status rows_along(call *c, torch_tensor *tensor, int64_t dim, rows *out);
/* All elements as one row. */
ordo_status rows_flat(call *c, torch_tensor *tensor, rows *out);
/* The same with `dim` moved to the end. */
ordo_status rows_moved(call *c, torch_tensor *tensor, int64_t dim, rows *out);
/* For the options of a call of the library: NULL if all elements are one row. */
const ordo_segments *rows_segments(const rows *r);

/* New tensors: with given sizes; with the sizes of rows except for their length; a view that has
 * dimension `from` at `to`; a contiguous copy of some dtype. */
ordo_status tensor_make(call *c, int64_t dims, const int64_t *sizes, int32_t dtype,
                        torch_tensor **out);
ordo_status tensor_make_like(call *c, const rows *r, size_t length, int32_t dtype,
                             torch_tensor **out);
ordo_status tensor_move(call *c, torch_tensor *tensor, int64_t from, int64_t to,
                        torch_tensor **out);
/* The same elements with other sizes, as a contiguous tensor. */
ordo_status tensor_shape(call *c, torch_tensor *tensor, int64_t dims, const int64_t *sizes,
                         torch_tensor **out);
ordo_status tensor_convert(call *c, torch_tensor *tensor, int32_t dtype, torch_tensor **out);
ordo_status tensor_data(torch_tensor *tensor, void **out);
ordo_status tensor_own(call *c, torch_tensor *tensor);
/* Makes a tensor result i. */
ordo_status tensor_return(call *c, size_t i, torch_tensor *tensor);

/* Calls an operator of PyTorch with the arguments on a stack, which gets the results. */
ordo_status tensor_call(call *c, const char *name, const char *overload, torch_value *stack,
                        torch_tensor **out);
/* An argument of an operator: a reference of its own. */
ordo_status tensor_lend(torch_tensor *tensor, torch_value *out);
/* Operators of one tensor, or of two if b is not NULL. */
ordo_status tensor_apply(call *c, const char *name, const char *overload, torch_tensor *a,
                         torch_tensor *b, torch_tensor **out);
/* The elements along a dimension that the indices name, as a function that has a gradient. */
ordo_status tensor_take(call *c, torch_tensor *from, int64_t dim, torch_tensor *index,
                        torch_tensor **out);
ordo_status tensor_join(call *c, torch_tensor *a, torch_tensor *b, int64_t dim, torch_tensor **out);

#endif
