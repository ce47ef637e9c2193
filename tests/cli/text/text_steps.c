/* text_steps.c - text_plain() tells lines that are not plain from too little memory.
 *
 * The linker sends the calls of realloc() in the command's objects to this program (--wrap), which
 * lets one of them fail. A read must then fail, too: it printed a message. */
#include "cli/io/text/text_numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int    left = -1; /* calls of realloc() before the one that fails; -1: none fails */
static size_t failed, wrong;

void *__real_realloc(void *old, size_t bytes); // NOLINT(bugprone-reserved-identifier)
void *__wrap_realloc(void *old, size_t bytes); // NOLINT(bugprone-reserved-identifier)

void *__wrap_realloc(void *old, size_t bytes) // NOLINT(bugprone-reserved-identifier)
{
    if (left >= 0 && left-- == 0) {
        failed++;
        return NULL;
    }
    return __real_realloc(old, bytes);
}

static void expect(const char *text, const char *what, size_t wanted, size_t found)
{
    if (wanted != found) {
        printf("%s: %s: expected %zu, got %zu\n", text, what, wanted, found);
        wrong++;
    }
}

/* Starts to read a copy of the text, whose memory the caller frees. */
static char *start(const char *text, source *s, text_numbers *t, int calls)
{
    const size_t length = strlen(text);
    char *const  block = malloc(length + 1);

    if (block == NULL)
        exit(1);
    memcpy(block, text, length + 1);
    *s = (source){.name = "memory",
                  .fd = -1,
                  .ended = true,
                  .line_end = '\n',
                  .block = block,
                  .capacity = length,
                  .end = length};
    text_start(t, s, 0, false);
    failed = 0;
    left = calls;
    return block;
}

static void test_plain(const char *text, int calls, text_kind wanted, size_t numbers)
{
    source       s;
    text_numbers t;
    fast_text    f;
    char *const  block = start(text, &s, &t, calls);

    expect(text, "kind", wanted, text_plain(&t, block, strlen(text), &f));
    left = -1;
    expect(text, "calls that failed", calls >= 0, failed);
    if (wanted != TEXT_NO_MEMORY)
        expect(text, "numbers", numbers, t.n);
    free(t.values);
    text_end(&t);
    free(block);
}

static void test_read(const char *text, int calls, bool wanted)
{
    source       s;
    text_numbers t;
    char *const  block = start(text, &s, &t, calls);

    expect(text, "read", wanted, text_read(&t));
    left = -1;
    expect(text, "values are NULL", !wanted, t.values == NULL);
    expect(text, "bad line", 0, t.bad_line);
    free(t.values);
    text_end(&t);
    free(block);
}

int main(void)
{
    test_plain("3\n1\n2\n", -1, TEXT_PLAIN, 3);
    test_plain("3\n-0\n2\n", -1, TEXT_PLAIN, 3);
    test_plain("3\n 1\n2\n", -1, TEXT_OTHER, 0);
    test_plain("3\none\n2\n", -1, TEXT_OTHER, 0);
    test_plain("3\n1\n2\n", 0, TEXT_NO_MEMORY, 0);
    test_plain("3\n 1\n2\n", 0, TEXT_NO_MEMORY, 0);
    test_plain("3\n-0\n2\n", 1, TEXT_NO_MEMORY, 0);
    test_read("3\n1\n2\n", -1, true);
    test_read("3\n 1\n2\n", -1, true);
    test_read("3\n1\n2\n", 0, false);
    test_read("3\n-0\n2\n", 1, false);
    test_read("3\n -0\n2\n", 1, false);
    if (wrong == 0)
        puts("every failure of realloc() was told from lines that are not plain");
    return wrong != 0;
}
