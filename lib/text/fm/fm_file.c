/* fm_file.c - the memory of an FM-index: its layout, its checksum, and the checks of ordo_fm_load,
 * which compute every count again. ordo_fm_view trusts the counts: searches stay within the index
 * whatever these are (fm_loops.h). */
#define _GNU_SOURCE
#include "text/fm/fm.h"

#include "api/api_ctx.h"
#include "text/text_bits.h"

#include <string.h>

fm_parts fm_layout(uint64_t n, uint32_t letters, uint32_t sample)
{
    fm_parts     p = {.cells = (size_t)(n / FM_CELL) + 1,
                      .mark_count = (size_t)((n + 1) / 64) + 1,
                      .sample_count = (size_t)(n / sample + (n % sample != 0))};
    size_t const level = p.cells * sizeof(fm_cell);
    p.levels[0] = ordo_round_up(sizeof(fm_header), ORDO_CACHE_LINE);
    p.levels[1] = p.levels[0] + level;
    p.marks = p.levels[1] + (letters > FM_VALUES ? level : 0);
    p.samples = ordo_round_up(p.marks + p.mark_count * sizeof(fm_mark), ORDO_CACHE_LINE);
    p.rows = ordo_round_up(p.samples + p.sample_count * sizeof(uint32_t), ORDO_CACHE_LINE);
    p.end = ordo_round_up(p.rows + p.sample_count * sizeof(uint32_t), ORDO_CACHE_LINE);
    return p;
}

ordo_status fm_new(ordo_ctx *ctx, ordo_exec *exec, size_t bytes, ordo_fm **out, char **block)
{
    const ordo_alloc *const source = &ctx->source;
    ordo_fm *const          fm = source->alloc(source->user, sizeof *fm);
    /* Cells must not cross more cache lines than needed. */
    char *const memory = fm != NULL ? source->alloc(source->user, bytes + ORDO_CACHE_LINE) : NULL;
    if (memory == NULL && fm != NULL)
        source->release(source->user, fm);
    FAIL_IF(memory == NULL, ORDO_E_NOMEM, "the system refused %zu bytes for the index", bytes);
    *block = memory + (ORDO_CACHE_LINE - (uintptr_t)memory % ORDO_CACHE_LINE) % ORDO_CACHE_LINE;
    *fm = (ordo_fm){.source = *source, .memory = memory, .block = *block};
    *out = fm;
    return ORDO_OK;
}

void ordo_fm_free(ordo_fm *fm)
{
    if (fm == NULL)
        return;
    ordo_alloc const source = fm->source;
    if (fm->memory != NULL)
        source.release(source.user, fm->memory);
    source.release(source.user, fm);
}

/* Four sums, because a product waits for the one before. */
uint64_t fm_checksum(const void *block, size_t bytes)
{
    const char *const at = (const char *)block + offsetof(fm_header, n);
    size_t const      words = (bytes - offsetof(fm_header, n)) / sizeof(uint64_t);
    uint64_t          sums[4] = {1, 2, 3, 4};
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, at + i * sizeof word, sizeof word);
        uint64_t const mixed = (sums[i % 4] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sums[i % 4] = mixed ^ mixed >> 29;
    }
    return sums[0] ^ sums[1] * 3 ^ sums[2] * 5 ^ sums[3] * 7;
}

