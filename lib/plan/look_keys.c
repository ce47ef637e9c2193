/* look_keys.c - whether keys are already in an order that the CPU sorts in one or two reads.
 *
 * The look compares neighbours in LOOKS windows of LOOK_KEYS keys all over the array, and the first
 * keys of the windows. The seed chooses the offset of the windows, so an input cannot be prepared
 * for the keys that are read. Rising keys may be sorted or constant, falling keys reversed. Keys
 * are nearly sorted if windows rise and no key of a window is far from its place in it. Cost: some
 * microseconds. A wrong answer costs only time: the CPU sorts every array. */
#include "plan/predict.h"

#include "core/keybits.h"
#include "core/random.h"

enum {
    LOOKS = 48,
    LOOK_KEYS = 64,
    NEAR = 16 /* largest radius of a window of nearly sorted keys */
};

typedef struct seen {
    size_t falls, rises;         /* pairs of neighbours */
    size_t far_falls, far_rises; /* first keys of neighbouring windows */
    size_t radius;               /* largest radius of a window, at most NEAR + 1 */
} seen;

/* The larger of `radius` and the radius of a window. */
static size_t widened(const uint64_t *key, size_t radius)
{
    uint64_t highest[LOOK_KEYS]; /* so far in the window */
    highest[0] = key[0];
    for (size_t i = 1; i < LOOK_KEYS; i++) {
        highest[i] = ordo_max(highest[i - 1], key[i]);
        while (radius <= NEAR && radius < i && highest[i - radius - 1] > key[i])
            radius++;
    }
    return radius;
}

static void add_window(seen *all, const uint64_t *key, const uint64_t *last)
{
    for (size_t i = 1; i < LOOK_KEYS; i++) {
        all->falls += key[i] < key[i - 1];
        all->rises += key[i] > key[i - 1];
    }
    if (last != NULL) {
        all->far_falls += key[0] < *last;
        all->far_rises += key[0] > *last;
    }
    all->radius = widened(key, all->radius);
}

static void read_window(ordo_type type, const void *keys, size_t first, bool descending,
                        uint64_t *out)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        for (size_t i = 0; i < LOOK_KEYS; i++)                                                     \
            out[i] = key_sort_bits_##tag(((const key *)keys)[first + i], descending);              \
        break;
#include "core/types.def"
    }
}

ordo_key_order ordo_look_at_keys(const ordo_load *load, uint64_t seed)
{
    size_t const apart = load->n / LOOKS;
    if (load->keys == NULL || apart < LOOK_KEYS)
        return KEYS_UNORDERED;
    size_t const aside =
        (size_t)ordo_random_below(ordo_random_mix(seed), (uint64_t)(apart - LOOK_KEYS + 1));
    seen     all = {0};
    uint64_t last = 0;
    for (size_t w = 0; w < LOOKS; w++) {
        uint64_t key[LOOK_KEYS] = {0};
        read_window(load->type, load->keys, w * apart + aside, load->descending, key);
        add_window(&all, key, w > 0 ? &last : NULL);
        last = key[0];
    }
    if ((all.falls == 0 && all.far_falls == 0) || (all.rises == 0 && all.far_rises == 0))
        return KEYS_ORDERED;
    return all.far_falls == 0 && all.radius <= NEAR ? KEYS_NEARLY_RISING : KEYS_UNORDERED;
}
