/* fuzz_resume.c - the files of a resume directory: whatever they say, the next sort writes the
 * right result or refuses with a reason.
 *
 * A sort is cancelled among its runs and another one among its ranges. The input is a list of edits
 * of what they left (struct edit), behind a byte that says which sort it is, whether ties are
 * dropped, and whether the checksums of the files are made right again after the edits. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "forge.h"
#include "ordo_external.h"

#include <fcntl.h>
#include <unistd.h>

enum {
    N = 4000,
    MEMORY = 512 << 10, /* of a library with small thresholds */
    SIGNED = 1,
    UNIQUE = 2,
    RANGES = 4,
    STATES = 8 / 2 /* unique or not, runs or ranges */
};

typedef enum place {
    MANIFEST,
    INDEX,
    POINT, /* the file "ranges" */
    RUNS,
    SINK,
    SOURCE,
    FILES
} place;

typedef struct edit {
    uint8_t file, what; /* a place; 0: set a number of 8 bytes, 1: set one of 4 bytes, 2: add to it,
                         * 3: change a byte, 4: shorten the file, 5: set a number in the text */
    uint16_t at;        /* the number of the byte, or of the number */
    int64_t  value;
} edit;

#define EDIT(file, what, at, value) file what at value
#define NUMBER(byte) byte "\0\0\0\0\0\0\0"
const fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("\0"),
    FUZZ_SEED("\4"),
    FUZZ_SEED("\6"),
    FUZZ_SEED("\1" EDIT("\5", "\2", "\0\0", NUMBER("\1"))), /* another source with other times */
    FUZZ_SEED("\5" EDIT("\5", "\2", "\7\0", NUMBER("\1"))),
    FUZZ_SEED("\4" EDIT("\4", "\1", "\11\0", NUMBER("\77"))), /* another result in the sink */
    FUZZ_SEED("\5" EDIT("\2", "\2", "\0\0", NUMBER("\1"))),   /* another place */
    FUZZ_SEED("\7" EDIT("\2", "\2", "\0\0", NUMBER("\1"))),
    FUZZ_SEED("\7" EDIT("\2", "\2", "\2\0", NUMBER("\1"))),
    FUZZ_SEED("\1" EDIT("\0", "\5", "\21\0", NUMBER("\1"))), /* numbers of the manifest */
    FUZZ_SEED("\1" EDIT("\0", "\5", "\22\0", "\377\377\377\377\377\377\377\377")),
    FUZZ_SEED("\1" EDIT("\0", "\5", "\23\0", "\377\377\377\377\377\377\377\377")
                  EDIT("\1", "\0", "\1\0", "\314\314\314\314\314\314\314\14")),
    FUZZ_SEED("\1" EDIT("\1", "\2", "\2\0", "\377\377\377\377\377\377\377\377")),
    FUZZ_SEED("\1" EDIT("\1", "\2", "\16\0", "\0\0\100\6\0\0\0\0")), /* the first key of a block */
    FUZZ_SEED("\1" EDIT("\1", "\1", "\60\0", "\377\377\377\377\377\377\377\377")),
    FUZZ_SEED("\1" EDIT("\3", "\3", "\60\0", NUMBER("\1"))),
    FUZZ_SEED("\1" EDIT("\1", "\4", "\60\0", NUMBER("\1"))),
};
const size_t fuzz_seed_count = sizeof fuzz_seeds / sizeof fuzz_seeds[0];

const char *const fuzz_words[] = {"\1\2", "\1\1", "\2\2", "\5\2",
                                  "\377\377\377\377\377\377\377\377"};
const size_t      fuzz_word_count = sizeof fuzz_words / sizeof fuzz_words[0];

static char     folder[] = "/tmp/ordo-fuzz-XXXXXX";
static char     paths[FILES][64], resume_path[64];
static forged   left[STATES][FILES]; /* what the cancelled sorts left */
static uint64_t keys[N];
static int      awaited = -1; /* cancel when this file is there */

/* Nothing here outlives the system, so nothing need reach a disk. */
int __wrap_fsync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_fsync(int fd) { return (void)fd, 0; }
int __wrap_fdatasync(int fd) { return (void)fd, 0; }

