/* select_sample.c - a random sample gives ranges that probably hold the wanted keys.
 *
 * Of S keys drawn at random, about S k/n come before the k-th key, with a standard deviation of
 * sqrt(S k/n (1 - k/n)). Two words of the sample a few deviations to either side bracket the k-th
 * key, and about n/sqrt(S) keys are between them (R. W. Floyd and R. L. Rivest, "Expected time
 * bounds for selection", CACM 18, 1975). S is n^(2/3), so that drawing and the selection among the
 * kept words cost far less than one read of the array. Draws depend on the seed of the call.
 * Overlapping brackets are joined. A word that is frequent in the sample gets a range of its own,
 * which is only counted. Room: S words, and 1.5 times the expected number of keys per bracket. */
#include "cpu/select/select.h"

#include <math.h>

enum {
    GROUPS = 8,     /* the most brackets of one pass */
    HEAVY = 4,      /* frequent words per bracket that may get a range of their own */
    SLACK = 2,      /* sample keys added to each side of a bracket */
    ROUNDING = 8,   /* places that rounding and an adjacent bracket may add */
    LEAST_HEAVY = 8 /* a frequent word is in the sample at least this often */
};

_Static_assert(GROUPS *(2 * HEAVY + 1) <= SELECT_RANGES, "there are ranges for every bracket");

size_t select_sample_size(size_t n)
{
    unsigned lg = 0;
    while (n >> lg > 1)
        lg++;
    size_t const wanted = ordo_max(2 * lg / 3 + 1, ORDO_TUNE_SELECT_LG_LEAST);
    return ordo_min((size_t)1 << ordo_min(wanted, ORDO_TUNE_SELECT_LG_SAMPLE), n);
}

/* Room for the keys that `items` keys of the sample stand for, and half as much again. */
static size_t room_for(size_t n, size_t items)
{
    size_t const each = n / select_sample_size(n) + 1;
    return each * items + each * items / 2;
}

/* The width of the widest bracket, that of a median, in places of the sample. */
static size_t widest(size_t size)
{
    return (size_t)(ORDO_TUNE_SELECT_SIGMAS * sqrt((double)size)) + 2 * SLACK + ROUNDING;
}

size_t select_sample_room(size_t n)
{
    size_t const items = widest(select_sample_size(n)) + LEAST_HEAVY;
    return ordo_min(room_for(n, items), n / ORDO_TUNE_SELECT_SHARE);
}

size_t select_sample_groups(size_t n)
{
    size_t const fit = n / ORDO_TUNE_SELECT_SHARE / ordo_max(select_sample_room(n), 1);
    return ordo_max(1, ordo_min(fit, GROUPS));
}

/* ---- Brackets, as places in the sorted sample ---- */

typedef struct bracket {
    size_t a, b;             /* both inside */
    bool   open_lo, open_hi; /* it begins at the smallest word; it ends at the largest */
} bracket;

static bracket bracket_of(size_t k, size_t n, size_t size)
{
    double const share = ((double)k + 0.5) / (double)n, last = (double)(size - 1);
    double const place = share * (double)size;
    double const reach = ORDO_TUNE_SELECT_SIGMAS * sqrt(share * (1 - share) * (double)size) + SLACK;
    double const a = place - reach, b = place + reach;
    return (bracket){a > 0 ? (size_t)fmin(a, last) : 0, b < last ? (size_t)b : size - 1, a < 0,
                     b >= last};
}

/* Makes as many brackets as the room allows. */
static size_t make_brackets(const selector *s, size_t size, size_t first, size_t *next,
                            bracket brackets[GROUPS])
{
    size_t const most = ordo_min(select_sample_groups(s->job->n), GROUPS);
    size_t       count = 0, items = 0, j = first;
    for (; j < s->job->count; j++) {
        bracket const  b = bracket_of(s->job->k[j], s->job->n, size);
        bracket *const before = &brackets[count - (count > 0)];
        bool const     joins = count > 0 && b.a <= before->b;
        size_t const   more = !joins ? b.b - b.a + 1 : b.b > before->b ? b.b - before->b : 0;
        if (count > 0 && (items + more > most * widest(size) || (!joins && count == most)))
            break;
        if (joins) {
            before->b = ordo_max(b.b, before->b);
            before->open_hi |= b.open_hi;
        } else {
            brackets[count++] = b;
        }
        items += more;
    }
    *next = j;
    return count;
}

/* ---- Ranges of words ---- */

typedef struct range_maker {
    const selector *s;
    const void     *sample;
    size_t          size;
    select_range   *ranges;
    size_t          count;
    size_t          used; /* words of the room */
} range_maker;

