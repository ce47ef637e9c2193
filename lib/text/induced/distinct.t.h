/* distinct.t.h - names the LMS substrings of text by a hash table of the distinct ones.
 *
 * Most LMS substrings of text are short and occur often: 5.4 million substrings of source are 139
 * thousand different ones. So one pass over the text numbers the substrings in the order of their
 * first occurrence, only the distinct ones are sorted, and a second pass turns numbers into names.
 * A substring that ends within one word of symbols is its own key, and equal keys mean equal
 * substrings. The key of a longer one is a hash, and the substrings are compared. If too many
 * substrings are distinct, or if keys share slots too often, as an enemy could arrange, the pass
 * gives up early. */

#if BYTES
typedef struct FN(slot) {
    uint64_t key;
    INDEX    number; /* 0: the slot is empty; else the number + 1, with MARK if the key is a hash */
} FN(slot);

typedef struct FN(table) {
    const FN(string) * string;
    FN(slot) * slots;
    char    *end;    /* of the memory for tables */
    unsigned shift;  /* 64 - the binary logarithm of the number of slots */
    size_t   used;   /* slots */
    size_t   steps;  /* from the slots of keys to those behind them */
    INDEX   *firsts; /* of each number: the first substring that has it */
} FN(table);

static inline FN(slot) * FN(slot_of)(const FN(table) * t, uint64_t key)
{
    return t->slots + ((key ^ key >> 31) * UINT64_C(0x9e3779b97f4a7c15) >> t->shift);
}

static inline bool FN(is_long)(const FN(string) * s, size_t k)
{
    return FN(length)(s, k) >= s->per;
}

static inline uint64_t FN(key_of)(const FN(string) * s, size_t k)
{
    size_t const length = FN(length)(s, k);
    uint64_t     key = FN(piece)(s, k, 0);
    if (length < s->per)
        return key;
    for (size_t depth = s->per; depth < length; depth += s->per) {
        key = (key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
        key += FN(piece)(s, k, depth);
    }
    return key >> (64 - TEXT_TABLE_HASH);
}

/* 1 + the number of substring k, a new number if the table does not have the substring. */
static inline INDEX FN(number_of)(FN(table) * t, uint64_t key, size_t k)
{
    INDEX const     hashed = FN(is_long)(t->string, k) ? MARK : 0;
    FN(slot) *const last = t->slots + (UINT64_MAX >> t->shift);
    FN(slot) *slot = FN(slot_of)(t, key);
    for (; slot->number != 0; slot = slot == last ? t->slots : slot + 1, t->steps++) {
        INDEX const number = slot->number & ~MARK;
        if (slot->key == key && (slot->number & MARK) == hashed &&
            (hashed == 0 || FN(compare)(t->string, t->firsts[number - 1], k, 0) == 0))
            return number;
    }
    t->firsts[t->used++] = (INDEX)k;
    *slot = (FN(slot)){key, (INDEX)t->used | hashed};
    return (INDEX)t->used;
}

/* Moves the slots to a table of twice as many behind them. False if there is no room. */
static bool FN(grow)(FN(table) * t)
{
    size_t const    count = (size_t)1 << (64 - t->shift);
    FN(slot) *const old = t->slots;
    if ((size_t)(t->end - (char *)(old + count)) < 2 * count * sizeof *old)
        return false;
    t->slots = old + count;
    t->shift--;
    memset(t->slots, 0, 2 * count * sizeof *old);
    for (size_t i = 0; i < count; i++) {
        FN(slot) *slot = FN(slot_of)(t, old[i].key);
        if (old[i].number == 0)
            continue;
        while (slot->number != 0)
            slot = slot == old + 3 * count - 1 ? t->slots : slot + 1;
        *slot = old[i];
    }
    return true;
}

/* Numbers all substrings but the last one. */
static ordo_status FN(number_all)(text_work *work, FN(table) * t, INDEX *names, bool *done)
{
    size_t const others = t->string->count - 1;
    uint64_t     keys[TEXT_TABLE_BATCH];
    for (size_t lo = 0, hi; lo < others; lo = hi) {
        hi = ordo_min(lo + TEXT_TABLE_BATCH, others);
        *done = t->used <= lo / TEXT_DISTINCT + others / TEXT_DISTINCT_START &&
                t->steps / TEXT_TABLE_STEPS <= hi;
        while (*done && t->used + TEXT_TABLE_BATCH > UINT64_MAX >> t->shift >> 1)
            *done = FN(grow)(t);
        if (!*done)
            return ORDO_OK;
        for (size_t k = lo; k < hi; k++) {
            keys[k - lo] = FN(key_of)(t->string, k);
            TEXT_PREFETCH(FN(slot_of)(t, keys[k - lo]));
        }
        for (size_t k = lo; k < hi; k++)
            names[k] = FN(number_of)(t, keys[k - lo], k) - 1;
        if (lo / TEXT_POLL != hi / TEXT_POLL && ordo_poll(work->exec, (double)lo / (double)others))
            return ORDO_E_CANCELLED;
    }
    return ORDO_OK;
}

/* Sorts the distinct substrings and turns the numbers into names. `heads` is as for sort_lms. */
static void FN(numbers_to_names)(const FN(table) * t, INDEX *room, INDEX *order, INDEX *names,
                                          INDEX *heads)
{
    size_t const    count = t->string->count, others = t->used;
    uint64_t *const keys = text_as_keys(room);
    INDEX *const    ranks = (INDEX *)(void *)(keys + others);
    memcpy(order, heads, others * sizeof *order);
    FN(sort_deep)(t->string, keys, order, others, 0, false);
    FN(insert_last)(t->string, order, others);
    names[count - 1] = (INDEX)others;
    for (size_t i = 0; i <= others; i++)
        ranks[names[order[i]]] = (INDEX)i;
    memset(heads, 0, (others + 2) * sizeof *heads);
    for (size_t k = 0; k < count; k++) {
        names[k] = ranks[names[k]];
        heads[names[k] + 1]++;
    }
    for (size_t i = 0; i <= others; i++)
        heads[i + 1] += heads[i];
}

/* Does what sort_lms does, but for the order, which is only right if no name occurs twice; *done is
 * false if there are too many names. `room` has n elements and is spoilt. */
static ordo_status FN(name_distinct)(text_work *work, const FN(string) * string, INDEX *room,
                                                               INDEX *order, INDEX *names,
                                                               INDEX *heads, size_t *name_count,
                                                               bool *done)
{
    FN(table)
    t = {.string = string,
         .slots = (FN(slot) *)(void *)text_as_keys(room), .end = (char *)(room + string->n),
                   .shift = 64 - TEXT_TABLE_LEAST, .firsts = heads};
    size_t const bytes = sizeof *t.slots << TEXT_TABLE_LEAST;
    *done = string->n * sizeof *room >= bytes + sizeof(uint64_t);
    if (!*done)
        return ORDO_OK;
    memset(t.slots, 0, bytes);
    TRY(FN(number_all)(work, &t, names, done));
    if (*done)
        FN(numbers_to_names)(&t, room, order, names, heads);
    *name_count = t.used + 1;
    return ORDO_OK;
}
#endif
