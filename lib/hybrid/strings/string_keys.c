/* string_keys.c - strings as keys of 64 bits (strings.h): which letters there are, how many of them
 * fit a key, and the keys.
 *
 * The alphabet and the bytes that all strings begin with are guessed from a sample; every string is
 * checked against both when its key is made, and where one does not fit all of them are looked at.
 * Costs: a survey reads one or two cache lines of each string it looks at; a first key the lines of
 * its letters, a later one those that the string shares with its pivot. Both go through the strings
 * in the order of memory, of which a later round leaves some out: in the order of their groups it
 * would take four times as long. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/strings/strings.h"

enum {
    SHARED_MOST = 1 << 10, /* bytes of a common beginning that are looked for */
    SURVEY_PIECE = 1 << 8,
    SAMPLES = 16, /* of a group, for its pivot */
    AHEAD = 16,   /* strings whose bytes are asked for before they are needed */
    POLLS = 1 << 10,
    MEMBERS = 512, /* strings looked at for those in a group */
    BLOCK = 64     /* strings whose lines are brought together */
};

/* ---- Pairs of strings ---- */

static inline size_t shared_bytes(const unsigned char *a, const unsigned char *b, size_t most)
{
    size_t i = 0;
    for (; i + 8 <= most; i += 8) {
        uint64_t const differ = string_word((const char *)a + i) ^ string_word((const char *)b + i);
        if (differ != 0)
            return i + (size_t)__builtin_clzll(differ) / 8;
    }
    while (i < most && a[i] == b[i])
        i++;
    return i;
}

/* A string from depth on, which it has; how many bytes, or UINT64_MAX: until a zero byte. */
static inline const unsigned char *from_depth(const string_view *view, size_t id, uint64_t depth,
                                              uint64_t *count)
{
    if (view->pointers != NULL) {
        *count = UINT64_MAX;
        return (const unsigned char *)view->pointers[id] + depth;
    }
    uint64_t const start = view->offsets[id] + depth;
    *count = view->offsets[id + 1] - start;
    return (const unsigned char *)view->bytes + start;
}

/* The same, at most `most` of them, all of which can be read. */
static const unsigned char *part_of(const string_view *view, size_t id, uint64_t depth, size_t most,
                                    size_t *count)
{
    uint64_t                   rest;
    const unsigned char *const at = from_depth(view, id, depth, &rest);
    if (rest == UINT64_MAX)
        rest = strnlen((const char *)at, most);
    *count = rest < most ? (size_t)rest : most;
    return at;
}

/* Bytes that two strings share from depth on, at most `most`. */
static size_t both_share(const string_view *view, size_t a, size_t b, uint64_t depth, size_t most)
{
    size_t                     a_count, b_count;
    const unsigned char *const x = part_of(view, a, depth, most, &a_count);
    const unsigned char *const y = part_of(view, b, depth, most, &b_count);
    return shared_bytes(x, y, ordo_min(a_count, b_count));
}

/* ---- Survey ---- */

/* One string of every stride; the seed of the call decides which of its neighbours. */
static size_t sampled(const string_run *run, size_t i)
{
    uint64_t const draw = run->run.exec->seed + i * UINT64_C(0x9e3779b97f4a7c15);
    size_t const   aside = (size_t)(draw >> 32) % run->stride;
    return ordo_min(i * run->stride + aside, run->n - 1);
}

