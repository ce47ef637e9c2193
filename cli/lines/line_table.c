/* line_table.c - how often each line occurs (see line_table.h).
 *
 * Open addressing with linear probing, at most half full. A slot is 8 bytes: the place of an entry,
 * and bits of its hash that keep most other lines from being compared. Lines are handled in
 * batches, whose slots and entries are fetched ahead. */
#define _DEFAULT_SOURCE /* getentropy */

#include "cli/lines/line_table.h"

#include "cli/base/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BATCH = 32,         /* lines whose memory is fetched together; estimate */
    PROBES = 256,       /* slots that are looked at for a line              */
    SLOTS_LEAST = 1024, /* of a table                                       */
    ENTRY_ALIGN = 8,    /* bytes                                            */
    PLACE_BITS = 48,    /* of a slot, for the place / ENTRY_ALIGN + 1       */
    TAG_SHIFT = 16,     /* of a hash, for the other bits of a slot          */
    CHUNK = 16          /* bytes that the hash takes at a time              */
};

#define PLACE_MASK ((UINT64_C(1) << PLACE_BITS) - 1)

__extension__ typedef unsigned __int128 wide;

typedef struct batch_line {
    const char *line;
    size_t      size;
    uint64_t    times;
    uint32_t    hash, probe; /* probe: slots that are passed because they have other lines */
} batch_line;

/* ---- The hash: products of 64-bit words of the line and of the key, folded ---- */

void line_table_key(uint64_t key[2])
{
    key[0] = UINT64_C(0x9e3779b97f4a7c15);
    key[1] = UINT64_C(0xd1b54a32d192ed03);
    (void)getentropy(key, 2 * sizeof *key); /* a failure leaves a key that is not secret */
}

static uint64_t fold(uint64_t a, uint64_t b)
{
    const wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load(const char *from, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, from, size);
    return word;
}

static uint32_t hash_line(const uint64_t key[2], const char *line, size_t size)
{
    uint64_t    hash = key[0] ^ size, low, high;
    const char *end = line + size;

    for (; end - line > CHUNK; line += CHUNK)
        hash = fold(load(line, 8) ^ key[1], load(line + 8, 8) ^ hash);
    if (size >= CHUNK) {
        low = load(end - 16, 8);
        high = load(end - 8, 8);
    } else if (size >= 8) {
        low = load(line, 8);
        high = load(end - 8, 8);
    } else if (size >= 4) {
        low = load(line, 4);
        high = load(end - 4, 4);
    } else {
        low = size > 0 ? load(line, 1) | load(line + size / 2, 1) << 8 | load(end - 1, 1) << 16 : 0;
        high = 0;
    }
    hash = fold(low ^ key[1], high ^ hash);
    return (uint32_t)fold(hash ^ key[0], key[1]);
}

/* ---- Entries and slots ---- */

static line_entry *entry_at(const line_table *t, size_t place)
{
    return (line_entry *)(void *)(t->entries + place);
}

static line_entry *entry_of(const line_table *t, uint64_t slot)
{
    return entry_at(t, (size_t)((slot & PLACE_MASK) - 1) * ENTRY_ALIGN);
}

static size_t entry_bytes(size_t size)
{
    return (sizeof(line_entry) + size + ENTRY_ALIGN - 1) / ENTRY_ALIGN * ENTRY_ALIGN;
}

/* By words, of which the last two may overlap, because most lines are short. */
static inline bool same_bytes(const char *a, const char *b, size_t size)
{
    if (size < 4)
        return memcmp(a, b, size) == 0;
    if (size < 8)
        return load(a, 4) == load(b, 4) && load(a + size - 4, 4) == load(b + size - 4, 4);
    for (size_t i = 0; i + 8 < size; i += 8)
        if (load(a + i, 8) != load(b + i, 8))
            return false;
    return load(a + size - 8, 8) == load(b + size - 8, 8);
}

static bool is_line(const line_entry *e, const batch_line *b)
{
    return e->hash == b->hash && e->size == b->size && same_bytes(e->line, b->line, b->size);
}

/* Moves the line to its next slot that is empty or has the bits of its hash; NULL: none is near. */
static inline uint64_t *next_slot(const line_table *t, batch_line *b)
{
    for (; b->probe < PROBES; b->probe++) {
        uint64_t *const slot = &t->slots[((size_t)b->hash + b->probe) & (t->slot_count - 1)];
        if (*slot == 0 || *slot >> PLACE_BITS == b->hash >> TAG_SHIFT)
            return slot;
    }
    return NULL;
}

/* The same for its next slot that is empty or has the line; without `known` only an empty one. */
static inline uint64_t *find_slot(const line_table *t, batch_line *b, bool known)
{
    uint64_t *slot;

    while ((slot = next_slot(t, b)) != NULL && *slot != 0 &&
           !(known && is_line(entry_of(t, *slot), b)))
        b->probe++;
    return slot;
}

const line_entry *line_table_next(const line_table *t, size_t *next)
{
    const line_entry *const e = *next < t->length ? entry_at(t, *next) : NULL;

    *next += e != NULL ? entry_bytes(e->size) : 0;
    return e;
}

