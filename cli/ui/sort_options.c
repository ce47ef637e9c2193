/* sort_options.c - the options of sort(1), with GNU's names and rules (see options.h). */
#include "cli/ui/options.h"

#define ONCE(name, letter, field, message)                                                         \
    OPTION_ROW(options, name, letter, field, OPTION_TEXT, message, 0, 0)

enum {
    THREADS_MOST = 4096 /* more are the same */
};

const option_spec sort_options[] = {
    SORT_ORDERS,
    LETTER("reverse", 'r', descending),
    LETTER("unique", 'u', unique),
    LETTER("stable", 's', stable),
    LETTER("c", 'c', line.report),
    LETTER("C", 'C', line.quiet),
    OPTION_ROW(options, "check", 0, check, OPTION_MAYBE, "diagnose-first quiet silent",
               CHECK_REPORT, 0),
    ONCE("field-separator", 't', line.separator, "incompatible tabs"),
    ONCE("random-source", 0, line.random_file, "multiple random sources specified"),
    ONCE("output", 'o', out, "multiple output files specified"),
    ONCE("compress-program", 0, line.compressor, "multiple compress programs specified"),
    OPTION_ROW(options, "parallel", 0, common.threads, OPTION_COUNT,
               "number in parallel must be nonzero", 1, THREADS_MOST),
    OPTION_ROW(options, "buffer-size", 'S', line.memory, OPTION_SIZE, NULL, 0, UINT64_MAX),
    COUNT("batch-size", 0, line.batch, 2, UINT64_MAX),
    TEXTS("temporary-directory", 'T', directories),
    OPTION_ROW(options, "y", 'y', k, OPTION_IGNORED, NULL, 0, 0),
    FLAG("help", line.gnu),
    FLAG("version", line.gnu),
    OPTION_END};
