/* unbwt.t.h - the inverse transform for one width of the row numbers; see unbwt.c. */

#define FIRST ((RECORD)1 << (8 * sizeof(RECORD) - 1)) /* the row is the first of a chain */

typedef struct FN(walker) {
    unbwt_work *work;
    RECORD     *next; /* the row of the suffix one byte later */
    RECORD     *rows; /* the first row of each chain, ascending */
} FN(walker);

/* Fills next for the rows of a piece of the transform; counts[piece] says where. */
static void FN(fill_next)(void *arg, size_t lo, size_t hi)
{
    const FN(walker) *const w = arg;
    const unbwt_work *const u = w->work;
    uint64_t               *at = u->counts[lo / u->grain];
    size_t                  chain = unbwt_chain_from(u, lo <= u->primary ? lo : lo + 1);
    for (size_t i = lo; i < hi; i++) {
        size_t const row = i + (i >= u->primary);
        while (chain < u->chains && w->rows[chain] < row)
            chain++;
        bool const first = chain < u->chains && w->rows[chain] == row;
        w->next[at[u->bwt[i]]++] = (RECORD)row | (first ? FIRST : 0);
    }
}

/* Walks up to UNBWT_WIDTH chains at once, so that their cache misses overlap. */
static void FN(walk_chains)(void *arg, size_t lo, size_t hi)
{
    const FN(walker) *const w = arg;
    unbwt_work *const       u = w->work;
    const RECORD *const     next = w->next;
    RECORD                  row[UNBWT_WIDTH];
    uint8_t                *to[UNBWT_WIDTH], *page_end[UNBWT_WIDTH];
    size_t                  chain[UNBWT_WIDTH], active = 0, begun = lo, steps = 0;
    for (;;) {
        while (active < UNBWT_WIDTH && begun < hi) {
            row[active] = w->rows[begun];
            to[active] = unbwt_open(u, begun, &page_end[active]);
            chain[active++] = begun++;
        }
        if (active == 0)
            return;
        for (size_t k = 0; k < active; k++) {
            RECORD const here = row[k], later = next[here];
            TEXT_PREFETCH(next + (later & ~FIRST));
            if (to[k] == page_end[k])
                to[k] = unbwt_turn(u, chain[k], &page_end[k]);
            *to[k]++ = unbwt_byte(u, here);
            row[k] = later;
            if (ORDO_UNLIKELY(later >= FIRST || later == 0)) {
                unbwt_close(u, chain[k], to[k], later & ~FIRST);
                active--;
                row[k] = row[active];
                to[k] = to[active];
                page_end[k] = page_end[active];
                chain[k] = chain[active];
                k--;
            }
        }
        if (++steps % TEXT_POLL == 0 && ordo_poll(u->exec, 0))
            return;
    }
}

static ordo_status FN(invert)(text_work *work, unbwt_work *u)
{
    FN(walker) w = {.work = u};
    TRY_SCRATCH(work->exec, (u->n + 1) * sizeof *w.next, w.next);
    TRY_SCRATCH(work->exec, u->chains * sizeof *w.rows, w.rows);
    for (size_t i = 0; i < u->chains; i++)
        w.rows[i] = (RECORD)unbwt_first_row(u, i);
    TRY(text_loop(work, u->n, u->grain, FN(fill_next), &w));
    text_phase(work);
    return text_share(work, u->chains, 2 * UNBWT_WIDTH, FN(walk_chains), &w);
}

#undef FIRST
