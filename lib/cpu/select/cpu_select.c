/* cpu_select.c - the k-th keys of an unsorted array: the table of paths (paths.h).
 *
 * few       sorts a copy in registers
 * count     counts every value (narrow.c)
 * ordered   reads the k-th keys from their places, after a check of all keys
 * cells     one or two reads count the keys of many cells (select_cells.c)
 * copy      quickselect on a copy of the words, or a vector sort for several k
 * sort      sorts a copy
 * sample    a random sample brackets each k (select_sample.c), one read keeps the words in the
 *           brackets (select_pass.c), quickselect finds the key; after a miss: digits
 * digits    digit by digit (select_radix.c), without random draws
 * bitonic   sorts sub-arrays of a copy and merges them, as the median paper does; and
 * merge     the same with merges of pairs: slots of papers/median; only by name */
#include "backend/papers.h"
#include "cpu/base/paths.h"
#include "cpu/radix/radix.h"
#include "cpu/select/select.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

enum {
    MANY_PASSES = 4,  /* a sort is faster than more passes */
    COPY_RANGES = 2,  /* with more ranges, which frequent words make, a copy is faster */
    ARENA_SLACK = 512 /* bytes that a second allocation from the arena may cost in addition */
};

typedef enum select_way { /* what the type, n and the number of k choose, except cells */
    BY_COPY,
    BY_CELLS,
    BY_SAMPLE,
    BY_COUNT,
    BY_DIGITS,
    BY_SORT,
    BY_SUB_ARRAYS
} select_way;

/* Whether there are several k far enough from each other. A size query has no k: possible. */
static bool suits_cells(const ordo_select_job *job)
{
    return job->algorithm == ORDO_ALGORITHM_AUTO && job->n > ORDO_TUNE_SELECT_SMALL &&
           ordo_type_size(job->type) > 2 && job->count > 1 && job->count <= SELECT_MANY &&
           (job->k == NULL || job->k[job->count - 1] - job->k[0] > job->n / ORDO_TUNE_SELECT_NEAR);
}

/* The way if not by cells. */
static select_way way_of(const ordo_select_job *job)
{
    size_t const size = ordo_type_size(job->type);
    if (job->algorithm == ORDO_ALGORITHM_BITONIC || job->algorithm == ORDO_ALGORITHM_MERGE)
        return BY_SUB_ARRAYS;
    if (job->algorithm == ORDO_ALGORITHM_AUTO && job->n <= ORDO_TUNE_SELECT_SMALL)
        return BY_COPY;
    if (job->algorithm == ORDO_ALGORITHM_AUTO && size <= 2)
        return BY_COUNT;
    if (size == 1) /* one histogram holds every answer */
        return BY_DIGITS;
    /* For 16 bits the digits take one more read for each k, and a sort about four reads. */
    if (job->count > MANY_PASSES * (size == 2 ? 1 : select_sample_groups(job->n)))
        return BY_SORT;
    return job->algorithm == ORDO_ALGORITHM_AUTO && size > 2 ? BY_SAMPLE : BY_DIGITS;
}

/* Bytes of scratch for the words or keys of a way: copy and sub-arrays n words; cells and sample
 * n^(2/3) words and at most n/8 words that are kept; sort n keys and the scratch of the sort. If it
 * is refused, auto and radix count digits in more reads of the array, without scratch. */
static size_t room_of(const ordo_select_job *job, select_way way)
{
    size_t const word_size = select_word_size(job->type);
    switch (way) {
    case BY_COPY:
    case BY_SUB_ARRAYS:
        return job->n * word_size;
    case BY_CELLS:
        return (select_sample_size(job->n) + job->n / ORDO_TUNE_SELECT_SHARE) * word_size;
    case BY_SAMPLE: /* one k gets room for frequent words, too */
        return (select_sample_size(job->n) +
                (job->count == 1 ? job->n / ORDO_TUNE_SELECT_SHARE
                                 : ordo_min(job->count, select_sample_groups(job->n)) *
                                       select_sample_room(job->n))) *
               word_size;
    case BY_COUNT:
        return 0;
    case BY_DIGITS:
        return ordo_type_size(job->type) > 2 ? select_sample_room(job->n) * word_size : 0;
    case BY_SORT:
        break;
    }
    return job->n * ordo_type_size(job->type);
}

