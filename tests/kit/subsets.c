/* subsets.c - see subsets.h. */
#define _POSIX_C_SOURCE 200809L
#include "subsets.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILLS = 2,
    CONTEXTS = 3
};
static const unsigned char fills[FILLS] = {0x5a, 0xa5};

static const unsigned    threads_of[CONTEXTS] = {1, 3, 1};
static const char *const isa_of[CONTEXTS] = {"", "", "generic"};
static ordo_ctx         *context[CONTEXTS];
static guard_region      region[SUBSETS_ARRAYS];
static unsigned char    *memory[SUBSETS_ARRAYS]; /* where the arrays of the sweep are */
static unsigned char    *results[FILLS][SUBSETS_ARRAYS];
static size_t            written[SUBSETS_ARRAYS];
static char              case_name[200];

void subsets_start(void)
{
    for (size_t i = 0; i < CONTEXTS; i++) {
        setenv("ORDO_ISA", isa_of[i], 1);
        context[i] = test_context_make(threads_of[i]);
    }
    unsetenv("ORDO_ISA");
    for (size_t i = 0; i < SUBSETS_ARRAYS; i++) {
        region[i] = guard_make(SUBSETS_BYTES);
        for (size_t f = 0; f < FILLS; f++)
            results[f][i] = test_keep(SUBSETS_BYTES);
    }
}

void subsets_end(void)
{
    for (size_t i = 0; i < CONTEXTS; i++)
        ordo_ctx_free(context[i]);
    for (size_t i = 0; i < SUBSETS_ARRAYS; i++)
        guard_free(&region[i]);
}

void subsets_case(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(case_name, sizeof case_name, format, args);
    va_end(args);
}

const void *subsets_result(size_t array) { return results[0][array]; }
size_t      subsets_written(size_t array) { return written[array]; }

subset_array subset_in(const void *from, size_t bytes)
{
    return (subset_array){.role = SUBSET_IN, .from = from, .bytes = bytes};
}

subset_array subset_in_place(const void *from, size_t bytes)
{
    return (subset_array){.role = SUBSET_IN_PLACE, .from = from, .bytes = bytes};
}

subset_array subset_out(size_t bytes) { return (subset_array){.role = SUBSET_OUT, .bytes = bytes}; }
subset_array subset_one(size_t bytes) { return (subset_array){.role = SUBSET_ONE, .bytes = bytes}; }
subset_array subset_maybe(size_t bytes)
{
    return (subset_array){.role = SUBSET_MAYBE, .bytes = bytes};
}

static bool is_result(const subset_array *array) { return array->role != SUBSET_IN; }

static bool is_needed(const subset_array *array)
{
    return array->role == SUBSET_ONE || (array->role != SUBSET_MAYBE && array->bytes > 0);
}

static void place_arrays(const subset_call *call)
{
    for (size_t i = 0; i < call->arrays; i++) {
        const subset_array *const a = &call->array[i];
        memory[i] = guard_place(&region[i], a->bytes, GUARD_END);
        if (!is_result(a)) {
            if (a->bytes > 0)
                memcpy(memory[i], a->from, a->bytes);
            guard_readonly(&region[i], true);
        }
    }
}

static void release_arrays(const subset_call *call)
{
    for (size_t i = 0; i < call->arrays; i++)
        if (!is_result(&call->array[i]))
            guard_readonly(&region[i], false);
}

/* Sets the results to what they are before a call. */
static void fill_results(const subset_call *call, unsigned given, unsigned char fill)
{
    for (size_t i = 0; i < call->arrays; i++) {
        const subset_array *const a = &call->array[i];
        if (!is_result(a) || (given >> i & 1) == 0 || a->bytes == 0)
            continue;
        if (a->from != NULL)
            memcpy(memory[i], a->from, a->bytes);
        else
            memset(memory[i], fill, a->bytes);
    }
}

static ordo_status run(const subset_call *call, ordo_ctx *ctx, unsigned given)
{
    void *array[SUBSETS_ARRAYS] = {NULL};
    for (size_t i = 0; i < call->arrays; i++)
        array[i] = (given >> i & 1) != 0 ? memory[i] : NULL;
    ordo_status const status = call->run(ctx, array);
    if (status == ORDO_OK && call->check != NULL)
        call->check(array);
    return status;
}

