/* string_keys.c - 64-bit keys of strings (hybrid_strings.h): alphabet, layout, pivots, keys.
 *
 * The alphabet and the bytes that all strings begin with are estimated from a sample. Each string
 * is checked against both when its key is made; if a string does not fit, the survey is repeated
 * with all strings (string_round.c). Cost: a survey reads one or two cache lines of each string; a
 * first key reads the lines of its letters; a later key also reads the bytes that the string shares
 * with its pivot. Keys are made in memory order, because the order of the groups would cause a
 * cache miss per string. */
#define _POSIX_C_SOURCE 200809L
#include "core/indices.h"
#include "hybrid/strings/hybrid_strings.h"

enum {
    SHARED_MOST = 1 << 10, /* longest common beginning that is searched for */
    SURVEY_CHUNK = 1 << 8,
    SAMPLES = 16, /* strings of a group compared to choose its pivot */
    AHEAD = 16,   /* strings between a prefetch and its use */
    POLLS = 1 << 10,
    MEMBERS = 512, /* strings scanned at a time for members of a group */
    BLOCK = 64     /* strings whose cache lines are loaded at a time */
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

/* The bytes of a string from depth on, which must not exceed its length. *count is their number, or
 * UINT64_MAX for a string that ends with a zero byte. */
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

/* The same bytes, but at most `most`; *count is their number. */
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

/* String i of the sample: one string of every stride, whose offset depends on the seed of the
 * call. */
static size_t sampled(const hybrid_string_order *order, size_t i)
{
    uint64_t const draw = order->call.exec->seed + i * UINT64_C(0x9e3779b97f4a7c15);
    size_t const   aside = (size_t)(draw >> 32) % order->stride;
    return ordo_min(i * order->stride + aside, order->n - 1);
}

static void shared_chunk(void *arg, size_t lo, size_t hi)
{
    hybrid_string_order *const order = arg;
    uint64_t                   least = SHARED_MOST;
    for (size_t i = lo; i < hi; i++) {
        size_t const shared = both_share(&order->view, 0, sampled(order, i), 0, SHARED_MOST);
        least = shared < least ? shared : least;
        if (i % POLLS == 0 && ordo_poll(order->call.exec, 0))
            return;
    }
    uint64_t before = atomic_load_explicit(&order->shared_least, memory_order_relaxed);
    while (least < before &&
           !atomic_compare_exchange_weak_explicit(&order->shared_least, &before, least,
                                                  memory_order_relaxed, memory_order_relaxed))
        continue;
}

static void letters_chunk(void *arg, size_t lo, size_t hi)
{
    hybrid_string_order *const order = arg;
    const string_view *const   view = &order->view;
    uint64_t                   seen[STRING_BYTES / 64] = {0};
    for (size_t i = lo; i < hi; i++) {
        size_t                     count;
        const unsigned char *const at =
            part_of(view, sampled(order, i), order->shared, STRING_LETTERS, &count);
        for (size_t j = 0; j < count; j++)
            seen[at[j] / 64] |= UINT64_C(1) << at[j] % 64;
        if (i % POLLS == 0 && ordo_poll(order->call.exec, 0))
            return;
    }
    for (size_t w = 0; w < STRING_BYTES / 64; w++)
        atomic_fetch_or_explicit(&order->seen[w], seen[w], memory_order_relaxed);
}

static unsigned bits_for(uint64_t value) /* bits that hold the numbers 0 to value */
{
    return value == 0 ? 1 : ordo_bit_length(value);
}

void string_use_all_bytes(string_alphabet *alphabet)
{
    for (unsigned byte = 0; byte < STRING_BYTES; byte++)
        alphabet->letter[byte] = (uint16_t)byte;
    alphabet->bits = 8;
}

bool string_survey(hybrid_string_order *order, size_t stride)
{
    ordo_exec *const exec = order->call.exec;
    size_t const     count = ordo_div_up(order->n, stride);
    order->stride = stride;
    order->surveys++;
    atomic_store_explicit(&order->shared_least, SHARED_MOST, memory_order_relaxed);
    for (size_t w = 0; w < STRING_BYTES / 64; w++)
        atomic_store_explicit(&order->seen[w], 0, memory_order_relaxed);
    if (!ordo_loop(exec, count, SURVEY_CHUNK, shared_chunk, order))
        return false;
    order->shared = atomic_load_explicit(&order->shared_least, memory_order_relaxed);
    if (!ordo_loop(exec, count, SURVEY_CHUNK, letters_chunk, order))
        return false;

    unsigned letters = 0;
    for (unsigned byte = 0; byte < STRING_BYTES; byte++) {
        uint64_t const word = atomic_load_explicit(&order->seen[byte / 64], memory_order_relaxed);
        order->alphabet.letter[byte] =
            (word >> byte % 64 & 1) != 0 ? (uint16_t)letters++ : (uint16_t)STRING_UNKNOWN;
    }
    order->alphabet.bits = bits_for(letters == 0 ? 0 : letters - 1);
    return true;
}

/* ---- Keys ---- */

bool string_choose_layout(hybrid_string_order *order, size_t groups)
{
    unsigned const group_bits = groups == 0 ? 0 : bits_for(groups - 1);
    unsigned const top = groups == 0 ? 0 : group_bits + STRING_PLACE_BITS;
    unsigned       letters = 0;
    while (letters < STRING_LETTERS &&
           top + (letters + 1) * order->alphabet.bits + bits_for(letters + 2) <= 64)
        letters++;
    order->layout = (string_layout){
        .group_shift = 64 - group_bits,
        .place_shift = 64 - top,
        .letters = letters,
        .count_bits = bits_for(letters + 1),
        .flip = order->view.turn == 0 ? 0 : UINT64_MAX >> group_bits,
    };
    return letters > 0;
}

/* The letters and the count of a string from depth on. *misfit is ORed with all letters, so that
 * STRING_UNKNOWN shows. */
static inline uint64_t body_of(const hybrid_string_order *order, size_t id, uint64_t depth,
                               unsigned *misfit)
{
    const string_view *const   view = &order->view;
    const uint16_t *const      letter = order->alphabet.letter;
    unsigned const             bits = order->alphabet.bits, letters = order->layout.letters;
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
    return word << order->layout.count_bits | count;
}

/* Whether the first `shared` bytes of a string equal those of string 0. */
static inline bool begins(const string_view *view, size_t id, size_t shared)
{
    const uint64_t *const offsets = view->offsets;
    if (view->pointers != NULL)
        return string_agrees(view, 0, id, 0, shared);
    return offsets[id + 1] - offsets[id] >= shared &&
           shared_bytes((const unsigned char *)view->bytes + offsets[0],
                        (const unsigned char *)view->bytes + offsets[id], shared) == shared;
}

/* Loads the first byte of several strings. The loads are independent, so the cache misses overlap.
 * V1 (cpu/base/tuning.h), one thread, strings 250 bytes apart: 21 ns per key, 33 with prefetches
 * only; for strings 70 bytes apart these loads are a tenth slower. */
static inline unsigned first_letters(const hybrid_string_order *order, size_t first, size_t end)
{
    const string_view *const view = &order->view;
    unsigned                 seen = 0;
    for (size_t id = first; id < end; id++) {
        uint64_t                   rest;
        const unsigned char *const at = from_depth(view, id, 0, &rest);
        if (rest > 0)
            seen |= *at;
    }
    return seen;
}

bool string_first_keys(const hybrid_string_order *order, size_t first, size_t count, uint64_t *keys)
{
    const string_view *const view = &order->view;
    size_t const             shared = (size_t)order->shared, end = first + count;
    uint64_t const           turn = order->layout.flip;
    unsigned                 misfit = 0;
    for (size_t block = first; block < end; block += BLOCK) {
        size_t const stop = ordo_min(block + BLOCK, end);
        if (order->far_apart)
            misfit |= first_letters(order, block, stop);
        for (size_t id = block; id < stop; id++) {
            if (!order->far_apart && id + AHEAD < end)
                string_fetch_bytes(view, id + AHEAD, 0);
            if (shared > 0 && !begins(view, id, shared))
                return false;
            keys[id - first] = body_of(order, id, shared, &misfit) ^ turn;
        }
    }
    return (misfit & STRING_UNKNOWN) == 0;
}

/* The place field: where a string first differs from its group's pivot. */
static inline uint64_t place_of(const string_view *view, size_t id, uint64_t depth,
                                const string_pivot *pivot, size_t *shared)
{
    uint64_t                   rest;
    const unsigned char *const at = from_depth(view, id, depth, &rest);
    if (rest == UINT64_MAX)
        rest = strnlen((const char *)at, STRING_PIVOT_BYTES + 1);
    size_t const end = rest < pivot->count ? (size_t)rest : pivot->count;
    size_t const same = shared_bytes(at, pivot->bytes, end);
    *shared = same;
    if (same < end)
        return at[same] < pivot->bytes[same] ? same : 2 * STRING_PIVOT_BYTES - same;
    if (end == STRING_PIVOT_BYTES || rest == pivot->count)
        return STRING_PIVOT_BYTES;
    return rest < pivot->count ? same : 2 * STRING_PIVOT_BYTES - same;
}

static inline uint64_t group_key(const hybrid_string_order *order, size_t label, size_t id,
                                 unsigned *misfit)
{
    const string_layout *const layout = &order->layout;
    uint64_t const             depth = order->groups[label].depth;
    size_t                     shared;
    uint64_t const place = place_of(&order->view, id, depth, &order->pivots[label], &shared);
    uint64_t const body = body_of(order, id, depth + shared, misfit);
    return ((place << layout->place_shift | body) ^ layout->flip) | (uint64_t)label
                                                                        << layout->group_shift;
}

/* Lists the ids in [first, end) that are in a group, without branches, because these would be
 * unpredictable. */
static size_t members_of(const hybrid_string_order *order, size_t first, size_t end,
                         size_t *members)
{
    size_t count = 0;
    for (size_t id = first; id < end; id++) {
        members[count] = id;
        count += order->labels[id] != 0;
    }
    return count;
}

bool string_group_keys(const hybrid_string_order *order, size_t first, size_t end, uint64_t *keys,
                       char *ids)
{
    size_t   members[MEMBERS] = {0};
    unsigned misfit = 0;
    for (size_t at = first; at < end; at += MEMBERS) {
        size_t const count = members_of(order, at, ordo_min(at + MEMBERS, end), members);
        for (size_t i = 0; i < count; i++) {
            size_t const id = members[i];
            if (i + AHEAD < count) {
                string_fetch_bytes(&order->view, members[i + AHEAD], 0);
                string_fetch_bytes(&order->view, members[i + AHEAD], ORDO_CACHE_LINE);
            }
            keys[i] = group_key(order, order->labels[id] - 1, id, &misfit);
            ordo_put_index(order->id_type, ids, i, id);
        }
        keys += count;
        ids += count * order->id_size;
    }
    return (misfit & STRING_UNKNOWN) == 0;
}

/* ---- Pivots ---- */

/* The string of a sample that shares the most bytes with the others. */
static size_t pivot_of(const hybrid_string_order *order, const tied_group *group)
{
    size_t const count = ordo_min(group->count, SAMPLES);
    size_t       ids[SAMPLES] = {0}, sums[SAMPLES] = {0}, best = 0;
    for (size_t i = 0; i < count; i++) {
        ids[i] = string_id(order, group->order_start + i * (group->count / count));
        string_fetch_place(&order->view, ids[i]);
    }
    for (size_t i = 0; i < count; i++) {
        string_fetch_bytes(&order->view, ids[i], group->depth);
        string_fetch_bytes(&order->view, ids[i], group->depth + ORDO_CACHE_LINE);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            size_t const shared =
                both_share(&order->view, ids[i], ids[j], group->depth, STRING_PIVOT_BYTES);
            sums[i] += shared;
            sums[j] += shared;
        }
    for (size_t i = 1; i < count; i++)
        if (sums[i] > sums[best])
            best = i;
    return ids[best];
}

void string_choose_pivots(hybrid_string_order *order, size_t lo, size_t hi)
{
    for (size_t i = lo; i < hi; i++) {
        const tied_group *const    group = &order->groups[i];
        size_t                     count;
        const unsigned char *const at =
            part_of(&order->view, pivot_of(order, group), group->depth, STRING_PIVOT_BYTES, &count);
        order->pivots[i].count = (unsigned char)count;
        memcpy(order->pivots[i].bytes, at, count);
    }
}
