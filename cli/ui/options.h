/* options.h - one option parser for every command, driven by a table.
 *
 * A command lists its options in an array whose last row is OPTION_END. Each row names the field of
 * a struct that takes the value. COMMON_OPTIONS contains OPTION_END:
 *
 *     static const option_spec specs[] = {FLAG("unique", unique), COMMON_OPTIONS};
 *
 * Options are written --name=value, --name value, -nVALUE or -n VALUE; letters of flags may share a
 * word, as in -rn. An option given twice with different values is an error, except OPTION_TEXTS.
 * "--" ends the options, "-" is an operand. Names that sort(1) has can be abbreviated as there;
 * others cannot, so that a new option never breaks a script. */
#ifndef ORDO_CLI_UI_OPTIONS_H
#define ORDO_CLI_UI_OPTIONS_H

#include "cli/base/cli.h"

#define OPTION_UNSET UINT64_MAX /* a count that was not given and has no default */

typedef enum option_kind {
    OPTION_FLAG = 1, /* bool                                                    */
    OPTION_TEXT,     /* const char *                                            */
    OPTION_COUNT,    /* uint64_t: see option_count(), between least and most    */
    OPTION_REAL,     /* double, never NaN, so that NaN may mean "not given"     */
    OPTION_CHOICE,   /* int: one of the names in choices                        */
    OPTION_MAYBE,    /* the same; without "=value" the first name               */
    OPTION_BITS,     /* int: for the i-th of these names bit i is set           */
    OPTION_TEXTS,    /* option_texts: may be given several times                */
    OPTION_KEYS,     /* the same; operands of the form +F.B -F.B are values, too */
    OPTION_SIZE,     /* uint64_t: see option_size(), at least `least`           */
    OPTION_SET,      /* int: becomes `least`; the last option for a field wins  */
    OPTION_IGNORED   /* a number as the value or the next word; nothing is set  */
} option_kind;

typedef struct option_spec {
    const char *name; /* without dashes; NULL ends the table */
    char        letter;
    option_kind kind;
    size_t      offset;  /* of the field */
    const char *choices; /* names between blanks, of the values from least on; "-": no name. Of
                          * other kinds what the completion offers; in sort_options the message
                          * about two values, or about one below `least` */
    uint64_t    least, most;
} option_spec;

typedef struct option_texts { /* in the order they were given */
    const char **texts;       /* to be freed; NULL: none      */
    size_t       n;
    char        *made; /* OPTION_KEYS: memory of some of the texts, to be freed */
} option_texts;

#define OPTION_ROW(type, long_name, short_name, field, what, names, at_least, at_most)             \
    {                                                                                              \
        .name = (long_name), .letter = (short_name), .kind = (what),                               \
        .offset = offsetof(type, field), .choices = (names), .least = (at_least),                  \
        .most = (at_most)                                                                          \
    }
#define OPTION_END                                                                                 \
    {                                                                                              \
        .name = NULL                                                                               \
    }

#define FIRST_GPU (ORDO_HYBRID + 1) /* the value of --device cuda:0 */

typedef struct common_options { /* what every command that computes accepts */
    uint64_t    threads;        /* 0: the library's choice                                   */
    uint64_t    memory_limit;   /* -S: bytes; 0: none                                        */
    uint64_t    device_memory;  /* bytes of GPU memory; 0: all                               */
    const char *cpu_share;      /* of a hybrid sort; NULL: the library's choice              */
    const char *gpu_share;      /* shares of GPUs 0, 1, ... in a hybrid sample sort; NULL: none */
    uint64_t    gpu_sms;        /* multiprocessors of each GPU; 0: all                       */
    int         device;         /* an ordo_where, or a GPU: from FIRST_GPU on                */
    bool        explain, json, time;
    bool        profile;                    /* as a table        */
    const char *profile_json, *profile_svg; /* files; NULL: none */
} common_options;

typedef enum check_kind {
    CHECK_REPORT = 1, /* name the first element out of order */
    CHECK_QUIET = 2   /* print nothing; also for "silent"    */
} check_kind;

