/* calibration.c - the costs of a machine, their defaults, and the file that stores them (see
 * calibration.h).
 *
 * Several machines may share a home directory, so the name of the file contains the host, the CPU,
 * the number of CPUs and the GPU of the context; the file contains the same. Only the first CPU of
 * /proc/cpuinfo is read, because the whole file takes milliseconds on large machines. */
#define _GNU_SOURCE
#include "plan/calibration.h"

#include "core/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MILLION = 1000000
};

const ordo_cost_fact ordo_cost_facts[COSTS] = {
#define ORDO_COST_ROW(ID, name, unit, standard, least, most, meaning)                              \
    [COST_##ID] = {#name, unit, meaning, STANDARD_##ID, least, most},
#include "plan/costs.def"
#undef ORDO_COST_ROW
};

void ordo_calibration_standard(ordo_calibration *c)
{
    for (int id = 0; id < COSTS; id++) {
        c->value[id] = ordo_cost_facts[id].standard;
        c->measured[id] = false;
    }
    c->device[0] = '\0';
    c->tried = true;
}

void ordo_calibration_set(ordo_calibration *c, ordo_cost_id id, double value)
{
    const ordo_cost_fact *const fact = &ordo_cost_facts[id];
    if (!isfinite(value))
        return;
    value = value < (double)fact->least  ? (double)fact->least
            : value > (double)fact->most ? (double)fact->most
                                         : value;
    c->value[id] = lround(value);
    c->measured[id] = true;
}

/* Without the end "(0.5 free)", which changes. */
void ordo_calibration_name_device(const char *line, char *name, size_t size)
{
    size_t length = strcspn(line, "\n");
    for (size_t i = 1; i < length; i++)
        if (line[i] == '(')
            length = i - 1;
    snprintf(name, size, "%.*s", (int)ordo_min(length, size - 1), line);
    if (name[0] == '\0')
        snprintf(name, size, "unnamed");
}

bool ordo_calibration_check_device(ordo_calibration *c, const char *line)
{
    char name[CALIBRATION_DEVICE];
    if (c->device[0] == '\0')
        return false;
    ordo_calibration_name_device(line, name, sizeof name);
    if (strcmp(name, c->device) == 0)
        return false;
    snprintf(c->note, sizeof c->note,
             "the costs were measured with another GPU, %.100s; the GPU is %.100s", c->device,
             name);
    for (int id = COST_DEVICE_OPEN; id < COSTS; id++) {
        c->value[id] = ordo_cost_facts[id].standard;
        c->measured[id] = false;
    }
    c->device[0] = '\0';
    return true;
}

/* ---- The file ---- */

#define FIRST_LINE "ordo-calibration 1"
#define LAST_LINE "end"

enum {
    MOST_BYTES = 8192, /* of a file; written files have less than 1000 */
    MACHINE = 256,
    WORD = 64
};

__attribute__((format(printf, 2, 3))) static bool say(ordo_calibration *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(c->note, sizeof c->note, format, args);
    va_end(args);
    return false;
}

/* ---- Path ---- */

void ordo_calibration_place(ordo_calibration *c, const char *place, const char *isa, size_t gpu)
{
    const char *folder = secure_getenv("XDG_CACHE_HOME"), *below = "/ordo";
    int         length = 0;
    c->path[0] = c->note[0] = '\0';
    c->tried = c->in_folder = false;
    c->gpu = (long)ordo_min(gpu, (size_t)INT32_MAX);
    snprintf(c->isa, sizeof c->isa, "%s", isa);
    if (place == NULL)
        place = secure_getenv("ORDO_TUNE_FILE");
    if (folder == NULL || folder[0] != '/') {
        folder = secure_getenv("HOME");
        below = "/.cache/ordo";
    }
    if (place != NULL) {
        length = snprintf(c->path, sizeof c->path, "%s", place);
    } else if (folder != NULL && folder[0] == '/') {
        length = snprintf(c->path, sizeof c->path, "%s%s", folder, below);
        c->in_folder = true;
    } else {
        (void)say(c, "no folder is known for the file; set ORDO_TUNE_FILE, XDG_CACHE_HOME or HOME");
    }
    if (length < 0 || length > CALIBRATION_PATH - MACHINE) {
        c->path[0] = '\0';
        (void)say(c, "the path of the file is too long");
    }
}

/* The value of a line "name : value", as in /proc/cpuinfo. */
static bool field_of(const char *text, const char *name, char *value, size_t size)
{
    const char *const line = strstr(text, name);
    const char       *colon = line != NULL ? strchr(line, ':') : NULL;
    if (colon == NULL)
        return false;
    colon += 1 + strspn(colon + 1, " \t");
    snprintf(value, size, "%.*s", (int)ordo_min(strcspn(colon, "\n"), size - 1), colon);
    return true;
}

static void cpu_name(char *name, size_t size)
{
    char      text[4096] = "", implementer[16], part[16];
    int const file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t const got = read(file, text, sizeof text - 1);
        text[got > 0 ? got : 0] = '\0';
        close(file);
    }
    if (field_of(text, "model name", name, size))
        return;
    if (field_of(text, "CPU implementer", implementer, sizeof implementer) &&
        field_of(text, "CPU part", part, sizeof part))
        snprintf(name, size, "CPU %s %s", implementer, part);
    else
        snprintf(name, size, "unknown CPU");
}

