/* tune.c - `ordo-mpi tune`: measures what the model of model.h needs.
 *
 * Ping-pong between the first and the last rank, exchanges of all ranks, and a sum of one number.
 * Times of messages are fitted to a + b * bytes by least squares of relative errors. The speed of a
 * rank comes from the report of a sort of uniform keys. Every time is the median of several runs;
 * a run lasts until its slowest rank has ended. */
#define _POSIX_C_SOURCE 200809L
#include "mpi/model.h"

#include <math.h>
#include <stdio.h>

enum {
    RUNS = 7,
    LARGEST = 8 << 20 /* bytes of a message */
};

static int by_value(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *times)
{
    qsort(times, RUNS, sizeof *times, by_value);
    return times[RUNS / 2];
}

/* y = a + b x, with the least sum of squares of (error / y). Noise can make a negative or b not
 * positive: then the line passes through 0. */
static void fit_line(const double *x, const double *y, size_t n, double *a, double *b)
{
    double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t i = 0; i < n; i++) {
        double const weight = 1 / (y[i] * y[i]);
        s += weight;
        sx += weight * x[i];
        sy += weight * y[i];
        sxx += weight * x[i] * x[i];
        sxy += weight * x[i] * y[i];
    }
    *b = (s * sxy - sx * sy) / (s * sxx - sx * sx);
    *a = (sy - *b * sx) / s;
    if (!(*a >= 0 && *b > 0)) {
        *a = 0;
        *b = sxy / sxx;
    }
}

/* ---- Messages ---- */

/* Seconds of one message of `bytes` bytes between the first and the last rank. */
static double ping_pong(const job *j, char *buffer, int bytes)
{
    double    times[RUNS];
    int const turns = bytes < 4096 ? 200 : 4, last = j->size - 1;
    for (int run = 0; run < RUNS; run++) {
        MPI_Barrier(j->world);
        double const begun = MPI_Wtime();
        for (int i = 0; i < turns && (j->rank == 0 || j->rank == last); i++) {
            int const partner = last - j->rank;
            if (j->rank == 0)
                MPI_Send(buffer, bytes, MPI_BYTE, partner, 1, j->world);
            MPI_Recv(buffer, bytes, MPI_BYTE, partner, 1, j->world, MPI_STATUS_IGNORE);
            if (j->rank != 0)
                MPI_Send(buffer, bytes, MPI_BYTE, partner, 1, j->world);
        }
        times[run] = (MPI_Wtime() - begun) / (2 * turns);
        MPI_Bcast(&times[run], 1, MPI_DOUBLE, 0, j->world);
    }
    return median_of(times);
}

/* Ends the job: the other ranks may be waiting for messages of this one. */
static void give_up(const job *j, uint64_t bytes)
{
    fprintf(stderr, "ordo-mpi: rank %d: an exchange of %llu bytes with each rank failed\n", j->rank,
            (unsigned long long)bytes);
    j->comm.give_up(j->comm.user);
}

/* Seconds until all ranks have sent `bytes` bytes to every other rank. `at` has two numbers for
 * each rank. */
static double exchange_all(const job *j, const char *send, char *receive, uint64_t bytes,
                           uint64_t *at)
{
    size_t const ranks = (size_t)j->size;
    double       times[RUNS];
    for (size_t r = 0; r < ranks; r++) {
        at[r] = r * bytes;
        at[ranks + r] = (int)r == j->rank ? 0 : bytes;
    }
    for (int run = 0; run < RUNS; run++) {
        MPI_Barrier(j->world);
        double const begun = MPI_Wtime();
        if (j->comm.exchange(j->comm.user, send, at, at + ranks, receive, at, at + ranks) != 0)
            give_up(j, bytes);
        times[run] = MPI_Wtime() - begun;
        MPI_Allreduce(MPI_IN_PLACE, &times[run], 1, MPI_DOUBLE, MPI_MAX, j->world);
    }
    return median_of(times);
}

static double sum_one(const job *j)
{
    double   times[RUNS];
    uint64_t one = 1;
    for (int run = 0; run < RUNS; run++) {
        MPI_Barrier(j->world);
        double const begun = MPI_Wtime();
        for (int i = 0; i < 50; i++)
            MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_UINT64_T, MPI_SUM, j->world);
        times[run] = (MPI_Wtime() - begun) / 50;
        MPI_Allreduce(MPI_IN_PLACE, &times[run], 1, MPI_DOUBLE, MPI_MAX, j->world);
    }
    return median_of(times);
}

static bool measure_messages(const job *j, model *m)
{
    size_t const ranks = (size_t)j->size, room = LARGEST > ranks ? LARGEST : ranks;
    char *const send = calloc(1, room), *const receive = calloc(1, room);
    uint64_t *const at = malloc(2 * ranks * sizeof *at);
    double          x[16], y[16], b;
    size_t          n = 0;
    bool const      memory = send != NULL && receive != NULL && at != NULL;
    if (!all_fine(j->world, memory, "no memory for messages of %zu bytes", room)) {
        free(send);
        free(receive);
        free(at);
        return false;
    }
    for (int bytes = 8; bytes <= LARGEST; bytes *= 16, n++) {
        x[n] = bytes;
        y[n] = ping_pong(j, send, bytes);
    }
    fit_line(x, y, n, &m->latency, &b);
    m->bandwidth = 1 / b;
    n = 0;
    for (uint64_t bytes = room / ranks / 64; bytes <= room / ranks; bytes *= 4, n++) {
        bytes += bytes == 0;
        x[n] = (double)bytes * (m->ranks - 1);
        y[n] = exchange_all(j, send, receive, bytes, at);
    }
    fit_line(x, y, n, &m->exchange_latency, &b);
    m->exchange_latency /= m->ranks - 1;
    m->exchange_bandwidth = 1 / b;
    m->step = sum_one(j) / ceil(log2(m->ranks));
    free(send);
    free(receive);
    free(at);
    return true;
}

