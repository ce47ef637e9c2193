/* lms.t.h - finds the LMS substrings of a string, sorts them and names them.
 *
 * A suffix is of type S if it is less than the next suffix, else of type L. An LMS position has
 * type S, and the position before it has type L. The LMS substring k goes from the LMS position
 * starts[k] to starts[k + 1], both included. The last one goes to the end of the string, behind
 * which there is a sentinel that is less than all symbols. If a substring is a prefix of another
 * one, the longer one is less: it continues with type L, whose symbols do not rise.
 *
 * The sort packs the first symbols of a substring and its number k into 64 bits, which the backend
 * sorts. Substrings with equal bits are then sorted by a quicksort with three parts, a word of
 * symbols at a time. Both are linear in the length of the string but for the quicksort's factor. */

typedef struct FN(string) {
    const SYMBOL *symbols;
    size_t        n;
    unsigned      bits;   /* of a symbol in a key */
    unsigned      per;    /* symbols of a key */
    INDEX        *starts; /* the LMS positions, ascending */
    size_t        count;  /* of them */
} FN(string);

/* ---- Positions ---- */

typedef struct FN(finder) {
    const FN(string) * string;
    INDEX    *out;   /* n elements; a piece writes from its begin on */
    uint64_t *found; /* of each piece */
    size_t    piece;
    size_t   *plateau; /* at the begin of each piece: where the equal symbols before it begin, */
    bool     *falling; /* and whether a larger symbol is before them */
} FN(finder);

static void FN(find_piece)(void *arg, size_t lo, size_t hi)
{
    const FN(finder) *const f = arg;
    const SYMBOL *const     s = f->string->symbols;
    size_t const            piece = lo / f->piece;
    FN(pass) p = {f->out + lo, 0, f->plateau[piece], f->falling[piece]};
    FN(find_range)(&p, s, lo + (lo == 0), hi);
    f->found[piece] = p.found;
}

/* Sets the state at the begin of each piece. */
static void FN(find_states)(const FN(finder) * f)
{
    const SYMBOL *const s = f->string->symbols;
    size_t const        n = f->string->n;
    f->plateau[0] = 0;
    f->falling[0] = false;
    for (size_t lo = f->piece, i = 1; lo < n; lo += f->piece, i++) {
        size_t const least = lo - f->piece;
        size_t       at = lo - 1;
        while (at > least && s[at - 1] == s[at])
            at--;
        bool const reaches = at == least && (at == 0 || s[at - 1] == s[at]);
        f->plateau[i] = reaches ? f->plateau[i - 1] : at;
        f->falling[i] = reaches ? f->falling[i - 1] : at > 0 && s[at - 1] > s[at];
    }
}

typedef struct FN(packer) {
    const FN(finder) * finder;
    const uint64_t *before; /* positions in the pieces before each piece */
} FN(packer);

static void FN(pack_pieces)(void *arg, size_t lo, size_t hi)
{
    const FN(packer) *const p = arg;
    for (size_t i = lo; i < hi; i++)
        memcpy(p->finder->string->starts + p->before[i], p->finder->out + i * p->finder->piece,
               p->finder->found[i] * sizeof(INDEX));
}

/* Fills string->starts and count. `room` has n elements and is spoilt. */
static ordo_status FN(find_lms)(text_work *work, FN(string) * string, INDEX *room)
{
    size_t const piece = ordo_max(TEXT_GRAIN, ordo_div_up(string->n, 64));
    size_t const pieces = ordo_div_up(string->n, piece);
    size_t       plateau[65];
    uint64_t     found[65] = {0}, before[65];
    bool         falling[65];
    FN(finder)
    f = {string, room, found, piece, plateau, falling};
    FN(find_states)(&f);
    TRY(text_loop(work, string->n, piece, FN(find_piece), &f));
    memcpy(before, found, sizeof before);
    string->count = (size_t)ordo_sums_before_64(before, pieces);
    TRY_SCRATCH(work->exec, (string->count + 1) * sizeof(INDEX), string->starts);
    FN(packer) p = {&f, before};
    return text_loop(work, pieces, 1, FN(pack_pieces), &p);
}

/* ---- Substrings ---- */

static inline size_t FN(length)(const FN(string) * s, size_t k)
{
    return (size_t)(s->starts[k + 1] - s->starts[k]) + 1;
}

/* The symbols of substring k from `depth` on, as many as fit, from the highest bit on. Symbols
 * behind its end are all ones, which is more than any symbol that can stand there. */