/* Sets the slot of the entry at `place`, which may have none. */
static void set_slot(line_table *t, uint64_t *slot, uint32_t hash, size_t place)
{
    if (slot != NULL)
        *slot = (uint64_t)(hash >> TAG_SHIFT) << PLACE_BITS | (place / ENTRY_ALIGN + 1);
    t->twice |= slot == NULL;
}

/* Makes slots for twice the entries. */
static bool more_slots(line_table *t)
{
    const size_t count = t->slot_count > 0 ? 2 * t->slot_count : SLOTS_LEAST;

    if (count * sizeof *t->slots + t->capacity > t->limit)
        return false;
    uint64_t *const slots = cli_alloc_quiet(count, sizeof *slots);
    if (slots == NULL)
        return false;
    memset(slots, 0, count * sizeof *slots);
    free(t->slots);
    t->slots = slots;
    t->slot_count = count;
    for (size_t place = 0, next = 0, far = 0, ahead = 0; next < t->length; place = next, ahead--) {
        const line_entry *e;
        for (; ahead < BATCH && (e = line_table_next(t, &far)) != NULL; ahead++)
            __builtin_prefetch(&slots[e->hash & (count - 1)], 1);
        e = line_table_next(t, &next);
        set_slot(t, find_slot(t, &(batch_line){.hash = e->hash}, false), e->hash, place);
    }
    return true;
}

static bool more_entries(line_table *t, size_t bytes)
{
    const uint64_t slots = t->slot_count * sizeof *t->slots;
    const size_t   wanted = t->length + bytes;

    if (wanted <= t->capacity)
        return true;
    return slots + wanted + wanted / 2 + 1024 <= t->limit &&
           cli_grow(&t->entries, wanted, &t->capacity, 1);
}

/* Adds to the count of a line. False: there is no memory for it. */
static inline bool add(line_table *t, batch_line *b)
{
    uint64_t *slot = find_slot(t, b, true);

    if (slot != NULL && *slot != 0) {
        entry_of(t, *slot)->times += b->times;
        return true;
    }
    if (2 * (t->n + 1) > t->slot_count) {
        if (!more_slots(t))
            return false;
        b->probe = 0;
        slot = find_slot(t, b, true);
    }
    const size_t bytes = entry_bytes(b->size);
    if (b->size > UINT32_MAX || !more_entries(t, bytes))
        return false;
    line_entry *const e = entry_at(t, t->length);
    *e = (line_entry){.hash = b->hash, .size = (uint32_t)b->size, .times = b->times};
    memcpy(e->line, b->line, b->size);
    set_slot(t, slot, b->hash, t->length);
    t->length += bytes;
    t->n++;
    return true;
}

/* ---- Counting ---- */

/* Adds lines, whose slots and entries it fetches first. Returns how many: fewer than n if there is
 * no memory for the next one. */
static size_t add_batch(line_table *t, batch_line *b, size_t n)
{
    if (t->slot_count == 0 && !more_slots(t))
        return 0;
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&t->slots[b[i].hash & (t->slot_count - 1)]);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *const slot = next_slot(t, &b[i]);
        if (slot != NULL && *slot != 0) {
            const line_entry *const e = entry_of(t, *slot);
            __builtin_prefetch(e, 1);
            __builtin_prefetch(e->line + b[i].size); /* in the next cache line */
        }
    }
    for (size_t i = 0; i < n; i++) {
        const size_t slots = t->slot_count;
        if (!add(t, &b[i]))
            return i;
        for (size_t j = i + 1; t->slot_count != slots && j < n; j++)
            b[j].probe = 0;
    }
    return n;
}

size_t line_table_count(line_table *t, const char *text, size_t length, char line_end)
{
    batch_line b[BATCH];

    for (size_t at = 0; at < length;) {
        size_t n = 0;
        for (; n < BATCH && at < length; n++) {
            const char *const line = text + at;
            const size_t size = (size_t)((const char *)memchr(line, line_end, length - at) - line);
            b[n] = (batch_line){line, size, 1, hash_line(t->key, line, size), 0};
            at += size + 1;
        }
        const size_t added = add_batch(t, b, n);
        if (added < n)
            return (size_t)(b[added].line - text);
    }
    return length;
}

bool line_table_merge(line_table *t, const line_table *from, size_t *next)
{
    t->twice |= from->twice;
    while (*next < from->length) {
        batch_line b[BATCH];
        size_t     n = 0;
        for (size_t at = *next; n < BATCH && at < from->length; n++) {
            const line_entry *const e = line_table_next(from, &at);
            b[n] = (batch_line){e->line, e->size, e->times, e->hash, 0};
        }
        const size_t added = add_batch(t, b, n);
        for (size_t i = 0; i < added; i++)
            (void)line_table_next(from, next);
        if (added < n)
            return false;
    }
    return true;
}

void line_table_clear(line_table *t)
{
    if (t->slot_count > 0)
        memset(t->slots, 0, t->slot_count * sizeof *t->slots);
    t->length = t->n = 0;
}

void line_table_free(line_table *t)
{
    free(t->slots);
    free(t->entries);
    *t = (line_table){.limit = t->limit};
}
