/* module.cu - the table of the module: GPU memory, timing, graphs, and all peers. */
#include "peers.cuh"

#include <algorithm>
#include <cstdio>

namespace peers
{

cudaStream_t stream;

namespace
{

struct group {
    std::string             name;
    int                     place;
    std::vector<bench_peer> entries;
};

struct block {
    void  *memory;
    size_t bytes;
};

char        error_text[256];
cudaEvent_t began, ended;

/* A function-local static, because the initialisation order of the other files is not defined. */
std::vector<group> &groups()
{
    static std::vector<group> all;
    return all;
}

int failed(cudaError_t error)
{
    if (error == cudaSuccess)
        return 0;
    std::snprintf(error_text, sizeof error_text, "%s (%s)", cudaGetErrorString(error),
                  cudaGetErrorName(error));
    (void)cudaGetLastError();
    return 1;
}

/* ---- The device --------------------------------------------------------------------------- */

int open_device(char *device, size_t size, void **out)
{
    cudaDeviceProp facts;
    int            driver = 0, runtime = 0, clock = 0;

    if (failed(cudaSetDevice(0)) || failed(cudaGetDeviceProperties(&facts, 0)) ||
        failed(cudaDriverGetVersion(&driver)) || failed(cudaRuntimeGetVersion(&runtime)) ||
        failed(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0)) ||
        failed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)) ||
        failed(cudaEventCreate(&began)) || failed(cudaEventCreate(&ended)))
        return 1;
    std::snprintf(device, size,
                  "%s, compute capability %d.%d, %d SMs up to %d MHz, %.0f MB L2, %.1f GB, "
                  "CUDA %d.%d, driver for %d.%d",
                  facts.name, facts.major, facts.minor, facts.multiProcessorCount, clock / 1000,
                  (double)facts.l2CacheSize * 1e-6, (double)facts.totalGlobalMem * 1e-9,
                  runtime / 1000, runtime % 1000 / 10, driver / 1000, driver % 1000 / 10);
    *out = stream;
    return 0;
}

const char *last_error() { return error_text; }

/* Leaves room for the scratch of ordo and of a peer, each as large as the arrays. */
size_t available()
{
    size_t left = 0, all = 0;
    return failed(cudaMemGetInfo(&left, &all)) ? 0 : left / 3;
}

int  alloc(void **array, size_t bytes) { return failed(cudaMalloc(array, bytes)); }
void release(void *array) { (void)cudaFree(array); }
int  alloc_host(void **array, size_t bytes) { return failed(cudaMallocHost(array, bytes)); }
void release_host(void *array) { (void)cudaFreeHost(array); }

int on_device(const void *array)
{
    cudaPointerAttributes facts;
    return cudaPointerGetAttributes(&facts, array) == cudaSuccess &&
           facts.type == cudaMemoryTypeDevice;
}

int upload(void *device, const void *host, size_t bytes)
{
    return failed(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream)) ||
           failed(cudaStreamSynchronize(stream));
}

int copy(void *dst, const void *src, size_t bytes)
{
    return failed(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDeviceToDevice, stream));
}

int wipe(void *array, size_t bytes) { return failed(cudaMemsetAsync(array, 0xa5, bytes, stream)); }

/* ---- Small kernels ------------------------------------------------------------------------ */

constexpr unsigned THREADS = 256, MOST_BLOCKS = 1024;

__global__ void keep_lowest_bits(unsigned char *bytes, size_t n)
{
    size_t const step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        bytes[i] &= 1;
}

int lower_to_flags(void *bytes, size_t n)
{
    keep_lowest_bits<<<MOST_BLOCKS, THREADS, 0, stream>>>(static_cast<unsigned char *>(bytes), n);
    return failed(cudaGetLastError());
}

