/* fm_file.c - the memory of an FM-index: its layout, its checksum, and the checks of ordo_fm_load,
 * which compute every count again. ordo_fm_view trusts the counts: searches stay within the index
 * whatever these are (fm_loops.h). */
#define _GNU_SOURCE
#include "text/fm/fm.h"

#include "api/api_ctx.h"
#include "text/text_bits.h"

#include <string.h>

static size_t end_of(size_t from, size_t count, size_t size)
{
    return ordo_round_up(from + count * size, ORDO_CACHE_LINE);
}

fm_parts fm_layout(uint64_t n, uint64_t cells, uint32_t sample)
{
    fm_parts p = {.block_count = (size_t)((n + 1) / FM_BLOCK) + 1,
                  .sample_count = (size_t)(n / sample + (n % sample != 0))};
    p.groups = end_of(0, 1, sizeof(fm_header));
    p.cells = end_of(p.groups, (size_t)((cells - 1) / FM_GROUP) + 1, sizeof(fm_counts));
    p.marks = end_of(p.cells, (size_t)cells, sizeof(fm_cell));
    p.offsets = end_of(p.marks, p.block_count + 1, sizeof(uint32_t));
    p.samples = end_of(p.offsets, p.sample_count + FM_BESIDE, 1);
    p.rows = end_of(p.samples, p.sample_count, sizeof(uint32_t));
    p.end = end_of(p.rows, p.sample_count, sizeof(uint32_t));
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
    fm_parts const         p = fm_layout(h->n, fm->tree.cells, h->sample);
    fm->header = h;
    fm->n = h->n;
    fm->primary = h->primary;
    fm->sample = h->sample;
    fm->sample_count = p.sample_count;
    fm->groups = (const fm_counts *)(const void *)(fm->block + p.groups);
    fm->cells = (const fm_cell *)(const void *)(fm->block + p.cells);
    fm->marks = (const uint32_t *)(const void *)(fm->block + p.marks);
    fm->offsets = (const uint8_t *)fm->block + p.offsets;
    fm->samples = (const uint32_t *)(const void *)(fm->block + p.samples);
    fm->rows = (const uint32_t *)(const void *)(fm->block + p.rows);
    memset(fm->code, 0xff, sizeof fm->code);
    for (unsigned c = 0; c < h->letters; c++)
        fm->code[h->letter[c]] = (int16_t)c;
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
            "the index has version %u; this version of ordo reads version %d: index the text again",
            h->version, FM_VERSION);
    FAIL_IF(h->bytes != bytes, ORDO_E_ARG, "the index has %zu bytes; its header says %llu", bytes,
            (unsigned long long)h->bytes);
    FAIL_IF(h->n >= FM_MOST || h->sample == 0 || h->sample > FM_MOST_SAMPLE ||
                h->letters > FM_LETTERS || h->letters > h->n || (h->letters == 0) != (h->n == 0) ||
                h->primary > h->n || (h->primary == 0) != (h->n == 0),
            ORDO_E_ARG,
            "the header of the index is damaged: n %llu, primary %llu, sample %u, letters %u",
            (unsigned long long)h->n, (unsigned long long)h->primary, h->sample, h->letters);
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

static uint32_t cell_count(const fm_cell *cell, unsigned digit)
{
    return fm_count(&cell->first, digit, FM_CELL / 2, 0) +
           fm_count(&cell->second, digit, FM_CELL / 2, 0);
}

/* Checks that all counts are those of the digits before, and that digits between levels are 0. */
static ordo_status check_cells(ordo_exec *exec, const ordo_fm *fm)
{
    uint32_t sums[FM_DIGITS] = {0};
    for (size_t i = 0; i < fm->tree.cells; i++) {
        const fm_cell *const   cell = &fm->cells[i];
        const fm_counts *const group = &fm->groups[i / FM_GROUP];
        bool                   right = true;
        for (unsigned d = 0; d < FM_DIGITS; d++) {
            right &= i % FM_GROUP != 0 || group->digits[d] == sums[d];
            right &= fm_rank(fm, d, i * FM_CELL) == sums[d];
            sums[d] += cell_count(cell, d);
        }
        FAIL_IF(!right, ORDO_E_ARG, "cell %zu of the index is damaged", i);
        if (i % TEXT_POLL == 0 && ordo_poll(exec, (double)i / (double)fm->tree.cells))
            return ORDO_E_CANCELLED;
    }
    return ORDO_OK;
}

/* Checks that each node has as many of each digit as the tree says. Then so have the digits between
 * two levels: they are 0. */
static ordo_status check_nodes(ordo_exec *exec, const ordo_fm *fm)
{
    for (unsigned k = 0; k < fm->tree.node_count; k++) {
        const fm_node *const node = &fm->tree.nodes[k];
        for (unsigned d = 0; d < FM_DIGITS; d++) {
            const fm_branch *const branch = &node->branches[d];
            FAIL_IF(fm_rank(fm, d, node->start) != branch->base ||
                        fm_rank(fm, d, node->start + node->size) !=
                            (uint32_t)(branch->base + branch->size),
                    ORDO_E_ARG, "node %u of the index is damaged", k);
        }
    }
    for (uint64_t at = 0; at < 2 * FM_CELL && fm->tree.node_count > 0; at++) {
        const fm_node *const last = &fm->tree.nodes[fm->tree.node_count - 1];
        uint64_t const       place = last->start + last->size + at;
        FAIL_IF(fm_digit(fm, ordo_min(place, fm->tree.cells * FM_CELL - 1)) != 0, ORDO_E_ARG,
                "the end of the index is damaged");
    }
    return ORDO_OK;
}

/* Checks that each multiple of `sample` has a mark, whose row leads back to it. */
static ordo_status check_samples(ordo_exec *exec, const ordo_fm *fm)
{
    size_t const blocks = (size_t)(fm->n + 1) / FM_BLOCK + 1;
    size_t       at = 0;
    for (size_t block = 0; block <= blocks; block++) {
        size_t const to = block < blocks ? fm->marks[block + 1] : (size_t)fm->sample_count;
        FAIL_IF(fm->marks[block] != at || to < at || to > fm->sample_count, ORDO_E_ARG,
                "the marks of row %zu of the index are damaged", block * FM_BLOCK);
        for (size_t from = at; at < to; at++) {
            uint64_t const row = (uint64_t)block * FM_BLOCK + fm->offsets[at];
            bool const     next = at == from || fm->offsets[at] > fm->offsets[at - 1];
            FAIL_IF(!next || row > fm->n || fm->samples[at] >= fm->sample_count ||
                        fm->rows[fm->samples[at]] != row,
                    ORDO_E_ARG, "sample %zu of the index is damaged", at);
        }
    }
    return ORDO_OK;
}

/* Checks what the places of the parts follow from. */
static ordo_status open_checked(ordo_exec *exec, ordo_fm *fm, size_t bytes)
{
    const fm_header *const h = (const fm_header *)(const void *)fm->block;
    TRY(check_header(exec, h, bytes));
    TRY(check_letters(exec, h));
    fm_tree_build(&fm->tree, h->below, h->letters);
    size_t const expected = fm_layout(h->n, fm->tree.cells, h->sample).end;
    FAIL_IF(expected != bytes, ORDO_E_ARG,
            "the index has %zu bytes; expected %zu for %llu bytes of text", bytes, expected,
            (unsigned long long)h->n);
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
    TRY(check_cells(exec, fm));
    TRY(check_nodes(exec, fm));
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
