/* commands.c - the sections of commands: runs the programs beside the two libraries as processes.
 *
 * The input is a file that the row before may have made. The time is that of the process, from its
 * start to its end; with -c the CPU time of the process and of its children. Small inputs are
 * repeated in one timing. The file that a command writes is compared. */
#define _DEFAULT_SOURCE /* wait4 */
#include "race.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WORDS = 24, /* of a command, at most                  */
    REPEATS = 8 /* of a command on a small input */
};

typedef enum kind {
    NUMBERS, /* u64 in .npy                            */
    LINES,   /* numbers as lines                       */
    CSV,     /* columns id, price, city; with a header */
    KINDS
} kind;

typedef struct task {
    const char *name;
    kind        input;
    const char *words; /* after the program; IN and OUT are files */
} task;

static const task lines_tasks[] = {{"sort", LINES, "sort --text IN -o OUT"},
                                   {"sort-u", LINES, "sort -u --text IN -o OUT"},
                                   {"unique", LINES, "unique IN -o OUT"},
                                   {"sort-n", LINES, "sort -n IN -o OUT"},
                                   {NULL, KINDS, NULL}};
static const task csv_tasks[] = {
    {"sort", CSV, "sort --csv --key price:number IN -o OUT"},
    {"sort-text", CSV, "sort --csv --key city:text --key price:number:desc IN -o OUT"},
    {"topk", CSV, "topk --csv --key price:number -k 3 IN -o OUT"},
    {NULL, KINDS, NULL}};
static const task external_tasks[] = {{"sort", NUMBERS, "sort IN -S 8Mi -o OUT"},
                                      {"lines", LINES, "sort --text IN -S 8Mi -o OUT"},
                                      {"unique", NUMBERS, "unique IN -S 8Mi -o OUT"},
                                      {NULL, KINDS, NULL}};
static const task distributed_tasks[] = {{"sort", NUMBERS, "sort IN -o OUT"},
                                         {"rank", NUMBERS, "rank IN -o OUT"},
                                         {"quantile", NUMBERS, "quantile IN -q 0.1,0.5,0.99"},
                                         {NULL, KINDS, NULL}};

extern char **environ;

static char folder[512], in[600], out[600];

static void make_folder(void)
{
    const char *const parent = set.folder != NULL         ? set.folder
                               : getenv("TMPDIR") != NULL ? getenv("TMPDIR")
                                                          : "/tmp";
    if (folder[0] != '\0')
        return;
    if (snprintf(folder, sizeof folder, "%s/ordo-race-XXXXXX", parent) >= (int)sizeof folder ||
        mkdtemp(folder) == NULL) {
        folder[0] = '\0';
        fail(parent, "cannot make a folder for files");
    }
    atexit(commands_clean); /* also after a failure */
}

void commands_clean(void)
{
    static const char *const names[] = {"in.npy",  "in.txt",  "in.csv",
                                        "out.npy", "out.txt", "out.csv"};
    char                     path[600];

    if (folder[0] == '\0')
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    folder[0] = '\0';
}

static void write_numbers(FILE *file, const uint64_t *keys, size_t n)
{
    char      header[128];
    int const length = snprintf(header, sizeof header,
                                "{'descr': '<u8', 'fortran_order': False, 'shape': (%zu,), }", n);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file); /* 118 bytes follow: 128 in all */
    fprintf(file, "%s%*s\n", header, 117 - length, "");
    fwrite(keys, sizeof *keys, n, file);
}

static void write_input(FILE *file, kind input, const uint64_t *keys, size_t n)
{
    static const char *const cities[] = {"Oslo", "Lima", "Pune", "Graz", "\"York, UK\""};
    if (input == NUMBERS)
        write_numbers(file, keys, n);
    if (input == CSV)
        fputs("id,price,city\n", file);
    for (size_t i = 0; i < n && input == LINES; i++)
        fprintf(file, "%llu\n", (unsigned long long)keys[i]);
    for (size_t i = 0; i < n && input == CSV; i++)
        fprintf(file, "%zu,%llu.%02u,%s\n", i, (unsigned long long)keys[i] / 100,
                (unsigned)(keys[i] % 100), cities[keys[i] % 5]);
}

static void prepare_input(const row *r, const side *maker, kind input)
{
    static const char *const endings[KINDS] = {"npy", "txt", "csv"};
    static const dist_row   *made_dist[KINDS];
    static size_t            made_n[KINDS];
    static room              keys;

    make_folder();
    snprintf(in, sizeof in, "%s/in.%s", folder, endings[input]);
    snprintf(out, sizeof out, "%s/out.%s", folder, endings[input]);
    if (made_dist[input] == r->dist && made_n[input] == r->n)
        return; /* by the row before */
    FILE *const file = fopen(in, "wb");
    if (file == NULL)
        fail(in, "cannot be written");
    make_keys(maker, type_of(ORDO_U64), r->dist, r->n, 1, room_of(&keys, r->n * sizeof(uint64_t)));
    write_input(file, input, keys.at, r->n);
    bool const failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        fail(in, "cannot be written");
    made_dist[input] = r->dist;
    made_n[input] = r->n;
}