void fm_open(ordo_fm *fm)
{
    const fm_header *const h = (const fm_header *)(const void *)fm->block;
    fm_parts const         p = fm_layout(h->n, h->letters, h->sample);
    fm->header = h;
    fm->n = h->n;
    fm->primary = h->primary;
    fm->sample = h->sample;
    fm->sample_count = p.sample_count;
    fm->level_count = h->letters > FM_VALUES ? 2 : 1;
    fm->levels[0] = (const fm_cell *)(const void *)(fm->block + p.levels[0]);
    fm->levels[1] = (const fm_cell *)(const void *)(fm->block + p.levels[1]);
    fm->marks = (const fm_mark *)(const void *)(fm->block + p.marks);
    fm->samples = (const uint32_t *)(const void *)(fm->block + p.samples);
    fm->rows = (const uint32_t *)(const void *)(fm->block + p.rows);
    memset(fm->code, 0xff, sizeof fm->code);
    for (unsigned c = 0; c < h->letters; c++) {
        fm->code[h->letter[c]] = (int16_t)c;
        fm->start[c] = 1 + h->below[c];
    }
    for (unsigned v = 0; v < FM_VALUES; v++)
        fm->base[v] = h->below[ordo_min(v * FM_VALUES, h->letters)];
    for (unsigned c = 0; c < h->letters && fm->level_count == 2; c++) {
        size_t const at = (size_t)fm->base[c / FM_VALUES];
        fm->skipped[c] = fm_rank(fm->levels[1] + at / FM_CELL, c % FM_VALUES, at);
    }
}

/* ---- Checks ---- */

static ordo_status check_header(ordo_exec *exec, const fm_header *h, size_t bytes)
{
    FAIL_IF(bytes < sizeof h->magic || memcmp(h->magic, FM_MAGIC, sizeof h->magic) != 0, ORDO_E_ARG,
            "the data are not an FM-index of ordo: they do not begin with \"ordo fm\"");
    FAIL_IF(bytes < sizeof *h, ORDO_E_ARG,
            "the index ends inside its header, after %zu bytes; expected at least %zu", bytes,
            sizeof *h);
    FAIL_IF(h->order != FM_ORDER, ORDO_E_ARG,
            "the index is from a machine of another byte order (mark 0x%08x)", h->order);
    FAIL_IF(h->version != FM_VERSION, ORDO_E_ARG,
            "the index has version %u; this version of ordo reads version %d", h->version,
            FM_VERSION);
    FAIL_IF(h->bytes != bytes, ORDO_E_ARG, "the index has %zu bytes; its header says %llu", bytes,
            (unsigned long long)h->bytes);
    FAIL_IF(h->n >= FM_MOST || h->sample == 0 || h->sample > FM_MOST_SAMPLE ||
                h->letters > FM_LETTERS || h->letters > h->n || (h->letters == 0) != (h->n == 0) ||
                h->primary > h->n || (h->primary == 0) != (h->n == 0),
            ORDO_E_ARG,
            "the header of the index is damaged: n %llu, primary %llu, sample %u, letters %u",
            (unsigned long long)h->n, (unsigned long long)h->primary, h->sample, h->letters);
    FAIL_IF(fm_layout(h->n, h->letters, h->sample).end != bytes, ORDO_E_ARG,
            "the index has %zu bytes; expected %zu for %llu bytes of text", bytes,
            fm_layout(h->n, h->letters, h->sample).end, (unsigned long long)h->n);
    return ORDO_OK;
}

static ordo_status check_letters(ordo_exec *exec, const fm_header *h)
{
    bool right = h->below[0] == 0;
    for (size_t c = 0; c < FM_LETTERS; c++)
        right &= c < h->letters
                     ? h->below[c] < h->below[c + 1] && (c == 0 || h->letter[c - 1] < h->letter[c])
                     : h->below[c] == h->n && h->letter[c] == 0;
    FAIL_IF(!right || h->below[FM_LETTERS] != h->n, ORDO_E_ARG,
            "the letters of the index are damaged");
    return ORDO_OK;
}