static inline uint64_t FN(piece)(const FN(string) * s, size_t k, size_t depth)
{
    size_t const        left = FN(length)(s, k) - depth, at = s->starts[k] + depth;
    const SYMBOL *const symbols = s->symbols + at;
#if BYTES
    uint64_t key = 0;
    if (ORDO_LIKELY(at + sizeof key <= s->n)) {
        memcpy(&key, symbols, sizeof key);
        key = text_big_endian(key);
        return left >= sizeof key ? key : key | UINT64_MAX >> 8 * left;
    }
#else
    uint64_t key = 0;
#endif
    for (size_t i = 0; i < s->per; i++)
        key = key << s->bits % 64 | (i < left ? symbols[i] : UINT64_MAX >> (64 - s->bits));
    return key << (64 - s->per * s->bits);
}

/* < 0, 0, > 0: substring a is less than, equal to, greater than b. They agree in the first `depth`
 * symbols. */
static int FN(compare)(const FN(string) * s, size_t a, size_t b, size_t depth)
{
    size_t const        a_length = FN(length)(s, a), b_length = FN(length)(s, b);
    size_t const        least = ordo_min(a_length, b_length);
    const SYMBOL *const x = s->symbols + s->starts[a], *const y = s->symbols + s->starts[b];
    size_t i = depth;
#if BYTES
    i += text_common(x + i, y + i, least - i);
#else
    while (i < least && x[i] == y[i])
        i++;
#endif
    if (i < least)
        return x[i] < y[i] ? -1 : 1;
    return (a_length < b_length) - (a_length > b_length);
}

/* Whether substring k is less than the last substring, behind which the string ends. */
static bool FN(before_last)(const FN(string) * s, size_t k)
{
    size_t const a = s->starts[k], b = s->starts[s->count - 1];
    size_t const least = ordo_min(FN(length)(s, k), s->n - b);
    size_t       i = 0;
    while (i < least && s->symbols[a + i] == s->symbols[b + i])
        i++;
    return i < least && s->symbols[a + i] < s->symbols[b + i];
}

/* ---- Sort ---- */

/* Sorts a few substrings that agree in the first `depth` symbols, and marks those that are equal to
 * the one before. */
static void FN(sort_few)(const FN(string) * s, INDEX *values, size_t n, size_t depth)
{
    for (size_t i = 1; i < n; i++) {
        INDEX const value = values[i];
        size_t      at = i;
        int         order = -1;
        while (at > 0 && (order = FN(compare)(s, values[at - 1] & ~MARK, value, depth)) > 0) {
            values[at] = values[at - 1];
            at--;
        }
        /* The element behind was compared with the element before it, so its mark holds. */
        values[at] = value | (at > 0 && order == 0 ? MARK : 0);
    }
}

/* Moves the keys that are less than the pivot to the front and those that are greater to the end.
 * Sets the bounds of the keys that are equal. */
static void FN(split_three)(uint64_t *keys, INDEX *values, size_t n, uint64_t pivot, size_t *lo,
                            size_t *hi)
{
    size_t less = 0, at = 0, more = n;
    while (at < more) {
        uint64_t const key = keys[at];
        INDEX const    value = values[at];
        if (key < pivot) {
            keys[at] = keys[less], values[at] = values[less];
            keys[less] = key, values[less++] = value;
            at++;
        } else if (key > pivot) {
            more--;
            keys[at] = keys[more], values[at] = values[more];
            keys[more] = key, values[more] = value;
        } else {
            at++;
        }
    }
    *lo = less;
    *hi = more;
}

static void FN(load_pieces)(const FN(string) * s, uint64_t *keys, const INDEX *values, size_t n,
                                     size_t depth)
{
    for (size_t i = 0; i < n; i++) {
        if (i + TEXT_AHEAD < n)
            TEXT_PREFETCH(s->starts + values[i + TEXT_AHEAD]);
        if (i + TEXT_AHEAD / 2 < n)
            TEXT_PREFETCH(s->symbols + s->starts[values[i + TEXT_AHEAD / 2]] + depth);
        keys[i] = FN(piece)(s, values[i], depth);
    }
}

/* Sorts substrings that agree in the first `depth` symbols and have at least as many. keys has
 * room for n keys, which are loaded if `loaded`. The loop goes on with the largest of three parts,
 * so the recursion is at most lg n deep. */