typedef struct line_flags { /* how `ordo sort` compares lines */
    bool blanks, dictionary, fold, general, human, printable, month, numeric, random, version;
    bool merge, zero, debug, quiet;
    bool gnu;               /* see sort_wrong()         */
    bool report;            /* -c of sort(1)            */
    int  words;             /* --sort, as OPTION_BITS   */
    int  word;              /* --sort of unique, from 1 */
    option_texts keys;      /* -k */
    const char  *separator; /* -t; NULL: not given */
    const char  *names_file, *random_file;
    uint64_t     seed;       /* OPTION_UNSET: not given */
    uint64_t     memory;     /* -S: bytes; 0: not given */
    uint64_t     batch;      /* --batch-size; 0: not given */
    const char  *compressor; /* --compress-program; NULL: not given */
} line_flags;

typedef struct csv_flags { /* of rows with columns */
    bool         csv, tsv, header, no_header, no_quotes;
    int          bad; /* a csv_bad; 0: not given */
    option_texts columns, by;
    const char  *as; /* the name of a new column */
} csv_flags;

typedef struct bzip2_flags { /* of `ordo bzip2` */
    int  mode;               /* a bzip2_mode */
    int  level;              /* 1 to 9; 0: not given */
    bool keep, to_stdout, force, quiet, verbose, small, version, repetitive;
} bzip2_flags;

typedef struct options { /* the options of all commands; each command uses some of them */
    common_options common;
    option_texts   operands;
    const char    *operand;     /* the input file, or the distribution of gen */
    const char    *dtype;       /* input, or of the numbers of gen            */
    const char    *text_option; /* with text: the option that says so; NULL: --text */
    const char    *out;
    csv_flags      csv;
    line_flags     line; /* of sort */
    uint64_t       k, n, seed, sub_array, width;
    double         p;
    const char    *list_text, *method, *rank_type, *json_file, *flags_file, *flags_dtype;
    const char    *weights_file, *weights_dtype, *groups_file, *groups_dtype, *then_files;
    const char    *lr, *rl, *dm;            /* files of radius */
    const char    *lcp_file, *pattern_file; /* of suffix and search */
    uint64_t       sample, context;         /* of index; of search: lines */
    void          *list;                    /* the numbers of list_text, to be freed */
    void          *named; /* of quantile and percentile: the same as they were given */
    size_t         count;
    option_texts   directories;             /* -T */
    uint64_t       record_size, key_offset; /* of records; 0: no records      */
    const char    *key_type;                /* of records; NULL: not given    */
    int            from, format;            /* file_formats */
    int            by;                      /* of fasta: a fasta_key */
    int            check;                   /* a check_kind; 0: sort */
    int            algorithm, nans, ties, op, index_type;
    bool skip_bad, text, fasta, descending, stable, unique, sorted, check_order, one_based, largest;
    bool smallest, index, with_index, exclusive, wide, bits, runs, show, forget, lines, center;
    bool unset_first, only, resume, verify, count_only, locate, whole_lines;
    bzip2_flags bzip2;
} options;

/* Rows for a table over the struct options. */
#define FLAG(name, field) LETTER(name, 0, field)
#define LETTER(name, letter, field)                                                                \
    OPTION_ROW(options, name, letter, field, OPTION_FLAG, NULL, 0, 0)
#define SETS(name, letter, field, value)                                                           \
    OPTION_ROW(options, name, letter, field, OPTION_SET, NULL, value, 0)
#define TEXTS(name, letter, field)                                                                 \
    OPTION_ROW(options, name, letter, field, OPTION_TEXTS, NULL, 0, 0)
#define TEXT(name, letter, field) OPTION_ROW(options, name, letter, field, OPTION_TEXT, NULL, 0, 0)
#define NAMED(name, field, names) /* a text for which the completion knows names */                \
    OPTION_ROW(options, name, 0, field, OPTION_TEXT, names, 0, 0)
#define COLUMNS(name, field) /* texts that name columns of rows */                                 \
    OPTION_ROW(options, name, 0, field, OPTION_TEXTS, option_columns, 0, 0)
