/* tunekit.c - see tunekit.h. */
#define _POSIX_C_SOURCE 200809L
#include "tunekit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char      folder[64], file[96], head[512];
uint32_t *keys, *values, *before;

ordo_ctx *context(ordo_where where, unsigned threads, const char *calibration)
{
    ordo_ctx *ctx = NULL;
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = where, .threads = threads,
                                                  .calibration = calibration)),
                 NULL);
    return ctx;
}

ordo_info info_of(ordo_ctx *ctx)
{
    ordo_info info = {.struct_size = sizeof info};
    CHECK_STATUS(ORDO_OK, ordo_ctx_info(ctx, &info), ctx);
    return info;
}

ordo_report report_of(const ordo_ctx *ctx)
{
    ordo_report report = {.struct_size = sizeof report};
    CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
    return report;
}

ordo_cost cost_of(ordo_ctx *ctx, const char *name)
{
    ordo_cost cost = {.struct_size = sizeof cost};
    for (size_t i = 0; ordo_calibration_cost(ctx, i, &cost) == ORDO_OK; i++)
        if (strcmp(cost.name, name) == 0)
            return cost;
    bool const there = false; /* a cost of that name */
    CHECK(there);
    return cost;
}

ordo_status calibrate(ordo_ctx *ctx, size_t most)
{
    return ordo_calibrate(ctx, &ORDO_OPTS(ordo_calibrate_opts, .most = most));
}

void write_bytes(const char *path, const char *text, size_t length)
{
    FILE *const to = fopen(path, "w");
    CHECK(to != NULL && fwrite(text, 1, length, to) == length && fclose(to) == 0);
}

void write_text(const char *path, const char *text) { write_bytes(path, text, strlen(text)); }

void write_costs(const char *lines)
{
    char text[TEXT];
    snprintf(text, sizeof text, "%s%send\n", head, lines);
    write_text(file, text);
}

size_t read_text(const char *path, char *text)
{
    FILE *const  from = fopen(path, "r");
    size_t const length = from != NULL ? fread(text, 1, TEXT - 1, from) : 0;
    text[length] = '\0';
    if (from != NULL)
        fclose(from);
    return length;
}

ordo_status sort_fresh(ordo_ctx *ctx, size_t n)
{
    memcpy(keys, before, n * sizeof *keys);
    return ordo_sort(ctx, ORDO_U32, keys, n, NULL);
}

bool rising(size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (keys[i - 1] > keys[i])
            return false;
    return true;
}

void use_plugin(const char *folder_of_plugins, const char *name)
{
    char path[TEXT];
    snprintf(path, sizeof path, "%s/%s", folder_of_plugins, name);
    setenv("ORDO_BACKEND_DIR", path, 1);
}

/* The first two lines are those of a file that a calibration has written. */
static void find_head(void)
{
    char            text[TEXT];
    ordo_ctx *const ctx = context(ORDO_CPU, 1, file);
    CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
    ordo_ctx_free(ctx);
    CHECK(read_text(file, text) > 0);
    const char *const second = strchr(text, '\n') + 1;
    snprintf(head, sizeof head, "%.*s", (int)(strchr(second, '\n') + 1 - text), text);
    unlink(file);
}

void tune_start(void)
{
    test_rng rng = {3};
    snprintf(folder, sizeof folder, "/tmp/ordo_tune_XXXXXX");
    keys = malloc((size_t)MOST * 4);
    values = calloc(MOST, 4);
    before = malloc((size_t)MOST * 4);
    if (mkdtemp(folder) == NULL || keys == NULL || values == NULL || before == NULL)
        abort();
    snprintf(file, sizeof file, "%s/costs", folder);
    for (size_t i = 0; i < MOST; i++)
        before[i] = (uint32_t)test_rng_next(&rng);
    find_head();
}

void tune_end(void)
{
    free(keys);
    free(values);
    free(before);
    CHECK(rmdir(folder) == 0); /* nothing was left there */
}
