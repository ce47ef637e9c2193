/* string_keys.c - strings as keys of 64 bits (strings.h): which letters there are, how many of them
 * fit a key, and the keys.
 *
 * The alphabet and the bytes that all strings begin with are guessed from a sample; every string is
 * checked against both when its key is made, and where one does not fit all of them are looked at.
 * Costs: a survey reads one or two cache lines of each string it looks at; a first key the lines of
 * its letters, in the order of memory; a later one those that the string shares with its pivot, in
 * no order, so they are asked for ahead. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/strings.h"

enum {
    SHARED_MOST = 1 << 12, /* bytes of a common beginning that are looked for */
    SURVEY_PIECE = 1 << 10,
    SAMPLES = 16, /* of a group, for its pivot */
    AHEAD = 16,   /* strings whose place is asked for before it is needed; half of it for bytes */
    POLLS = 1 << 10
};

/* ---- Pairs of strings ---- */

static size_t shared_bytes(const char *a, const char *b, size_t most)
{
    size_t i = 0;
    for (; i + 8 <= most; i += 8) {
        uint64_t const differ = string_word(a + i) ^ string_word(b + i);
        if (differ != 0)
            return i + (size_t)__builtin_clzll(differ) / 8;
    }
    while (i < most && a[i] == b[i])
        i++;
    return i;
}

/* Bytes from depth on that both strings have and share, at most `most`; which of them comes first
 * by the byte behind these: < 0, 0 (both end, or most was reached) or > 0. */
static int part(const string_view *view, size_t a, size_t b, uint64_t depth, size_t most,
                size_t *shared)
{
    if (view->pointers == NULL) {
        const uint64_t *const      offsets = view->offsets;
        uint64_t const             a_rest = offsets[a + 1] - offsets[a] - depth;
        uint64_t const             b_rest = offsets[b + 1] - offsets[b] - depth;
        uint64_t const             both = a_rest < b_rest ? a_rest : b_rest;
        size_t const               end = both < most ? (size_t)both : most;
        const unsigned char *const x = (const unsigned char *)view->bytes + offsets[a] + depth;
        const unsigned char *const y = (const unsigned char *)view->bytes + offsets[b] + depth;
        *shared = shared_bytes((const char *)x, (const char *)y, end);
        if (*shared < end)
            return x[*shared] < y[*shared] ? -1 : 1;
        return end == most ? 0 : (a_rest > b_rest) - (a_rest < b_rest);
    }
    const unsigned char *const x = (const unsigned char *)view->pointers[a] + depth;
    const unsigned char *const y = (const unsigned char *)view->pointers[b] + depth;
    size_t                     i = 0;
    while (i < most && x[i] == y[i] && x[i] != 0)
        i++;
    *shared = i;
    return i == most ? 0 : (x[i] > y[i]) - (x[i] < y[i]);
}

/* ---- Survey ---- */

static void shared_piece(void *arg, size_t lo, size_t hi)
{
    string_run *const run = arg;
    uint64_t          least = SHARED_MOST;
    for (size_t i = lo; i < hi; i++) {
        size_t shared;
        (void)part(&run->view, 0, i * run->stride, 0, SHARED_MOST, &shared);
        least = shared < least ? shared : least;
        if (i % POLLS == 0 && ordo_poll(run->run.exec, 0))
            return;
    }
    uint64_t before = atomic_load_explicit(&run->shared_least, memory_order_relaxed);
    while (least < before &&
           !atomic_compare_exchange_weak_explicit(&run->shared_least, &before, least,
                                                  memory_order_relaxed, memory_order_relaxed))
        continue;
}

