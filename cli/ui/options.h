/* options.h - one parser for the options of every command, driven by a table.
 *
 * A command lists its options in an array that ends with OPTION_END:
 *
 *     uint64_t n = OPTION_UNSET;
 *     bool     quick = false;
 *     const option_spec specs[] = {
 *         OPTION_COUNT_AT("n", 'n', &n, 0, SIZE_MAX),
 *         OPTION_FLAG_AT("quick", 0, &quick),
 *         COMMON_OPTIONS(common),
 *         OPTION_END,
 *     };
 *
 * Written --name=value, --name value, -nVALUE or -n VALUE. An option that is given twice with
 * different values is an error: the two contradict each other. "--" ends the options, "-" is an
 * operand. Nothing is abbreviated, so that a new option never breaks a script. */
#ifndef ORDO_CLI_UI_OPTIONS_H
#define ORDO_CLI_UI_OPTIONS_H

#include "cli/cli.h"

#define OPTION_UNSET UINT64_MAX /* initial value of a count that has no default */

typedef struct option_choice {
    const char *name; /* NULL ends the list */
    int         value;
} option_choice;

typedef enum option_kind {
    OPTION_FLAG = 1,
    OPTION_TEXT,
    OPTION_COUNT, /* what option_count() reads, between least and most */
    OPTION_REAL,  /* never NaN, which may stand for "not given" */
    OPTION_CHOICE
} option_kind;

typedef struct option_spec {
    const char *name; /* without its dashes; NULL ends the table */
    char        letter;
    option_kind kind;
    union {
        bool        *flag;
        const char **text;
        uint64_t    *count;
        double      *real;
        int         *choice;
    } to;
    const option_choice *choices;
    uint64_t             least, most;
} option_spec;

#define OPTION_FLAG_AT(long_name, short_name, where)                                               \
    {                                                                                              \
        .name = (long_name), .letter = (short_name), .kind = OPTION_FLAG, .to.flag = (where)       \
    }
#define OPTION_TEXT_AT(long_name, short_name, where)                                               \
    {                                                                                              \
        .name = (long_name), .letter = (short_name), .kind = OPTION_TEXT, .to.text = (where)       \
    }
#define OPTION_COUNT_AT(long_name, short_name, where, at_least, at_most)                           \
    {                                                                                              \
        .name = (long_name), .letter = (short_name), .kind = OPTION_COUNT, .to.count = (where),    \
        .least = (at_least), .most = (at_most)                                                     \
    }
#define OPTION_REAL_AT(long_name, short_name, where)                                               \
    {                                                                                              \
        .name = (long_name), .letter = (short_name), .kind = OPTION_REAL, .to.real = (where)       \
    }
#define OPTION_CHOICE_AT(long_name, short_name, where, names)                                      \
    {                                                                                              \
        .name = (long_name), .letter = (short_name), .kind = OPTION_CHOICE, .to.choice = (where),  \
        .choices = (names)                                                                         \
    }
#define OPTION_END                                                                                 \
    {                                                                                              \
        .name = NULL                                                                               \
    }

enum {
    CLI_DEVICE_SHIFT = 8
};

/* What every command that computes accepts. */
typedef struct common_options {
    uint64_t    threads;       /* 0: the library's choice */
    uint64_t    memory_limit;  /* bytes; 0: none */
    uint64_t    device_memory; /* bytes of the GPU's; 0: all */
    double      cpu_share;     /* of a hybrid sort; 0: the library's choice */
    int         device;        /* an ordo_where, and above CLI_DEVICE_SHIFT which GPU, from 1 */
    bool        explain, json, time;
    bool        profile;                    /* as a table */
    const char *profile_json, *profile_svg; /* files; NULL: none */
} common_options;

/* What several commands let choose from; in choices.c. */
extern const option_choice device_choices[];
extern const option_choice format_choices[];           /* file_format                   */
extern const option_choice index_type_choices[];       /* u32, u64                      */
extern const option_choice sort_algorithm_choices[];   /* of everything that sorts      */
extern const option_choice select_algorithm_choices[]; /* of everything that selects    */
extern const option_choice nans_choices[];             /* ordo_nans                     */

#define COMMON_OPTIONS(common)                                                                     \
    OPTION_COUNT_AT("threads", 0, &(common).threads, 1, UINT32_MAX),                               \
        OPTION_COUNT_AT("memory-limit", 0, &(common).memory_limit, 1, SIZE_MAX),                   \
        OPTION_CHOICE_AT("device", 0, &(common).device, device_choices),                           \
        OPTION_COUNT_AT("device-memory", 0, &(common).device_memory, 1, SIZE_MAX),                 \
        OPTION_REAL_AT("cpu-share", 0, &(common).cpu_share),                                       \
        OPTION_FLAG_AT("explain", 0, &(common).explain),                                           \
        OPTION_FLAG_AT("json", 0, &(common).json), OPTION_FLAG_AT("time", 0, &(common).time),      \
        OPTION_FLAG_AT("profile", 0, &(common).profile),                                           \
        OPTION_TEXT_AT("profile-json", 0, &(common).profile_json),                                 \
        OPTION_TEXT_AT("profile-svg", 0, &(common).profile_svg)

typedef enum options_result {
    OPTIONS_OK,
    OPTIONS_HELP, /* --help or -h was given and help has been printed: return CLI_OK */
    OPTIONS_BAD   /* a message has been printed: return CLI_TROUBLE                  */
} options_result;

/* Reads argv[1..argc). argv[0] is the command's name, used in messages. Operands go to
 * operands[0..*n_operands), at most max_operands of them; *n_operands is always set. */
options_result options_parse(int argc, char **argv, const option_spec *specs, const char *help,
                             const char **operands, size_t max_operands, size_t *n_operands);

/* Reads a count: digits (1000), powers of ten (1e6), of two (2^28), or digits with K M G T
 * (10^3 ...) or Ki Mi Gi Ti (2^10 ...). False if it is anything else or does not fit. */
bool option_count(const char *text, uint64_t *out);

/* Reads a list such as 1,10,1e3 of what option_count() reads, all at least 1, given for the option
 * shown as `option`. The list is in memory from malloc(). NULL after a message. */
uint64_t *option_counts(const char *command, const char *option, const char *text, size_t *n);

/* The same for numbers from 0 to 1. */
double *option_fractions(const char *command, const char *option, const char *text, size_t *n);

/* The ordo_type called name, or 0 after a message. */
int option_dtype(const char *name, bool bits_too);

/* The one of names[0..n) that a person who typed `typed` most likely meant, or NULL. */
const char *nearest_name(const char *typed, const char *const *names, size_t n);

#endif
