/* option_table.c - see option_table.h. */
#include "mpi/option_table.h"

#include "mpi/job.h"

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

#define ROW(name, letter, kind, field, names, least, most, of)                                     \
    {                                                                                              \
        .spec = OPTION_ROW(wishes, name, letter, field, kind, names, least, most),                 \
        .commands = (of)                                                                           \
    }
#define SWITCH(name, field, of) ROW(name, 0, OPTION_FLAG, field, NULL, 0, 0, of)
#define PATH(name, letter, field, of) ROW(name, letter, OPTION_TEXT, field, NULL, 0, 0, of)
#define WHOLE(name, field, least, most, of) ROW(name, 0, OPTION_COUNT, field, NULL, least, most, of)
#define VALUE(name, field, least, of) ROW(name, 0, OPTION_REAL, field, NULL, least, 0, of)
#define CHOSEN(name, field, first, names, of)                                                      \
    ROW(name, 0, OPTION_CHOICE, field, names, first, 0, of)
#define TYPE(name, of) CHOSEN(name, type, ORDO_I8, option_types, of)
#define FILES(name, field, of) CHOSEN(name, field, FORMAT_NPY, "npy raw text", of)

const mpi_option mpi_options[MPI_OPTIONS] = {
    PATH("output", 'o', output, SORT | RANK | TUNE),
    TYPE("dtype", ON_FILES),
    SWITCH("text", lines, ON_FILES),
    SWITCH("lines", lines, ON_FILES),
    FILES("from", from, ON_FILES),
    FILES("format", format, SORT | RANK),
    WHOLE("record-size", record_size, 1, 1 << 30, ON_FILES),
    TYPE("key-type", ON_FILES),
    WHOLE("key-offset", key_offset, 0, 1 << 30, ON_FILES),
    ROW("descending", 'r', OPTION_FLAG, descending, NULL, 0, 0, SORT | RANK | SELECT | TOPK),
    CHOSEN("ties", ties, ORDO_TIES_MIN, option_ties, RANK),
    ROW("q", 'q', OPTION_REAL, q, NULL, 0, 0, QUANTILE),
    ROW("k", 'k', OPTION_REAL, k, NULL, 0, 0, SELECT | TOPK),
    CHOSEN("method", method, ORDO_METHOD_INVERTED_CDF, option_methods, QUANTILE),
    CHOSEN("nans", nans, ORDO_NANS_LAST, "last omit propagate", QUANTILE | MEDIAN),
    ROW("memory-limit", 'S', OPTION_SIZE, memory, NULL, 0, 0, SORT),
    ROW("temporary-directory", 'T', OPTION_TEXTS, directories, NULL, 0, 0, SORT),
    PATH("checkpoint", 0, checkpoint, SORT),
    SWITCH("resume", resume, SORT),
    WHOLE("ranges", ranges, 1, MOST_RANGES, SORT),
    WHOLE("threads", threads, 1, 4096, ON_FILES | TUNE),
    SWITCH("time", time, ON_FILES),
    VALUE("keys", keys, 1, TUNE | PREDICT),
    VALUE("nodes", nodes, 1, PREDICT),
    TYPE("type", TUNE | PREDICT),
    PATH("model", 0, model, PREDICT),
    VALUE("latency", latency, 0, PREDICT),
    VALUE("bandwidth", bandwidth, 1, PREDICT),
    VALUE("taper", taper, 1, PREDICT),
    ROW("help", 'h', OPTION_FLAG, time, NULL, 0, 0, ON_FILES | TUNE | PREDICT),
};