static void FN(sort_deep)(const FN(string) * s, uint64_t *keys, INDEX *values, size_t n,
                                   size_t depth, bool loaded)
{
    while (n > TEXT_FEW) {
        if (!loaded)
            FN(load_pieces)(s, keys, values, n, depth);
        loaded = true;
        uint64_t const pivot = text_pivot(keys, n);
        size_t         lo, hi;
        FN(split_three)(keys, values, n, pivot, &lo, &hi);
        bool const   ended = FN(length)(s, values[lo]) < depth + s->per;
        size_t const equal = hi - lo, more = n - hi;
        for (size_t i = lo + 1; ended && i < hi; i++)
            values[i] |= MARK;
        if (lo >= equal && lo >= more) {
            if (!ended)
                FN(sort_deep)(s, keys + lo, values + lo, equal, depth + s->per, false);
            FN(sort_deep)(s, keys + hi, values + hi, more, depth, true);
            n = lo;
        } else if (more >= equal) {
            if (!ended)
                FN(sort_deep)(s, keys + lo, values + lo, equal, depth + s->per, false);
            FN(sort_deep)(s, keys, values, lo, depth, true);
            keys += hi, values += hi, n = more;
        } else {
            FN(sort_deep)(s, keys, values, lo, depth, true);
            FN(sort_deep)(s, keys + hi, values + hi, more, depth, true);
            keys += lo, values += lo, n = ended ? 0 : equal;
            depth += s->per;
            loaded = false;
        }
    }
    FN(sort_few)(s, values, n, depth);
}

typedef struct FN(sorter) {
    const FN(string) * string;
    uint64_t *keys;   /* packed substrings, later the keys of sort_deep */
    INDEX    *values; /* numbers of substrings */
    size_t    n;
    unsigned  low;  /* bits of a number */
    size_t    full; /* symbols that are wholly in a packed substring */
    size_t    grain;
    size_t   *bounds; /* where the groups of each piece begin */
    uint64_t *names;  /* the number of names in the pieces before each piece */
    INDEX    *out;    /* the name of each substring */
    INDEX    *heads;  /* the first place of each name */
} FN(sorter);

static void FN(pack_keys)(void *arg, size_t lo, size_t hi)
{
    const FN(sorter) *const w = arg;
    for (size_t k = lo; k < hi; k++)
        w->keys[k] = FN(piece)(w->string, k, 0) >> w->low << w->low | k;
}

/* Whether the packed key at place i has its whole substring. If so, the last symbol of the key is
 * padding, which the largest symbol looks like. */
static inline bool FN(packed_whole)(const FN(sorter) * w, size_t i)
{
    unsigned const bits = w->string->bits;
    uint64_t const ones = UINT64_MAX >> (64 - bits);
    return w->full > 0 && (w->keys[i] >> (64 - w->full * bits) & ones) == ones &&
           FN(length)(w->string, w->values[i]) < w->full;
}

/* Takes the numbers out of the packed keys; marks those whose other bits are as before. */
static void FN(unpack_keys)(void *arg, size_t lo, size_t hi)
{
    const FN(sorter) *const w = arg;
    uint64_t const          low = ((uint64_t)1 << w->low) - 1;
    for (size_t i = lo; i < hi; i++) {
        bool const same = i > 0 && (w->keys[i - 1] ^ w->keys[i]) <= low;
        w->values[i] = (INDEX)(w->keys[i] & low) | (same ? MARK : 0);
    }
}

/* Small groups, sorted together so that their cache misses overlap. */
typedef struct FN(batch) {
    const FN(sorter) * sorter;
    size_t begins[TEXT_GROUPS], sizes[TEXT_GROUPS];
    size_t count;
} FN(batch);

static void FN(sort_batch)(FN(batch) * b)
{
    const FN(string) *const s = b->sorter->string;
    INDEX *const            values = b->sorter->values;
    for (size_t g = 0; g < b->count; g++)
        for (size_t i = b->begins[g]; i < b->begins[g] + b->sizes[g]; i++) {
            values[i] &= ~MARK;
            TEXT_PREFETCH(s->starts + values[i]);
        }
    for (size_t g = 0; g < b->count; g++)
        for (size_t i = b->begins[g]; i < b->begins[g] + b->sizes[g]; i++)
            TEXT_PREFETCH(s->symbols + s->starts[values[i]] + b->sorter->full);
    for (size_t g = 0; g < b->count; g++)
        FN(sort_few)(s, values + b->begins[g], b->sizes[g], b->sorter->full);
    b->count = 0;
}

