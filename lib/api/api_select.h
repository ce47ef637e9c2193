/* api_select.h - what ordo_select and ordo_quantiles share: positions in any order, and NaNs. */
#ifndef ORDO_API_API_SELECT_H
#define ORDO_API_API_SELECT_H

#include "api/api.h"

ordo_status api_check_select_algorithm(ordo_exec *exec, uint32_t algorithm);
ordo_status api_check_nans(ordo_exec *exec, uint32_t nans);

/* Counts the NaNs; 0 for integers, which are not read. This is one phase of the call. */
ordo_status api_count_nans(ordo_exec *exec, const ordo_choice *choice, ordo_type type,
                           const void *keys, size_t n, size_t *nans);

/* Runs the select slot for positions that may be in any order and repeat. */
ordo_status api_select_any(ordo_exec *exec, const ordo_choice *choice, const ordo_select_job *wish);
/* The scratch of api_select_any beyond that of the backend. */
size_t api_select_any_scratch(ordo_type type, size_t count);

#endif