/* Cuts `text` at its blanks and appends the words. */
static size_t add_words(char **words, size_t count, char *text)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (count == WORDS - 1)
            fail(text, "too many words");
        words[count++] = strcmp(word, "IN") == 0 ? in : strcmp(word, "OUT") == 0 ? out : word;
    }
    words[count] = NULL;
    return count;
}

static double seconds_of(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

/* Runs the command with its stdout in `out` and returns its seconds. */
static double run(char *const *words)
{
    posix_spawn_file_actions_t files;
    pid_t                      child;
    int                        status;
    struct rusage              usage;

    unlink(out);
    double const start = now();
    if (posix_spawn_file_actions_init(&files) != 0 ||
        posix_spawn_file_actions_addopen(&files, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0666) != 0 ||
        posix_spawnp(&child, words[0], &files, NULL, words, environ) != 0)
        fail(words[0], "cannot be started");
    posix_spawn_file_actions_destroy(&files);
    if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail(words[0], "the command failed");
    return set.cpu_time ? seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime) : now() - start;
}

static uint64_t digest_file(void)
{
    struct stat status;
    uint64_t    digest = 0;
    int const   file = open(out, O_RDONLY | O_CLOEXEC);

    if (file < 0 || fstat(file, &status) != 0)
        fail(out, "the command wrote no file");
    size_t const bytes = (size_t)status.st_size;
    if (bytes > 0) {
        void *const at = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (at == MAP_FAILED)
            fail(out, "cannot be read");
        digest = digest_bytes(0, (span){at, bytes});
        munmap(at, bytes);
    }
    close(file);
    return digest;
}

static outcome time_command(const row *r, const side *s, const task *t, const char *program,
                            const char *launcher, bool digest)
{
    char         path[1024], before[256], after[256], threads[16];
    char        *words[WORDS];
    size_t const copies = copies_of(r->n), repeats = copies < REPEATS ? copies : REPEATS;
    outcome      o = {0};

    if (snprintf(path, sizeof path, "%s/%s", s->lib->folder, program) >= (int)sizeof path ||
        snprintf(before, sizeof before, "%s", launcher) >= (int)sizeof before)
        fail(program, "the path is too long");
    snprintf(after, sizeof after, "%s", t->words);
    snprintf(threads, sizeof threads, "%u", set.threads);
    size_t count = add_words(words, 0, before);
    words[count++] = path;
    count = add_words(words, count, after);
    if (count + 3 > WORDS)
        fail(t->words, "too many words");
    words[count] = "--threads";
    words[count + 1] = threads;
    words[count + 2] = NULL;
    for (size_t i = 0; i < repeats; i++)
        o.seconds += run(words) / (double)repeats;
    if (digest)
        o.digest = digest_file();
    return o;
}

static bool has_program(const side *s, const char *program)
{
    char path[1024];
    return snprintf(path, sizeof path, "%s/%s", s->lib->folder, program) < (int)sizeof path &&
           access(path, X_OK) == 0;
}

static const char *no_command(const side *old, const side *new)
{
    return has_program(old, "ordo") && has_program(new, "ordo")
               ? NULL
               : "the command ordo is not beside each library";
}

static const char *no_mpi(const side *old, const side *new)
{
    return has_program(old, "ordo-mpi") && has_program(new, "ordo-mpi")
               ? NULL
               : "ordo-mpi is not beside each library";
}

static const task *tasks_of(const section *s)
{
    return s == &lines_section      ? lines_tasks
           : s == &csv_section      ? csv_tasks
           : s == &external_section ? external_tasks
                                    : distributed_tasks;
}

static void prepare(const row *r, const side *maker)
{
    prepare_input(r, maker, tasks_of(r->section)[r->verb].input);
}

static void list(const section *self, row_list *rows, size_t n)
{
    static const ordo_dist key_dists[] = {ORDO_DIST_UNIFORM, ORDO_DIST_ZIPF, ORDO_DIST_FEW,
                                          ORDO_DIST_LOGUNIFORM, ORDO_DIST_SORTED};
    const task *const      tasks = tasks_of(self);

    for (size_t d = 0; d < sizeof key_dists / sizeof *key_dists; d++)
        for (int v = 0; tasks[v].name != NULL; v++)
            row_add(rows, (row){.section = self, .verb = v, .dist = dist_of(key_dists[d]), .n = n},
                    tasks[v].name, "");
}

static outcome time_row(const row *r, const side *s, bool digest)
{
    bool const many = r->section == &distributed_section;
    return time_command(r, s, &tasks_of(r->section)[r->verb], many ? "ordo-mpi" : "ordo",
                        many ? set.launcher : "", digest);
}

const section lines_section = {"lines", false, no_command, list, prepare, time_row};
const section csv_section = {"csv", false, no_command, list, prepare, time_row};
const section external_section = {"external", false, no_command, list, prepare, time_row};
const section distributed_section = {"distributed", false, no_mpi, list, prepare, time_row};
