/* nth_any.c - splits keys around the k-th key without keeping their order (ORDO_ANY_ORDER), on one
 * thread.
 *
 * copy   few keys become words in the result, quickselect splits the words there, and they become
 *        keys again; for indices the words hold the leading key bits and the index
 * band   a random sample brackets the k-th key (select_sample.c). One read moves the keys below and
 *        above the bracket to both ends of the result (cpu_sides_fn) and keeps those inside, which
 *        quickselect splits. The sides are final, so each key is read once and written once.
 *
 * If the bracket misses place k, its keys need too much scratch or the leading bits do not tell
 * keys apart, cpu_nth does it in order. */
#include "core/indices.h"
#include "core/keybits.h"
#include "cpu/radix/records.h"
#include "cpu/select/select.h"

#include <math.h>
#include <string.h>

enum {
    DRAWS = 1,        /* the seed of the draws: equal calls give the same order on each side */
    BLOCK = 512,      /* keys between two checks of the room */
    BEHIND = 16,      /* elements that the loops may write behind those they keep */
    KEYS_SHARE = 4,   /* at most one key in this many is kept; the same for indices, which need */
    INDEX_SHARE = 8,  /* three times as much scratch for each */
    LEAST_KEPT = 4096 /* so many may always be kept: ties make the brackets of few keys wide */
};

typedef struct nth_any {
    const ordo_nth_job *job;
    const cpu_kernels  *kernels;
    ordo_exec          *exec;
    ordo_select_job     select;
    selector            selector;
    cpu_sides           sides;
    size_t              most; /* keys that may be kept */
    void               *copy; /* of the words that were kept; for indices only */
} nth_any;

static size_t most_kept(size_t n, bool index)
{
    size_t const share = n / (index ? INDEX_SHARE : KEYS_SHARE);
    return ordo_max(share, ordo_min(n, LEAST_KEPT)) + 2 * BLOCK + BEHIND;
}

static size_t band_scratch(const ordo_nth_job *job, bool index)
{
    size_t const word = select_word_size(job->type), most = most_kept(job->n, index);
    return (select_sample_size(job->n) + most) * word +
           (index ? most * (word + sizeof(uint64_t)) + 2 * ORDO_CACHE_LINE : 0);
}

/* Up to this many keys are split in place. */
static size_t few_keys(const cpu_kernels *kernels, const ordo_nth_job *job)
{
    bool const wide = ordo_type_size(job->type) == sizeof(uint64_t);
    bool const vectors = kernels->nth_word[wide ? CPU_WORDS_64 : CPU_WORDS_32] != NULL;
    if (job->out == NULL)
        return vectors ? ORDO_TUNE_SELECT_VECTOR_COPY : ORDO_TUNE_SELECT_VECTOR_COPY / 4;
    return kernels->loops->around[job->type][0] != NULL ? 2 * ORDO_TUNE_SELECT_VECTOR_COPY
                                                        : ORDO_TUNE_SELECT_SMALL;
}

/* Whether cpu_nth writes so many indices in order in less time. */
static bool is_faster_in_order(const cpu_kernels *kernels, const ordo_nth_job *job)
{
    return job->out == NULL && kernels->loops->around[job->type][0] != NULL &&
           job->n <= ORDO_TUNE_NTH_INDEX_ORDERED;
}

static size_t packed_scratch(size_t n) { return n * sizeof(uint64_t); }

/* Whether one thread would do the whole array in any case. */
static bool is_alone(const ordo_nth_job *job, unsigned threads)
{
    return threads == 1 || job->n <= ORDO_TUNE_ALONE;
}

size_t cpu_nth_any_scratch(const ordo_nth_job *job, unsigned threads)
{
    size_t const band = ordo_max(band_scratch(job, true), band_scratch(job, false));
    if (!job->any_order || !is_alone(job, threads))
        return 0;
    return ordo_max(band, packed_scratch(ordo_min(job->n, ORDO_TUNE_SELECT_VECTOR_COPY))) +
           ORDO_CACHE_LINE;
}

/* ---- In the result ---- */

static ordo_status split_copy(nth_any *w)
{
    const ordo_nth_job *const job = w->job;
    ordo_sort_job const       keys = {.type = job->type,
                                      .keys = job->out,
                                      .source = job->keys,
                                      .n = job->n,
                                      .descending = job->descending};
    radix_io const            io = records_of_keys(w->kernels, &keys);
    uint64_t                  word;
    if (io.load != NULL)
        io.load(&io, 0, job->n, job->out);
    else
        memcpy(job->out, job->keys, job->n * w->selector.key_size);
    if (!select_one_word(&w->selector, job->out, job->n, job->k, &word))
        return ORDO_E_CANCELLED;
    if (io.store != NULL)
        io.store(&io, 0, job->n, job->out);
    w->exec->algorithm = "quickselect";
    return ORDO_OK;
}