#define REAL(name, letter, field) OPTION_ROW(options, name, letter, field, OPTION_REAL, NULL, 0, 0)
#define COUNT(name, letter, field, least, most)                                                    \
    OPTION_ROW(options, name, letter, field, OPTION_COUNT, NULL, least, most)
#define CHOICE(name, field, first, names)                                                          \
    OPTION_ROW(options, name, 0, field, OPTION_CHOICE, names, first, 0)
#define DESCENDING LETTER("descending", 'r', descending)
#define FASTA_OPTIONS FLAG("fasta", fasta), COLUMNS("by", csv.by)
#define CSV_OPTIONS                                                                                \
    FLAG("csv", csv.csv), FLAG("tsv", csv.tsv), FLAG("header", csv.header),                        \
        FLAG("no-header", csv.no_header), FLAG("no-quotes", csv.no_quotes),                        \
        CHOICE("bad", csv.bad, 1, "error last skip text")
#define RUNNING_OPTIONS /* of commands that add a column with results of another */                \
    COLUMNS("column", csv.columns), COLUMNS("by", csv.by), TEXT("as", 0, csv.as),                  \
        TEXT("field-separator", 't', line.separator)
#define CSV_KEYS COLUMNS("key", line.keys), TEXT("field-separator", 't', line.separator)
#define INDEX_TYPE(name) CHOICE(name, index_type, ORDO_U32, "u32 - u64")
#define ALGORITHM(names) CHOICE("algorithm", algorithm, ORDO_ALGORITHM_AUTO, names)
#define SORT_ALGORITHMS "radix sample merge bitonic split bubble rough halving"
#define ALL_SORT_ALGORITHMS                                                                        \
    "auto - - " SORT_ALGORITHMS " - - - windows - - - - insertion global intervals"
#define SELECT_ALGORITHM                                                                           \
    ALGORITHM("auto - - radix - merge bitonic"),                                                   \
        COUNT("sub-array", 0, sub_array, 2, (uint64_t)1 << 32)
#define GROUPS_OPTIONS                                                                             \
    TEXT("groups", 0, groups_file), NAMED("groups-dtype", groups_dtype, option_types)
#define NANS(names) CHOICE("nans", nans, ORDO_NANS_LAST, names)
#define COMMON_OPTIONS /* end the table */                                                         \
    COUNT("threads", 0, common.threads, 1, 4096),                                                  \
        OPTION_ROW(options, "memory-limit", 'S', common.memory_limit, OPTION_SIZE, NULL, 1, 0),    \
        CHOICE("device", common.device, ORDO_AUTO,                                                 \
               "auto cpu cuda hybrid cuda:0 cuda:1 cuda:2 cuda:3 cuda:4 cuda:5 cuda:6 cuda:7"),    \
        COUNT("device-memory", 0, common.device_memory, 1, SIZE_MAX),                              \
        TEXT("cpu-share", 0, common.cpu_share), TEXT("gpu-share", 0, common.gpu_share),            \
        COUNT("gpu-sms", 0, common.gpu_sms, 1, UINT32_MAX), FLAG("explain", common.explain),       \
        FLAG("json", common.json), FLAG("time", common.time), FLAG("profile", common.profile),     \
        TEXT("profile-json", 0, common.profile_json), TEXT("profile-svg", 0, common.profile_svg),  \
        OPTION_END
/* Of commands that take data larger than memory. */
#define EXTERNAL_OPTIONS TEXTS("temporary-directory", 'T', directories)
#define RESUME_OPTION FLAG("resume", resume)
#define RECORD_OPTIONS                                                                             \
    COUNT("record-size", 0, record_size, 1, UINT32_MAX),                                           \
        COUNT("key-offset", 0, key_offset, 0, UINT32_MAX),                                         \
        NAMED("key-type", key_type, option_types)
#define SORT_WORDS                                                                                 \
    OPTION_ROW(options, "sort", 0, line.words, OPTION_BITS,                                        \
               "general-numeric human-numeric month numeric random version", 0, 0)
