/* texts.c - the program ordo-texts: writes the texts of the benchmarks to standard output.
 *
 *     ordo-texts english N FILE        N bytes of words of FILE, each drawn from the words that
 *                                      follow the word before it there
 *     ordo-texts source N FOLDER...    up to N bytes of the files .c .cc .cpp .cu .cuh .h .hpp .inl
 *                                      .py below the folders, in order of their names
 *     ordo-texts proteins N            N bytes of records with 100 to 699 of 20 letters, a fifth
 *                                      of which are copies of earlier bytes
 *
 * The same arguments and files give the same bytes. */
#define _GNU_SOURCE /* scandir */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    PATH = 4096,
    LEAST_RECORD = 100,
    RECORDS = 600, /* lengths of records */
    LINE = 60
};

static void *need(void *memory)
{
    if (memory == NULL) {
        fputs("ordo-texts: too little memory\n", stderr);
        exit(1);
    }
    return memory;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 11;
}

/* Writes at most *left bytes and counts them. */
static void put(const char *bytes, size_t n, size_t *left)
{
    size_t const now = n < *left ? n : *left;
    if (fwrite(bytes, 1, now, stdout) != now) {
        perror("ordo-texts");
        exit(1);
    }
    *left -= now;
}

static char *read_file(const char *path, size_t *n)
{
    FILE *const file = fopen(path, "rb");
    struct stat status;
    if (file == NULL || fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode)) {
        if (file != NULL)
            fclose(file);
        return NULL;
    }
    char *const bytes = need(malloc((size_t)status.st_size + 1));
    *n = fread(bytes, 1, (size_t)status.st_size, file);
    fclose(file);
    return bytes;
}

/* ---- English ---- */

typedef struct words {
    const char *text;
    size_t      count;
    size_t     *begins;    /* count + 1: of the words, with the blanks after them */
    uint32_t   *number;    /* of each word: that of its first equal one */
    size_t     *followers; /* begins in `next`, by number */
    uint32_t   *next;      /* the words after each word, by number */
} words;

static bool is_blank(char byte) { return byte == ' ' || byte == '\n'; }

static void cut_words(words *w, size_t n)
{
    w->begins = need(malloc((n + 2) * sizeof *w->begins));
    for (size_t i = 0; i < n;) {
        w->begins[w->count++] = i;
        while (i < n && !is_blank(w->text[i]))
            i++;
        while (i < n && is_blank(w->text[i]))
            i++;
    }
    w->begins[w->count] = n;
}

/* A hash table of the first of equal words. */
static void number_words(words *w)
{
    size_t room = 1;
    while (room < 2 * w->count)
        room *= 2;
    uint32_t *const table = need(calloc(room, sizeof *table)); /* number + 1 */
    w->number = need(calloc(w->count + 1, sizeof *w->number));
    for (size_t i = 0; i < w->count; i++) {
        const char *const word = w->text + w->begins[i];
        size_t const      length = w->begins[i + 1] - w->begins[i];
        uint64_t          hash = UINT64_C(1469598103934665603);
        for (size_t k = 0; k < length; k++)
            hash = (hash ^ (unsigned char)word[k]) * UINT64_C(1099511628211);
        size_t at = (hash >> 20) & (room - 1);
        for (; table[at] != 0; at = (at + 1) & (room - 1)) {
            size_t const other = table[at] - 1;
            if (w->begins[other + 1] - w->begins[other] == length &&
                memcmp(w->text + w->begins[other], word, length) == 0)
                break;
        }
        if (table[at] == 0)
            table[at] = (uint32_t)i + 1;
        w->number[i] = table[at] - 1;
    }
    free(table);
}

static void list_followers(words *w)
{
    w->followers = need(calloc(w->count + 2, sizeof *w->followers));
    w->next = need(calloc(w->count + 1, sizeof *w->next));
    for (size_t i = 0; i + 1 < w->count; i++)
        w->followers[w->number[i] + 2]++;
    for (size_t i = 2; i < w->count + 2; i++)
        w->followers[i] += w->followers[i - 1];
    for (size_t i = 0; i + 1 < w->count; i++)
        w->next[w->followers[w->number[i] + 1]++] = (uint32_t)i + 1;
}