static void letters_piece(void *arg, size_t lo, size_t hi)
{
    string_run *const        run = arg;
    const string_view *const view = &run->view;
    uint64_t                 seen[STRING_BYTES / 64] = {0};
    for (size_t i = lo; i < hi; i++) {
        size_t const               id = i * run->stride;
        uint64_t const             rest = view->pointers != NULL
                                              ? STRING_LETTERS
                                              : view->offsets[id + 1] - view->offsets[id] - run->shared;
        size_t const               end = rest < STRING_LETTERS ? (size_t)rest : STRING_LETTERS;
        const unsigned char *const at =
            (const unsigned char *)(view->pointers != NULL ? view->pointers[id]
                                                           : view->bytes + view->offsets[id]) +
            run->shared;
        for (size_t j = 0; j < end && (view->pointers == NULL || at[j] != 0); j++)
            seen[at[j] / 64] |= UINT64_C(1) << at[j] % 64;
        if (i % POLLS == 0 && ordo_poll(run->run.exec, 0))
            return;
    }
    for (size_t w = 0; w < STRING_BYTES / 64; w++)
        atomic_fetch_or_explicit(&run->seen[w], seen[w], memory_order_relaxed);
}

static unsigned bits_for(uint64_t value) /* from 0 to this one */
{
    return value == 0 ? 1 : 64 - (unsigned)__builtin_clzll(value);
}

void string_all_letters(string_alphabet *alphabet)
{
    for (unsigned byte = 0; byte < STRING_BYTES; byte++)
        alphabet->letter[byte] = (uint16_t)byte;
    alphabet->bits = 8;
}

bool string_survey(string_run *run, size_t stride)
{
    ordo_exec *const exec = run->run.exec;
    size_t const     count = ordo_div_up(run->n, stride);
    run->stride = stride;
    run->surveys++;
    atomic_store_explicit(&run->shared_least, SHARED_MOST, memory_order_relaxed);
    for (size_t w = 0; w < STRING_BYTES / 64; w++)
        atomic_store_explicit(&run->seen[w], 0, memory_order_relaxed);
    if (!ordo_loop(exec, count, SURVEY_PIECE, shared_piece, run))
        return false;
    run->shared = atomic_load_explicit(&run->shared_least, memory_order_relaxed);
    if (!ordo_loop(exec, count, SURVEY_PIECE, letters_piece, run))
        return false;

    unsigned letters = 0;
    for (unsigned byte = 0; byte < STRING_BYTES; byte++) {
        uint64_t const word = atomic_load_explicit(&run->seen[byte / 64], memory_order_relaxed);
        run->alphabet.letter[byte] =
            (word >> byte % 64 & 1) != 0 ? (uint16_t)letters++ : (uint16_t)STRING_UNKNOWN;
    }
    run->alphabet.bits = bits_for(letters == 0 ? 0 : letters - 1);
    return true;
}

/* ---- Keys ---- */

bool string_coder_make(string_run *run, size_t groups)
{
    unsigned const group_bits = groups == 0 ? 0 : bits_for(groups - 1);
    unsigned const top = groups == 0 ? 0 : group_bits + STRING_PLACE_BITS;
    unsigned       letters = 0;
    while (letters < STRING_LETTERS &&
           top + (letters + 1) * run->alphabet.bits + bits_for(letters + 2) <= 64)
        letters++;
    run->coder = (string_coder){
        .group_shift = 64 - group_bits,
        .place_shift = 64 - top,
        .letters = letters,
        .count_bits = bits_for(letters + 1),
        .turn = run->view.turn == 0 ? 0 : UINT64_MAX >> group_bits,
    };
    return letters > 0;
}

