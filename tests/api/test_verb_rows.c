/* test_verb_rows.c - the rows of the verbs (backend/verbs.h): each of them lies within its job, and
 * the loops that read the rows have room for them. */
#include "api/api.h"
#include "testkit.h"

static const ordo_verb *const with_segments[] = {
    &ordo_verb_sort,        &ordo_verb_sort_pairs, &ordo_verb_argsort,   &ordo_verb_rank,
    &ordo_verb_rank_sorted, &ordo_verb_select,     &ordo_verb_quantiles, &ordo_verb_topk,
    &ordo_verb_nth,         &ordo_verb_scan,       &ordo_verb_is_sorted, &ordo_verb_radius,
    &ordo_verb_runs,        &ordo_verb_moving,     &ordo_verb_weighted,  &ordo_verb_weighted_rank};
static const ordo_verb *const whole[] = {
    &ordo_verb_scan_bits,    &ordo_verb_partition, &ordo_verb_count_nans, &ordo_verb_unique,
    &ordo_verb_search,       &ordo_verb_move,      &ordo_verb_scatter,    &ordo_verb_copy,
    &ordo_verb_sort_records, &ordo_verb_lexsort,   &ordo_verb_lexrank};
static const ordo_verb *const of_groups[] = {&ordo_verb_groups, &ordo_verb_group_rank};

static void check_rows(const ordo_verb *verb)
{
    CHECK(verb->arrays[0].name != NULL);
    CHECK((verb->arrays[0].use & (ORDO_OPTIONAL | ORDO_IN_PLACE | ORDO_INSTEAD)) == 0);
    CHECK(verb->n + sizeof(size_t) <= verb->job_bytes);
    for (const ordo_array *array = verb->arrays; array < ordo_arrays_end(verb); array++) {
        testkit_case("%s", array->name);
        CHECK(array->field + sizeof(void *) <= verb->job_bytes);
        CHECK(array->size_kind != ORDO_SIZE_TYPE ||
              array->size + sizeof(ordo_type) <= verb->job_bytes);
        CHECK(array->size_kind != ORDO_SIZE_FIELD ||
              array->size + sizeof(size_t) <= verb->job_bytes);
        CHECK(array->size_kind != ORDO_SIZE_BYTES || (array->size & (array->size - 1)) == 0);
        CHECK((array->use & (ORDO_READ | ORDO_WRITTEN)) != 0);
        CHECK(array->count == 0 || array->count_of == NULL);
    }
}

/* Only the first rows are checked by api_check_arrays. */
static void check_checked(const ordo_verb *verb)
{
    for (size_t i = API_CHECKED_ARRAYS; i < ORDO_VERB_ARRAYS && verb->arrays[i].name != NULL; i++)
        CHECK((verb->arrays[i].use & ORDO_UNCHECKED) != 0);
}

static void check_segments(const ordo_verb *verb)
{
    size_t arrays = 0;
    CHECK(verb->slot != ORDO_SLOT_none);
    CHECK(verb->segments != 0 && verb->segments + sizeof(void *) <= verb->job_bytes);
    for (const ordo_array *array = verb->arrays; array < ordo_arrays_end(verb); array++)
        arrays += (array->use & (ORDO_EACH | ORDO_HOST)) == 0;
    CHECK(arrays >= 1 && arrays <= ORDO_SEGMENT_ARRAYS);
}

int main(void)
{
    testkit_start();
    for (size_t i = 0; i < sizeof with_segments / sizeof *with_segments; i++) {
        check_rows(with_segments[i]);
        check_checked(with_segments[i]);
        check_segments(with_segments[i]);
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        check_rows(whole[i]);
        check_checked(whole[i]);
        CHECK(whole[i]->segments == 0);
    }
    for (size_t i = 0; i < sizeof of_groups / sizeof *of_groups; i++)
        check_rows(of_groups[i]);
    return testkit_done();
}
