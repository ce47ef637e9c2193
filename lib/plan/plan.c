/* plan.c - see plan.h. The CPU backend is always there and does everything, so `auto` is the
 * CPU for every size until a device backend is opened beside it. */
#include "plan/plan.h"

ordo_status ordo_plan_open(ordo_plan *plan, ordo_where where, const ordo_backend_wishes *wishes,
                           char *why, size_t why_size)
{
    plan->where = where;
    plan->cpu = ordo_cpu_backend();
    return plan->cpu->open(&plan->cpu_state, wishes, why, why_size);
}

void ordo_plan_close(ordo_plan *plan) { plan->cpu->close(plan->cpu_state); }

const char *ordo_plan_cuda(const ordo_plan *plan)
{
    (void)plan;
    return "this version of ordo has no CUDA backend";
}

ordo_status ordo_plan_choose(const ordo_plan *plan, ordo_exec *exec, size_t n, ordo_choice *choice)
{
    (void)n;
    if (plan->where == ORDO_CUDA || plan->where == ORDO_HYBRID)
        return ordo_fail(exec, ORDO_E_UNSUPPORTED, "device %s: %s",
                         plan->where == ORDO_CUDA ? "cuda" : "hybrid", ordo_plan_cuda(plan));
    choice->backend = plan->cpu;
    choice->state = plan->cpu_state;
    return ORDO_OK;
}