/* Whether BY_COPY sorts all words, if the ISA has a vector sort. */
static bool wants_sorted_copy(const ordo_select_job *job)
{
    return job->count >= select_sorted_places(select_word_size(job->type));
}

static enum record_kind word_kind(ordo_type type)
{
    return select_word_size(type) == sizeof(uint32_t) ? RECORD_K32 : RECORD_K64;
}

static ordo_sort_job sort_of(const ordo_select_job *job, void *copy)
{
    return (ordo_sort_job){.type = job->type,
                           .keys = copy,
                           .n = job->n,
                           .descending = job->descending,
                           .algorithm = job->algorithm};
}

size_t cpu_select_scratch(const ordo_select_job *job, const ordo_exec *exec)
{
    select_way const way = way_of(job);
    size_t           bytes = room_of(job, way);
    if (way == BY_SORT) {
        ordo_sort_job const sort = sort_of(job, NULL);
        bytes += cpu_sort_scratch(&sort, exec) + ARENA_SLACK;
    }
    if (way == BY_COPY && wants_sorted_copy(job))
        bytes += job->n * select_word_size(job->type) + ARENA_SLACK;
    if (way == BY_SUB_ARRAYS && exec->papers != NULL) {
        cpu_records const words = {word_kind(job->type), NULL, job->n};
        bytes += exec->papers->median.sub_arrays_scratch(&words, job->sub_array) + 2 * ARENA_SLACK;
    }
    if (way == BY_COUNT)
        bytes += cpu_narrow_scratch(job->type, job->n, exec->threads);
    if (suits_cells(job))
        bytes = room_of(job, BY_CELLS) + (way == BY_SORT ? bytes + ARENA_SLACK : 0);
    return ordo_round_up(bytes, ORDO_CACHE_LINE);
}

/* ordo_scratch for calls that can do without: NULL, and no error, if it is refused. */
static void *try_scratch(ordo_exec *exec, size_t bytes)
{
    void *room = NULL;
    if (bytes > 0 && ordo_scratch(exec, bytes, &room) != ORDO_OK) {
        ordo_fail(exec, ORDO_OK, "%s", ""); /* no error: there is another way */
        return NULL;
    }
    return room;
}

static ordo_status by_digits(const selector *s)
{
    select_part const all = {0, select_last_word(s->key_size), 0, s->job->n};
    size_t            next;
    s->exec->algorithm = "radix";
    return select_radix(s, all, 0, &next);
}

static void put_from_words(const selector *s, const void *words)
{
    for (size_t j = 0; j < s->job->count; j++)
        select_put(s, j, select_word_at(words, s->word_size, s->job->k[j]));
}

static ordo_status one_of_copy(const selector *s)
{
    uint64_t word;
    s->exec->algorithm = "quickselect";
    if (!select_one_word(s, s->room, s->job->n, s->job->k[0], &word))
        return ORDO_E_CANCELLED;
    select_put(s, 0, word);
    if (s->ties != NULL)
        *s->ties = select_words_around(s, s->room, s->job->n, word);
    return ORDO_OK;
}

/* With many k, a vector sort of all words is faster than quickselect. */
static ordo_status by_copy(const selector *s)
{
    size_t const n = s->job->n;
    void *const  spare = wants_sorted_copy(s->job) ? try_scratch(s->exec, n * s->word_size) : NULL;
    if (!select_copy_words(s, s->room))
        return ORDO_E_CANCELLED;
    if (s->job->count == 1)
        return one_of_copy(s);
    if (spare != NULL && select_sort(s, s->room, n, spare)) {
        s->exec->algorithm = "sort";
        s->exec->facts.strategy = ORDO_STRATEGY_SORTED_COPY;
    } else {
        s->exec->algorithm = "quickselect";
        if (!select_words(s->room, s->word_size, n, s->job->k, s->job->count, 0, s->exec))
            return ORDO_E_CANCELLED;
    }
    put_from_words(s, s->room);
    return ORDO_OK;
}

