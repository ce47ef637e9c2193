/* bench_hybrid_python.c - the section `python` of `ordo bench hybrid`: what programs do today with
 * an array in host memory, cupy.sort and torch.sort with the copies to the GPU and back, beside the
 * same sort by ordo in the same run. They run in an interpreter of their own, which sorts as many
 * random keys; what is not installed is named and left out. */
#define _POSIX_C_SOURCE 200809L
#include "bench/subjects/bench_order.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints a line for each library: its name and the median of the seconds, or "-" and why not. It
 * goes to a shell in single quotes. */
static const char program[] =
    "import sys, time, numpy\n"
    "n, rounds = int(sys.argv[1]), int(sys.argv[2])\n"
    "keys = numpy.random.default_rng(1).integers(0, 2**32, n, dtype=numpy.uint32)\n"
    "def cupy_sort():\n"
    "    import cupy\n"
    "    return lambda: cupy.asnumpy(cupy.sort(cupy.asarray(keys)))\n"
    "def torch_sort():\n"
    "    import torch\n"
    "    tensor = torch.from_numpy(keys.view(numpy.int32))\n"
    "    return lambda: torch.sort(tensor.cuda())[0].cpu()\n"
    "def seconds(call):\n"
    "    call()\n"
    "    times = []\n"
    "    for _ in range(rounds):\n"
    "        began = time.perf_counter()\n"
    "        call()\n"
    "        times.append(time.perf_counter() - began)\n"
    "    return sorted(times)[len(times) // 2]\n"
    "for name, make in ((\"cupy.sort\", cupy_sort), (\"torch.sort\", torch_sort)):\n"
    "    try:\n"
    "        print(name, seconds(make()), flush=True)\n"
    "    except Exception as why:\n"
    "        print(name, \"-\", type(why).__name__, flush=True)\n";

static bool one_line(bench *b, const char *line, size_t n, double ours)
{
    char   name[32], note[96], why[64];
    double seconds;
    if (sscanf(line, "%31s %lf", name, &seconds) == 2) {
        printf("%14s  %-10s %44.3f ms; hybrid is %.1f times as fast\n", "", name, 1e3 * seconds,
               seconds / ours);
        snprintf(note, sizeof note, "%s of %zu u32 keys in host memory, seconds", name, n);
        return bench_note(b, note, seconds);
    }
    if (sscanf(line, "%31s - %63s", name, why) == 2)
        printf("%14s  %-10s left out: %s\n", "", name, why);
    return true;
}

static bool ask_python(bench *b, size_t n, double ours)
{
    enum {
        ROOM = sizeof program + 64
    };
    char command[ROOM], line[256];
    bool ok = true;
    snprintf(command, sizeof command, "python3 -c '%s' %zu %u 2>/dev/null", program, n,
             b->set.repeat);
    FILE *const from = popen(command, "r"); // NOLINT(cert-env33-c): the command is a constant
    if (from == NULL)
        return cli_error("bench: python3 cannot be started") == CLI_OK;
    size_t lines = 0;
    while (fgets(line, sizeof line, from) != NULL) {
        lines++;
        ok = ok && one_line(b, line, n, ours);
    }
    if (pclose(from) != 0 || lines == 0)
        printf("%14s  python3    left out: it is not there, or has no numpy\n", "");
    return ok;
}

bool bench_hybrid_python(bench *b)
{
    bench_heading(b, "Sort u32 keys in host memory as Python programs do, copies included", 0, "n",
                  14);
    for (size_t n = b->set.n / 16; n <= b->set.n; n *= 4) {
        if (!bench_hybrid_keys(b, n))
            return false;
        const char *const best = "hybrid, 0 %";
        if (!ask_python(b, n, bench_last_median(b, best, b->set.threads)))
            return false;
        putchar('\n');
    }
    return true;
}
