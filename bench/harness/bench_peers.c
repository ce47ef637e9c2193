/* bench_peers.c - opens the module of peers and adds rows for its entries. */
#define _GNU_SOURCE
#include "bench/harness/bench_peers.h"
#include "cli/base/cli.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LEAST_PARALLEL = 100000 /* keys */
};

static void beside_program(const char *file, char *path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", path, size - strlen(file) - 1);

    path[length > 0 ? length : 0] = '\0';
    char *const slash = strrchr(path, '/');
    strcpy(slash != NULL ? slash + 1 : path, file);
}

const void *bench_module_open(const char *variable, const char *file, const char *symbol,
                              uint32_t abi, char *why, size_t why_size)
{
    char                path[4200];
    bench_module_entry *entry = NULL;
    const char *const   wanted = getenv(variable);

    if (wanted == NULL)
        beside_program(file, path, sizeof path);
    if (wanted == NULL && access(path, R_OK) != 0) {
        snprintf(why, why_size, "%s is not in the folder of ordo-bench", file);
        return NULL;
    }
    void *const module = dlopen(wanted != NULL ? wanted : path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL) {
        snprintf(why, why_size, "%s", dlerror());
        return NULL;
    }
    void *const found = dlsym(module, symbol);
    memcpy(&entry, &found, sizeof entry); /* ISO C has no cast from object to function pointer */
    const void *const table = entry != NULL ? entry() : NULL;
    uint32_t          table_abi = 0;
    if (table != NULL)
        memcpy(&table_abi, table, sizeof table_abi);
    if (table_abi != abi) {
        snprintf(why, why_size, "%s belongs to another version of ordo", file);
        return NULL;
    }
    return table;
}

bool bench_peers_use(bench *b, const bench_peer_table *peers)
{
    if (b->peer_calls == NULL)
        b->peer_calls = calloc(BENCH_MOST_PEERS, sizeof *b->peer_calls);
    if (b->peer_calls == NULL) {
        cli_error("bench: not enough memory for the peers");
        return false;
    }
    b->peers = peers;
    return true;
}

bool bench_peers_open(bench *b)
{
    if (b->place != NULL)
        return bench_peers_use(b, b->place->peers);
    /* By default idle OpenMP threads spin and would slow down the next contender. */
    setenv("OMP_WAIT_POLICY", "passive", 0);
    return bench_peers_use(b, bench_module_open("ORDO_PEERS", "libordo_peers.so", BENCH_PEER_SYMBOL,
                                                BENCH_PEER_ABI, b->peers_why, sizeof b->peers_why));
}

void bench_peers_close(bench *b)
{
    free(b->peer_calls);
    b->peer_calls = NULL;
    b->peers = NULL;
}

static ordo_status call_peer(ordo_ctx *ctx, const void *what)
{
    const bench_peer_call *const a = what;
    bench_peer_task              task = a->task;

    (void)ctx;
    for (size_t i = 0; i < a->batch; i++) {
        if (a->peer->call(&task) != 0)
            return ORDO_E_UNSUPPORTED;
        task.keys = (char *)task.keys + a->stride;
        if (a->out_stride != 0)
            task.out = (char *)task.out + a->out_stride;
    }
    return ORDO_OK;
}

static bench_role role_of(const bench_peer_ask *ask, const char *name)
{
    const bool is_base = ask->base != NULL && strcmp(ask->base, name) == 0;
    const bool is_loose = ask->loose != NULL && (strcmp(ask->loose, name) == 0 || /* "x, host" */
                                                 bench_selected(ask->loose, name));

    if (is_base)
        return is_loose ? BENCH_BASE_LOOSE : BENCH_BASE;
    return is_loose ? BENCH_BESIDE : BENCH_CONTENDER;
}

bool bench_add_peers(bench *b, const bench_peer_ask *ask, unsigned threads)
{
    for (size_t i = 0; b->peers != NULL && i < b->peers->count; i++) {
        const bench_peer *const peer = &b->peers->peers[i];
        if (peer->op != (uint32_t)ask->op || peer->type != (uint32_t)ask->type ||
            (peer->threaded != 0) != (threads > 1) || !bench_selected(ask->only, peer->name))
            continue;
        if (b->peer_call_count == BENCH_MOST_PEERS) {
            cli_error("bench: more than %d peers for one question", (int)BENCH_MOST_PEERS);
            return false;
        }
        bench_peer_call *const call = &b->peer_calls[b->peer_call_count++];
        *call = (bench_peer_call){
            .peer = peer,
            .task = ask->task,
            .batch = ask->batch != 0 ? ask->batch : 1,
            .stride = ask->stride,
            .out_stride = ask->out_stride,
        };
        call->task.threads = threads;
        if (!bench_add(b, peer->name, threads, role_of(ask, peer->name), call_peer, call))
            return false;
        b->rows[b->row_count - 1].peer = true;
        if (ask->op == BENCH_PEER_HOST_SORT)
            bench_describe(b, (bench_parameters){.where = ORDO_CPU});
        if (ask->op == BENCH_PEER_COPIED_SORT)
            bench_describe(b, (bench_parameters){.where = ORDO_CUDA});
    }
    return true;
}

bool bench_add_all_peers(bench *b, const bench_peer_ask *ask)
{
    return bench_add_peers(b, ask, 1) && (b->set.threads == 1 || ask->task.n < LEAST_PARALLEL ||
                                          bench_add_peers(b, ask, b->set.threads));
}