/* Keys that are sorted in less time than selected. */
static size_t few_keys(const cpu_kernels *kernels, size_t size)
{
    bool const wide = size == sizeof(uint64_t);
    if (kernels->sort_words[wide ? CPU_WORDS_64 : CPU_WORDS_32] == NULL)
        return wide ? ORDO_SMALL_N_64 : ORDO_TUNE_SMALL_N_32;
    return wide ? ordo_max(ORDO_SELECT_VECTOR_64, ORDO_SMALL_N_64)
                : ordo_max(ORDO_SELECT_VECTOR_32, ORDO_TUNE_SMALL_N_32);
}

static void sort_few(const cpu_kernels *kernels, const ordo_select_job *job, ordo_exec *exec)
{
    uint64_t            copy[256];
    size_t const        size = ordo_type_size(job->type);
    ordo_sort_job const sort = sort_of(job, copy);
    bool const          changed = exec->changed;
    _Static_assert(sizeof copy >= ORDO_SELECT_VECTOR_64 * sizeof *copy &&
                       sizeof copy >= ORDO_SELECT_VECTOR_32 * sizeof(uint32_t) &&
                       sizeof copy >= ORDO_SMALL_N_64 * sizeof *copy &&
                       sizeof copy >= ORDO_TUNE_SMALL_N_32 * sizeof(uint32_t),
                   "the copy fits");
    memcpy(copy, job->keys, job->n * size);
    if (!cpu_small_sort(kernels, &sort, exec))
        (void)cpu_vector_sort(kernels, &sort, exec);
    exec->changed = changed;
    for (size_t j = 0; j < job->count; j++)
        memcpy((char *)job->out + j * size, (const char *)copy + job->k[j] * size, size);
}

static ordo_status by_sub_arrays(const selector *s)
{
    bool const               in_pairs = s->job->algorithm == ORDO_ALGORITHM_MERGE;
    cpu_records const        records = {word_kind(s->job->type), s->room, s->job->n};
    const ordo_papers *const papers = s->exec->papers;
    const void              *sorted;
    if (papers == NULL)
        return ordo_no_paper(s->exec);
    if (!select_copy_words(s, s->room))
        return ORDO_E_CANCELLED;
    TRY(papers->median.sub_arrays(&records, s->job->sub_array, in_pairs, &sorted, s->exec));
    s->exec->algorithm = in_pairs ? "merge" : "bitonic";
    s->exec->isa = "generic";
    put_from_words(s, sorted);
    return ORDO_OK;
}

static ordo_status by_sort(void *state, const selector *s)
{
    ordo_copy_job const copy = {s->room, s->job->keys, s->job->n * s->key_size};
    ordo_sort_job const sort = sort_of(s->job, s->room);
    TRY(cpu_copy(state, &copy, s->exec));
    ordo_exec part = *s->exec;
    TRY(cpu_sort(state, &sort, &part));
    s->exec->algorithm = s->job->algorithm == ORDO_ALGORITHM_RADIX ? "radix" : "sort";
    s->exec->isa = part.isa;
    s->exec->facts.strategy = ORDO_STRATEGY_SORTED_COPY;
    for (size_t j = 0; j < s->job->count; j++)
        memcpy((char *)s->job->out + j * s->key_size,
               (const char *)s->room + s->job->k[j] * s->key_size, s->key_size);
    return ORDO_OK;
}

/* Counts every value; the prefix sums of the counts give the value of each k. */
static ordo_status by_count(const selector *s)
{
    const ordo_select_job *const job = s->job;
    const size_t                *starts;
    TRY(cpu_narrow_count(job->type, job->keys, job->n, job->descending, &starts, s->exec));
    s->exec->algorithm = "count";
    s->exec->isa = "generic";
    for (size_t j = 0; j < job->count; j++) {
        size_t value = 0;
        for (size_t step = (select_last_word(s->key_size) + 1) / 2; step > 0; step /= 2)
            if (starts[value + step] <= job->k[j])
                value += step;
        select_put(s, j, value);
    }
    return ORDO_OK;
}