/* Sorts the groups of equal packed substrings that begin in a piece. */
static void FN(sort_groups)(void *arg, size_t lo, size_t hi)
{
    const FN(sorter) *const w = arg;
    size_t const            end = w->bounds[ordo_div_up(hi, w->grain)];
    FN(batch) batch = {.sorter = w};
    for (size_t i = w->bounds[lo / w->grain], next; i < end; i = next) {
        for (next = i + 1; next < end && (w->values[next] & MARK) != 0; next++)
            ;
        if (next - i == 1 || FN(packed_whole)(w, i))
            continue; /* alone, or all equal */
        if (next - i <= TEXT_FEW) {
            batch.begins[batch.count] = i;
            batch.sizes[batch.count++] = next - i;
            if (batch.count == TEXT_GROUPS)
                FN(sort_batch)(&batch);
            continue;
        }
        for (size_t j = i + 1; j < next; j++)
            w->values[j] &= ~MARK;
        FN(sort_deep)(w->string, w->keys + i, w->values + i, next - i, w->full, false);
    }
    FN(sort_batch)(&batch);
}

/* Puts the last substring, which no other one equals, in its place among n sorted ones. */
static void FN(insert_last)(const FN(string) * s, INDEX *values, size_t n)
{
    size_t lo = 0, hi = n;
    ORDO_BISECT(middle, lo, hi, FN(before_last)(s, values[middle] & ~MARK));
    memmove(values + lo + 1, values + lo, (n - lo) * sizeof *values);
    values[lo] = (INDEX)(s->count - 1);
}

static void FN(count_names)(void *arg, size_t lo, size_t hi)
{
    const FN(sorter) *const w = arg;
    size_t                  names = 0;
    for (size_t i = lo; i < hi; i++)
        names += (w->values[i] & MARK) == 0;
    w->names[lo / w->grain] = names;
}

static void FN(write_names)(void *arg, size_t lo, size_t hi)
{
    const FN(sorter) *const w = arg;
    size_t                  name = (size_t)w->names[lo / w->grain];
    for (size_t i = lo; i < hi; i++) {
        INDEX const value = w->values[i];
        if ((value & MARK) == 0)
            w->heads[name++] = (INDEX)i;
        if (i + TEXT_AHEAD < hi)
            TEXT_PREFETCH_WRITE(w->out + (w->values[i + TEXT_AHEAD] & ~MARK));
        w->out[value & ~MARK] = (INDEX)(name - 1);
        w->values[i] = value & ~MARK;
    }
}

/* Sorts the LMS substrings: values[0..count) become their numbers in order. names[k] becomes the
 * name of substring k, a number from 0 on; equal substrings have equal names. heads[name] is the
 * first place of a name in values; it has room for count + 1. keys has room for count. */
static ordo_status FN(sort_lms)(text_work *work, const FN(string) * string, uint64_t *keys,
                                                          INDEX *values, INDEX *names, INDEX *heads,
                                                          size_t *name_count)
{
    size_t const count = string->count, others = count - 1;
    size_t       bounds[66] = {0};
    uint64_t     counts[65] = {0};
    FN(sorter)
    w = {.string = string,
         .keys = keys,
         .values = values,
         .n = others,
         .low = ordo_bit_length(count),
         .grain = ordo_max(TEXT_GRAIN, ordo_div_up(count, 64)),
         .bounds = bounds,
         .names = counts,
         .out = names,
         .heads = heads};
    w.full = (64 - w.low) / string->bits;
    TRY(text_loop(work, others, w.grain, FN(pack_keys), &w));
    TRY(text_sort_keys(work, keys, others));
    TRY(text_loop(work, others, w.grain, FN(unpack_keys), &w));
    size_t const pieces = ordo_div_up(others, w.grain);
    for (size_t i = 1; i <= pieces; i++) {
        size_t at = ordo_min(i * w.grain, others);
        while (at < others && (values[at] & MARK) != 0)
            at++;
        bounds[i] = at;
    }
    TRY(text_loop(work, others, w.grain, FN(sort_groups), &w));
    FN(insert_last)(string, values, others);
    TRY(text_loop(work, count, w.grain, FN(count_names), &w));
    *name_count = (size_t)ordo_sums_before_64(counts, ordo_div_up(count, w.grain));
    heads[*name_count] = (INDEX)count;
    return text_loop(work, count, w.grain, FN(write_names), &w);
}
