/* fuzz_main.c - a small driver for fuzz targets, for every compiler:
 *
 *     fuzz_X [SECONDS [FILE...]]
 *
 * runs the target on the files, on its seeds and then on mutations of the seeds, at least 256,
 * until it has used SECONDS (default 5) of CPU time or twice as many have passed. The sequence of
 * mutations is the same in every run. If the target fails, its input is written to
 * fuzz-failure.bin, which can be given as FILE. */
#define _POSIX_C_SOURCE 200809L

#include "fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    INPUT_MAX = 4096,
    MUTATIONS_MAX = 8,
    RUNS_PER_CLOCK = 256
};

static uint64_t random_state = 1;

static struct {
    const uint8_t *data;
    size_t         size;
} current;

/* A Weyl sequence and an integer hash. */
static uint64_t random_u64(void)
{
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = random_state;
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

static size_t random_below(size_t n) { return n > 0 ? (size_t)(random_u64() % n) : 0; }

static void on_failure(int signal_number)
{
    const int fd = open("fuzz-failure.bin", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd >= 0) {
        const ssize_t ignored = write(fd, current.data, current.size);
        (void)ignored;
        close(fd);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* The input has a memory block of exactly its size, so that a sanitizer detects reads beyond it. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *const exact = malloc(size > 0 ? size : 1);
    if (exact == NULL)
        exit(2);
    memcpy(exact, data, size);
    current.data = exact;
    current.size = size;
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static void insert(uint8_t *data, size_t *size, size_t at, const void *bytes, size_t length)
{
    if (length > INPUT_MAX - *size)
        length = INPUT_MAX - *size;
    memmove(data + at + length, data + at, *size - at);
    memcpy(data + at, bytes, length);
    *size += length;
}

static void erase(uint8_t *data, size_t *size, size_t at, size_t length)
{
    if (length > *size - at)
        length = *size - at;
    memmove(data + at, data + at + length, *size - at - length);
    *size -= length;
}

static void mutate(uint8_t *data, size_t *size)
{
    static const uint8_t edges[] = {0x00, 0x01, 0x7f, 0x80, 0xff, '0', '9', '-', '\n', ' '};
    const size_t         at = random_below(*size);
    uint8_t              copy[64];

    switch (random_below(7)) {
    case 0:
        if (*size > 0)
            data[at] = (uint8_t)random_u64();
        break;
    case 1:
        if (*size > 0)
            data[at] ^= (uint8_t)(1u << random_below(8));
        break;
    case 2:
        if (*size > 0)
            data[at] = edges[random_below(sizeof edges)];
        break;
    case 3:
        erase(data, size, at, 1 + random_below(16));
        break;
    case 4: {
        const char *const word = fuzz_words[random_below(fuzz_word_count)];
        insert(data, size, at, word, strlen(word));
        break;
    }
    case 5: {
        const size_t left = *size - at;
        const size_t length = random_below(left < sizeof copy ? left + 1 : sizeof copy);
        memcpy(copy, data + at, length);
        insert(data, size, random_below(*size + 1), copy, length);
        break;
    }
    default:
        *size = at;
        break;
    }
}

static void run_mutation(void)
{
    uint8_t                data[INPUT_MAX];
    const fuzz_seed *const seed = &fuzz_seeds[random_below(fuzz_seed_count)];
    size_t                 size = seed->size < INPUT_MAX ? seed->size : INPUT_MAX;

    memcpy(data, seed->bytes, size);
    for (size_t n = 1 + random_below(MUTATIONS_MAX); n > 0; n--)
        mutate(data, &size);
    run(data, size);
}

static bool run_file(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *const    file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot open\n", path);
        return false;
    }
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    run(data, size);
    return true;
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    const double       seconds = argc > 1 ? atof(argv[1]) : 5;
    const double       end = seconds_of(CLOCK_PROCESS_CPUTIME_ID) + seconds;
    const double       latest = seconds_of(CLOCK_MONOTONIC) + 2 * seconds;
    unsigned long long executions = 0;

    signal(SIGABRT, on_failure);
    signal(SIGSEGV, on_failure);
    for (int i = 2; i < argc; i++, executions++)
        if (!run_file(argv[i]))
            return 2;
    for (size_t i = 0; i < fuzz_seed_count; i++, executions++)
        run((const uint8_t *)fuzz_seeds[i].bytes, fuzz_seeds[i].size);
    do
        for (int i = 0; i < RUNS_PER_CLOCK; i++, executions++)
            run_mutation();
    while (seconds_of(CLOCK_PROCESS_CPUTIME_ID) < end && seconds_of(CLOCK_MONOTONIC) < latest);
    printf("%llu executions, none failed\n", executions);
    return 0;
}
