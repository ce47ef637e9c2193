/* test_costs.c - every cost of a calibration can change a decision. A cost that changes none need
 * not be measured. Each cost takes values from a quarter of the built-in value to four times that
 * value while the others keep their built-in values, and the backend with the lowest predicted time
 * is compared over verbs, types, sizes and numbers of threads. */
#include "plan/predict.h"
#include "testkit.h"

#include <math.h>

enum {
    VALUES = 16,     /* of a cost */
    KINDS = 6,       /* of loads */
    LARGEST_LG = 32, /* n is at most 2^LARGEST_LG */
    THREADS_LG = 7
};

static ordo_load load_of(int kind, size_t n)
{
    ordo_load strings;
    switch (kind) {
    case 0:
        return ordo_load_sort(ORDO_U16, n, 0);
    case 1:
        return ordo_load_sort(ORDO_U32, n, 8);
    case 2:
        return ordo_load_sort(ORDO_F64, n, 0);
    case 3:
        return ordo_load_argsort(ORDO_U32, n, ORDO_U32);
    case 4:
        return ordo_load_rank(ORDO_F32, n, ORDO_U32);
    default:
        strings = ordo_load_strings(NULL, n, 0, 1);
        strings.further = 1;
        return strings;
    }
}

/* 0: CPU, 1: GPU, 2: hybrid, 3: the call is too small for a prediction. */
static int choice_of(const ordo_calibration *costs, int kind, size_t n, unsigned threads)
{
    ordo_load const load = load_of(kind, n);
    if (!ordo_worth_weighing(&load, threads))
        return 3;
    ordo_forecast const by = ordo_predict(costs, &load, threads);
    bool const          together = by.hybrid > 0 && by.hybrid < by.device;
    return by.cpu <= (together ? by.hybrid : by.device) ? 0 : together ? 2 : 1;
}

static bool changes_a_choice(const ordo_calibration *usual, ordo_cost_id id)
{
    for (int v = 0; v <= VALUES; v++) {
        ordo_calibration costs = *usual;
        ordo_calibration_set(&costs, id, (double)usual->value[id] * exp2(4.0 * v / VALUES - 2));
        for (int kind = 0; kind < KINDS; kind++)
            for (int lg = 12; lg <= LARGEST_LG; lg++)
                for (int t = 0; t <= THREADS_LG; t++)
                    if (choice_of(&costs, kind, (size_t)3 << (lg - 1), 1u << t) !=
                        choice_of(usual, kind, (size_t)3 << (lg - 1), 1u << t))
                        return true;
    }
    return false;
}

/* With the thresholds of the test build, a call that is weighed at all is too large or too small
 * for these costs to decide anything. */
static bool is_without_effect(ordo_cost_id id)
{
#ifdef ORDO_TINY
    return id == COST_CPU_SMALL || id == COST_CPU_CALL || id == COST_DEVICE_CALL;
#else
    (void)id;
    return false;
#endif
}

int main(void)
{
    ordo_calibration usual = {.path = ""};
    testkit_start();
    ordo_calibration_standard(&usual);
    for (int id = COST_NONE + 1; id < COSTS; id++) {
        /* These do not predict a time: the GPU is opened when the calls have lost that much, and
         * the shares divide the work of a call on both. */
        if (id == COST_DEVICE_OPEN || id == COST_HYBRID_SHARE || id == COST_SAMPLE_SHARE)
            continue;
        if (is_without_effect((ordo_cost_id)id))
            continue;
        testkit_case("cost %s", ordo_cost_facts[id].name);
        CHECK(changes_a_choice(&usual, (ordo_cost_id)id));
    }
    return testkit_done();
}
