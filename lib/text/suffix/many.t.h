/* many.t.h - the suffix array of one text or of many texts with indices of one width.
 *
 * Many texts become one string of integers: the sentinel of text i is i, and a byte b is
 * count + b. */

#if BYTES
static ordo_status FN(sort_one)(text_work *work, const text_args *args, INDEX *sa, uint8_t *bwt)
{
    uint64_t counts[TEXT_BYTES + 1];
    INDEX    heads[TEXT_BYTES + 1];
    TRY(text_histogram(work, args->text, args->n, counts));
    for (size_t c = 0; c <= TEXT_BYTES; c++)
        heads[c] = (INDEX)counts[c];
    work->exec->phases = 5;
    return FN(text_induced)(work, text_near(work, args), args->n, heads, sa, bwt);
}
#else
typedef struct FN(joined) {
    const text_args *args;
    INDEX           *symbols; /* of the string of integers; later the position of each symbol */
    INDEX           *order;
    INDEX           *sa;
    bool             to_positions;
} FN(joined);

/* Writes the texts [lo, hi), each behind the sentinels of the texts before it. */
static void FN(join_texts)(void *arg, size_t lo, size_t hi)
{
    const FN(joined) *const j = arg;
    const text_args *const  args = j->args;
    for (size_t i = lo; i < hi; i++) {
        size_t const end = (size_t)args->offsets[i + 1];
        for (size_t at = (size_t)args->offsets[i]; at < end; at++)
            j->symbols[at + i] = (INDEX)(j->to_positions ? at : args->count + args->text[at]);
        j->symbols[end + i] = (INDEX)i;
    }
}

static void FN(take_positions)(void *arg, size_t lo, size_t hi)
{
    const FN(joined) *const j = arg;
    for (size_t i = lo; i < hi; i++) {
        if (i + TEXT_AHEAD < hi)
            TEXT_PREFETCH(j->symbols + j->order[i + TEXT_AHEAD]);
        j->sa[i] = j->symbols[j->order[i]];
    }
}

/* Sorts the suffixes of a string of integers, as text_induced. */
typedef ordo_status FN(string_sort)(text_work *work, const INDEX *symbols, size_t n,
                                    const INDEX *heads, size_t kinds, INDEX *sa);

static ordo_status FN(sort_many)(text_work *work, const text_args *args,
                                 FN(string_sort) * sort, INDEX    *sa)
{
    size_t const all = args->n + args->count, kinds = args->count + TEXT_BYTES;
    size_t const grain = ordo_max(1, ordo_div_up(args->count, 64));
    uint64_t     counts[TEXT_BYTES + 1];
    INDEX       *heads;
    FN(joined) j = {.args = args, .sa = sa};
    TRY(text_histogram(work, args->text, args->n, counts));
    TRY_SCRATCH(work->exec, (kinds + 1) * sizeof *heads, heads);
    TRY_SCRATCH(work->exec, all * sizeof *j.symbols, j.symbols);
    TRY_SCRATCH(work->exec, all * sizeof *j.order, j.order);
    for (size_t i = 0; i < args->count; i++)
        heads[i] = (INDEX)i;
    for (size_t c = 0; c <= TEXT_BYTES; c++)
        heads[args->count + c] = (INDEX)(args->count + counts[c]);
    work->exec->phases = 5;
    TRY(text_loop(work, args->count, grain, FN(join_texts), &j));
    TRY(sort(work, j.symbols, all, heads, kinds, j.order));
    j.to_positions = true;
    TRY(text_loop(work, args->count, grain, FN(join_texts), &j));
    j.order += args->count; /* skip the suffixes that begin with a sentinel */
    return text_share(work, args->n, TEXT_GRAIN, FN(take_positions), &j);
}
#endif