/* ---- By sample ---- */

/* Answers the only k of a part whose words were kept. */
static ordo_status answer_one(const selector *s, void *words, select_part part, size_t j)
{
    uint64_t word;
    if (!select_one_word(s, words, part.count, s->job->k[j] - part.base, &word))
        return ORDO_E_CANCELLED;
    select_put(s, j, word);
    if (s->ties != NULL) {
        *s->ties = select_words_around(s, words, part.count, word);
        s->ties->less += part.base;
    }
    return ORDO_OK;
}

/* Answers the k in a counted range: it is one word, or all its words were kept, or radix does
 * it. */
static ordo_status answer_range(const selector *s, const select_range *range, size_t first,
                                size_t *next)
{
    const size_t *const k = s->job->k;
    select_part const   part = {range->band.lo, range->band.hi, range->band.below,
                                range->band.inside};
    void *const         words = (char *)s->room + range->at * s->word_size;
    size_t              end = first;
    if (!range->kept || part.lo == part.hi) {
        if (part.lo != part.hi) {
            s->exec->facts.input = ORDO_INPUT_EQUAL;
            s->exec->facts.strategy = ORDO_STRATEGY_DIGITS;
        }
        if (part.lo == part.hi && s->ties != NULL)
            *s->ties = (cpu_ties){part.base, part.count};
        return select_radix(s, part, first, next);
    }
    while (end < s->job->count && k[end] - part.base < part.count)
        end++;
    *next = end;
    if (end - first == 1)
        return answer_one(s, words, part, first);
    if (!select_words(words, s->word_size, part.count, k + first, end - first, part.base, s->exec))
        return ORDO_E_CANCELLED;
    for (size_t j = first; j < end; j++)
        select_put(s, j, select_word_at(words, s->word_size, k[j] - part.base));
    return ORDO_OK;
}

/* Answers the k from `first` to `end` that are in ranges whose words were kept. Radix overwrites
 * the room, so answer_rest does the others afterwards. */
static ordo_status answer_kept(const selector *s, const select_range *ranges, size_t count,
                               size_t first, size_t end)
{
    size_t j = first;
    for (size_t r = 0; r < count && j < end; r++) {
        const cpu_band *const band = &ranges[r].band;
        while (j < end && s->job->k[j] < band->below)
            j++;
        if (j == end || s->job->k[j] - band->below >= band->inside)
            continue;
        if (ranges[r].kept || band->lo == band->hi)
            TRY(answer_range(s, &ranges[r], j, &j));
    }
    return ORDO_OK;
}

/* Answers the other k: in ranges that were only counted, and in the gaps between ranges, where the
 * bracket of a k has missed. */
static ordo_status answer_rest(const selector *s, const select_range *ranges, size_t count,
                               size_t first, size_t end)
{
    uint64_t lo = 0;
    size_t   base = 0, j = first;
    for (size_t r = 0; r <= count && j < end; r++) {
        uint64_t const last = select_last_word(s->key_size);
        bool const     is_tail = r == count;
        size_t const   below = is_tail ? s->job->n : ranges[r].band.below;
        if (s->job->k[j] < below) {
            select_part const gap = {lo, is_tail ? last : ranges[r].band.lo - 1, base,
                                     below - base};
            s->exec->facts.strategy = ORDO_STRATEGY_MISSED;
            TRY(select_radix(s, gap, j, &j));
        }
        if (is_tail || j >= end)
            break;
        base = below + ranges[r].band.inside;
        lo = ranges[r].band.hi + 1;
        if (s->job->k[j] >= base)
            continue;
        if (ranges[r].kept || ranges[r].band.lo == ranges[r].band.hi)
            while (j < end && s->job->k[j] < base)
                j++;
        else
            TRY(answer_range(s, &ranges[r], j, &j));
    }
    return ORDO_OK;
}

