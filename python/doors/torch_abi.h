/* torch_abi.h - the functions of PyTorch's stable C interface that the operators call, as in
 * torch/csrc/stable/c/shim.h and torch/csrc/inductor/aoti_torch/c/shim.h of PyTorch 2.10. They are
 * declared here, so that the operators are built without PyTorch and run with 2.10 and newer. */
#ifndef ORDO_DOORS_TORCH_ABI_H
#define ORDO_DOORS_TORCH_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TORCH_VERSION_2_10 (UINT64_C(2) << 56 | UINT64_C(10) << 48)

/* An argument or a result: an integer, the bits of a double, a handle, or for an optional type NULL
 * or a pointer to a value that `new` of C++ made. The receiver owns it. */
typedef uint64_t torch_value;
typedef int32_t  torch_error; /* 0: success */

typedef struct torch_tensor  torch_tensor;
typedef struct torch_library torch_library;
typedef struct torch_list    torch_list;
typedef struct torch_string  torch_string;

typedef void torch_kernel(torch_value *stack, uint64_t inputs, uint64_t outputs);

int32_t aoti_torch_device_type_cpu(void);
int32_t aoti_torch_device_type_cuda(void);
int32_t aoti_torch_dtype_bool(void);
int32_t aoti_torch_dtype_uint8(void);
int32_t aoti_torch_dtype_uint16(void);
int32_t aoti_torch_dtype_uint32(void);
int32_t aoti_torch_dtype_uint64(void);
int32_t aoti_torch_dtype_int8(void);
int32_t aoti_torch_dtype_int16(void);
int32_t aoti_torch_dtype_int32(void);
int32_t aoti_torch_dtype_int64(void);
int32_t aoti_torch_dtype_float16(void);
int32_t aoti_torch_dtype_bfloat16(void);
int32_t aoti_torch_dtype_float32(void);
int32_t aoti_torch_dtype_float64(void);
size_t  aoti_torch_dtype_element_size(int32_t dtype);

torch_error aoti_torch_get_data_ptr(torch_tensor *tensor, void **out);
torch_error aoti_torch_get_dim(torch_tensor *tensor, int64_t *out);
torch_error aoti_torch_get_numel(torch_tensor *tensor, int64_t *out);
torch_error aoti_torch_get_sizes(torch_tensor *tensor, int64_t **out);
torch_error aoti_torch_get_strides(torch_tensor *tensor, int64_t **out);
torch_error aoti_torch_get_dtype(torch_tensor *tensor, int32_t *out);
torch_error aoti_torch_get_device_type(torch_tensor *tensor, int32_t *out);
torch_error aoti_torch_get_device_index(torch_tensor *tensor, int32_t *out);
torch_error aoti_torch_is_contiguous(torch_tensor *tensor, bool *out);

/* Results are new references. */
torch_error aoti_torch_new_tensor_handle(torch_tensor *tensor, torch_tensor **out);
torch_error aoti_torch_delete_tensor_object(torch_tensor *tensor);
torch_error aoti_torch_empty_strided(int64_t dims, const int64_t *sizes, const int64_t *strides,
                                     int32_t dtype, int32_t device_type, int32_t device_index,
                                     torch_tensor **out);
/* A view that starts `skipped` elements after the tensor. */
torch_error aoti_torch__reinterpret_tensor(torch_tensor *tensor, int64_t dims, const int64_t *sizes,
                                           const int64_t *strides, int64_t skipped,
                                           torch_tensor **out);
torch_error aoti_torch_copy_(torch_tensor *to, torch_tensor *from, int32_t non_blocking);

torch_error torch_new_list_reserve_size(size_t n, torch_list **out);
torch_error torch_list_push_back(torch_list *list, torch_value value);
torch_error torch_string_c_str(torch_string *string, const char **out);
torch_error torch_delete_string(torch_string *string);

torch_error torch_call_dispatcher(const char *name, const char *overload, torch_value *stack,
                                  uint64_t version);
torch_error aoti_torch_library_init_def(const char *name, const char *file, uint32_t line,
                                        torch_library **out);
torch_error aoti_torch_library_init_impl(const char *name, const char *key, const char *file,
                                         uint32_t line, torch_library **out);
torch_error aoti_torch_library_def(torch_library *library, const char *schema);
torch_error torch_library_impl(torch_library *library, const char *name, torch_kernel *kernel,
                               uint64_t version);

/* Throws an exception of C++, which becomes a RuntimeError. */
void aoti_torch_check(bool condition, const char *function, const char *file, uint32_t line,
                      const char *message);
/* Why the last call of this thread failed; PyTorch 2.13 and newer. */
const char *torch_exception_get_what_without_backtrace(void) __attribute__((weak));

/* `delete` of C++, for optional arguments. */
void torch_free_value(torch_value *value) __asm__("_ZdlPv");

/* Is in libtorch_cuda.so, so it is looked up at run time. */
typedef torch_error torch_get_stream(int32_t device_index, void **out);
#define TORCH_GET_STREAM "aoti_torch_get_current_cuda_stream"

#endif