/* Whether all words with the leading bits of `word` stand for keys with the same bits. */
static bool is_exact(const ordo_nth_job *job, const uint64_t *words, uint64_t word, uint64_t mask)
{
    records_key_fn *const key_at = records_key_of(job->type, job->descending);
    uint64_t const        key = key_at(job->keys, (size_t)(word & mask));
    for (size_t i = 0; i < job->n; i++)
        if ((words[i] ^ word) <= mask && key_at(job->keys, (size_t)(words[i] & mask)) != key)
            return false;
    return true;
}

static ordo_status split_packed(nth_any *w, bool *done)
{
    const ordo_nth_job *const job = w->job;
    size_t const              n = job->n;
    uint64_t                 *words, word;
    selector                  s = w->selector;
    void                     *room = NULL;
    if (ordo_scratch(w->exec, packed_scratch(n), &room) != ORDO_OK) {
        ordo_fail(w->exec, ORDO_OK, "%s", ""); /* no error: the other way needs less */
        return ORDO_OK;
    }
    words = room;
    ordo_argsort_job const order = {
        .type = job->type, .keys = job->keys, .n = n, .descending = job->descending};
    cpu_tie_extent extent;
    w->kernels->loops->tie_extent[job->type](job->keys, n, job->descending, &extent);
    cpu_tie_map const map = cpu_tie_map_of(&extent, n, 64);
    uint64_t const    mask = (UINT64_C(1) << map.index_bits) - 1;
    records_words(w->kernels, &order, &map, words);
    s.word_size = sizeof *words;
    if (!select_one_word(&s, words, n, job->k, &word))
        return ORDO_E_CANCELLED;
    *done = !map.lossy || is_exact(job, words, word, mask);
    w->exec->algorithm = "quickselect";
    ordo_type const type = job->index_type;
    for (size_t i = 0; *done && i < n; i++)
        ordo_put_index(type, job->index, i, words[i] & mask);
    return ORDO_OK;
}

/* ---- By a band ---- */

/* Moves all keys. *fits is false if more keys are in the band than there is room for. */
static ordo_status move_sides(nth_any *w, bool *fits)
{
    const ordo_nth_job *const job = w->job;
    cpu_sides_fn *const       move = w->kernels->loops->sides[job->type][job->descending];
    size_t const              grain = cpu_grain(job->n), size = w->selector.key_size;
    bool const                counts = w->job->out != NULL && w->sides.lo == w->sides.hi;
    for (size_t at = 0; at < job->n; at += BLOCK) {
        if (at % grain < BLOCK && ordo_poll(w->exec, (double)at / (double)job->n))
            return ORDO_E_CANCELLED;
        move((const char *)job->keys + at * size, ordo_min(BLOCK, job->n - at), at, &w->sides);
        if (counts) /* keys with the same bits need no room */
            w->sides.inside = 0;
        *fits = w->sides.inside + BLOCK + BEHIND <= w->most;
        if (!*fits)
            return ORDO_OK;
    }
    return ORDO_OK;
}

/* Writes the keys of the band, which were kept as words, to the places between the sides. */
static ordo_status put_keys(nth_any *w)
{
    const ordo_nth_job *const job = w->job;
    const cpu_sides *const    sides = &w->sides;
    size_t const              count = sides->right - sides->left;
    char *const               to = (char *)job->out + sides->left * w->selector.key_size;
    ordo_sort_job const       keys = {
              .type = job->type, .keys = to, .n = count, .descending = job->descending};
    radix_io const io = records_of_keys(w->kernels, &keys);
    uint64_t       word = sides->lo;
    if (sides->lo == sides->hi) {
        w->selector.job = &w->select;
        w->select.out = to;
        for (size_t i = 0; i < count; i++)
            select_put(&w->selector, i, word);
        return ORDO_OK;
    }
    if (!select_one_word(&w->selector, sides->kept, count, job->k - sides->left, &word))
        return ORDO_E_CANCELLED;
    if (io.store != NULL)
        io.store(&io, 0, count, sides->kept);
    else
        memcpy(to, sides->kept, count * w->selector.key_size);
    return ORDO_OK;
}

/* The same for indices: those of the words less than the k-th word, equal to it and greater. */
static ordo_status put_index(nth_any *w)
{
    const cpu_sides *const sides = &w->sides;
    size_t const           count = sides->inside, word_size = w->selector.word_size;
    uint64_t               pivot;
    memcpy(w->copy, sides->kept, count * word_size);
    if (!select_one_word(&w->selector, w->copy, count, w->job->k - sides->left, &pivot))
        return ORDO_E_CANCELLED;
    cpu_ties const ties = select_words_around(&w->selector, w->copy, count, pivot);
    size_t ends[3] = {sides->left, sides->left + ties.less, sides->left + ties.less + ties.equal};
    for (size_t i = 0; i < count; i++) {
        uint64_t const word = select_word_at(sides->kept, word_size, i);
        size_t const   to = ends[(word >= pivot) + (word > pivot)]++;
        ordo_put_index(w->job->index_type, w->job->index, to,
                       ordo_index_at(w->job->index_type, sides->kept_index, i));
    }
    return ORDO_OK;
}

