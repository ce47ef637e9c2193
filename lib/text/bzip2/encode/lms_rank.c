/* lms_rank.c - sorts groups of LMS rotations by the ranks of later LMS rotations.
 *
 * The rank of a rotation is twice the place of the first member of its group, plus 1 if the group
 * has more members. The members of a group agree in `reach` bytes, and all have an LMS rotation at
 * that distance. A scan from the right sorts the group of each rotation by the ranks at its reach:
 * the rotation there is final already, unless the circle closes between them. So most groups are
 * sorted once. Repetitions with a short period are the worst case of the scan. After a limit,
 * rounds sort all groups that are left; each round doubles the reach at least: O(n log n). */
#include "backend/tuning.h"
#include "text/bzip2/encode/lms_sort.h"
#include "text/word_sort.h"

enum {
    /* Members that the scan may sort, as a multiple of all LMS rotations. Source takes 0.5 to 1.3
     * (gcc and other files). */
    SCAN_WORK = ORDO_TUNE(8, 0),
    MOST_TRIES = 32, /* sorts of a group in a round, one after the other; estimate */
    RANK_SHIFT = 20
};

/* Bit i: an LMS rotation begins at `at` + i. */
static inline uint64_t starts_from(const bz_sorter *s, uint32_t at)
{
    const uint64_t *const word = s->starts + at / 64;
    unsigned const        shift = at % 64;
    return word[0] >> shift | word[1] << 1 << (63 - shift);
}

/* The same as bz_decided_reach() for LMS rotations that are far from each other. */
static uint32_t far_reach(const bz_sorter *s, uint32_t at, uint32_t depth)
{
    uint32_t first = 0;
    for (uint32_t distance = 1; distance <= depth; distance += 64) {
        uint64_t bits = starts_from(s, (at + distance) % s->n);
        for (; bits != 0; bits &= bits - 1) {
            uint32_t const here = distance + (uint32_t)__builtin_ctzll(bits);
            if (here > depth)
                return 0;
            if (first > 0)
                return first;
            first = here;
        }
    }
    return 0;
}

/* The last LMS rotation but one in the next 63 bytes. */
uint32_t bz_decided_reach(const bz_sorter *s, uint32_t at, uint32_t depth)
{
    uint64_t const near = depth < 63 ? (UINT64_C(2) << depth) - 2 : UINT64_MAX - 1;
    uint64_t const bits = starts_from(s, at) & near;
    if ((bits & (bits - 1)) == 0)
        return far_reach(s, at, depth);
    uint64_t const others = bits ^ UINT64_C(1) << (63 - __builtin_clzll(bits));
    return 63 - (uint32_t)__builtin_clzll(others);
}

static inline uint32_t rank_after(const bz_sorter *s, bz_item item, uint32_t reach)
{
    uint32_t const at = bz_item_at(item) + reach;
    return s->rank[(at < s->n ? at : at - s->n) / 2];
}

static inline void set_rank(bz_sorter *s, uint32_t place, uint32_t rank)
{
    s->rank[bz_item_at(s->items[place]) / 2] = rank;
}

static void make_ranks(bz_sorter *s)
{
    for (uint32_t lo = 0, hi; lo < s->lms; lo = hi) {
        hi = bz_group_end(s, lo);
        for (uint32_t i = lo; i < hi; i++)
            set_rank(s, i, 2 * lo + (hi - lo > 1));
    }
}

/* Sorts a group of two. If they agree in all tries, only the reach grows. */
static void sort_two(bz_sorter *s, uint32_t lo, uint32_t reach)
{
    bz_item *const items = s->items + lo;
    bz_item const  one = items[0], two = items[1];
    uint32_t       tries = MOST_TRIES, a, b;
    while ((a = rank_after(s, one, reach)) == (b = rank_after(s, two, reach))) {
        reach += s->reach[a / 2];
        if (--tries == 0) {
            s->reach[lo] = reach;
            return;
        }
    }
    items[0] = a < b ? one : two;
    items[1] = a < b ? two : one;
    s->ends[lo] = 0;
    set_rank(s, lo, 2 * lo);
    set_rank(s, lo + 1, 2 * lo + 2);
}

/* Gives the members of items[lo..hi), which are sorted by ranks at `reach`, their ranks. Members
 * with equal ranks there agree as far as the group of that rank does. */
static void split_group(bz_sorter *s, uint32_t lo, uint32_t hi, uint32_t reach)
{
    const bz_item *const items = s->items;
    uint32_t const       own = s->reach[lo]; /* the group may follow itself */
    s->ends[lo] = 0;
    for (uint32_t i = lo, end; i < hi; i = end) {
        uint32_t const rank = (uint32_t)(items[i] >> RANK_SHIFT);
        for (end = i + 1; end < hi && items[end] >> RANK_SHIFT == rank;)
            end++;
        for (uint32_t k = i; k < end; k++)
            set_rank(s, k, 2 * i + (end - i > 1));
        if (end - i > 1) {
            s->reach[i] = reach + (rank / 2 == lo ? own : s->reach[rank / 2]);
            s->ends[i] = end;
        }
    }
}

/* Sorts the group at lo by the ranks at its reach, and with more tries its parts, too. */
static void sort_group(bz_sorter *s, uint32_t lo, uint32_t tries)
{
    bz_item *const items = s->items;
    uint32_t const hi = s->ends[lo];
    uint32_t       reach = s->reach[lo];
    if (hi - lo == 2) {
        sort_two(s, lo, reach);
        return;
    }
    for (;; tries--) {
        if (tries == 0) {
            s->reach[lo] = reach;
            return;
        }
        for (uint32_t i = lo; i < hi; i++) {
            bz_item const rank = rank_after(s, items[i], reach);
            items[i] = rank << RANK_SHIFT | bz_item_at(items[i]);
        }
        text_sort_words(items + lo, hi - lo, RANK_SHIFT, bz_scratch(s), s->n / 2);
        if ((items[lo] ^ items[hi - 1]) >> RANK_SHIFT != 0)
            break;
        reach += s->reach[items[lo] >> RANK_SHIFT >> 1];
    }
    split_group(s, lo, hi, reach);
    for (uint32_t i = lo, end; tries > 1 && i < hi; i = end) {
        end = bz_group_end(s, i);
        if (end - i > 1)
            sort_group(s, i, tries - 1);
    }
}

static void sort_from_right(bz_sorter *s)
{
    uint64_t left = (uint64_t)SCAN_WORK * s->lms;
    for (uint32_t i = s->lms; i > 0; i--) {
        uint32_t const rank = s->rank[s->begins[i - 1] / 2], lo = rank / 2;
        if (rank % 2 == 0)
            continue;
        if (s->ends[lo] - lo > left)
            return;
        left -= s->ends[lo] - lo;
        sort_group(s, lo, 1);
    }
}

/* Sorts all groups once and returns whether there were any. */
static bool sort_round(bz_sorter *s)
{
    bool some = false;
    for (uint32_t lo = 0, hi; lo < s->lms; lo = hi) {
        hi = bz_group_end(s, lo);
        if (hi - lo > 1) {
            sort_group(s, lo, MOST_TRIES);
            some = true;
        }
    }
    return some;
}

void bz_sort_by_rank(bz_sorter *s)
{
    make_ranks(s);
    sort_from_right(s);
    while (sort_round(s))
        ;
}