static uint64_t sample_at(const range_maker *m, size_t i)
{
    return select_word_at(m->sample, m->s->word_size, i);
}

static size_t copies_between(const range_maker *m, size_t lo, size_t hi, uint64_t word)
{
    size_t copies = 0;
    for (size_t i = lo; i < hi; i++)
        copies += sample_at(m, i) == word;
    return copies;
}

static void add_range(range_maker *m, uint64_t lo, uint64_t hi, size_t items, bool keeps)
{
    size_t const left = m->s->room_words - m->used;
    size_t const room = keeps ? ordo_min(room_for(m->s->job->n, items + LEAST_HEAVY), left) : 0;
    m->ranges[m->count++] =
        (select_range){.band = {.lo = lo, .hi = hi}, .at = m->used, .room = room};
    m->used += room;
}

/* The number of sample words from the first to the last word of the bracket, with all copies. */
static size_t copies_of_all(const range_maker *m, const bracket *b)
{
    return b->b - b->a + 1 + copies_between(m, 0, b->a, sample_at(m, b->a)) +
           copies_between(m, b->b + 1, m->size, sample_at(m, b->b));
}

/* Adds the ranges of one bracket from the word `from` on: each frequent word alone, and the words
 * between them. The only bracket becomes one range if the room probably holds all of its words,
 * because every range takes a pass over the keys in the cache. */
static void add_bracket(range_maker *m, const bracket *b, uint64_t from, bool alone)
{
    uint64_t const last = select_last_word(m->s->key_size);
    uint64_t const lo = b->open_lo ? 0 : sample_at(m, b->a);
    uint64_t const hi = b->open_hi ? last : sample_at(m, b->b);
    if (alone && lo < hi) {
        size_t const copies = copies_of_all(m, b);
        if (room_for(m->s->job->n, copies + LEAST_HEAVY) <= m->s->room_words - m->used) {
            add_range(m, lo, hi, copies, true);
            return;
        }
    }
    size_t const heavy_from = ordo_max(LEAST_HEAVY, (b->b - b->a + 1) / 8);
    size_t       items = 0, heavy = 0;
    uint64_t     at = lo > from ? lo : from;

    for (size_t i = b->a, end; i <= b->b && at <= hi; i = end) {
        uint64_t const word = sample_at(m, i);
        for (end = i + 1; end <= b->b && sample_at(m, end) == word; end++)
            ;
        size_t copies = end - i;
        if (i == b->a)
            copies += copies_between(m, 0, b->a, word);
        if (end > b->b)
            copies += copies_between(m, end, m->size, word);
        if (word < at)
            continue;
        if (copies < heavy_from || heavy == HEAVY) {
            items += copies;
            continue;
        }
        if (word > at)
            add_range(m, at, word - 1, items, true);
        add_range(m, word, word, 0, false);
        heavy++;
        items = 0;
        if (word == last)
            return;
        at = word + 1;
    }
    if (at <= hi)
        add_range(m, at, hi, items, at < hi);
}

ordo_status select_brackets(const selector *s, size_t first, size_t *next,
                            select_range ranges[SELECT_RANGES], size_t *count)
{
    size_t const size = select_sample_size(s->job->n);
    void *const  sample = s->room;
    bracket      brackets[GROUPS];
    size_t       places[2 * GROUPS];
    size_t const groups = make_brackets(s, size, first, next, brackets);
    range_maker  maker = {s, sample, size, ranges, 0, size};

    for (size_t g = 0; g < groups; g++) {
        places[2 * g] = brackets[g].a;
        places[2 * g + 1] = brackets[g].b;
    }
    if (!select_gather(s, size, sample))
        return ORDO_E_CANCELLED;
    bool const wants_sort = 2 * groups >= select_sorted_places(s->word_size) ||
                            size <= ORDO_TUNE_SELECT_VECTOR_COPY / 2;
    bool const is_sorted = wants_sort && s->room_words / 2 >= size &&
                           select_sort(s, sample, size, (char *)sample + size * s->word_size);
    if (!is_sorted && !select_words(sample, s->word_size, size, places, 2 * groups, 0, s->exec))
        return ORDO_E_CANCELLED;
    for (size_t g = 0; g < groups; g++) {
        const bracket *const b = &brackets[g];
        if (!is_sorted)
            select_words_sort((char *)sample + b->a * s->word_size, s->word_size, b->b - b->a + 1);
        uint64_t const done = maker.count > 0 ? ranges[maker.count - 1].band.hi : 0;
        if (maker.count > 0 && done == select_last_word(s->key_size))
            break;
        add_bracket(&maker, b, maker.count > 0 ? done + 1 : 0, groups == 1);
    }
    *count = maker.count;
    return ORDO_OK;
}
