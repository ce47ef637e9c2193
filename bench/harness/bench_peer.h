/* bench_peer.h - the interface between `ordo bench` and the module of its peers, for C and C++.
 *
 * The module libordo_peers.so (bench/peers) exports one function that returns a table with one
 * entry for every peer, operation and key type. So ordo-bench itself needs no C++. */
#ifndef ORDO_BENCH_HARNESS_BENCH_PEER_H
#define ORDO_BENCH_HARNESS_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_PEER_ABI 2u
#define BENCH_PEER_SYMBOL "ordo_bench_peers"

typedef enum bench_peer_op {
    BENCH_PEER_NONE = 0,     /* no peer has this operation                                    */
    BENCH_PEER_SORT = 1,     /* keys in place                                                 */
    BENCH_PEER_PAIRS,        /* keys and values, of one type, in place; stable if values ascend */
    BENCH_PEER_ARGSORT,      /* out: u32 indices, ties by index                               */
    BENCH_PEER_RANK_MIN,     /* out: u32 ranks from 1                                         */
    BENCH_PEER_RANK_AVERAGE, /* out: f64 ranks from 1                                         */
    BENCH_PEER_SELECT,       /* out: the ranks[0..count)-th keys, ranks ascend; moves keys    */
    BENCH_PEER_TOPK,         /* out: the count largest keys, largest first; may move keys     */
    BENCH_PEER_POINTERS,     /* keys: C strings, sorted in place; ties by address             */
    BENCH_PEER_STRINGS,      /* keys: bytes; values: n + 1 u64 offsets; out: u32 indices      */
    /* So far only peers on a GPU have these. On a GPU the sorts write to out.                    */
    BENCH_PEER_RANK_SORTED,    /* keys ascend; out: u32 min ranks from 1                       */
    BENCH_PEER_AVERAGE_SORTED, /* keys ascend; out: f64 ranks from 1                           */
    BENCH_PEER_SUM,            /* out: inclusive sums, of the type of the keys                 */
    BENCH_PEER_SUM_WIDE,       /* out: in 64 bits                                              */
    BENCH_PEER_MAX,            /* out: prefix maxima                                           */
    BENCH_PEER_BITS,           /* keys: packed flags; out: u32 counts, inclusive               */
    BENCH_PEER_BYTES,          /* keys: flags as bytes; out: u32 counts, inclusive             */
    BENCH_PEER_PARTITION,      /* values: flags as bytes; out: keys, set ones first            */
    BENCH_PEER_PARTITION_BITS, /* the same for packed flags                                    */
    BENCH_PEER_IS_SORTED,   /* out, on the host: u64, 2 * first break + (1 if sorted)           */
    BENCH_PEER_RADIUS,      /* out, on the host: u64                                            */
    BENCH_PEER_SUB_ARRAYS,  /* sorts sub-arrays of length count                              */
    BENCH_PEER_MERGE,       /* merges those sub-arrays; out: the ranks[0]-th key             */
    BENCH_PEER_SPLIT,       /* the split radix sort of the ballot counting poster            */
    BENCH_PEER_WORD_SUM,    /* inclusive sums by the poster's block scan in other forms      */
    BENCH_PEER_HOST_SORT,   /* keys in place, in host memory although the run is on a GPU    */
    BENCH_PEER_SORT_ROWS,   /* as BENCH_PEER_SORT, every row of count keys, also on the CPU  */
    BENCH_PEER_SUM_ROWS,    /* as BENCH_PEER_SUM, every row of count keys                    */
    BENCH_PEER_SUFFIX,      /* keys: n bytes; out: u32 suffix array                          */
    BENCH_PEER_BWT,         /* keys: n bytes; out: n bytes                                   */
    BENCH_PEER_UNBWT,       /* keys: a transform of n bytes, primary index count; out: n bytes */
    BENCH_PEER_FM_COUNT,    /* keys: n bytes without 0; values: count patterns of ranks[0] bytes;
                            * out: u64 counts. The first call builds the index              */
    BENCH_PEER_STREAM_SORT, /* k-sorted keys of radius count                                */
    BENCH_PEER_BLOCK_FLAGS, /* count scans of the lowest bits of each 1024 keys; values: NULL,
                             * or on the host a double that becomes the cycles of a scan    */
    BENCH_PEER_BLOCK_WORDS, /* the same of the keys                                         */
    BENCH_PEER_COPIED_SORT  /* keys, and values of their type unless NULL, in place in host memory;
                            * the peer copies them to a GPU and back                       */
} bench_peer_op;

typedef struct bench_peer_task {
    void         *keys, *values, *out;
    const size_t *ranks;
    size_t        count;
    size_t        n;
    unsigned      threads;
} bench_peer_task;

typedef struct bench_peer {
    const char *name; /* "std::sort"                                                          */
    uint32_t    op;   /* a bench_peer_op                                                      */
    uint32_t    type; /* ordo_type of the keys; 0 for strings                                 */
    uint32_t    threaded;
    int (*call)(const bench_peer_task *task); /* 0: done                                      */
} bench_peer;

typedef struct bench_peer_table {
    uint32_t          abi; /* BENCH_PEER_ABI                                                  */
    const char       *libraries;
    const bench_peer *peers;
    size_t            count;
} bench_peer_table;

/* The exported function of a module. It returns a table whose first member is the ABI number. */
typedef const void *bench_module_entry(void);

#ifdef __cplusplus
}
#endif
#endif
