/* bench_peers.c - opens the module of peers and adds rows for its entries. */
#define _GNU_SOURCE
#include "bench/harness/bench_peers.h"
#include "cli/cli.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LEAST_PARALLEL = 100000 /* keys */
};

void bench_beside_command(const char *name, char *path, size_t size)
{
    const size_t  room = size - strlen(name) - 1;
    const ssize_t length = readlink("/proc/self/exe", path, room);

    path[length > 0 ? length : 0] = '\0';
    char *const slash = strrchr(path, '/');
    strcpy(slash != NULL ? slash + 1 : path, name);
}

static const bench_peer_table *table_of(void *module)
{
    bench_peer_entry *entry = NULL;
    void *const       symbol = dlsym(module, BENCH_PEER_SYMBOL);

    if (symbol == NULL)
        return NULL;
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from object to function pointer */
    const bench_peer_table *const table = entry();
    return table->abi == BENCH_PEER_ABI ? table : NULL;
}

bool bench_peers_open(bench *b)
{
    char              path[4200];
    const char *const wanted = getenv("ORDO_PEERS");

    b->peer_calls = calloc(BENCH_MOST_PEERS, sizeof *b->peer_calls);
    if (b->peer_calls == NULL) {
        cli_error("bench: out of memory for the peers");
        return false;
    }
    if (b->place != NULL) {
        b->peers = b->place->peers;
        return true;
    }
    if (wanted != NULL) {
        snprintf(path, sizeof path, "%s", wanted);
    } else {
        bench_beside_command("libordo_peers.so", path, sizeof path);
        if (access(path, R_OK) != 0) {
            snprintf(b->peers_why, sizeof b->peers_why,
                     "libordo_peers.so is not beside ordo-bench; 'make bench' builds it where "
                     "there is a C++ compiler");
            return true;
        }
    }
    /* By default idle OpenMP threads spin and would slow down the next contender. */
    setenv("OMP_WAIT_POLICY", "passive", 0);
    void *const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL) {
        snprintf(b->peers_why, sizeof b->peers_why, "%s", dlerror());
        return true;
    }
    b->peers = table_of(module);
    if (b->peers == NULL)
        snprintf(b->peers_why, sizeof b->peers_why, "the module is of another version of ordo");
    return true;
}

/* The module stays loaded, because threads that its libraries started may still run. */
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
    const bool is_loose = ask->loose != NULL && bench_selected(ask->loose, name);

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
    }
    return true;
}

bool bench_add_all_peers(bench *b, const bench_peer_ask *ask)
{
    return bench_add_peers(b, ask, 1) && (b->set.threads == 1 || ask->task.n < LEAST_PARALLEL ||
                                          bench_add_peers(b, ask, b->set.threads));
}