static ordo_status by_sample(const selector *s)
{
    s->exec->algorithm = "sample";
    s->exec->facts.strategy = ORDO_STRATEGY_BRACKETS;
    for (size_t first = 0, next; first < s->job->count; first = next) {
        select_range ranges[SELECT_RANGES];
        size_t       count;
        s->exec->phases++;
        TRY(select_brackets(s, first, &next, ranges, &count));
        if (count > COPY_RANGES && s->room_words >= s->job->n)
            return by_copy(s);
        if (!select_pass(s, ranges, count))
            return ORDO_E_CANCELLED;
        TRY(answer_kept(s, ranges, count, first, next));
        TRY(answer_rest(s, ranges, count, first, next));
    }
    return ORDO_OK;
}

/* ---- The paths ---- */

struct cpu_look {
    const cpu_kernels     *kernels;
    const ordo_select_job *job;
    ordo_exec             *exec;
    cpu_ties              *ties;
    bool                   opened; /* sets `s`, `way` and `cells` */
    select_way             way;
    selector               s;
    void                  *cells; /* the scratch of cells, which may decline; enough for a sample */
};

static bool is_few(cpu_look *look)
{
    const ordo_select_job *const job = look->job;
    return job->algorithm == ORDO_ALGORITHM_AUTO &&
           job->n <= few_keys(look->kernels, ordo_type_size(job->type));
}

/* With a vector sort, a sample is faster than a copy also for fewer keys if all k are near each
 * other, and needs less scratch. */
static bool prefers_sample(const selector *s)
{
    const ordo_select_job *const job = s->job;
    bool const                   wide = s->word_size == sizeof(uint64_t);
    return job->k[job->count - 1] - job->k[0] <= job->n / ORDO_TUNE_SELECT_NEAR &&
           job->n > ORDO_TUNE_SELECT_VECTOR_COPY && s->key_size > 2 &&
           s->kernels->nth_word[wide ? CPU_WORDS_64 : CPU_WORDS_32] != NULL;
}

static void open_look(cpu_look *look)
{
    const ordo_select_job *const job = look->job;
    look->s = (selector){.job = job,
                         .exec = look->exec,
                         .kernels = look->kernels,
                         .band = look->kernels->loops->band[job->type][job->descending],
                         .key_size = ordo_type_size(job->type),
                         .word_size = select_word_size(job->type),
                         .ties = look->ties};
    look->way = way_of(job);
    if (look->way == BY_COPY && prefers_sample(&look->s))
        look->way = BY_SAMPLE;
    look->cells = NULL;
    look->opened = true;
    look->exec->isa = look->kernels->isa;
    look->exec->phases = look->exec->phase + 1; /* each pass adds its own */
}

static select_way chosen_way(cpu_look *look)
{
    if (!look->opened)
        open_look(look);
    return look->way;
}

static bool is_counted(cpu_look *look) { return chosen_way(look) == BY_COUNT; }

static bool may_be_ordered(cpu_look *look)
{
    return look->job->algorithm == ORDO_ALGORITHM_AUTO && chosen_way(look) != BY_COPY &&
           chosen_way(look) != BY_COUNT;
}

static bool is_for_cells(cpu_look *look) { return suits_cells(look->job); }

static bool is_copied(cpu_look *look) { return chosen_way(look) == BY_COPY; }

static bool is_sorted(cpu_look *look) { return chosen_way(look) == BY_SORT; }

static bool is_sampled(cpu_look *look)
{
    return chosen_way(look) == BY_SAMPLE || (chosen_way(look) == BY_SORT && look->s.key_size > 2);
}

/* Takes the scratch of a way. Returns false if it is refused: then the selector has none. */
static bool take_room(selector *s, select_way way)
{
    size_t const bytes = room_of(s->job, way);
    s->room = try_scratch(s->exec, bytes);
    s->room_words = s->room != NULL ? bytes / s->word_size : 0;
    return s->room != NULL;
}

static ordo_status select_few(cpu_look *look, bool *done)
{
    *done = true;
    sort_few(look->kernels, look->job, look->exec);
    return ORDO_OK;
}

