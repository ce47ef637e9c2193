/* dist_scan.t.h - adds the results of earlier ranks to a scan, for results of one type. */

/* The bits of a result; float results are carried as their pattern. */
static KEY FN(scan_join)(ordo_op op, KEY before, KEY here)
{
    if (op == ORDO_SUM)
        return FN(scan_add)(before, here);
    bool const less = FN(key_bits)(before) < FN(key_bits)(here);
    return less == (op == ORDO_MIN) ? before : here;
}

static void FN(scan_carry)(const scan_part *s, size_t lo, size_t hi)
{
    KEY *const out = s->out;
    KEY        carry;
    memcpy(&carry, &s->carry, sizeof carry);
    for (size_t i = lo; i < hi; i++)
        out[i] = i == 0 && s->exclusive ? carry : FN(scan_join)(s->op, carry, out[i]);
}

static uint64_t FN(scan_fold)(ordo_op op, uint64_t before, uint64_t here)
{
    KEY a, b;
    memcpy(&a, &before, sizeof a);
    memcpy(&b, &here, sizeof b);
    a = FN(scan_join)(op, a, b);
    uint64_t bits = 0;
    memcpy(&bits, &a, sizeof a);
    return bits;
}
