/* choices.c - the names that options of several commands let choose from. */
#include "cli/ui/options.h"

const option_choice device_choices[] = {{"auto", ORDO_AUTO},
                                        {"cpu", ORDO_CPU},
                                        {"cuda", ORDO_CUDA},
                                        {"hybrid", ORDO_HYBRID},
                                        {"cuda:0", ORDO_CUDA | 1 << CLI_DEVICE_SHIFT},
                                        {"cuda:1", ORDO_CUDA | 2 << CLI_DEVICE_SHIFT},
                                        {"cuda:2", ORDO_CUDA | 3 << CLI_DEVICE_SHIFT},
                                        {"cuda:3", ORDO_CUDA | 4 << CLI_DEVICE_SHIFT},
                                        {"cuda:4", ORDO_CUDA | 5 << CLI_DEVICE_SHIFT},
                                        {"cuda:5", ORDO_CUDA | 6 << CLI_DEVICE_SHIFT},
                                        {"cuda:6", ORDO_CUDA | 7 << CLI_DEVICE_SHIFT},
                                        {"cuda:7", ORDO_CUDA | 8 << CLI_DEVICE_SHIFT},
                                        {NULL, 0}};

const option_choice format_choices[] = {
    {"npy", FORMAT_NPY}, {"raw", FORMAT_RAW}, {"text", FORMAT_TEXT}, {NULL, 0}};

const option_choice index_type_choices[] = {{"u32", ORDO_U32}, {"u64", ORDO_U64}, {NULL, 0}};

const option_choice sort_algorithm_choices[] = {
    {"auto", ORDO_ALGORITHM_AUTO},       {"radix", ORDO_ALGORITHM_RADIX},
    {"sample", ORDO_ALGORITHM_SAMPLE},   {"merge", ORDO_ALGORITHM_MERGE},
    {"bitonic", ORDO_ALGORITHM_BITONIC}, {"split", ORDO_ALGORITHM_SPLIT},
    {"bubble", ORDO_ALGORITHM_BUBBLE},   {"rough", ORDO_ALGORITHM_ROUGH},
    {"halving", ORDO_ALGORITHM_HALVING}, {NULL, 0}};

const option_choice select_algorithm_choices[] = {{"auto", ORDO_ALGORITHM_AUTO},
                                                  {"radix", ORDO_ALGORITHM_RADIX},
                                                  {"bitonic", ORDO_ALGORITHM_BITONIC},
                                                  {NULL, 0}};

const option_choice nans_choices[] = {{"last", ORDO_NANS_LAST},
                                      {"omit", ORDO_NANS_OMIT},
                                      {"propagate", ORDO_NANS_PROPAGATE},
                                      {NULL, 0}};
