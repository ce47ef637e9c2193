/* fuzz_fm.c - FM-indexes with changed bytes and a right checksum: each is refused, or every query
 * on it stays within its arrays. A view checks less than a loaded index.
 *
 * The input is bytes to change: a position of 2 bytes and a value, again and again, in the index of
 * a text that depends on the first byte. */
#include "fuzz.h"

#include "ordo_text.h"
#include "text/fm/fm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("\x00"),
    FUZZ_SEED("\x01\x20\x00\x07\x30\x00\x01"),
    FUZZ_SEED("\x02\x80\x0b\xff\x90\x0b\x01\x00\x0c\x55"),
    /* the counts of a group, of a cell, a plane, the marks, samples and rows */
    FUZZ_SEED("\x80\x80\x09\x07\xc1\x09\x01"),
    FUZZ_SEED("\x81\x40\x0a\xff\x48\x0a\x55\x60\x0b\xff"),
    FUZZ_SEED("\x82\x00\x0d\x02\x40\x0d\xff\x80\x0d\x03\xc0\x0d\xff\x00\x0e\x7f"),
    FUZZ_SEED("\x03\x28\x00\x01\x2c\x00\x02\x40\x09\x10"),
};
const size_t fuzz_seed_count = sizeof fuzz_seeds / sizeof fuzz_seeds[0];

const char *const fuzz_words[] = {"\x20\x00\x01", "\x28\x00\x02", "\x30\x00\x21",
                                  "\x34\x00\x11", "\x38\x00\x61", "\x40\x0a\x01"};
const size_t      fuzz_word_count = sizeof fuzz_words / sizeof fuzz_words[0];

enum {
    MOST = 1 << 16
};

static ordo_ctx *ctx;
static uint8_t   image[MOST];

static size_t make_image(uint8_t kind)
{
    static const char *const texts[] = {"banana", "mississippi", "", "to be or not to be"};
    char                     text[400] = "";
    ordo_fm                 *fm = NULL;
    size_t                   bytes;
    const size_t             length = strlen(texts[kind % 4]);
    for (size_t i = 0; i < sizeof text - 1 && length > 0; i++)
        text[i] = (char)(texts[kind % 4][i % length] + (kind >= 128 ? (int)(i * 7 % 40) : 0));
    FUZZ_CHECK(ordo_fm_build(ctx, text, strlen(text), &ORDO_OPTS(ordo_fm_opts, .sample = 1 + kind),
                             &fm) == ORDO_OK);
    const void *const data = ordo_fm_data(fm, &bytes);
    FUZZ_CHECK(bytes <= MOST);
    memcpy(image, data, bytes);
    ordo_fm_free(fm);
    return bytes;
}

/* All queries; results may be anything, but the calls must end and stay within their arrays. */
static void query(const ordo_fm *fm)
{
    static const char     patterns[] = "anaissbe or";
    static const uint64_t offsets[] = {0, 3, 6, 6, 8, 11};
    uint64_t              counts[5], first[6];
    ordo_fm_facts         facts = {.struct_size = sizeof facts};
    FUZZ_CHECK(ordo_fm_describe(fm, &facts) == ORDO_OK);
    FUZZ_CHECK(ordo_fm_count(ctx, fm, patterns, offsets, 5, counts) == ORDO_OK);
    FUZZ_CHECK(ordo_fm_locate(ctx, fm, patterns, offsets, 5, first, NULL, 0) == ORDO_OK);
    uint64_t *const positions = malloc((first[5] + 1) * sizeof *positions);
    uint8_t *const  text = malloc(facts.n + 1);
    FUZZ_CHECK(positions != NULL && text != NULL && first[5] <= 5 * (facts.n + 1));
    const ordo_status located =
        ordo_fm_locate(ctx, fm, patterns, offsets, 5, first, positions, first[5]);
    FUZZ_CHECK(located == ORDO_OK || located == ORDO_E_ARG);
    FUZZ_CHECK(ordo_fm_extract(ctx, fm, 0, facts.n, text) == ORDO_OK);
    free(positions);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ordo_fm *fm = NULL;
    if (ctx == NULL)
        FUZZ_CHECK(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU,
                                                    .threads = 1)) == ORDO_OK);
    const size_t bytes = make_image(size > 0 ? data[0] : 0);
    for (size_t i = 1; i + 3 <= size; i += 3)
        image[(data[i] | (size_t)data[i + 1] << 8) % bytes] = data[i + 2];
    const uint64_t sum = fm_checksum(image, bytes);
    memcpy(image + offsetof(fm_header, checksum), &sum, sizeof sum);
    if (ordo_fm_load(ctx, image, bytes, &fm) == ORDO_OK)
        query(fm);
    else
        FUZZ_CHECK(fm == NULL && ordo_last_error(ctx)[0] != '\0');
    ordo_fm_free(fm);
    fm = NULL;
    uint8_t *const exact = malloc(bytes); /* so that a sanitizer sees its end */
    FUZZ_CHECK(exact != NULL);
    memcpy(exact, image, bytes);
    if (ordo_fm_view(ctx, exact, bytes, &fm) == ORDO_OK)
        query(fm);
    ordo_fm_free(fm);
    free(exact);
    return 0;
}
