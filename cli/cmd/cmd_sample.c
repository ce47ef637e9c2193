/* cmd_sample.c - `ordo shuffle` and `ordo sample`: elements in random order.
 *
 * Fisher and Yates' exchange of element i with a random one of the elements from i on, by one
 * thread, so that the result depends on the seed alone. The numbers come from SplitMix64
 * (Steele, Lea and Flood 2014); Lemire's multiplication with rejection (2019) makes every choice
 * equally likely. Few elements of many are chosen without an array of all: a hash table holds those
 * that exchanges have moved. */
#include "cli/cmd/command.h"

#include <stdlib.h>

static const char shuffle_help[] =
    "Examples:\n"
    "  printf '1\\n2\\n3\\n' | ordo shuffle --seed 7\n"
    "  ordo shuffle keys.npy -o mixed.npy\n"
    "  ordo shuffle names.txt --text\n"
    "  ordo shuffle --csv sales.csv\n\n"
    "Usage: ordo shuffle [FILE]... [options]\n"
    "Writes the elements in random order. Every order is equally likely, as far as the seed,\n"
    "which has 64 bits, can tell them apart. The same seed gives the same order on every\n"
    "machine and for any number of threads.\n\n"
    "Shuffling:\n"
    "  --seed S          default: 1\n"
    "  --text            the input is lines of any bytes, not numbers\n";

static const char sample_help[] =
    "Examples:\n"
    "  ordo gen uniform -n 1e6 | ordo sample -k 5\n"
    "  ordo sample keys.npy -k 1000 --seed 7 -o some.npy\n"
    "  ordo sample names.txt --text -k 10\n"
    "  ordo sample --csv sales.csv -k 10                       # rows\n"
    "  ordo sample keys.npy -k 1e6 --replace                   # bootstrap\n\n"
    "Usage: ordo sample [FILE]... -k K [options]\n"
    "Writes K elements, chosen at random, in random order: every choice is equally likely. If\n"
    "there are fewer than K elements, writes all of them. The same seed gives the same sample\n"
    "on every machine and for any number of threads; without --replace it is the beginning of\n"
    "what 'ordo shuffle' writes.\n\n"
    "Sampling:\n"
    "  -k K              how many elements\n"
    "  --seed S          default: 1\n"
    "  --replace         an element may be chosen several times\n"
    "  --text            the input is lines of any bytes, not numbers\n";

#define SHUFFLE_OPTIONS                                                                            \
    COUNT("seed", 0, seed, 0, UINT64_MAX), FLAG("text", text), CSV_OPTIONS,                        \
        TEXT("field-separator", 't', line.separator), EXTERNAL_OPTIONS, ARRAY_OPTIONS

static const option_spec shuffle_specs[] = {SHUFFLE_OPTIONS};
static const option_spec sample_specs[] = {COUNT("k", 'k', k, 0, UINT64_MAX - 1),
                                           FLAG("replace", only), SHUFFLE_OPTIONS};

enum {
    FEW_OF = 16, /* the share of the elements from which on all of them are in an array */
    SLOTS_OF = 4 /* slots of the hash table for each element that is chosen, at least     */
};

__extension__ typedef unsigned __int128 wide;

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* One of [0, n), each equally likely; n > 0. */
static uint64_t random_below(uint64_t *state, uint64_t n)
{
    wide product = (wide)next_random(state) * n;

    if ((uint64_t)product < n) {
        const uint64_t least = (0 - n) % n;
        while ((uint64_t)product < least)
            product = (wide)next_random(state) * n;
    }
    return (uint64_t)(product >> 64);
}

/* Inline, so that the compiler makes one version for each constant size. */
static inline void exchange(char *data, size_t size, size_t i, size_t j)
{
    char kept[sizeof(uint64_t)];

    memcpy(kept, data + i * size, size);
    memmove(data + i * size, data + j * size, size);
    memcpy(data + j * size, kept, size);
}

static inline void mix_sized(char *data, size_t size, size_t n, size_t k, uint64_t state)
{
    for (size_t i = 0; i < k; i++) {
        exchange(data, size, i, i + (size_t)random_below(&state, n - i));
        progress_count(i, k);
    }
}

/* Moves a random choice of k of n elements to the front, in random order. */
static void mix(void *data, size_t size, size_t n, size_t k, uint64_t seed)
{
    progress_start("shuffling");
    if (size == 8)
        mix_sized(data, 8, n, k, seed);
    else if (size == 4)
        mix_sized(data, 4, n, k, seed);
    else
        mix_sized(data, size, n, k, seed);
    progress_end();
}

