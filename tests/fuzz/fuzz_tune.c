/* fuzz_tune.c - the reader of a machine's costs: whatever a file holds, the costs are believable,
 * are the built-in ones if the file is refused, and what was read survives being written and read
 * again.
 *
 * If the first byte of the input is even, the rest follows the first lines of a file of this
 * machine; else it is the whole file. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include "plan/calibration.h"
#include "ordo_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("0threads 16\ncpu_32 10140\ncpu_64 15000\nend\n"),
    FUZZ_SEED("0device 0: NVIDIA H200, 139.8 GiB\nstage_all 45000\nhybrid_share -1000\nend\n"),
    FUZZ_SEED("1ordo-calibration 1\nmachine x, y, 2 CPUs, neon\ncpu_32 7\nend\n"),
    FUZZ_SEED("1ordo-calibration 2\nend\n"),
};
const size_t fuzz_seed_count = sizeof fuzz_seeds / sizeof fuzz_seeds[0];

const char *const fuzz_words[] = {"\n",       "end\n",     "cpu_32 ", "device ", "machine ",
                                  "threads ", "cpu_call ", "-",       "1000000", "hybrid_time "};
const size_t      fuzz_word_count = sizeof fuzz_words / sizeof fuzz_words[0];

static char path[64];
static char head[512]; /* up to and with the line of the machine */

static void remove_file(void) { unlink(path); }

static ordo_calibration read_file(void)
{
    ordo_calibration c;
    memset(&c, 0, sizeof c);
    ordo_calibration_place(&c, path, "generic", 0);
    ordo_calibration_read(&c);
    return c;
}

static void prepare(void)
{
    if (path[0] != '\0')
        return;
    snprintf(path, sizeof path, "/tmp/ordo_fuzz_XXXXXX");
    const int number = mkstemp(path);
    FUZZ_CHECK(number >= 0);
    close(number);
    atexit(remove_file);
    ordo_calibration c = read_file();
    FUZZ_CHECK(ordo_calibration_write(&c));
    FILE *const file = fopen(path, "r");
    FUZZ_CHECK(file != NULL);
    const size_t length = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    FUZZ_CHECK(length > 4 && strcmp(head + length - 4, "end\n") == 0);
    head[length - 4] = '\0';
}

static bool same(const ordo_calibration *a, const ordo_calibration *b)
{
    return memcmp(a->value, b->value, sizeof a->value) == 0 &&
           memcmp(a->measured, b->measured, sizeof a->measured) == 0 &&
           strcmp(a->device, b->device) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    prepare();
    FILE *const file = fopen(path, "w");
    FUZZ_CHECK(file != NULL);
    if (size > 0 && data[0] % 2 == 0)
        fputs(head, file);
    if (size > 1)
        FUZZ_CHECK(fwrite(data + 1, 1, size - 1, file) == size - 1);
    FUZZ_CHECK(fclose(file) == 0);

    ordo_calibration       first = read_file();
    const ordo_calibration second = read_file();
    FUZZ_CHECK(same(&first, &second) && strcmp(first.note, second.note) == 0);
    for (int id = 1; id < COSTS; id++) {
        const ordo_cost_fact *const fact = &ordo_cost_facts[id];
        FUZZ_CHECK(first.value[id] >= fact->least && first.value[id] <= fact->most);
        FUZZ_CHECK(first.measured[id] || first.value[id] == fact->standard);
        FUZZ_CHECK(!first.measured[id] || first.note[0] == '\0');
    }
    if (first.note[0] != '\0')
        return 0;
    FUZZ_CHECK(ordo_calibration_write(&first));
    const ordo_calibration again = read_file();
    FUZZ_CHECK(same(&first, &again));
    return 0;
}
