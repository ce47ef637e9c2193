/* look_strings.c - how many bytes of each string a sort must read, estimated from a sorted sample.
 *
 * In the sorted sample a string must be read one byte further than its longest common prefix with a
 * neighbour. Among all n strings the neighbours are closer. The depth of text grows by about the
 * same amount with every doubling of the number of strings, so the growth is estimated from the
 * whole sample and a quarter of it. Time: m lg m comparisons of m <= 1024 strings, at most half a
 * millisecond for a sort of ten. */
#define _POSIX_C_SOURCE 200809L
#include "plan/predict.h"

#include "core/random.h"
#include "core/string_view.h"

#include <math.h>

enum {
    MOST = 1024,    /* strings drawn */
    FEWEST = 16,    /* strings drawn, unless there are fewer */
    SHARE = 512,    /* one string in 512 is drawn */
    READ = 1 << 10, /* bytes of a string that are read at most */
    KEY = 7         /* bytes of a string in one key */
};

typedef struct sample {
    string_view view;
    size_t      index[MOST];
    uint8_t     part[MOST];   /* 0 to 3: the quarter of the sample it belongs to */
    size_t      shared[MOST]; /* length of the common prefix of strings i - 1 and i */
    size_t      count;
} sample;

static size_t length_of(const string_view *view, size_t index)
{
    if (view->pointers != NULL)
        return strnlen(view->pointers[index], READ);
    uint64_t const length = view->offsets[index + 1] - view->offsets[index];
    return length < READ ? (size_t)length : READ;
}

static const char *bytes_of(const string_view *view, size_t index)
{
    return view->pointers != NULL ? view->pointers[index] : view->bytes + view->offsets[index];
}

/* The length of the common prefix, at most READ; *is_less: whether a comes before b. */
static size_t shared_bytes(const string_view *view, size_t a, size_t b, bool *is_less)
{
    size_t const      a_length = length_of(view, a), b_length = length_of(view, b);
    size_t const      both = ordo_min(a_length, b_length);
    const char *const x = bytes_of(view, a), *const y = bytes_of(view, b);
    size_t i = 0;
    while (i + 8 <= both && string_word(x + i) == string_word(y + i))
        i += 8;
    while (i < both && x[i] == y[i])
        i++;
    *is_less = i == both ? a_length < b_length : (unsigned char)x[i] < (unsigned char)y[i];
    return i;
}

static void insert(sample *s, size_t index, uint8_t part)
{
    size_t lo = 0, hi = s->count;
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        bool         is_less;
        (void)shared_bytes(&s->view, s->index[middle], index, &is_less);
        if (is_less)
            lo = middle + 1;
        else
            hi = middle;
    }
    memmove(s->index + lo + 1, s->index + lo, (s->count - lo) * sizeof *s->index);
    memmove(s->part + lo + 1, s->part + lo, (s->count - lo) * sizeof *s->part);
    s->index[lo] = index;
    s->part[lo] = part;
    s->count++;
}

/* The mean depth of the strings of the first `parts` quarters, compared with each other only. */
static double depth_of(const sample *s, uint8_t parts)
{
    size_t sum = 0, strings = 0, before = 0, least = READ;
    bool   first = true;
    for (size_t i = 0; i < s->count; i++) {
        least = i > 0 ? ordo_min(least, s->shared[i]) : READ;
        if (s->part[i] >= parts)
            continue;
        size_t const here = first ? 0 : least; /* with the previous string */
        if (!first)
            sum += ordo_max(before, here) + 1;
        before = here;
        least = READ;
        first = false;
        strings++;
    }
    return strings == 0 ? 0 : (double)(sum + before + 1) / (double)strings;
}

/* The mean cost of further reads if all depths are `growth` bytes more than in the sample. */
static double further_of(const sample *s, double growth, double common)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t const before = i > 0 ? s->shared[i] : 0;
        size_t const after = i + 1 < s->count ? s->shared[i + 1] : 0;
        double const length = (double)length_of(&s->view, s->index[i]);
        double const depth = (double)ordo_max(before, after) + growth;
        double const beyond = (depth < length ? depth : length) + 1 - common - (KEY - 1);
        if (beyond > 0)
            sum += log2(2 + beyond / KEY);
    }
    return sum / (double)s->count;
}

ordo_string_look ordo_look_at_strings(const ordo_strings *strings, size_t n, uint64_t seed)
{
    ordo_string_look look = {0, 0};
    sample           s;
    s.view = string_view_of(strings, n, false);
    s.count = 0;
    size_t const wanted = ordo_min(ordo_max(ordo_min(n / SHARE, MOST), FEWEST), n);
    if (wanted == 0)
        return look;
    size_t const   stride = n / wanted;
    uint64_t const sequence = ordo_random_sequence(seed, 2);
    for (size_t i = 0; i < wanted; i++) {
        size_t const at = (size_t)ordo_random_below(ordo_random_at(sequence, i), stride);
        insert(&s, i * stride + at, (uint8_t)(i % 4));
    }
    size_t common = READ;
    for (size_t i = 1; i < s.count; i++) {
        bool is_less;
        s.shared[i] = shared_bytes(&s.view, s.index[i - 1], s.index[i], &is_less);
        common = ordo_min(common, s.shared[i]);
    }
    double doublings = 0;
    for (size_t m = wanted; m < n; m *= 2)
        doublings++;
    double const slope = (depth_of(&s, 4) - depth_of(&s, 1)) / 2;
    look.common = s.count > 1 ? (double)common : 0;
    look.further = further_of(&s, slope > 0 ? slope * doublings : 0, look.common);
    return look;
}
