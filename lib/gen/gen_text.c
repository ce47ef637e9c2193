/* gen_text.c - random strings and protein records, as bytes and offsets.
 *
 * The length of string i is a function of i. A first loop adds the lengths of every block; a second
 * loop writes offsets and characters from the start of each block. Scratch: 8 bytes for each block.
 *
 * Protein records are residues with about the frequencies of large protein databases, read from a
 * table of 256 letters. A third of the records belong to families, as sequences in databases do:
 * such a record starts with a random number of residues of its family's ancestor, then continues
 * with its own. Family sizes decrease as 1/rank. */
#include "gen/gen_maps.h"

#ifdef ORDO_TINY
#define BLOCK 8u
#else
#define BLOCK 1024u /* strings; no result depends on it */
#endif
#define FAMILIES 4096u
#define FAMILY_OCTAVES 13u

enum {
    STRING_MAX = 500,
    RECORD_MIN = 20,
    RECORD_MAX = 120,
    SHARED_MIN = 10
};

typedef struct gen_text_state {
    const ordo_gen_text_job *job;
    uint64_t                 draw, length, family, shared, ancestor; /* streams */
    uint64_t                *begin; /* for each block: its bytes, then their offset */
} gen_text_state;

static size_t gen_length(const gen_text_state *state, size_t i)
{
    const uint64_t draw = ordo_random_at(state->length, i);
    if (state->job->dist == ORDO_DIST_STRINGS)
        return 1 + (size_t)ordo_random_below(draw, STRING_MAX);
    return RECORD_MIN + (size_t)ordo_random_below(draw, RECORD_MAX - RECORD_MIN + 1);
}

static void gen_text_count(void *arg, size_t lo, size_t hi)
{
    const gen_text_state *const state = arg;

    for (size_t block = lo; block < hi; block++) {
        const size_t end = ordo_min((block + 1) * BLOCK, state->job->n);
        uint64_t     bytes = 0;
        for (size_t i = block * BLOCK; i < end; i++)
            bytes += gen_length(state, i);
        state->begin[block] = bytes;
    }
}

/* Writes characters 33 to 126, two from each draw. */
static void gen_string(const gen_text_state *state, size_t i, char *out, size_t length)
{
    const uint64_t own = ordo_random_at(state->draw, i);

    for (size_t at = 0; at < length; at++) {
        const uint64_t draw = ordo_random_at(own, at / 2);
        const uint64_t half = at % 2 ? draw >> 32 : draw & UINT32_MAX;
        out[at] = (char)('!' + (half * ('~' - '!' + 1) >> 32));
    }
}

/* Residue `at` of the sequence of a stream, eight from each draw. */
static char gen_residue(uint64_t stream, size_t at)
{
    static const char residues[] =
        "AAAAAAAAAAAAAAAAAAAAARRRRRRRRRRRRRRNNNNNNNNNNDDDDDDDDDDDDDDCCCC"
        "QQQQQQQQQQEEEEEEEEEEEEEEEEEGGGGGGGGGGGGGGGGGGHHHHHHIIIIIIIIIIIIIII"
        "LLLLLLLLLLLLLLLLLLLLLLLLLKKKKKKKKKKKKKKKMMMMMMFFFFFFFFFFPPPPPPPPPPPP"
        "SSSSSSSSSSSSSSSSSTTTTTTTTTTTTTTWWWYYYYYYYVVVVVVVVVVVVVVVVVV";
    _Static_assert(sizeof residues == 256 + 1, "a letter for every byte");
    return residues[ordo_random_at(stream, at / 8) >> (at % 8 * 8) & 255];
}

static void gen_record(const gen_text_state *state, size_t i, char *out, size_t length)
{
    const uint64_t own = ordo_random_at(state->draw, i);
    const uint64_t kin = ordo_random_at(state->family, i);
    size_t         shared = 0;

    if (ordo_random_below(kin, 3) == 0) {
        const uint64_t family = gen_zipf(kin, FAMILIES, FAMILY_OCTAVES);
        const uint64_t ancestor = ordo_random_at(state->ancestor, family);
        const uint64_t draw = ordo_random_at(state->shared, i);
        const size_t   most = RECORD_MAX - SHARED_MIN + 1;
        shared = ordo_min(SHARED_MIN + (size_t)ordo_random_below(draw, most), length);
        for (size_t at = 1; at < shared; at++)
            out[at] = gen_residue(ancestor, at);
    }
    out[0] = 'M';
    for (size_t at = ordo_max(shared, 1); at < length; at++)
        out[at] = gen_residue(own, at);
}

static void gen_text_fill(void *arg, size_t lo, size_t hi)
{
    const gen_text_state *const    state = arg;
    const ordo_gen_text_job *const job = state->job;

    for (size_t block = lo; block < hi; block++) {
        const size_t end = ordo_min((block + 1) * BLOCK, job->n);
        uint64_t     offset = state->begin[block];
        for (size_t i = block * BLOCK; i < end; i++) {
            const size_t length = gen_length(state, i);
            job->offsets[i] = offset;
            if (job->bytes != NULL && job->dist == ORDO_DIST_STRINGS)
                gen_string(state, i, job->bytes + offset, length);
            else if (job->bytes != NULL)
                gen_record(state, i, job->bytes + offset, length);
            offset += length;
        }
    }
}

ordo_status ordo_gen_text(const ordo_gen_text_job *job, ordo_exec *exec)
{
    const size_t   blocks = ordo_div_up(job->n, BLOCK);
    gen_text_state state = {.job = job,
                            .draw = gen_stream(job->seed, job->dist, GEN_DRAW),
                            .length = gen_stream(job->seed, job->dist, GEN_LENGTH),
                            .family = gen_stream(job->seed, job->dist, GEN_FAMILY),
                            .shared = gen_stream(job->seed, job->dist, GEN_CHOICE),
                            .ancestor = gen_stream(job->seed, job->dist, GEN_ANCESTOR)};
    void          *scratch;

    TRY(ordo_scratch(exec, blocks * sizeof *state.begin, &scratch));
    state.begin = scratch;
    exec->phases = 2;
    if (!ordo_loop(exec, blocks, 1, gen_text_count, &state))
        return ORDO_E_CANCELLED;

    const uint64_t total = ordo_sums_before_64(state.begin, blocks);
    if (job->bytes != NULL && total > job->capacity)
        return ordo_fail(exec, ORDO_E_ARG, "%s: %zu strings need %llu bytes, the capacity is %zu",
                         exec->algorithm, job->n, (unsigned long long)total, job->capacity);

    exec->phase = 1;
    if (!ordo_loop(exec, blocks, 1, gen_text_fill, &state))
        return ORDO_E_CANCELLED;
    job->offsets[job->n] = total;
    return ORDO_OK;
}