/* Writes k elements, each a random one. */
static bool write_replaced(execution *e, size_t k)
{
    const size_t size = ordo_type_size(e->in.type);
    uint64_t     state = e->o.seed;
    char *const  chosen = new_results(e, e->in.type, k, "the sample");

    for (size_t i = 0; chosen != NULL && i < k; i++)
        memcpy(chosen + i * size, (const char *)e->in.data + random_below(&state, e->n) * size,
               size);
    timing_mark(&e->t, "sample");
    return chosen != NULL && write_results(e, e->in.type, chosen, k);
}

/* ---- Places ---- */

typedef struct moved { /* the element that is now at a place; place UINT64_MAX: none */
    uint64_t place, element;
} moved;

static moved *find_moved(moved *slots, size_t mask, uint64_t place)
{
    uint64_t state = place;
    size_t   at = (size_t)next_random(&state) & mask;

    while (slots[at].place != UINT64_MAX && slots[at].place != place)
        at = (at + 1) & mask;
    return &slots[at];
}

/* The first k elements that mix() gives of 0, 1, ... n - 1. */
static bool mix_few(ordo_type type, void *out, size_t n, size_t k, uint64_t state)
{
    size_t slots = SLOTS_OF;

    while (slots < SLOTS_OF * k)
        slots *= 2;
    moved *const table = cli_alloc(slots, sizeof *table, "the sample");
    for (size_t i = 0; table != NULL && i < slots; i++)
        table[i].place = UINT64_MAX;
    for (size_t i = 0; table != NULL && i < k; i++) {
        const uint64_t     to = i + random_below(&state, n - i);
        const moved *const own = find_moved(table, slots - 1, i);
        const uint64_t     element = own->place == i ? own->element : i;
        moved *const       other = find_moved(table, slots - 1, to);
        index_put(type, out, i, (size_t)(other->place == to ? other->element : to));
        *other = (moved){to, element};
    }
    free(table);
    return table != NULL;
}

void *sample_places(execution *e, size_t n, ordo_type *type, size_t *k)
{
    const bool all = e->command == &command_shuffle || e->o.k > n;
    const bool replaced = e->command == &command_sample && e->o.only;
    uint64_t   state = e->o.seed;

    *k = all && !replaced ? n : (size_t)e->o.k;
    *type = index_type(0, n);
    const bool   few = *k < n / FEW_OF;
    const size_t held = replaced || few ? *k : n;
    void *const  places = new_results(e, *type, held, "the order of the elements");
    if (places == NULL)
        return NULL;
    for (size_t i = 0; replaced && i < *k; i++)
        index_put(*type, places, i, (size_t)random_below(&state, n));
    if (!replaced && few)
        return hold_memory(e, 2 * SLOTS_OF * sizeof(moved) * *k) &&
                       mix_few(*type, places, n, *k, state)
                   ? places
                   : NULL;
    for (size_t i = 0; !replaced && i < n; i++)
        index_put(*type, places, i, i);
    if (!replaced)
        mix(places, ordo_type_size(*type), n, *k, state);
    return places;
}

static bool write_lines(execution *e)
{
    size_t            k;
    ordo_type         type;
    const void *const places = sample_places(e, e->n, &type, &k);

    timing_mark(&e->t, e->command->name);
    return places != NULL &&
           finish_output(e, lines_write_index(&e->lines, type, places, k, &e->out));
}

static bool write_mixed(execution *e, size_t k)
{
    mix(e->in.data, ordo_type_size(e->in.type), e->n, k, e->o.seed);
    timing_mark(&e->t, "shuffle");
    return write_results(e, e->in.type, e->in.data, k);
}

static bool shuffle(execution *e) { return e->o.text ? write_lines(e) : write_mixed(e, e->n); }

static const char *shuffle_wrong(execution *e)
{
    return csv_option(&e->o) != NULL ? csv_columns_wrong(e)
           : e->o.directories.n > 0  ? "-T needs --csv or --tsv"
                                     : NULL;
}

static const char *sample_wrong(execution *e)
{
    return e->o.k == OPTION_UNSET ? "-k K is missing: how many elements?" : shuffle_wrong(e);
}

static bool sample(execution *e)
{
    if (e->o.only && e->n == 0 && e->o.k > 0)
        return cli_fail("sample: there are no elements in %s",
                        e->o.text ? e->lines.name : e->in.name);
    if (e->o.text)
        return write_lines(e);
    if (e->o.only)
        return write_replaced(e, (size_t)e->o.k);
    return write_mixed(e, e->o.k < e->n ? (size_t)e->o.k : e->n);
}

#define FLAGS (READS | WRITES | MANY_FILES | LINES_IN | LINES_OUT | CSV_IN)

const command command_shuffle = {"shuffle", shuffle_help,  shuffle_specs, FLAGS,
                                 0,         shuffle_wrong, shuffle};
const command command_sample = {"sample", sample_help,  sample_specs, FLAGS,
                                0,        sample_wrong, sample};
