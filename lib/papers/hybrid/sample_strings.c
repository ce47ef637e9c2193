/* sample_strings.c - sample sort of strings on the CPU and the GPUs: S. Subashini and N. Ramya,
 * "Hybrid Comparison Sorting".
 *
 * The key of a string is its first seven bytes and their number (core/string_view.h). All
 * devices sort keys with indices in the four phases (sample_sort.c). Strings that continue after
 * equal keys form groups, which the CPU sorts at the end of phase IV. The strings stay in host
 * memory. Host memory: 36 bytes per string, 40 if there are more than 2^32 strings, and that of
 * the sample sort. */
#define _POSIX_C_SOURCE 200809L
#include "papers/hybrid/sample_call.h"
#include "hybrid/strings/hybrid_strings.h"

enum {
    KEY_COUNT_BITS = 8, /* the last byte of a key counts its other bytes */
    PIECE = 1 << 14     /* strings of one piece of a loop */
};

static void key_piece(void *arg, size_t lo, size_t hi)
{
    const hybrid_string_order *const order = arg;
    uint64_t *const                  keys = order->keys + order->n;
    for (size_t i = lo; i < hi; i++)
        keys[i] = string_key(&order->view, i, 0);
}

static void gather_piece(void *arg, size_t lo, size_t hi)
{
    const hybrid_string_order *const order = arg;
    const uint64_t *const            keys = order->keys + order->n;
    for (size_t i = lo; i < hi; i++)
        order->keys[i] = keys[string_id(order, i)];
}

/* Describes the keys as the keys of a first round, for string_find_groups. */
static void describe_keys(hybrid_string_order *order)
{
    order->layout = (string_layout){.group_shift = 64,
                                    .letters = STRING_STEP,
                                    .count_bits = KEY_COUNT_BITS,
                                    .flip = order->view.turn};
    order->all = (tied_group){.count = order->n};
    order->groups = &order->all;
    order->group_count = 1;
    order->entries = order->n;
    order->rounds = STRING_ROUNDS; /* the CPU gets all groups */
}

ordo_status hybrid_sample_strings(const ordo_both *both, hybrid_string_order *order,
                                  ordo_exec *exec)
{
    hybrid_records const records = {.type = ORDO_U64,
                                    .n = order->n,
                                    .key_size = sizeof(uint64_t),
                                    .value_size = order->id_size,
                                    .keys = (const char *)(order->keys + order->n),
                                    .out_values = order->index};
    if (!ordo_loop(exec, order->n, PIECE, key_piece, order))
        return ORDO_E_CANCELLED;
    order->survey_s = string_seconds(order);
    ordo_status const status = hybrid_sample_sort(both, &records, exec);
    exec->changed = false; /* only scratch was written */
    TRY(status);
    (void)string_seconds(order);
    order->sampled = exec->facts;
    order->isa = exec->isa;
    describe_keys(order);
    if (!ordo_loop(exec, order->n, PIECE, gather_piece, order))
        return ORDO_E_CANCELLED;
    return string_find_groups(order);
}
