/* select_radix.c - selection by digits: no random draws, and no scratch needed.
 *
 * A histogram of the leading digit gives the digit of the wanted key and the number of keys before
 * it. The range shrinks to the words with that digit, between the smallest and the largest word
 * found, and the next digit follows. When the keys left fit the room, one more pass collects them
 * and quickselect finishes. Without room all digits are counted: at most 3 reads of the array for
 * 32 bits and 6 for 64, with digits of 11 bits. All k share the first histogram. */
#include "cpu/select/select.h"

/* The first k that is not in the part. */
static size_t end_of(const selector *s, const select_part *part, size_t first)
{
    while (first < s->job->count && s->job->k[first] - part->base < part->count)
        first++;
    return first;
}

/* Shrinks the part to the digit of the k-th key. */
static void narrow(select_part *part, const select_digits *digits, size_t k)
{
    size_t d = 0;
    for (; k - part->base >= digits->count[d]; d++)
        part->base += digits->count[d];
    part->count = digits->count[d];
    part->lo = digits->lo + ((uint64_t)d << digits->shift);
    part->hi = digits->most;
    uint64_t const span = ((uint64_t)1 << digits->shift) - 1;
    if (span < part->hi - part->lo)
        part->hi = part->lo + span;
    if (part->lo < digits->least)
        part->lo = digits->least;
}

/* Each digit stands for one word, so the histogram gives the answers. */
static void answer_words(const selector *s, const select_digits *digits, select_part part,
                         size_t first, size_t end)
{
    size_t d = 0;
    for (size_t j = first; j < end; j++) {
        for (; s->job->k[j] - part.base >= digits->count[d]; d++)
            part.base += digits->count[d];
        select_put(s, j, digits->lo + d);
    }
}

static ordo_status collect(const selector *s, const select_part *part, size_t first, size_t end)
{
    select_range range = {.band = {.lo = part->lo, .hi = part->hi}, .room = part->count};
    s->exec->phases++;
    if (!select_pass(s, &range, 1) ||
        !select_words(s->room, s->word_size, part->count, s->job->k + first, end - first,
                      part->base, s->exec))
        return ORDO_E_CANCELLED;
    for (size_t j = first; j < end; j++)
        select_put(s, j, select_word_at(s->room, s->word_size, s->job->k[j] - part->base));
    return ORDO_OK;
}

static ordo_status count_digits(const selector *s, const select_part *part, select_digits *digits)
{
    digits->lo = part->lo;
    digits->hi = part->hi;
    s->exec->phases++;
    return cpu_done(select_count_digits(s, digits));
}

/* Answers the k at `first` and the following k that are in the same final range. */
static ordo_status answer_from(const selector *s, select_part part, const select_digits *top,
                               size_t first, size_t *next)
{
    select_digits        below;
    const select_digits *digits = top;
    while (part.lo < part.hi && part.count > s->room_words) {
        if (digits == NULL) {
            TRY(count_digits(s, &part, &below));
            digits = &below;
        }
        if (digits->shift == 0) {
            *next = end_of(s, &part, first);
            answer_words(s, digits, part, first, *next);
            return ORDO_OK;
        }
        narrow(&part, digits, s->job->k[first]);
        digits = NULL;
    }
    *next = end_of(s, &part, first);
    if (part.lo < part.hi)
        return collect(s, &part, first, *next);
    for (size_t j = first; j < *next; j++)
        select_put(s, j, part.lo);
    return ORDO_OK;
}

ordo_status select_radix(const selector *s, select_part part, size_t first, size_t *next)
{
    select_digits top;
    bool const    counts = part.lo < part.hi && part.count > s->room_words;
    size_t const  end = end_of(s, &part, first);
    if (counts)
        TRY(count_digits(s, &part, &top));
    for (size_t j = first; j < end;)
        TRY(answer_from(s, part, counts ? &top : NULL, j, &j));
    *next = end;
    return ORDO_OK;
}
