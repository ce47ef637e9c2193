/* torch.h - the operators of PyTorch, whose arguments and results torch.c lists. */
#ifndef ORDO_DOORS_TORCH_H
#define ORDO_DOORS_TORCH_H

#include "torch_call.h"

operator_function operator_argmedian, operator_cumsum, operator_median, operator_quantile,
    operator_quantile_scalar;

/* The indices of the first k of n flags of each row that are set, then of flags that are not. The
 * rows are those of r, which has its dimension last. */
ordo_status torch_first_of_flags(call *c, const rows *r, torch_tensor *flags, size_t n, size_t k,
                                 torch_tensor **index);

#endif