static void shared_piece(void *arg, size_t lo, size_t hi)
{
    string_run *const run = arg;
    uint64_t          least = SHARED_MOST;
    for (size_t i = lo; i < hi; i++) {
        size_t const shared = both_share(&run->view, 0, sampled(run, i), 0, SHARED_MOST);
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
        size_t                     count;
        const unsigned char *const at =
            part_of(view, sampled(run, i), run->shared, STRING_LETTERS, &count);
        for (size_t j = 0; j < count; j++)
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
    const string_view *const   view = &run->view;
    const uint16_t *const      letter = run->alphabet.letter;
    unsigned const             bits = run->alphabet.bits, letters = run->coder.letters;
    uint64_t                   word = 0;
    unsigned                   bad = *misfit;
    uint64_t                   rest;
    const unsigned char *const at = from_depth(view, id, depth, &rest);
    unsigned                   end = rest < letters ? (unsigned)rest : letters;
    if (rest == UINT64_MAX) {
        end = (unsigned)strnlen((const char *)at, letters);
        rest = end + (end == letters && at[end] != 0);
    }
    for (unsigned i = 0; i < end; i++) {
        bad |= letter[at[i]];
        word = word << bits | letter[at[i]];
    }
    word <<= bits * (letters - end);
    uint64_t const count = rest <= letters ? rest : letters + 1;
    *misfit = bad;
    return word << run->coder.count_bits | count;
}

/* As string 0 does, with so many bytes. */
static inline bool begins(const string_view *view, size_t id, size_t shared)
{
    const uint64_t *const offsets = view->offsets;
    if (view->pointers != NULL)
        return string_agrees(view, 0, id, 0, shared);
    return offsets[id + 1] - offsets[id] >= shared &&
           shared_bytes((const unsigned char *)view->bytes + offsets[0],
                        (const unsigned char *)view->bytes + offsets[id], shared) == shared;
}

/* The first letters of some strings that are far apart: loads that wait for nothing bring their
 * lines side by side. V1, strings 250 bytes apart: 21 ns of a thread for a key, 33 with prefetches
 * alone; 70 bytes apart it would be slower by a tenth. */
static inline unsigned first_letters(const string_run *run, size_t first, size_t end)
{
    const string_view *const view = &run->view;
    unsigned                 seen = 0;
    for (size_t id = first; id < end; id++) {
        uint64_t                   rest;
        const unsigned char *const at = from_depth(view, id, 0, &rest);
        if (rest > 0)
            seen |= *at;
    }
    return seen;
}

bool string_first_keys(const string_run *run, size_t first, size_t count, uint64_t *keys)
{
    const string_view *const view = &run->view;
    size_t const             shared = (size_t)run->shared, end = first + count;
    uint64_t const           turn = run->coder.turn;
    unsigned                 misfit = 0;
    for (size_t block = first; block < end; block += BLOCK) {
        size_t const stop = ordo_min(block + BLOCK, end);
        if (run->apart)
            misfit |= first_letters(run, block, stop);
        for (size_t id = block; id < stop; id++) {
            if (!run->apart && id + AHEAD < end)
                string_fetch_bytes(view, id + AHEAD, 0);
            if (shared > 0 && !begins(view, id, shared))
                return false;
            keys[id - first] = body_of(run, id, shared, &misfit) ^ turn;
        }
    }
    return (misfit & STRING_UNKNOWN) == 0;
}

/* Where a string parts from its group's pivot. */
static inline uint64_t place_of(const string_view *view, size_t id, uint64_t depth,
                                const string_pivot *pivot, size_t *shared)
{
    uint64_t                   rest;
    const unsigned char *const at = from_depth(view, id, depth, &rest);
    if (rest == UINT64_MAX)
        rest = strnlen((const char *)at, STRING_PLACES + 1);
    size_t const end = rest < pivot->count ? (size_t)rest : pivot->count;
    size_t const same = shared_bytes(at, pivot->bytes, end);
    *shared = same;
    if (same < end)
        return at[same] < pivot->bytes[same] ? same : 2 * STRING_PLACES - same;
    if (end == STRING_PLACES || rest == pivot->count)
        return STRING_PLACES;
    return rest < pivot->count ? same : 2 * STRING_PLACES - same;
}

static inline uint64_t tie_key(const string_run *run, size_t label, size_t id, unsigned *misfit)
{
    const string_coder *const coder = &run->coder;
    uint64_t const            depth = run->ties[label].depth;
    size_t                    shared;
    uint64_t const            place = place_of(&run->view, id, depth, &run->pivots[label], &shared);
    uint64_t const            body = body_of(run, id, depth + shared, misfit);
    return ((place << coder->place_shift | body) ^ coder->turn) | (uint64_t)label
                                                                      << coder->group_shift;
}

/* The strings first, first + 1, ... before end that are in a group; without a branch, for nobody
 * could foretell it. */
static size_t members_of(const string_run *run, size_t first, size_t end, size_t *members)
{
    size_t count = 0;
    for (size_t id = first; id < end; id++) {
        members[count] = id;
        count += run->labels[id] != 0;
    }
    return count;
}

bool string_tie_keys(const string_run *run, size_t first, size_t end, uint64_t *keys, char *ids)
{
    size_t   members[MEMBERS] = {0};
    unsigned misfit = 0;
    for (size_t at = first; at < end; at += MEMBERS) {
        size_t const count = members_of(run, at, ordo_min(at + MEMBERS, end), members);
        for (size_t i = 0; i < count; i++) {
            size_t const id = members[i];
            if (i + AHEAD < count) {
                string_fetch_bytes(&run->view, members[i + AHEAD], 0);
                string_fetch_bytes(&run->view, members[i + AHEAD], ORDO_CACHE_LINE);
            }
            keys[i] = tie_key(run, run->labels[id] - 1, id, &misfit);
            if (run->id_type == ORDO_U32)
                ((uint32_t *)(void *)ids)[i] = (uint32_t)id;
            else
                ((uint64_t *)(void *)ids)[i] = id;
        }
        keys += count;
        ids += count * run->id_size;
    }
    return (misfit & STRING_UNKNOWN) == 0;
}

/* ---- Pivots ---- */

/* Of a sample, the string that shares most with the others. */
static size_t pivot_of(const string_run *run, const string_tie *tie)
{
    size_t const count = ordo_min(tie->count, SAMPLES);
    size_t       ids[SAMPLES] = {0}, sums[SAMPLES] = {0}, best = 0;
    for (size_t i = 0; i < count; i++) {
        ids[i] = string_id(run, tie->lo + i * (tie->count / count));
        string_fetch_place(&run->view, ids[i]);
    }
    for (size_t i = 0; i < count; i++) {
        string_fetch_bytes(&run->view, ids[i], tie->depth);
        string_fetch_bytes(&run->view, ids[i], tie->depth + ORDO_CACHE_LINE);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            size_t const shared = both_share(&run->view, ids[i], ids[j], tie->depth, STRING_PLACES);
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
    for (size_t i = lo; i < hi; i++) {
        const string_tie *const    tie = &run->ties[i];
        size_t                     count;
        const unsigned char *const at =
            part_of(&run->view, pivot_of(run, tie), tie->depth, STRING_PLACES, &count);
        run->pivots[i].count = (unsigned char)count;
        memcpy(run->pivots[i].bytes, at, count);
    }
}