/* Calls with all arrays and two fills, and stores the results. */
static void take_results(const subset_call *call)
{
    unsigned const all = (1u << call->arrays) - 1;
    for (size_t f = 0; f < FILLS; f++) {
        testkit_case("%s, all arrays, fill %zu", case_name, f);
        fill_results(call, all, fills[f]);
        CHECK_STATUS(ORDO_OK, run(call, context[0], all), context[0]);
        for (size_t i = 0; i < call->arrays; i++)
            if (is_result(&call->array[i]))
                memcpy(results[f][i], memory[i], call->array[i].bytes);
    }
    for (size_t i = 0; i < call->arrays; i++) {
        const subset_array *const a = &call->array[i];
        size_t                    kept = 0, odd = 0;
        for (size_t b = 0; is_result(a) && b + a->varies < a->bytes; b++)
            if (results[0][i][b] != results[1][i][b]) {
                kept++;
                odd += results[0][i][b] != fills[0] || results[1][i][b] != fills[1];
            }
        CHECK_EQ_U64(0, odd);
        written[i] = a->bytes - a->varies - kept;
    }
}

static bool same_as_results(const subset_call *call, size_t i, unsigned char fill)
{
    const subset_array *const  a = &call->array[i];
    size_t const               count = a->bytes - a->varies;
    const unsigned char *const first = results[0][i], *const second = results[1][i];
    size_t wrong = 0;
    for (size_t b = 0; b < count; b++)
        wrong +=
            first[b] != second[b] ? memory[i][b] != fill : !a->shuffled && memory[i][b] != first[b];
    return wrong == 0;
}

static bool is_unchanged(const subset_array *a, size_t i, unsigned char fill)
{
    if (a->from != NULL)
        return memcmp(memory[i], a->from, a->bytes) == 0;
    return test_bytes_not(memory[i], a->bytes, fill) == 0;
}

static void check_array(const subset_call *call, size_t i, unsigned char fill, ordo_status status,
                        bool complete)
{
    const subset_array *const a = &call->array[i];
    char                      what[64];
    bool const                is_set = status == ORDO_OK || (complete && a->reported);
    snprintf(what, sizeof what, "array %zu has %s bytes", i, is_set ? "the same" : "its old");
    if (is_set)
        testkit_check(same_as_results(call, i, fill), __FILE__, __LINE__, what);
    else if (!a->spoilt && a->bytes > 0)
        testkit_check(is_unchanged(a, i, fill), __FILE__, __LINE__, what);
    CHECK(guard_intact(&region[i], a->bytes, GUARD_END));
}

/* A call with some of the arrays. */
static void attempt(const subset_call *call, size_t c, unsigned given)
{
    unsigned char const fill = fills[given % FILLS];
    bool                lacks = false;
    for (size_t i = 0; i < call->arrays; i++)
        lacks = lacks || ((given >> i & 1) == 0 && is_needed(&call->array[i]));
    ordo_status const expected = lacks                  ? ORDO_E_ARG
                                 : call->expect != NULL ? call->expect(given)
                                                        : call->status;
    testkit_case("%s, given 0x%x of %zu, threads=%u %s", case_name, given, call->arrays,
                 threads_of[c], isa_of[c]);
    fill_results(call, given, fill);
    ordo_status const status = run(call, context[c], given);
    CHECK_STATUS(expected, status, context[c]);
    if (status != ORDO_OK) {
        const char *const text = ordo_last_error(context[c]);
        CHECK(text[0] != '\0');
        CHECK(lacks || call->says == NULL || strstr(text, call->says) != NULL);
    }
    if (status != expected)
        return;
    for (size_t i = 0; i < call->arrays; i++)
        if (is_result(&call->array[i]) && (given >> i & 1) != 0)
            check_array(call, i, fill, status, !lacks);
}

void subsets_sweep(const subset_call *call)
{
    static size_t  turn;
    unsigned const all = (1u << call->arrays) - 1;
    place_arrays(call);
    ordo_status const with_all = call->expect != NULL ? call->expect(all) : call->status;
    if (with_all == ORDO_OK && !call->again)
        take_results(call);
    for (size_t c = 0; c < CONTEXTS; c++)
        for (unsigned given = 0; given <= all; given++)
            if (call->one_of < 2 || turn++ % call->one_of == 0)
                attempt(call, c, given);
    release_arrays(call);
}