static ordo_status select_counted(cpu_look *look, bool *done)
{
    *done = true;
    return by_count(&look->s);
}

static ordo_status select_ordered(cpu_look *look, bool *done)
{
    (void)chosen_way(look);
    return select_by_place(&look->s, done);
}

static ordo_status select_in_cells(cpu_look *look, bool *done)
{
    if (!take_room(&look->s, BY_CELLS))
        return ORDO_OK;
    look->cells = look->s.room;
    return select_cells(&look->s, done);
}

static ordo_status select_copied(cpu_look *look, bool *done)
{
    *done = take_room(&look->s, BY_COPY);
    return *done ? by_copy(&look->s) : ORDO_OK;
}

static ordo_status select_sorted(cpu_look *look, bool *done)
{
    *done = take_room(&look->s, BY_SORT);
    return *done ? by_sort((void *)look->kernels, &look->s) : ORDO_OK; /* never written */
}

/* A few keys get room for a copy, which by_sample may need. */
static ordo_status select_sampled(cpu_look *look, bool *done)
{
    selector *const s = &look->s;
    if (look->cells != NULL) {
        s->room = look->cells;
        s->room_words = room_of(s->job, BY_SAMPLE) / s->word_size;
    } else if (way_of(s->job) != BY_COPY || !take_room(s, BY_COPY)) {
        (void)take_room(s, BY_SAMPLE);
    }
    *done = s->room != NULL;
    return *done ? by_sample(s) : ORDO_OK;
}

static ordo_status select_by_digits(cpu_look *look, bool *done)
{
    *done = true;
    (void)take_room(&look->s, BY_DIGITS);
    return by_digits(&look->s);
}

enum {
    SELECT_PATHS = 8
};

static const cpu_path paths[SELECT_PATHS] = {
    CPU_PATH("select", "few", "few enough for registers or for one vector sort", NULL, is_few,
             select_few),
    CPU_PATH("select", "count", "keys of 8 or 16 bits, more than a copy is for", "digits",
             is_counted, select_counted),
    CPU_PATH("select", "ordered", "all windows of a sample are sorted, or all are reversed", NULL,
             may_be_ordered, select_ordered),
    CPU_PATH("select", "cells", "several positions, far from each other", "sample", is_for_cells,
             select_in_cells),
    CPU_PATH("select", "copy", "few enough keys for a copy", "digits", is_copied, select_copied),
    CPU_PATH("select", "sort", "more positions than a few samples serve", "sample", is_sorted,
             select_sorted),
    CPU_PATH("select", "sample", "keys of 32 or 64 bits", "digits", is_sampled, select_sampled),
    CPU_PATH("select", "digits", "all other keys", NULL, NULL, select_by_digits),
};

const cpu_paths cpu_select_paths = {paths, SELECT_PATHS};

static ordo_status by_sub_arrays_of(cpu_look *look)
{
    open_look(look);
    TRY(ordo_scratch(look->exec, room_of(look->job, BY_SUB_ARRAYS), &look->s.room));
    return by_sub_arrays(&look->s);
}

static ordo_status select_keys(void *state, const ordo_select_job *job, cpu_ties *ties,
                               ordo_exec *exec)
{
    cpu_look look;
    look.kernels = state;
    look.job = job;
    look.exec = exec;
    look.ties = ties;
    look.opened = false;
    return job->algorithm == ORDO_ALGORITHM_BITONIC || job->algorithm == ORDO_ALGORITHM_MERGE
               ? by_sub_arrays_of(&look)
               : cpu_walk(paths, 0, SELECT_PATHS, &look, exec);
}

ordo_status cpu_select(void *state, const ordo_select_job *job, ordo_exec *exec)
{
    return select_keys(state, job, NULL, exec);
}

ordo_status cpu_select_counted(void *state, const ordo_select_job *job, cpu_ties *ties,
                               ordo_exec *exec)
{
    *ties = (cpu_ties){0};
    return select_keys(state, job, ties, exec);
}
