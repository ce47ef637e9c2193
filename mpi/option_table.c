/* option_table.c - see option_table.h. */
#include "mpi/option_table.h"

enum {
    SORT = 1 << 0,
    RANK = 1 << 1,
    QUANTILE = 1 << 2,
    MEDIAN = 1 << 3,
    SELECT = 1 << 4,
    TOPK = 1 << 5,
    TUNE = 1 << 6,
    PREDICT = 1 << 7,
    ON_FILES = SORT | RANK | QUANTILE | MEDIAN | SELECT | TOPK
};

const char *const mpi_commands[] = {"sort", "rank", "quantile", "median", "select",
                                    "topk", "tune", "predict",  NULL};

#define ROW(long_name, short_name, what, names, value, of)                                         \
    {                                                                                              \
        .spec = {.name = (long_name), .letter = (short_name), .kind = (what), .choices = (names)}, \
        .code = (value), .commands = (of)                                                          \
    }
#define SWITCH(name, code, of) ROW(name, 0, OPTION_FLAG, NULL, code, of)
#define VALUE(name, code, of) ROW(name, 0, OPTION_REAL, NULL, code, of)
#define CHOSEN(name, names, code, of) ROW(name, 0, OPTION_CHOICE, names, code, of)
#define TYPES option_types
#define FORMATS "npy raw text"

const mpi_option mpi_options[MPI_OPTIONS] = {
    ROW("output", 'o', OPTION_TEXT, NULL, 'o', SORT | RANK | TUNE),
    CHOSEN("dtype", TYPES, DTYPE, ON_FILES),
    SWITCH("text", LINES, ON_FILES),
    SWITCH("lines", LINES, ON_FILES),
    CHOSEN("from", FORMATS, FROM, ON_FILES),
    CHOSEN("format", FORMATS, FORMAT, SORT | RANK),
    VALUE("record-size", RECORD_SIZE, ON_FILES),
    CHOSEN("key-type", TYPES, KEY_TYPE, ON_FILES),
    VALUE("key-offset", KEY_OFFSET, ON_FILES),
    ROW("descending", 'r', OPTION_FLAG, NULL, 'r', SORT | RANK | SELECT | TOPK),
    CHOSEN("ties", option_ties, TIES, RANK),
    ROW("q", 'q', OPTION_REAL, NULL, 'q', QUANTILE),
    ROW("k", 'k', OPTION_REAL, NULL, 'k', SELECT | TOPK),
    CHOSEN("method", option_methods, METHOD, QUANTILE),
    CHOSEN("nans", "last omit propagate", NANS, QUANTILE | MEDIAN),
    ROW("memory-limit", 'S', OPTION_SIZE, NULL, 'S', SORT),
    ROW("temporary-directory", 'T', OPTION_TEXTS, NULL, 'T', SORT),
    ROW("checkpoint", 0, OPTION_TEXT, NULL, CHECKPOINT, SORT),
    SWITCH("resume", RESUME, SORT),
    VALUE("ranges", RANGES, SORT),
    VALUE("threads", THREADS, ON_FILES | TUNE),
    SWITCH("time", TIME, ON_FILES),
    VALUE("keys", KEYS, TUNE | PREDICT),
    VALUE("nodes", NODES, PREDICT),
    CHOSEN("type", TYPES, TYPE, TUNE | PREDICT),
    ROW("model", 0, OPTION_TEXT, NULL, MODEL, PREDICT),
    VALUE("latency", LATENCY, PREDICT),
    VALUE("bandwidth", BANDWIDTH, PREDICT),
    VALUE("taper", TAPER, PREDICT),
    ROW("help", 'h', OPTION_FLAG, NULL, 'h', ON_FILES | TUNE | PREDICT),
};