static int cancel(void *user, double done)
{
    (void)user, (void)done;
    return awaited >= 0 && access(paths[awaited], F_OK) == 0;
}

static ordo_status sort(bool is_unique, char *why, size_t room)
{
    ordo_ctx *ctx;
    FUZZ_CHECK(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = 2, .progress = cancel,
                                                .progress_interval = -1)) == ORDO_OK);
    int const in = open(paths[SOURCE], O_RDONLY), out = open(paths[SINK], O_RDWR | O_CREAT, 0600);
    ordo_status const status = ordo_external_sort(
        ctx, &ORDO_OPTS(ordo_elements, .type = ORDO_U64), &ORDO_OPTS(ordo_source, .fd = in),
        &ORDO_OPTS(ordo_sink, .fd = out),
        &ORDO_OPTS(ordo_external_opts, .memory = MEMORY, .resume_directory = resume_path,
                   .flags = ORDO_SPILL_IN_MEMORY | (is_unique ? ORDO_UNIQUE : 0)),
        NULL);
    snprintf(why, room, "%s", status == ORDO_OK ? "" : ordo_last_error(ctx));
    ordo_ctx_free(ctx);
    close(in);
    close(out);
    return status;
}

/* Removes the directory. The source and the sink keep their inodes, which its files name. */
static void remove_directory(void)
{
    char path[96];
    for (int i = 0; i < SINK; i++)
        unlink(paths[i]);
    snprintf(path, sizeof path, "%s/manifest.new", resume_path);
    unlink(path);
    rmdir(resume_path);
}

static void clean_up(void)
{
    remove_directory();
    unlink(paths[SINK]);
    unlink(paths[SOURCE]);
    rmdir(folder);
    for (int i = 0; i < STATES * FILES; i++)
        free(left[i / FILES][i % FILES].bytes);
}

/* Leaves the files of a cancelled sort in left[]. */
static void interrupt(int state)
{
    char why[512];
    FUZZ_CHECK(forge_write(paths[SOURCE], (forged){(char *)keys, sizeof keys}));
    FUZZ_CHECK(forge_write(paths[SINK], (forged){(char *)keys, 0}));
    awaited = (state & RANGES / 2) != 0 ? POINT : MANIFEST;
    FUZZ_CHECK(sort((state & UNIQUE / 2) != 0, why, sizeof why) == ORDO_E_CANCELLED);
    awaited = -1;
    for (int i = 0; i < FILES; i++)
        left[state][i] = forge_read(paths[i]);
    remove_directory();
}