/* The machine in words, and the same as a file name: only letters, digits, dots and dashes. */
static void name_machine(const ordo_calibration *c, char *words, char *file, size_t size)
{
    char host[WORD] = "", cpu[WORD];
    if (gethostname(host, sizeof host - 1) != 0)
        snprintf(host, sizeof host, "localhost");
    cpu_name(cpu, sizeof cpu);
    snprintf(words, size, "%s, %s, %u CPUs, %s", host, cpu, ordo_cpus_count().online, c->isa);
    size_t at = 0;
    for (const char *from = words; *from != '\0' && at + WORD < size; from++) {
        bool const plain = (*from >= '0' && *from <= '9') || (*from >= 'a' && *from <= 'z') ||
                           (*from >= 'A' && *from <= 'Z') || *from == '.';
        if (plain || (at > 0 && file[at - 1] != '-'))
            file[at++] = plain ? *from : '-';
    }
    if (c->gpu != 0)
        snprintf(file + at, size - at, "-gpu%ld", c->gpu - 1);
    else
        file[at] = '\0';
}

/* Completes the path. */
static void find_file(ordo_calibration *c, char *machine)
{
    char         file[MACHINE];
    size_t const length = strlen(c->path);
    name_machine(c, machine, file, MACHINE);
    if (c->in_folder)
        snprintf(c->path + length, sizeof c->path - length, "/tune-%s", file);
    c->in_folder = false;
}

/* ---- Reading ---- */

/* Takes the next line off *text, without its end; NULL if there is no complete line. */
static char *next_line(char **text)
{
    char *const line = *text;
    char *const end = strchr(line, '\n');
    if (end == NULL)
        return NULL;
    *end = '\0';
    *text = end + 1;
    return line;
}

static ordo_cost_id cost_of(const char *name, size_t length)
{
    for (int id = 1; id < COSTS; id++)
        if (strlen(ordo_cost_facts[id].name) == length &&
            strncmp(ordo_cost_facts[id].name, name, length) == 0)
            return (ordo_cost_id)id;
    return COST_NONE;
}

static bool read_figure(ordo_calibration *c, const char *line)
{
    size_t const                length = strcspn(line, " ");
    ordo_cost_id const          id = cost_of(line, length);
    const ordo_cost_fact *const fact = &ordo_cost_facts[id];
    char                       *end;
    if (id == COST_NONE || line[length] != ' ')
        return false;
    errno = 0;
    long const value = strtol(line + length + 1, &end, 10);
    if (errno != 0 || end == line + length + 1 || *end != '\0' || value < fact->least ||
        value > fact->most)
        return false;
    c->value[id] = value;
    c->measured[id] = true;
    return true;
}

