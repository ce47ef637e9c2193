/* words.c - options from environment variables, as gzip and bzip2 read them. */
#define _DEFAULT_SOURCE /* strsep */

#include "cli/ui/options.h"

#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\n\v\f\r";

static const char *value_of(const char *name)
{
    const char *const value = getenv(name);
    return value != NULL ? value : "";
}

/* One block of memory: the array, then the copies of the variables. */
char **options_add_words(int *argc, char **argv, const char *const *names)
{
    size_t bytes = 0;
    for (const char *const *name = names; *name != NULL; name++)
        bytes += strlen(value_of(*name)) + 1;
    /* A word takes a letter and a blank, or the end of the variable. */
    const size_t most = (size_t)*argc + bytes / 2 + 2;
    char **const words = malloc(most * sizeof *words + bytes);
    size_t       n = 1;

    if (words == NULL) {
        cli_error("%s: not enough memory for the options", argv[0]);
        return NULL;
    }
    char *copy = (char *)(words + most);
    words[0] = argv[0];
    for (const char *const *name = names; *name != NULL; name++) {
        const size_t size = strlen(value_of(*name)) + 1;
        char        *rest = memcpy(copy, value_of(*name), size), *word;
        copy += size;
        while ((word = strsep(&rest, blanks)) != NULL)
            if (word[0] != '\0')
                words[n++] = word;
    }
    memcpy(words + n, argv + 1, (size_t)(*argc - 1) * sizeof *words);
    n += (size_t)(*argc - 1);
    words[n] = NULL;
    *argc = (int)n;
    return words;
}
