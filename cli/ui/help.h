/* help.h - the parts of the help texts that several commands share. */
#ifndef ORDO_CLI_UI_HELP_H
#define ORDO_CLI_UI_HELP_H

#define HELP_SORT_ALGORITHM                                                                        \
    "  --algorithm A     auto (looks at the keys and chooses), radix, sample, merge,\n"            \
    "                    bitonic, split, bubble, rough or halving; all give the same\n"

#define HELP_RADIUS                                                                                \
    "  -k K              rough, halving: no key is further than K from its place;\n"               \
    "                    default: measured\n"

#define HELP_SELECT_ALGORITHM                                                                      \
    "  --algorithm A     auto, radix (digit by digit) or bitonic (sort and look)\n"

#define HELP_FEW                                                                                   \
    "Output:\n"                                                                                    \
    "  -o, --output FILE replaced when all is written; default: stdout\n"                          \
    "  --format F        npy, raw or text; default: what FILE ends in says (.npy; .bin,\n"         \
    "                    .raw; .txt, .text, .csv), otherwise text\n"

#define HELP_INPUT                                                                                 \
    "Input:\n"                                                                                     \
    "  FILE              a file; '-' or nothing: stdin\n"                                          \
    "  --from F          npy, raw or text; default: npy if it starts like one, raw if\n"           \
    "                    FILE ends in .bin or .raw, otherwise text\n"                              \
    "  --dtype T         i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; raw needs it. Text is\n"           \
    "                    i64 if all lines are integers (u64 if they need it), else f64;\n"         \
    "                    an integer that f64 cannot hold is then an error\n"                       \
    "  --skip-bad        leave out lines that are not numbers, and count them\n"

#define HELP_OUTPUT                                                                                \
    "Output:\n"                                                                                    \
    "  -o, --output FILE replaced when all is written; default: stdout\n"                          \
    "  --format F        npy, raw or text; default: what FILE ends in says (.npy; .bin,\n"         \
    "                    .raw; .txt, .text, .csv), otherwise the format of the input\n"

#define HELP_COMMON                                                                                \
    "Everywhere:\n"                                                                                \
    "  --threads N       at most N threads; default: every CPU this process may use\n"             \
    "  --device D        auto (the fastest; see ordo tune), cpu, cuda (cuda:1: the second\n"       \
    "                    GPU) or hybrid\n"                                                         \
    "  --device-memory S at most S bytes of the GPU's memory\n"                                    \
    "  --cpu-share P     hybrid: part of the keys that the CPU sorts, 0.1; -1: none\n"             \
    "  --memory-limit S  at most S bytes of scratch: 512M, 4Gi\n"                                  \
    "  --explain         say on stderr what was done: backend, algorithm, ISA, time, why\n"        \
    "  --json            the same as one line of JSON on stderr\n"                                 \
    "  --time            say on stderr how long reading, work and writing took\n"                  \
    "  --profile         say on stderr what phases, link, GPU and threads did when, if the\n"      \
    "                    array was streamed through a GPU\n"                                       \
    "  --profile-json F  the same, with every span of time, in file F\n"                           \
    "  --profile-svg F   the same as a picture\n"                                                  \
    "  -h, --help        this text\n"                                                              \
    "\n"                                                                                           \
    "Exit status: 0 done, 1 the answer is no (sort --check), 2 trouble (bad usage, bad\n"          \
    "input, no memory, no output).\n"

#endif