/* Checks the counts of all cells; the symbols behind the last one are 0. */
static ordo_status check_level(ordo_exec *exec, const ordo_fm *fm, unsigned level)
{
    size_t const cells = (size_t)(fm->n / FM_CELL) + 1;
    uint64_t     counts[FM_VALUES] = {0};
    for (size_t i = 0; i < cells; i++) {
        const fm_cell *const cell = &fm->levels[level][i];
        size_t const         n = ordo_min(FM_CELL, (size_t)fm->n - i * FM_CELL);
        bool                 right = true;
        for (unsigned v = 0; v < FM_VALUES; v++)
            right &= cell->counts[v] == (uint32_t)counts[v];
        FAIL_IF(!right, ORDO_E_ARG, "cell %zu of level %u of the index is damaged", i, level);
        for (size_t k = 0; k < n; k++)
            counts[fm_value(cell, k)]++;
        if (i % TEXT_POLL == 0 && ordo_poll(exec, (double)i / (double)cells))
            return ORDO_E_CANCELLED;
    }
    for (size_t i = (size_t)fm->n % FM_CELL; i < FM_CELL; i++)
        FAIL_IF(fm_value(&fm->levels[level][cells - 1], i) != 0, ORDO_E_ARG,
                "the end of level %u of the index is damaged", level);
    /* The last counts are those of the whole level. */
    for (unsigned v = 0; v < FM_VALUES && level == 0; v++) {
        size_t const   wide = fm->level_count == 2 ? FM_VALUES : 1;
        uint64_t const low = fm->header->below[ordo_min(v * wide, FM_LETTERS)];
        uint64_t const high = fm->header->below[ordo_min((v + 1) * wide, FM_LETTERS)];
        FAIL_IF(counts[v] != high - low, ORDO_E_ARG, "level 0 of the index is damaged");
    }
    return ORDO_OK;
}

/* Checks that level 1 has each code as often as the header says. */
static ordo_status check_codes(ordo_exec *exec, const ordo_fm *fm)
{
    const fm_header *const h = fm->header;
    for (unsigned v = 0; v < FM_VALUES; v++) {
        size_t const from = (size_t)h->below[v * FM_VALUES];
        size_t const to = (size_t)h->below[(v + 1) * FM_VALUES];
        for (unsigned low = 0; low < FM_VALUES; low++) {
            unsigned const code = v * FM_VALUES + low;
            uint64_t const count = fm_rank(fm->levels[1] + to / FM_CELL, low, to) -
                                   fm_rank(fm->levels[1] + from / FM_CELL, low, from);
            FAIL_IF(count != h->below[code + 1] - h->below[code], ORDO_E_ARG,
                    "level 1 of the index is damaged: code %u", code);
        }
    }
    return ORDO_OK;
}

static ordo_status check_samples(ordo_exec *exec, const ordo_fm *fm)
{
    fm_parts const p = fm_layout(fm->n, fm->header->letters, fm->sample);
    uint64_t       marked = 0;
    for (size_t i = 0; i < p.mark_count; i++) {
        size_t const   rows = ordo_min(64, (size_t)fm->n + 1 - ordo_min(i * 64, (size_t)fm->n + 1));
        uint64_t const outside = rows == 64 ? 0 : UINT64_MAX << rows;
        FAIL_IF(fm->marks[i].before != marked || (fm->marks[i].bits & outside) != 0, ORDO_E_ARG,
                "the marks of row %zu of the index are damaged", i * 64);
        marked += (uint64_t)__builtin_popcountll(fm->marks[i].bits);
    }
    FAIL_IF(marked != p.sample_count, ORDO_E_ARG,
            "the index marks %llu rows; expected %zu for a sample of %u",
            (unsigned long long)marked, p.sample_count, fm->sample);
    for (size_t i = 0; i < p.sample_count; i++)
        FAIL_IF(fm->samples[i] >= p.sample_count || fm->rows[i] > fm->n, ORDO_E_ARG,
                "sample %zu of the index is damaged", i);
    return ORDO_OK;
}

/* Checks what the places of the parts follow from. */
static ordo_status open_checked(ordo_exec *exec, ordo_fm *fm, size_t bytes)
{
    const fm_header *const h = (const fm_header *)(const void *)fm->block;
    TRY(check_header(exec, h, bytes));
    TRY(check_letters(exec, h));
    fm_open(fm);
    return ORDO_OK;
}