#define SORT_ORDERS /* that lines have in sort(1) */                                               \
    LETTER("numeric-sort", 'n', line.numeric), LETTER("general-numeric-sort", 'g', line.general),  \
        LETTER("human-numeric-sort", 'h', line.human), LETTER("month-sort", 'M', line.month),      \
        LETTER("version-sort", 'V', line.version), LETTER("random-sort", 'R', line.random),        \
        SORT_WORDS, LETTER("ignore-leading-blanks", 'b', line.blanks),                             \
        LETTER("dictionary-order", 'd', line.dictionary), LETTER("ignore-case", 'f', line.fold),   \
        LETTER("ignore-nonprinting", 'i', line.printable),                                         \
        OPTION_ROW(options, "key", 'k', line.keys, OPTION_KEYS, option_columns, 0, 0),             \
        LETTER("zero-terminated", 'z', line.zero), LETTER("merge", 'm', line.merge),               \
        FLAG("debug", line.debug), TEXT("files0-from", 0, line.names_file)
#define FILE_FORMAT(name, field) CHOICE(name, field, FORMAT_NPY, "npy raw text")
#define OUTPUT_OPTIONS TEXT("output", 'o', out), FILE_FORMAT("format", format)
#define ARRAY_OPTIONS /* of commands that read an array and write one; end the table */            \
    FILE_FORMAT("from", from), NAMED("dtype", dtype, option_types), FLAG("skip-bad", skip_bad),    \
        OUTPUT_OPTIONS, COMMON_OPTIONS

typedef enum options_result {
    OPTIONS_OK,
    OPTIONS_HELP,     /* --help was given, or -h where the table has no option of that letter */
    OPTIONS_HELP_ALL, /* --help=all was given                                                */
    OPTIONS_VERSION,  /* --version was given, and the table has no option of that name        */
    OPTIONS_BAD       /* after a message: return CLI_TROUBLE                                  */
} options_result;

/* The options of sort(1). Under that name the command has no others; in each command their names
 * can be abbreviated. */
extern const option_spec sort_options[];

/* Puts the words of environment variables before the options in argv, in the order of `names`,
 * which ends with NULL. Changes *argc. Returns an array to be freed, which also holds the words;
 * NULL after a message. */
char **options_add_words(int *argc, char **argv, const char *const *names);

/* Reads argv[1..argc) into the struct at `into`. argv[0] is the name of the command for messages.
 * At most `most` operands are accepted and stored in *operands, which may be NULL if most is 0. */
options_result options_parse(int argc, char **argv, const option_spec *specs, void *into,
                             option_texts *operands, size_t most);

/* Reads a count: digits (1000), powers of ten (1e6), of two (2^28), or digits with K M G T
 * (10^3 ...) or Ki Mi Gi Ti (2^10 ...). False if it is anything else or does not fit. */
bool option_count(const char *text, uint64_t *out);

extern const char option_a_count[]; /* what it reads, for messages */

/* The names of enums of ordo.h, for OPTION_CHOICE. */
extern const char option_ties[], option_methods[], option_types[];

/* Stands for the names of the columns of a file on the command line. */
extern const char option_columns[];

/* Reads a number of f64, rounded; `nan`: also NaN. Returns what is wrong with it, or NULL. */
const char *option_real(const char *text, bool nan, double *out);

/* Reads bytes of memory: a count, also with a b for bytes at its end, or a share of the memory of
 * the machine, such as 25%; k m g t are K M G T. After a letter (-S), and for rows without a letter
 * (--buffer-size), a number without a unit counts 1024 bytes, as in sort(1). */
bool option_size(const char *text, uint64_t *out);

/* Reads a list with commas, given for the option shown as `option`: uint64_t counts from 1
 * (1,10,1e3) if most is 0, or double numbers from 0 to `most`. The list is to be freed. NULL
 * after a message. */
void *option_list(const char *command, const char *option, const char *text, int most, size_t *n);

/* The one of names[0..n) that is most similar to `typed`, or NULL if none is similar enough. */
const char *nearest_name(const char *typed, const char *const *names, size_t n);

#endif