__device__ unsigned long long mixed(unsigned long long x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/* A sum over all words, each mixed with its position, so the order of additions does not matter.
 * The last bytes form a word of their own. */
__global__ void add_words(const unsigned char *bytes, size_t size, unsigned long long *sum)
{
    auto const        *words = reinterpret_cast<const unsigned long long *>(bytes);
    size_t const       whole = size / 8, step = (size_t)gridDim.x * blockDim.x;
    size_t const       me = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    auto const         odd = 0x9e3779b97f4a7c15ull;
    unsigned long long mine = 0;

    for (size_t i = me; i < whole; i += step)
        mine += mixed(words[i] + odd * (i + 1));
    if (me == 0 && size % 8 != 0) {
        unsigned long long last = size % 8;
        for (size_t i = whole * 8; i < size; i++)
            last = last << 8 | bytes[i];
        mine += mixed(last + odd * (whole + 1));
    }
    for (int offset = 16; offset > 0; offset /= 2)
        mine += __shfl_down_sync(~0u, mine, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

int fingerprint(const void *array, size_t bytes, uint64_t *out)
{
    static unsigned long long *sum;

    if (sum == nullptr && failed(cudaMalloc(&sum, sizeof *sum)))
        return 1;
    if (failed(cudaMemsetAsync(sum, 0, sizeof *sum, stream)))
        return 1;
    add_words<<<MOST_BLOCKS, THREADS, 0, stream>>>(static_cast<const unsigned char *>(array), bytes,
                                                   sum);
    return failed(cudaGetLastError()) ||
           failed(cudaMemcpyAsync(out, sum, sizeof *sum, cudaMemcpyDeviceToHost, stream)) ||
           failed(cudaStreamSynchronize(stream));
}

/* ---- The clock ---------------------------------------------------------------------------- */

/* Long enough for the host to enqueue a few kernels: about 40 microseconds. */
__global__ void wait_a_little()
{
    long long const start = clock64();
    while (clock64() - start < 70000) {
    }
}

int start()
{
    wait_a_little<<<1, 1, 0, stream>>>();
    return failed(cudaGetLastError()) || failed(cudaEventRecord(began, stream));
}

int stop(double *seconds)
{
    float milliseconds = 0;

    if (failed(cudaEventRecord(ended, stream)) || failed(cudaEventSynchronize(ended)) ||
        failed(cudaEventElapsedTime(&milliseconds, began, ended)))
        return 1;
    *seconds = (double)milliseconds * 1e-3;
    return 0;
}

/* ---- Graphs ------------------------------------------------------------------------------- */

int graph_begin()
{
    return failed(cudaStreamSynchronize(stream)) ||
           failed(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
}

int graph_end(void **out)
{
    cudaGraph_t     graph = nullptr;
    cudaGraphExec_t ready = nullptr;

    *out = nullptr;
    if (failed(cudaStreamEndCapture(stream, &graph)) || graph == nullptr)
        return 1;
    int const bad = failed(cudaGraphInstantiate(&ready, graph, 0));
    (void)cudaGraphDestroy(graph);
    *out = ready;
    return bad;
}

int graph_run(void *graph)
{
    return failed(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream));
}

void graph_free(void *graph)
{
    if (graph != nullptr)
        (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
}

} // namespace

/* ---- For the peers ------------------------------------------------------------------------ */

void need(cudaError_t error)
{
    if (failed(error))
        throw failure{error};
}

bool library(const std::string &name, int place, const std::vector<bench_peer> &entries)
{
    groups().push_back({name, place, entries});
    return true;
}

void *kept_bytes(slot which, size_t bytes)
{
    static block blocks[SLOTS];
    block       &b = blocks[which];

    if (b.bytes < bytes) {
        need(cudaStreamSynchronize(stream));
        (void)cudaFree(b.memory);
        b = {nullptr, 0};
        need(cudaMalloc(&b.memory, bytes));
        b.bytes = bytes;
    }
    return b.memory;
}

} // namespace peers

extern "C" __attribute__((visibility("default"))) const void *ordo_bench_cuda(void)
{
    using namespace peers;
    static std::vector<bench_peer> entries;
    static std::string             libraries;
    static bench_cuda_module       table;

    if (table.abi == 0) {
        auto &all = groups();
        std::sort(all.begin(), all.end(),
                  [](const auto &a, const auto &b) { return a.place < b.place; });
        for (const auto &g : all) {
            entries.insert(entries.end(), g.entries.begin(), g.entries.end());
            if (!g.name.empty())
                libraries += (libraries.empty() ? "" : ", ") + g.name;
        }
        table = {
            BENCH_CUDA_ABI, {BENCH_PEER_ABI, libraries.c_str(), entries.data(), entries.size()},
            open_device,    last_error,
            available,      alloc,
            release,        on_device,
            alloc_host,     release_host,
            upload,         copy,
            wipe,           lower_to_flags,
            fingerprint,    start,
            stop,           graph_begin,
            graph_end,      graph_run,
            graph_free};
    }
    return &table;
}