/* Takes scratch for the sample and the keys of the band. Returns false if it is refused. */
static bool take_room(nth_any *w)
{
    const ordo_nth_job *const job = w->job;
    bool const                index = job->index != NULL;
    size_t const              word = w->selector.word_size;
    void                     *room = NULL;
    if (ordo_scratch(w->exec, band_scratch(job, index), &room) != ORDO_OK) {
        ordo_fail(w->exec, ORDO_OK, "%s", ""); /* no error: the other way needs less */
        return false;
    }
    w->most = most_kept(job->n, index);
    w->selector.room = room;
    w->selector.room_words = select_sample_size(job->n) + w->most;
    w->sides.kept = (char *)room + select_sample_size(job->n) * word;
    if (index) {
        size_t const bytes = ordo_round_up(w->selector.room_words * word, ORDO_CACHE_LINE);
        w->copy = (char *)room + bytes;
        w->sides.kept_index = (char *)room + ordo_round_up(bytes + w->most * word, ORDO_CACHE_LINE);
    }
    return true;
}

/* Whether there is probably room for the keys of the band: three deviations of the sample more than
 * expected. */
static bool band_fits(const nth_any *w)
{
    size_t const size = select_sample_size(w->job->n);
    size_t       inside = 0;
    for (size_t i = 0; i < size; i++) {
        uint64_t const word = select_word_at(w->selector.room, w->selector.word_size, i);
        inside += word >= w->sides.lo && word <= w->sides.hi;
    }
    double const bound = (double)inside + 3 * sqrt((double)inside);
    return bound * (double)w->job->n / (double)size + BLOCK + BEHIND <= (double)w->most;
}

/* Several ranges, of which some hold one frequent key each, lie side by side, so together they are
 * one bracket. */
static ordo_status split_band(nth_any *w, bool *done)
{
    const ordo_nth_job *const job = w->job;
    select_range              ranges[SELECT_RANGES];
    size_t                    next, count;
    *done = false;
    if (!take_room(w))
        return ORDO_OK;
    TRY(select_brackets(&w->selector, 0, &next, ranges, &count));
    w->sides.lo = ranges[0].band.lo;
    w->sides.hi = ranges[count - 1].band.hi;
    if (count != 1 && !band_fits(w))
        return ORDO_OK;
    w->sides.right = job->n;
    w->sides.out = job->out != NULL ? job->out : job->index;
    w->sides.index_size = job->out != NULL ? 0 : ordo_type_size(job->index_type);
    bool fits = true;
    TRY(move_sides(w, &fits));
    if (!fits || job->k < w->sides.left || job->k >= w->sides.right)
        return ORDO_OK;
    *done = true;
    w->exec->algorithm = "sample";
    w->exec->facts.strategy = ORDO_STRATEGY_BRACKETS;
    return job->out != NULL ? put_keys(w) : put_index(w);
}

static ordo_status split_any(nth_any *w, bool *done)
{
    if (w->job->n > few_keys(w->kernels, w->job))
        return split_band(w, done);
    if (w->job->out == NULL)
        return split_packed(w, done);
    *done = true;
    return split_copy(w);
}

ordo_status cpu_nth_any(void *state, const ordo_nth_job *job, bool *done, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    size_t const             size = ordo_type_size(job->type);
    nth_any                  w = {.job = job, .kernels = kernels, .exec = exec};
    w.select = (ordo_select_job){.type = job->type,
                                 .keys = job->keys,
                                 .n = job->n,
                                 .k = &job->k,
                                 .count = 1,
                                 .descending = job->descending,
                                 .algorithm = ORDO_ALGORITHM_AUTO};
    w.selector = (selector){.job = &w.select,
                            .exec = exec,
                            .kernels = kernels,
                            .key_size = size,
                            .word_size = select_word_size(job->type)};
    *done = false;
    if (size < sizeof(uint32_t) || !is_alone(job, exec->threads) ||
        (job->out != NULL && job->index != NULL) || is_faster_in_order(kernels, job))
        return ORDO_OK;
    exec->isa = kernels->isa;
    exec->phases = exec->phase + 1;
    uint64_t const seed = exec->seed;
    exec->seed = DRAWS;
    ordo_status const status = split_any(&w, done);
    exec->seed = seed;
    return status;
}
