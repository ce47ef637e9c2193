/* api_select.h - what ordo_select and ordo_quantiles share: order statistics asked for in any
 * order, and the NaNs among the keys. */
#ifndef ORDO_API_API_SELECT_H
#define ORDO_API_API_SELECT_H

#include "api/api.h"

ordo_status api_check_select_algorithm(ordo_exec *exec, uint32_t algorithm);
ordo_status api_check_nans(ordo_exec *exec, uint32_t nans);

/* How many keys are NaN. Integers are not looked at. Counts as one phase of the call. */
ordo_status api_count_nans(ordo_exec *exec, const ordo_choice *choice, ordo_type type,
                           const void *keys, size_t n, size_t *nans);

/* The select slot for a job whose k have no order and may repeat. */
ordo_status api_select_any(ordo_exec *exec, const ordo_choice *choice, const ordo_select_job *wish);
/* What that takes beside the backend's own scratch. */
size_t api_select_any_scratch(ordo_type type, size_t count);

#endif
