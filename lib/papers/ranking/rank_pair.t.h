/* rank_pair.t.h - ranks of keys [lo, hi) of a sorted array of n keys, from KEY to OUT, by simple
 * sequential loops; see cpu_rank_paper.c. No key is a NaN. `groups`: the number of groups of ties
 * that begin before lo. */
static void OFN(FN(paper_min))(const KEY *a, size_t n, size_t lo, size_t hi, uint64_t groups,
                               OUT *r)
{
    (void)n;
    (void)groups;
    r[lo] = (OUT)(FN(paper_first)(a, lo) + 1);
    for (size_t i = lo + 1; i < hi; i++) {
        if (FN(key_same)(a[i], a[i - 1]))
            r[i] = r[i - 1];
        else
            r[i] = (OUT)(i + 1);
    }
}

static void OFN(FN(paper_max))(const KEY *a, size_t n, size_t lo, size_t hi, uint64_t groups,
                               OUT *r)
{
    (void)groups;
    r[hi - 1] = (OUT)(FN(paper_last)(a, n, hi - 1) + 1);
    for (size_t i = hi - 1; i-- > lo;) {
        if (FN(key_same)(a[i], a[i + 1]))
            r[i] = r[i + 1];
        else
            r[i] = (OUT)(i + 1);
    }
}

static void OFN(FN(paper_dense))(const KEY *a, size_t n, size_t lo, size_t hi, uint64_t groups,
                                 OUT *r)
{
    (void)n;
    r[lo] = (OUT)(groups + (lo == 0 || !FN(key_same)(a[lo], a[lo - 1])));
    for (size_t i = lo + 1; i < hi; i++) {
        if (FN(key_same)(a[i], a[i - 1]))
            r[i] = r[i - 1];
        else
            r[i] = r[i - 1] + 1;
    }
}

static void OFN(FN(paper_ordinal))(const KEY *a, size_t n, size_t lo, size_t hi, uint64_t groups,
                                   OUT *r)
{
    (void)a;
    (void)n;
    (void)groups;
    for (size_t i = lo; i < hi; i++)
        r[i] = (OUT)(i + 1);
}

/* Ranks one group of ties at a time. The first group may begin, and the last group may end, in
 * another segment. */
static void OFN(FN(paper_average))(const KEY *a, size_t n, size_t lo, size_t hi, uint64_t groups,
                                   OUT *r)
{
    (void)groups;
    size_t first = FN(paper_first)(a, lo);
    for (size_t i = lo; i < hi;) {
        size_t end = i + 1;
        while (end < hi && FN(key_same)(a[end], a[i]))
            end++;
        size_t const last = end < hi ? end - 1 : FN(paper_last)(a, n, end - 1);
        for (; i < end; i++)
            r[i] = (OUT)((double)(first + 1 + last + 1) * 0.5);
        first = end;
    }
}

static void OFN(FN(paper_segment))(const rank_segments *work, size_t lo, size_t hi, uint64_t groups)
{
    const KEY *const a = work->job->sorted;
    OUT *const       r = work->job->ranks;
    switch (work->job->ties) {
    case ORDO_TIES_MIN:
        OFN(FN(paper_min))(a, work->n, lo, hi, groups, r);
        break;
    case ORDO_TIES_MAX:
        OFN(FN(paper_max))(a, work->n, lo, hi, groups, r);
        break;
    case ORDO_TIES_DENSE:
        OFN(FN(paper_dense))(a, work->n, lo, hi, groups, r);
        break;
    case ORDO_TIES_ORDINAL:
        OFN(FN(paper_ordinal))(a, work->n, lo, hi, groups, r);
        break;
    case ORDO_TIES_AVERAGE:
        OFN(FN(paper_average))(a, work->n, lo, hi, groups, r);
        break;
    }
}