/* ---- The speed of a rank ---- */

static bool sort_once(job *j, ordo_type type, const void *keys, void *work, size_t n, double *time)
{
    ordo_dist_opts const opts = ORDO_OPTS(ordo_dist_opts, .report = &j->report);
    memcpy(work, keys, n * ordo_type_size(type));
    MPI_Barrier(j->world);
    double const begun = MPI_Wtime();
    if (!succeeded(j, ordo_dist_sort(j->ctx, &j->comm, type, work, n, &opts)))
        return false;
    *time = MPI_Wtime() - begun;
    return true;
}

/* The slowest rank of a run counts. */
static bool measure_sort(job *j, model *m, ordo_type type, const void *keys, void *work)
{
    size_t const n = (size_t)m->keys;
    double       parts[4][RUNS]; /* cuts, local, merge, all */
    for (int run = 0; run < RUNS; run++) {
        double now[4];
        if (!sort_once(j, type, keys, work, n, &now[3]))
            return false;
        now[0] = j->report.cut_seconds;
        now[1] = j->report.local_seconds;
        now[2] = j->report.merge_seconds;
        MPI_Allreduce(MPI_IN_PLACE, now, 4, MPI_DOUBLE, MPI_MAX, j->world);
        for (int i = 0; i < 4; i++)
            parts[i][run] = now[i];
    }
    m->sort = median_of(parts[1]) / m->keys;
    m->merge = median_of(parts[2]) / m->keys / ceil(log2(m->ranks));
    m->measured = median_of(parts[3]);
    /* The messages of the search are a part of the model of their own. */
    prediction const messages = model_time(m, m->ranks, m->keys * m->ranks, m->key_bytes, 1);
    double const     searches = median_of(parts[0]) - messages.cuts;
    m->count = (searches > 0 ? searches : 0) / (m->ranks - 1) / messages.rounds;
    return true;
}

static bool measure_rank(job *j, model *m, ordo_type type)
{
    size_t const    n = (size_t)m->keys, bytes = n * ordo_type_size(type) + 8;
    uint64_t *const keys = malloc(bytes);
    void *const     work = malloc(bytes);
    bool const      memory = keys != NULL && work != NULL;
    bool            fine = all_fine(j->world, memory, "no memory for %zu keys", n);
    if (fine) {
        uint64_t state = (uint64_t)j->rank + 1;
        for (size_t i = 0; i < bytes / 8; i++) { /* xorshift64* */
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            keys[i] = state * UINT64_C(2685821657736338717);
        }
        fine = measure_sort(j, m, type, keys, work);
    }
    free(keys);
    free(work);
    return fine;
}

/* ---- The file ---- */

static void print_model(FILE *out, const model *m)
{
    double const predicted = model_time(m, m->ranks, m->keys * m->ranks, m->key_bytes, 1).total;
    fprintf(out, "# ordo-mpi tune; ordo-mpi predict --model reads this file\n");
    for (size_t i = 0; i < MODEL_LINES; i++) {
        double value;
        memcpy(&value, (const char *)m + model_lines[i].offset, sizeof value);
        fprintf(out, "%-18s %-12.6g # %s\n", model_lines[i].name, value, model_lines[i].meaning);
    }
    fprintf(out, "# the model predicts %.6g s for the sort of the measurement\n", predicted);
}

/* Rank 0 writes the file. */
static bool save(const job *j, const model *m)
{
    slice_target const target = {j->w.output, FORMAT_TEXT, (ordo_type)0, 1, 0};
    char              *text = NULL;
    size_t             bytes = 0;
    FILE *const        out = j->rank == 0 ? open_memstream(&text, &bytes) : NULL;
    if (out != NULL)
        print_model(out, m);
    bool const made = j->rank != 0 || (out != NULL && fclose(out) == 0);
    bool const fine = all_fine(j->world, made, "no memory for the text of the model") &&
                      slice_write_bytes(j->world, &target, NULL, 0, text, bytes);
    free(text);
    return fine;
}

bool model_tune(job *j)
{
    model           m = {.ranks = j->size, .keys = j->w.keys > 0 ? floor(j->w.keys) : 4e6};
    ordo_type const type = j->w.type != 0 ? j->w.type : ORDO_U64;
    bool const      enough = j->size > 1;
    m.key_bytes = (double)ordo_type_size(type);
    if (!all_fine(j->world, enough || j->rank != 0,
                  "tune needs at least 2 processes: mpirun -n 8 ordo-mpi tune") ||
        !enough || !measure_messages(j, &m) || !measure_rank(j, &m, type))
        return false;
    if (j->w.output != NULL)
        return save(j, &m);
    if (j->rank == 0)
        print_model(stdout, &m); /* main looks whether it was printed */
    return true;
}