static bool parse(ordo_calibration *c, char *text, const char *machine)
{
    const char *line = next_line(&text);
    if (line == NULL || strncmp(line, "ordo-calibration ", 17) != 0)
        return say(c, "the file is not a calibration of ordo");
    if (strcmp(line, FIRST_LINE) != 0)
        return say(c, "the file is from another version of ordo");
    line = next_line(&text);
    if (line == NULL || strncmp(line, "machine ", 8) != 0)
        return say(c, "line 2 does not name a machine");
    if (strcmp(line + 8, machine) != 0)
        return say(c, "the file is from another machine: %.150s", line + 8);
    for (int number = 3; (line = next_line(&text)) != NULL; number++) {
        if (strcmp(line, LAST_LINE) == 0)
            return *text == '\0' || say(c, "there is text after the last line");
        if (strncmp(line, "device ", 7) == 0)
            snprintf(c->device, sizeof c->device, "%s", line + 7);
        else if (!read_figure(c, line))
            return say(c, "line %d is damaged", number);
    }
    return say(c, "the last line, '" LAST_LINE "', is missing");
}

static bool read_text(ordo_calibration *c, char *text)
{
    struct stat facts;
    int const   file = open(c->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? false /* there was no measurement, which needs no note */
                   : say(c, "the file cannot be read: %s", strerror(errno));
    bool const    regular = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
    ssize_t const got = regular ? read(file, text, MOST_BYTES) : -1;
    close(file);
    if (got < 0)
        return say(c, "the file cannot be read");
    if (got == MOST_BYTES)
        return say(c, "the file is too long");
    text[got] = '\0';
    return strlen(text) == (size_t)got || say(c, "the file has a zero byte");
}

void ordo_calibration_read(ordo_calibration *c)
{
    char machine[MACHINE], text[MOST_BYTES + 1];
    if (c->tried)
        return;
    ordo_calibration_standard(c);
    if (c->path[0] == '\0')
        return;
    find_file(c, machine);
    if (read_text(c, text) && !parse(c, text, machine))
        ordo_calibration_standard(c);
}

/* ---- Writing ---- */

/* Makes the folders of the path. */
static void make_folders(const char *path)
{
    char folder[CALIBRATION_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(folder, 0700); /* a failure shows when the file is made */
        *slash = '/';
    }
}

static void print(FILE *file, const ordo_calibration *c, const char *machine)
{
    fprintf(file, FIRST_LINE "\nmachine %s\n", machine);
    if (c->device[0] != '\0')
        fprintf(file, "device %s\n", c->device);
    for (int id = 1; id < COSTS; id++)
        if (c->measured[id])
            fprintf(file, "%s %ld\n", ordo_cost_facts[id].name, c->value[id]);
    fprintf(file, LAST_LINE "\n");
}

bool ordo_calibration_write(ordo_calibration *c)
{
    char machine[MACHINE], beside[CALIBRATION_PATH + 8];
    if (c->path[0] == '\0')
        return say(c, "no file is set");
    find_file(c, machine);
    make_folders(c->path);
    snprintf(beside, sizeof beside, "%s.XXXXXX", c->path);
    int const   number = mkostemp(beside, O_CLOEXEC);
    FILE *const file = number >= 0 ? fdopen(number, "w") : NULL;
    if (file == NULL) {
        (void)say(c, "the file cannot be written: %s", strerror(errno));
        if (number >= 0) {
            close(number);
            unlink(beside);
        }
        return false;
    }
    print(file, c, machine);
    bool const failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed || rename(beside, c->path) != 0) {
        (void)say(c, "the file cannot be written: %s", strerror(errno));
        unlink(beside);
        return false;
    }
    c->note[0] = '\0';
    return true;
}

bool ordo_calibration_forget(ordo_calibration *c)
{
    char machine[MACHINE];
    ordo_calibration_standard(c);
    c->note[0] = '\0';
    if (c->path[0] == '\0')
        return true;
    find_file(c, machine);
    if (unlink(c->path) != 0 && errno != ENOENT && errno != ENOTDIR)
        return say(c, "the file cannot be removed: %s", strerror(errno));
    return true;
}
