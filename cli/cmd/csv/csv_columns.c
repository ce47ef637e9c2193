/* csv_columns.c - `ordo completion --columns`: the names of the columns of the file on a command
 * line that is not complete yet, for the completion of --key, --column and --by.
 *
 * Only the first bytes of a regular file are read: the file may be large, and to open a pipe would
 * wait for its writer. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/command.h"
#include "cli/csv/csv_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
    HEADER_MOST = 1 << 16 /* bytes */
};

typedef struct row_request { /* what the words ask for */
    csv_dialect dialect;     /* separator NUL: no rows                 */
    char       *path;        /* to be freed; NULL: there is no file    */
    char        given;       /* the separator of -t; NUL: not given    */
} row_request;

/* The word without the quotes of a shell, to be freed. NULL: not enough memory. */
static char *without_quotes(const char *word)
{
    const char *const home = strncmp(word, "~/", 2) == 0 ? getenv("HOME") : NULL;
    const size_t      before = home != NULL ? strlen(home) : 0;
    char *const       text = malloc(before + strlen(word) + 1);
    char             *to = text;
    char              quote = '\0';

    if (text == NULL)
        return NULL;
    if (home != NULL) {
        memcpy(to, home, before);
        to += before;
        word++;
    }
    for (; *word != '\0'; word++)
        if (*word == quote)
            quote = '\0';
        else if (quote == '\0' && (*word == '\'' || *word == '"'))
            quote = *word;
        else if (*word == '\\' && quote != '\'' && word[1] != '\0')
            *to++ = *++word;
        else
            *to++ = *word;
    *to = '\0';
    return text;
}

static bool is_file(const char *path)
{
    struct stat s;
    return path != NULL && stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* The path of the regular file that the word names, to be freed; NULL: it names none. */
static char *find_file(const char *word)
{
    char *path = is_file(word) ? strdup(word) : without_quotes(word);

    if (is_file(path))
        return path;
    free(path);
    return NULL;
}

static bool is_word(const char *word, const char *letter, const char *name)
{
    return strcmp(word, letter) == 0 || strcmp(word, name) == 0;
}

static void take_separator(row_request *r, const char *word)
{
    char *const text = without_quotes(word);

    if (text != NULL)
        r->given = strstr(word, "\\t") != NULL ? '\t' : text[0];
    free(text);
}

/* Words that a shell has divided at '=' are as two words. */
static row_request read_words(char **words, int n)
{
    static const char separator[] = "--field-separator=";
    row_request       r = {.dialect = {.quotes = true, .header = true}};

    for (int i = 1; i < n; i++) {
        const char *const word = words[i];
        const char *const next = i + 1 < n && strcmp(words[i + 1], "=") != 0 ? words[i + 1]
                                 : i + 2 < n                                 ? words[i + 2]
                                                                             : "";
        if (strcmp(word, "--csv") == 0 || strcmp(word, "--tsv") == 0)
            r.dialect.separator = word[2] == 'c' ? ',' : '\t';
        else if (strcmp(word, "--no-header") == 0)
            r.dialect.header = false;
        else if (strcmp(word, "--no-quotes") == 0)
            r.dialect.quotes = false;
        else if (is_word(word, "-t", "--field-separator"))
            take_separator(&r, next);
        else if (strncmp(word, separator, strlen(separator)) == 0)
            take_separator(&r, word + strlen(separator));
        else if (strncmp(word, "-t", 2) == 0)
            take_separator(&r, word + 2);
        else if (is_word(word, "-o", "--output"))
            i += i + 1 < n && strcmp(words[i + 1], "=") == 0 ? 2 : 1;
        else if (word[0] != '-' && r.path == NULL)
            r.path = find_file(word);
    }
    if (r.given != '\0' && r.dialect.separator != '\0')
        r.dialect.separator = r.given;
    return r;
}

static void print_names(const csv_table *table)
{
    for (size_t c = 0; table->names != NULL && c < table->columns; c++) {
        const csv_span name = table->names[c];
        bool           plain = name.begin < name.end;
        for (const char *p = name.begin; p < name.end; p++)
            plain = plain && (unsigned char)*p >= ' ' && *p != '\x7f';
        if (plain)
            printf("%.*s\n", (int)(name.end - name.begin), name.begin);
    }
}

void csv_print_columns(char **words, int n)
{
    row_request r = read_words(words, n);
    csv_table   table = {.bytes = NULL};
    source      s;

    if (r.path != NULL && r.dialect.separator != '\0' && r.dialect.header) {
        const bool   read = source_open(&s, r.path) && source_fill(&s, HEADER_MOST);
        const size_t row = read ? csv_row_bytes(&r.dialect, s.block, s.end) : 0;
        const size_t length = row > 0 ? row : read && s.end < HEADER_MOST ? s.end : 0;
        char *const  header = length > 0 ? malloc(length) : NULL;
        if (header != NULL) {
            memcpy(header, s.block, length);
            if (csv_table_from(&r.dialect, s.name, header, length, 1, &table))
                print_names(&table);
            csv_table_free(&table);
        }
        source_close(&s);
    }
    free(r.path);
}