static ordo_status check_index(ordo_exec *exec, ordo_fm *fm, size_t bytes)
{
    TRY(open_checked(exec, fm, bytes));
    const fm_header *const h = fm->header;
    uint64_t const         sum = fm_checksum(h, bytes);
    FAIL_IF(sum != h->checksum, ORDO_E_ARG,
            "the index is damaged: its checksum is %016llx, but the header has %016llx",
            (unsigned long long)sum, (unsigned long long)h->checksum);
    exec->phases = 3;
    TRY(check_level(exec, fm, 0));
    exec->phase++;
    if (fm->level_count == 2) {
        TRY(check_level(exec, fm, 1));
        TRY(check_codes(exec, fm));
    }
    exec->phase++;
    return check_samples(exec, fm);
}

static ordo_status check_data(ordo_exec *exec, const void *data, size_t bytes, size_t align,
                              ordo_fm **out)
{
    FAIL_IF(out == NULL, ORDO_E_ARG, "out is NULL; expected the address of a pointer");
    TRY(api_check_array(exec, data, bytes, 1, "data"));
    FAIL_IF(bytes == 0, ORDO_E_ARG, "the data are empty; expected an FM-index of ordo");
    FAIL_IF((uintptr_t)data % align != 0, ORDO_E_ARG, "data is not aligned to %zu bytes", align);
    return ORDO_OK;
}

static ordo_status load_checked(ordo_ctx *ctx, ordo_exec *exec, const void *data, size_t bytes,
                                ordo_fm **out)
{
    ordo_fm *fm;
    char    *block;
    TRY(check_data(exec, data, bytes, 1, out));
    TRY(fm_new(ctx, exec, ordo_max(bytes, sizeof(fm_header)), &fm, &block));
    memset(block, 0, sizeof(fm_header));
    memcpy(block, data, bytes);
    ordo_status const status = check_index(exec, fm, bytes);
    if (status == ORDO_OK)
        *out = fm;
    else
        ordo_fm_free(fm);
    return status;
}

ordo_status ordo_fm_load(ordo_ctx *ctx, const void *data, size_t bytes, ordo_fm **out)
{
    API_CALL("fm_load", ORDO_U8, bytes, load_checked(ctx, exec, data, bytes, out));
}

static ordo_status view_checked(ordo_ctx *ctx, ordo_exec *exec, const void *data, size_t bytes,
                                ordo_fm **out)
{
    const ordo_alloc *const source = &ctx->source;
    TRY(check_data(exec, data, bytes, sizeof(uint64_t), out));
    ordo_fm *const fm = source->alloc(source->user, sizeof *fm);
    FAIL_IF(fm == NULL, ORDO_E_NOMEM, "the system refused %zu bytes for the index", sizeof *fm);
    *fm = (ordo_fm){.source = *source, .block = data};
    ordo_status const status = open_checked(exec, fm, bytes);
    if (status == ORDO_OK)
        *out = fm;
    else
        ordo_fm_free(fm);
    return status;
}

ordo_status ordo_fm_view(ordo_ctx *ctx, const void *data, size_t bytes, ordo_fm **out)
{
    API_CALL("fm_view", ORDO_U8, bytes, view_checked(ctx, exec, data, bytes, out));
}

const void *ordo_fm_data(const ordo_fm *fm, size_t *bytes)
{
    if (bytes != NULL)
        *bytes = fm != NULL ? (size_t)fm->header->bytes : 0;
    return fm != NULL ? fm->block : NULL;
}

ordo_status ordo_fm_describe(const ordo_fm *fm, ordo_fm_facts *facts)
{
    ordo_fm_facts all = {sizeof all, 0, 0, 0, 0};
    if (fm == NULL || facts == NULL)
        return ORDO_E_ARG;
    size_t const known = facts->struct_size;
    if (known < sizeof known || known > API_MAX_OPTS)
        return ORDO_E_ARG;
    all.n = fm->n;
    all.bytes = fm->header->bytes;
    all.sample = fm->sample;
    all.letters = fm->header->letters;
    all.struct_size = known;
    memcpy(facts, &all, ordo_min(known, sizeof all));
    return ORDO_OK;
}
