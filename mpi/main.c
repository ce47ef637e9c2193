/* main.c - `ordo-mpi`: sort, rank and select the keys of one file with many processes.
 *
 * Each rank reads its part of the file, calls ordo_dist_* and writes its part of the result. */
#define _POSIX_C_SOURCE 200809L
#include "mpi/checkpoint/checkpoint.h"
#include "mpi/elements.h"
#include "mpi/fault.h"
#include "mpi/job.h"
#include "mpi/model.h"

#include <errno.h>
#include <stdio.h>

file_format format_of_output(const wishes *w, bool numbers)
{
    if (w->record_size != 0 && !numbers)
        return FORMAT_RAW;
    file_format const named = w->format != FORMAT_AUTO ? w->format : format_of_path(w->output);
    return named != FORMAT_AUTO ? named : FORMAT_NPY;
}

slice_wish wish_of_input(const wishes *w)
{
    return (slice_wish){w->input,      w->from,  w->type,       w->record_size,
                        w->key_offset, w->lines, w->memory != 0};
}

/* Keys are sorted in place, records go to a new array. */
static bool do_sort(job *j)
{
    slice *const       in = &j->in;
    size_t const       size = in->record_size != 0 ? in->record_size : ordo_type_size(in->type);
    slice_target const target = {j->w.output, format_of_output(&j->w, false), in->type, size, 0};
    if (in->records == NULL) {
        ordo_dist_opts const opts = opts_of(j);
        return succeeded(j, ordo_dist_sort(j->ctx, &j->comm, in->type, in->keys, in->n, &opts)) &&
               slice_write(j->world, &target, in->keys, in->n);
    }
    char *const    out = malloc(in->n * size + 1);
    elements const all = {in->keys, in->records, NULL, in->n};
    bool const     fine = all_fine(j->world, out != NULL, "no memory for %zu records", in->n) &&
                      elements_sort(j, &all, out, in->n) &&
                      slice_write(j->world, &target, out, in->n);
    free(out);
    return fine;
}

static bool do_command(job *j)
{
    const char *const c = j->w.command;
    return j->w.lines                 ? do_lines(j)
           : j->w.memory != 0         ? sort_external(j)
           : strcmp(c, "sort") == 0   ? do_sort(j)
           : strcmp(c, "rank") == 0   ? do_rank(j)
           : strcmp(c, "select") == 0 ? do_select(j)
           : strcmp(c, "topk") == 0   ? do_topk(j)
                                      : do_quantiles(j);
}

static void print_times(const job *j, double read, double rest)
{
    fprintf(stderr,
            "%llu keys on %d ranks  read %.3f s  rest %.3f s: cuts %.3f s in %llu rounds, "
            "scatter %.3f s, exchange %.3f s (%llu bytes sent by rank 0), local %.3f s, "
            "merge %.3f s\n",
            (unsigned long long)j->report.total, (int)j->comm.size, read, rest,
            j->report.cut_seconds, (unsigned long long)j->report.rounds, j->report.scatter_seconds,
            j->report.exchange_seconds, (unsigned long long)j->report.moved,
            j->report.local_seconds, j->report.merge_seconds);
    if (j->report.exchanges > 0)
        fprintf(stderr, "rank 0 wrote %llu bytes to temporary files, %llu rounds of the exchange\n",
                (unsigned long long)j->report.spilled, (unsigned long long)j->report.exchanges);
}

/* A command on a file, with a context and a communicator. */
static bool run_on_file(job *j)
{
    slice_wish const wish = wish_of_input(&j->w);
    double const     begun = cli_now();
    fault_point(j->world, "start", 0);
    if (!slice_open(j->world, &wish, &j->in))
        return false;
    if (j->w.checkpoint != NULL)
        return checkpoint_sort(j);
    if (!slice_read(j->world, &wish, &j->in))
        return false;
    double const read = cli_now();
    bool const   fine = do_command(j);
    if (fine && j->w.time && j->rank == 0)
        print_times(j, read - begun, cli_now() - read);
    return fine;
}

/* Some launchers bind each process to one CPU, where more threads only take turns. */
static void warn_of_binding(const job *j)
{
    ordo_info info = ORDO_OPTS(ordo_info, .threads = 0);
    if (j->rank == 0 && ordo_ctx_info(j->ctx, &info) == ORDO_OK && info.threads > info.affinity)
        fprintf(stderr,
                "ordo-mpi: %u threads share %u CPUs; mpirun binds the processes (Open MPI: "
                "--bind-to none, MPICH: -bind-to none)\n",
                info.threads, info.affinity);
}

static bool run(job *j)
{
    if (strcmp(j->w.command, "predict") == 0)
        return model_predict(j);
    ordo_status const status =
        ordo_ctx_create(&j->ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = (unsigned)j->w.threads));
    if (!all_fine(j->world, status == ORDO_OK, "%s", ordo_last_error(NULL)))
        return false;
    ordo_status const opened = ordo_mpi_open(j->world, &j->comm);
    if (!all_fine(j->world, opened == ORDO_OK, "cannot copy the communicator: %s",
                  ordo_status_text(opened)))
        return false;
    warn_of_binding(j);
    j->report = ORDO_OPTS(ordo_dist_report, .total = 0);
    bool const fine = strcmp(j->w.command, "tune") == 0 ? model_tune(j) : run_on_file(j);
    ordo_mpi_close(&j->comm);
    return fine;
}

/* Whether the results are on stdout. Only rank 0 prints. */
static bool printed(const job *j)
{
    bool const fine = j->rank != 0 || (fflush(stdout) == 0 && !ferror(stdout));
    return all_fine(j->world, fine, "stdout: cannot write: %s", strerror(errno));
}

/* Whether a launcher started this process: others may wait for it in MPI_Init. */
static bool is_launched(void) { return getenv("PMI_RANK") != NULL || getenv("PMIX_RANK") != NULL; }

/* Does what the command line says, after all ranks have agreed on it. Returns the exit code. */
static int execute(job *j, int argc, char **argv)
{
    const char *const c = j->w.command;
    int               code = CLI_OK;
    if (strcmp(c, "version") != 0 && strcmp(c, "help") != 0 && strcmp(c, "completion") != 0)
        code = run(j) ? CLI_OK : CLI_TROUBLE;
    else if (j->rank == 0 && !shell_command(argc, argv, &code)) {
        if (c[0] == 'h')
            print_help();
        else
            printf("ordo-mpi %s\n", ordo_version());
    }
    MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, j->world);
    return printed(j) ? code : CLI_TROUBLE;
}

int main(int argc, char **argv)
{
    job j = {.world = MPI_COMM_WORLD, .in.fd = -1};
    int provided, code = CLI_TROUBLE;
    if (!is_launched() && shell_command(argc, argv, &code))
        return code;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    signals_catch(); /* after MPI, whose handlers stay */
    MPI_Comm_rank(j.world, &j.rank);
    MPI_Comm_size(j.world, &j.size);
    (void)read_options(&j, argc, argv);
    if (agree_on_options(&j))
        code = execute(&j, argc, argv);
    slice_free(&j.in);
    ordo_ctx_free(j.ctx);
    MPI_Finalize();
    return code;
}
