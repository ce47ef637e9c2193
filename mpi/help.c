/* help.c - the text of `ordo-mpi --help`. A string literal of C11 may have 4095 characters. */
#include "mpi/job.h"

#include "cli/io/names.h"

#include <stdio.h>

static const char commands[] =
    "Examples:\n"
    "  mpirun -n 8 ordo-mpi sort keys.npy -o sorted.npy\n"
    "  mpirun -n 8 ordo-mpi sort keys.npy -o sorted.npy --checkpoint /shared/job1 --resume\n"
    "  mpirun -n 8 ordo-mpi sort rows.raw -o out.raw --record-size 100 --key-offset 8 \\\n"
    "      --key-type u64\n"
    "  mpirun -n 8 ordo-mpi sort names.txt --text -o sorted.txt\n"
    "  mpirun -n 8 ordo-mpi sort huge.npy -S 4Gi -T /local/disk -o sorted.npy\n"
    "  mpirun -n 8 ordo-mpi rank keys.npy --ties average -o ranks.npy\n"
    "  mpirun -n 8 ordo-mpi quantile keys.npy -q 0.05,0.5,0.95\n"
    "  mpirun -n 8 ordo-mpi median keys.u64.raw --dtype u64\n"
    "  mpirun -n 8 ordo-mpi topk keys.npy -k 10 --descending\n"
    "  mpirun -n 8 ordo-mpi select keys.npy -k 0,99\n"
    "  mpirun -n 8 ordo-mpi tune -o cluster.txt\n"
    "  ordo-mpi predict --model cluster.txt --nodes 1000 --keys 1e12 --type u64\n\n"
    "Usage: mpirun -n RANKS ordo-mpi COMMAND [FILE] [options]\n"
    "Works on the keys of one file with several processes. The results are those of\n"
    "`ordo COMMAND FILE`, for any number of processes. Every process must be able to read FILE\n"
    "and to write the output. All processes need the same arguments; only -T, --threads and the\n"
    "bytes of -S may differ.\n\n"
    "Commands:\n"
    "  sort        the keys or records in order, to -o FILE\n"
    "  rank        the 1-based rank of each key, to -o FILE\n"
    "  quantile    the quantiles of -q, one on a line\n"
    "  median      the median\n"
    "  select      the keys at the positions of -k, counted from 0, one on a line\n"
    "  topk        the first -k keys in order, one on a line\n"
    "  tune        measures latency, bandwidth and the speed of a rank, to -o FILE or stdout\n"
    "  predict     the expected time of a sort on other numbers of nodes and keys\n"
    "  completion  the completion script of a shell: bash, zsh or fish; without mpirun\n"
    "  help        this text; help --man: the manual page\n"
    "  version     the version; also --version\n\n";

static const char options[] =
    "Options:\n"
    "  -o, --output FILE  the output of sort, rank and tune; it appears when it is complete\n"
    "  --dtype T          " NAMES_TYPES "; required for raw files\n"
    "  --text, --lines    the input is lines of any bytes, compared byte by byte; sort writes "
    "lines.\n"
    "                     median of an even number of lines: the smaller of the two in the middle\n"
    "  --from F           npy, raw or text; default: by the contents and the name of FILE\n"
    "  --format F         of the output: npy, raw or text; default: by its name, else npy\n"
    "  --record-size N    the input is raw records of N bytes; sort writes records\n"
    "  --key-type T       type of the key of a record\n"
    "  --key-offset K     byte of the record where the key begins; default: 0\n"
    "  -r, --descending   largest first; NaN is still last\n"
    "  --ties T           rank: " NAMES_TIES_HELP "\n"
    "  -q Q,Q,...         quantile: numbers from 0 to 1\n"
    "  -k K,K,...         select: positions; topk: how many\n"
    "  --method M         quantile: as NumPy's names; default linear. Lines: inverted_cdf (the\n"
    "                     default), closest_observation, lower, higher or nearest\n"
    "  --nans N           quantile, median: last, omit or propagate (the default)\n"
    "  -S, --memory-limit S\n"
    "                     sort of npy and raw files and records: a rank uses at most S bytes of\n"
    "                     memory, at least 8Mi: 512M, 4Gi. What does not fit goes to temporary "
    "files\n"
    "  -T, --temporary-directory D\n"
    "                     make temporary files in D, on a disk of the rank; several may be given;\n"
    "                     default: $TMPDIR or /var/tmp\n"
    "  --checkpoint DIR   sort: keep finished key ranges in DIR, which all ranks must see\n"
    "  --resume           go on with the checkpoint in DIR, if there is one; the number of ranks\n"
    "                     may differ\n"
    "  --ranges N         key ranges of a new checkpoint, 1 to 4096; default 64\n"
    "  --threads N        threads of each rank; default: the CPUs that it may use\n"
    "  --time             print how long reading, computing and writing took\n"
    "  --keys N           tune: keys of a rank, default 4e6; predict: keys of all nodes\n"
    "  --nodes N          predict: number of nodes, with one rank each\n"
    "  --type T           tune, predict: type of the keys, default u64\n"
    "  --model FILE       predict: what tune wrote\n"
    "  --latency S, --bandwidth B\n"
    "                     predict: seconds of a message and bytes/s of a node, instead of the\n"
    "                     model's\n"
    "  --taper X          predict: the network between nodes has 1/X of its full bandwidth\n"
    "  -h, --help         print this text\n\n"
    "Exit status: 0 success, 2 error. One rank prints why.\n";

char *help_text(void)
{
    char *const text = malloc(sizeof commands + sizeof options);
    if (text == NULL)
        return NULL;
    memcpy(text, commands, sizeof commands - 1);
    memcpy(text + sizeof commands - 1, options, sizeof options);
    return text;
}

void print_help(void)
{
    fputs(commands, stdout);
    fputs(options, stdout);
}