static int write_english(size_t left, const char *path)
{
    size_t      n = 0;
    char *const bytes = read_file(path, &n);
    words       w = {.text = bytes};
    uint64_t    state = UINT64_C(88172645463325252);
    if (w.text == NULL || n == 0) {
        fprintf(stderr, "ordo-texts: %s cannot be read or is empty\n", path);
        free(bytes);
        return 1;
    }
    cut_words(&w, n);
    number_words(&w);
    list_followers(&w);
    for (size_t at = 0; left > 0;) {
        put(w.text + w.begins[at], w.begins[at + 1] - w.begins[at], &left);
        size_t const   from = w.followers[w.number[at]], to = w.followers[w.number[at] + 1];
        uint64_t const random = next_random(&state);
        at = to > from ? w.next[from + random % (to - from)] : random % w.count;
    }
    free(w.next);
    free(w.followers);
    free(w.number);
    free(w.begins);
    free(bytes);
    return 0;
}

/* ---- Source ---- */

static bool is_source(const char *name)
{
    static const char *const ends[] = {".c", ".cc",  ".cpp", ".cu", ".cuh",
                                       ".h", ".hpp", ".inl", ".py"};
    const char *const        dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(dot, ends[i]) == 0)
            return true;
    return false;
}

static void write_folder(const char *folder, size_t *left)
{
    struct dirent **entries;
    int const       count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char              path[PATH];
        struct stat       status;
        const char *const name = entries[i]->d_name;
        bool const fits = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path;
        if (*left > 0 && fits && name[0] != '.' && lstat(path, &status) == 0) {
            size_t      n = 0;
            char *const bytes =
                S_ISREG(status.st_mode) && is_source(name) ? read_file(path, &n) : NULL;
            if (S_ISDIR(status.st_mode))
                write_folder(path, left);
            if (bytes != NULL)
                put(bytes, n, left);
            free(bytes);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* ---- Proteins ---- */

static int write_proteins(size_t n)
{
    char *const text = need(malloc(n + 1));
    uint64_t    state = UINT64_C(88172645463325252);
    for (size_t at = 0, number = 0; at < n; number++) {
        char         head[32];
        size_t const length = LEAST_RECORD + next_random(&state) % RECORDS;
        bool const   copied = next_random(&state) % 5 == 0 && at > RECORDS + LEAST_RECORD;
        size_t const from = copied ? next_random(&state) % (at - length) : 0;
        int const    more = snprintf(head, sizeof head, ">%zu\n", number);
        for (int k = 0; k < more && at < n; k++)
            text[at++] = head[k];
        for (size_t k = 0; k < length && at < n; k++)
            text[at++] = copied                 ? text[from + k]
                         : k % LINE == LINE - 1 ? '\n'
                                                : "ACDEFGHIKLMNPQRSTVWY"[next_random(&state) % 20];
        if (at < n)
            text[at++] = '\n';
    }
    put(text, n, &n);
    free(text);
    return 0;
}

int main(int argc, char **argv)
{
    size_t     left = argc > 2 ? (size_t)strtod(argv[2], NULL) : 0;
    int        status = 0;
    bool const english = argc == 4 && strcmp(argv[1], "english") == 0;
    bool const source = argc > 3 && strcmp(argv[1], "source") == 0;
    bool const proteins = argc == 3 && strcmp(argv[1], "proteins") == 0;
    if (!english && !source && !proteins) {
        fputs("usage: ordo-texts english N FILE | source N FOLDER... | proteins N\n", stderr);
        return 2;
    }
    if (english)
        status = write_english(left, argv[3]);
    else if (proteins)
        status = write_proteins(left);
    for (int i = 3; source && i < argc; i++)
        write_folder(argv[i], &left);
    return fflush(stdout) == 0 ? status : 1;
}
