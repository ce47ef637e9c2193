/* fuzz_keys.c - key definitions of `ordo sort` (-k, -t and the ordering options) and the bytes and
 * words that keys become.
 *
 * The input is the options for all keys, up to two key definitions, a separator and lines, each on
 * a line of its own. A definition is refused or understood; a refusal leaves nothing to free. The
 * bytes of a key are the same in a buffer that grows and in one that is just large enough; a buffer
 * that is too small is named with a size that is enough. Where keys fit words, words and bytes
 * order any two lines alike. */
#include "fuzz.h"

#include "cli/lines/key_encode.h"
#include "cli/lines/line_sort.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("n\n2,2\n1,1r\n,\n1,22\n3,-4.5\nx,007\n"),
    FUZZ_SEED("\n1.2,1.5f\n2nr\n\nab cd 3\n Ab\t12 4\n\n"),
    FUZZ_SEED("r\n1,1M\n3V\n:\nfeb:a1.10:x2\nJan:b:x10\n"),
    FUZZ_SEED("bfd\n2b,2.3b\n1gr\n \n1e5 a\n0x1f  b\nnan c\n"),
    FUZZ_SEED("h\n1h\n2R\n\\0\n4K\n1.5M x\n-2G\n"),
    FUZZ_SEED("i\n1,2i\n18446744073709551616.99999999999999999999\n;\n\x01\x02;\xff\n"),
};
const size_t fuzz_seed_count = sizeof fuzz_seeds / sizeof fuzz_seeds[0];

const char *const fuzz_words[] = {"1,1", "2n", ".3",       ",",  "r",   "bdfghiMnRrV",
                                  "\n",  "-1", "0.5",      "\t", " ",   "jan",
                                  "K",   "V",  "1.2,3.4b", "e5", "\\0", "99999999999999999999"};
const size_t      fuzz_word_count = sizeof fuzz_words / sizeof fuzz_words[0];

enum {
    MOST_LINES = 40,
    TEXTS = 4 /* before the lines */
};

/* Messages about refused definitions go nowhere. */
static void silence(void)
{
    static bool done;
    if (!done) {
        const int null = open("/dev/null", O_WRONLY);
        FUZZ_CHECK(null >= 0 && dup2(null, STDERR_FILENO) >= 0);
        done = true;
    }
}

static void encode_again(const line_order *order, const char *line, size_t length,
                         const key_bytes *expected)
{
    uint8_t  *room = malloc(1);
    key_bytes out = {.data = room, .capacity = 0, .fixed = true};

    while (!key_encode(order, line, length, &out)) {
        FUZZ_CHECK(out.wanted > out.capacity);
        free(room);
        room = malloc(out.wanted);
        out = (key_bytes){.data = room, .capacity = out.wanted, .fixed = true};
        FUZZ_CHECK(room != NULL);
    }
    FUZZ_CHECK(out.used == expected->used && memcmp(room, expected->data, out.used) == 0);
    free(room);
}

static int sign(int order) { return (order > 0) - (order < 0); }

static void check_lines(const line_order *order, const lines *l)
{
    key_bytes  keys[MOST_LINES] = {{.used = 0}};
    line_words found = {.words = NULL};

    for (size_t i = 0; i < l->n; i++) {
        const char *const line = l->bytes + l->offsets[i];
        const size_t      length = (size_t)(l->offsets[i + 1] - l->offsets[i]);
        FUZZ_CHECK(key_encode(order, line, length, &keys[i]));
        encode_again(order, line, length, &keys[i]);
    }
    const words_result made = line_words_make(order, l, 1, &found);
    uint64_t *const    words = found.words;
    FUZZ_CHECK(made != WORDS_FAILED && (made == WORDS_MADE) == (words != NULL));
    for (size_t i = 0; made == WORDS_MADE && i < l->n; i++)
        for (size_t j = 0; j < l->n; j++) {
            const int by_bytes = lines_compare((char *)keys[i].data, keys[i].used,
                                               (char *)keys[j].data, keys[j].used);
            FUZZ_CHECK(found.bits == 64 || words[i] >> found.bits == 0);
            FUZZ_CHECK(sign(by_bytes) == (words[i] > words[j]) - (words[i] < words[j]));
        }
    free(words);
    for (size_t i = 0; i < l->n; i++)
        key_bytes_free(&keys[i]);
}

/* The rest of the text as lines, moved together. */
static lines split_lines(char *text, size_t length, uint64_t *offsets)
{
    lines  l = {.bytes = text, .offsets = offsets, .line_end = '\n'};
    size_t used = 0;

    offsets[0] = 0;
    for (size_t at = 0; at < length && l.n < MOST_LINES;) {
        const char *const end = memchr(text + at, '\n', length - at);
        const size_t      size = end != NULL ? (size_t)(end - text) - at : length - at;
        memmove(text + used, text + at, size);
        used += size;
        at += size + 1;
        offsets[++l.n] = used;
    }
    return l;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1);
    char       *texts[TEXTS], *at = text;
    uint64_t    offsets[MOST_LINES + 1];
    line_order  order;

    silence();
    FUZZ_CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t i = 0; i < TEXTS; i++) {
        char *const end = memchr(at, '\n', (size_t)(text + size - at));
        if (end == NULL || memchr(at, '\0', (size_t)(end - at)) != NULL) {
            free(text);
            return 0;
        }
        *end = '\0';
        texts[i] = at;
        at = end + 1;
    }
    /* The options for all keys are letters that were checked before. */
    char letters[16] = "";
    for (const char *c = texts[0]; *c != '\0' && strlen(letters) < 11; c++)
        if (strchr("bdfghiMnRrV", *c) != NULL && strchr(letters, *c) == NULL)
            strncat(letters, c, 1);
    const char *const  keys[] = {texts[1], texts[2]};
    const size_t       count = texts[1][0] == '\0' ? 0 : texts[2][0] == '\0' ? 1 : 2;
    const line_request request = {.letters = letters,
                                  .keys = keys,
                                  .n = count,
                                  .separator = texts[3][0] != '\0' ? texts[3] : NULL,
                                  .stable = true,
                                  .seed = 1};
    if (line_order_make(&request, &order)) {
        const lines l = split_lines(at, (size_t)(text + size - at), offsets);
        if (order.n > 0)
            check_lines(&order, &l);
        line_order_free(&order);
    } else {
        FUZZ_CHECK(order.keys == NULL);
    }
    free(text);
    return 0;
}