/* Letters and count of a string from depth on, which it has; misfit gets every letter's bits. */
static inline uint64_t body_of(const string_run *run, size_t id, uint64_t depth, unsigned *misfit)
{
    const string_view *const view = &run->view;
    const uint16_t *const    letter = run->alphabet.letter;
    unsigned const           bits = run->alphabet.bits, letters = run->coder.letters;
    uint64_t                 word = 0, count;
    unsigned                 bad = *misfit;
    if (view->pointers == NULL) {
        uint64_t const             start = view->offsets[id] + depth;
        uint64_t const             rest = view->offsets[id + 1] - start;
        const unsigned char *const at = (const unsigned char *)view->bytes + start;
        unsigned const             end = rest < letters ? (unsigned)rest : letters;
        for (unsigned i = 0; i < end; i++) {
            bad |= letter[at[i]];
            word = word << bits | letter[at[i]];
        }
        word <<= bits * (letters - end);
        count = rest <= letters ? rest : letters + 1;
    } else {
        const unsigned char *const at = (const unsigned char *)view->pointers[id] + depth;
        unsigned                   end = 0;
        for (; end < letters && at[end] != 0; end++) {
            bad |= letter[at[end]];
            word = word << bits | letter[at[end]];
        }
        word <<= bits * (letters - end);
        count = end < letters || at[end] == 0 ? end : letters + 1;
    }
    *misfit = bad;
    return word << run->coder.count_bits | count;
}

bool string_first_keys(const string_run *run, size_t first, size_t count, uint64_t *keys)
{
    const string_view *const view = &run->view;
    size_t const             shared = (size_t)run->shared;
    uint64_t const           turn = run->coder.turn;
    unsigned                 misfit = 0;
    for (size_t i = 0; i < count; i++) {
        size_t const id = first + i;
        if (i + AHEAD < count)
            string_fetch_bytes(view, id + AHEAD, 0);
        if (shared > 0 && !string_agrees(view, 0, id, 0, shared))
            return false;
        keys[i] = body_of(run, id, shared, &misfit) ^ turn;
    }
    return (misfit & STRING_UNKNOWN) == 0;
}

bool string_tie_keys(const string_run *run, const string_tie *tie, size_t first, size_t count,
                     uint64_t *keys)
{
    const string_view *const  view = &run->view;
    const string_coder *const coder = &run->coder;
    size_t const              at = tie->lo + first;
    uint64_t const            group = (uint64_t)(tie - run->ties);
    unsigned                  misfit = 0;
    for (size_t i = 0; i < count; i++) {
        size_t const id = string_id(run, at + i);
        size_t       shared;
        if (i + AHEAD < count)
            string_fetch_place(view, string_id(run, at + i + AHEAD));
        if (i + AHEAD / 2 < count)
            string_fetch_bytes(view, string_id(run, at + i + AHEAD / 2), tie->depth);
        int const      order = part(view, id, tie->pivot, tie->depth, STRING_PLACES, &shared);
        uint64_t const place = order <= 0 ? shared : 2 * STRING_PLACES - shared;
        uint64_t const body = body_of(run, id, tie->depth + shared, &misfit);
        uint64_t const own = order == 0 ? STRING_PLACES : place;
        keys[i] = (own << coder->place_shift | body) ^ coder->turn;
        if (coder->group_shift < 64)
            keys[i] |= group << coder->group_shift;
    }
    return (misfit & STRING_UNKNOWN) == 0;
}

/* ---- Pivots ---- */

/* Of a sample, the string that shares most with the others. */
static size_t pivot_of(const string_run *run, const string_tie *tie)
{
    size_t const count = ordo_min(tie->count, SAMPLES);
    size_t       ids[SAMPLES], sums[SAMPLES] = {0}, best = 0;
    for (size_t i = 0; i < count; i++)
        ids[i] = string_id(run, tie->lo + i * (tie->count / count));
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            size_t shared;
            (void)part(&run->view, ids[i], ids[j], tie->depth, STRING_PLACES, &shared);
            sums[i] += shared;
            sums[j] += shared;
        }
    for (size_t i = 1; i < count; i++)
        if (sums[i] > sums[best])
            best = i;
    return ids[best];
}

void string_pivots(string_run *run, size_t lo, size_t hi)
{
    for (size_t i = lo; i < hi; i++)
        run->ties[i].pivot = pivot_of(run, &run->ties[i]);
}