static void prepare(void)
{
    static const char *const names[FILES] = {"resume/manifest", "resume/index", "resume/ranges",
                                             "resume/runs",     "sink",         "source"};
    if (paths[0][0] != '\0')
        return;
    FUZZ_CHECK(mkdtemp(folder) != NULL);
    atexit(clean_up);
    for (int i = 0; i < FILES; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    snprintf(resume_path, sizeof resume_path, "%s/resume", folder);
    for (size_t i = 0; i < N; i++)
        keys[i] = i * i * 7919 % 3001 << 20;
    for (int state = 0; state < STATES; state++)
        interrupt(state);
}

/* ---- Edits ---- */

/* Replaces the number with the given index in a text. */
static void set_number(forged *f, size_t which, int64_t value)
{
    for (char *at = f->bytes; *at != '\0';) {
        size_t const digits = strspn(at, "0123456789");
        if (digits == 0 || which-- > 0) {
            at += digits > 0 ? digits : 1;
            continue;
        }
        size_t const head = (size_t)(at - f->bytes);
        char *const  text = malloc(f->size + 32);
        FUZZ_CHECK(text != NULL);
        memcpy(text, f->bytes, head);
        int const length = snprintf(text + head, 32, "%lld", (long long)value);
        memcpy(text + head + length, at + digits, f->size - head - digits + 1);
        f->size += (size_t)length - digits;
        free(f->bytes);
        f->bytes = text;
        return;
    }
}

static void apply(forged *f, const edit *e)
{
    uint32_t     four = (uint32_t)e->value, old = 0;
    size_t const width = e->what == 0 ? sizeof e->value : e->what < 3 ? sizeof four : 1;
    size_t const at = e->at * width;
    if (f->bytes == NULL)
        return;
    if (e->what == 5) {
        set_number(f, e->at, e->value);
    } else if (e->what == 4) {
        f->size = e->at < f->size ? e->at : f->size;
        f->bytes[f->size] = '\0';
    } else if (at + width <= f->size) {
        memcpy(&old, f->bytes + at, width < sizeof old ? width : sizeof old);
        four += e->what == 2 ? old : 0;
        memcpy(f->bytes + at, e->what == 0 ? (const void *)&e->value : &four, width);
    }
}

/* Applies the edits of the source, or of the other files. */
static void apply_all(forged files[FILES], bool to_source, const uint8_t *data, size_t size)
{
    for (size_t at = 1; size - at >= 12; at += 12) {
        edit e = {.file = data[at] % FILES, .what = data[at + 1] % 6};
        memcpy(&e.at, data + at + 2, sizeof e.at);
        memcpy(&e.value, data + at + 4, sizeof e.value);
        if ((e.file == SOURCE) == to_source)
            apply(&files[e.file], &e);
    }
}

/* Writes the files of a state with the edits. */
static void make_files(int state, const uint8_t *data, size_t size)
{
    forged     files[FILES];
    bool const is_signed = (data[0] & SIGNED) != 0;
    for (int i = 0; i < FILES; i++) {
        files[i] = (forged){.size = left[state][i].size};
        files[i].bytes = left[state][i].bytes != NULL ? malloc(files[i].size + 1) : NULL;
        if (files[i].bytes != NULL)
            memcpy(files[i].bytes, left[state][i].bytes, files[i].size + 1);
    }
    apply_all(files, true, data, size);
    FUZZ_CHECK(forge_write(paths[SOURCE], files[SOURCE]));
    if (is_signed || memcmp(files[SOURCE].bytes, keys, sizeof keys) == 0) {
        forge_times(&files[MANIFEST], paths[SOURCE]);
        forge_manifest(&files[MANIFEST]);
    }
    apply_all(files, false, data, size);
    if (is_signed) {
        forge_manifest(&files[MANIFEST]);
        forge_index(&files[INDEX]);
        forge_point(&files[POINT]);
    }
    FUZZ_CHECK(mkdir(resume_path, 0700) == 0);
    for (int i = 0; i < FILES; i++) {
        if (files[i].bytes != NULL && i != SOURCE)
            FUZZ_CHECK(forge_write(paths[i], files[i]));
        free(files[i].bytes);
    }
}

static int compare(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void check_result(bool is_unique)
{
    forged const source = forge_read(paths[SOURCE]), sink = forge_read(paths[SINK]);
    size_t       n = source.size / sizeof *keys, kept = 0;
    uint64_t    *sorted = malloc(source.size + 1);
    FUZZ_CHECK(sorted != NULL && sink.bytes != NULL);
    memcpy(sorted, source.bytes, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0; i < n; i++)
        if (!is_unique || i == 0 || sorted[i] != sorted[i - 1])
            sorted[kept++] = sorted[i];
    FUZZ_CHECK(source.size % sizeof *keys == 0 && sink.size >= kept * sizeof *sorted);
    FUZZ_CHECK(memcmp(sink.bytes, sorted, kept * sizeof *sorted) == 0);
    free(sorted);
    free(source.bytes);
    free(sink.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[512];
    prepare();
    if (size == 0)
        return 0;
    int const  state = data[0] / 2 % STATES;
    bool const is_unique = (data[0] & UNIQUE) != 0;
    make_files(state, data, size);
    ordo_status const status = sort(is_unique, why, sizeof why);
    FUZZ_CHECK(status == ORDO_OK || status == ORDO_E_ARG || status == ORDO_E_IO);
    FUZZ_CHECK((status == ORDO_OK) == (why[0] == '\0'));
    if (status == ORDO_OK) {
        check_result(is_unique);
        FUZZ_CHECK(access(resume_path, F_OK) != 0);
    }
    remove_directory();
    return 0;
}
