/* test_keybits.t.h - one type's part of test_keybits.c; see there. Sees T, KEY, BITS and FN. */

/* How two folded values must stand to each other, from how their keys do. */
static size_t FN(keybits_pair_wrong)(ordo_type type, const KEY *a, size_t i, size_t j)
{
    BITS const bi = FN(key_bits)(a[i]), bj = FN(key_bits)(a[j]);
    BITS const fi = FN(key_fold)(a[i]), fj = FN(key_fold)(a[j]);
    BITS const di = FN(key_desc)(a[i]), dj = FN(key_desc)(a[j]);
    int const  order = oracle_compare(type, a, i, a, j, false);
    int const  down = oracle_compare(type, a, i, a, j, true);
    BITS const ti = FN(key_turn)(bi), tj = FN(key_turn)(bj);
    int const  total = oracle_compare_total(type, a, i, a, j, false);
    int const  turned = oracle_compare_total(type, a, i, a, j, true);

    bool const nan = oracle_is_nan(type, a, i) || oracle_is_nan(type, a, j);
    bool const same = nan || (FN(key_same)(a[i], a[j]) != 0) == (order == 0);

    return (size_t)!same + (size_t)((bi > bj) - (bi < bj) != total) +
           (size_t)((fi > fj) - (fi < fj) != order) + (size_t)((di > dj) - (di < dj) != down) +
           (size_t)((ti > tj) - (ti < tj) != turned);
}

static void FN(keybits_test)(ordo_type type)
{
    size_t const n = sizeof(KEY) == 1 ? 256 : SAMPLES;
    KEY *const   keys = malloc(n * sizeof *keys);
    test_rng     rng = {(uint64_t)type};
    size_t       wrong_pairs = 0, wrong_inverse = 0, wrong_turn = 0, wrong_nan = 0;

    if (keys == NULL)
        abort();
    inputs_fill(sizeof(KEY) > 2 ? 0 : 8, type, keys, n, 3);
    if (sizeof(KEY) > 2)
        inputs_fill(1, type, keys, n / 4, 4);
    testkit_case("keybits %s", ordo_type_name(type));
    for (size_t i = 0; i < n; i++) {
        BITS const   bits = FN(key_bits)(keys[i]);
        KEY const    back = FN(key_of)(bits);
        size_t const near = i + 1 < n ? i + 1 : 0;
        wrong_inverse += memcmp(&back, &keys[i], sizeof back) != 0;
        wrong_turn += FN(key_turn)(FN(key_turn)(bits)) != bits;
        wrong_turn += FN(key_desc)(keys[i]) != FN(key_turn)(FN(key_tie)(bits));
        wrong_nan += (FN(key_is_nan)(keys[i]) != 0) != oracle_is_nan(type, keys, i);
        wrong_pairs += FN(keybits_pair_wrong)(type, keys, i, near);
        for (size_t k = 0; k < 16; k++)
            wrong_pairs += FN(keybits_pair_wrong)(type, keys, i, test_rng_below(&rng, n));
    }
    CHECK_EQ_U64(0, wrong_inverse);
    CHECK_EQ_U64(0, wrong_turn);
    CHECK_EQ_U64(0, wrong_nan);
    CHECK_EQ_U64(0, wrong_pairs);
    if (oracle_is_float(type)) {
        inputs_fill(2, type, keys, n, 5);
        BITS const largest = (BITS) ~(BITS)0;
        size_t     not_last = 0, nan_turned = 0;
        for (size_t i = 0; i < n; i++) {
            BITS const bits = FN(key_bits)(keys[i]);
            not_last += FN(key_fold)(keys[i]) != largest || FN(key_desc)(keys[i]) != largest;
            nan_turned += FN(key_turn)(bits) != bits;
        }
        CHECK_EQ_U64(0, not_last);
        CHECK_EQ_U64(0, nan_turned);
    }
    free(keys);
}
