/* names.h - the lists of names in the words of help texts and messages. scripts/names writes it. */
#ifndef ORDO_CLI_IO_NAMES_H
#define ORDO_CLI_IO_NAMES_H

#define NAMES_TYPES "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64"
#define NAMES_TYPES_OR "i8 u8 i16 u16 i32 u32 i64 u64 f32 or f64"
#define NAMES_TIES "min, max, dense, ordinal, average"
#define NAMES_TIES_OR "min, max, dense, ordinal or average"
#define NAMES_TIES_HELP "min (the default), max, dense, ordinal or average"
#define NAMES_TIES_EXAMPLES                                                                        \
    "the ranks of 10 20 20 30: min (1 2 2 4, the default), max (1 3 3 4),\n"                       \
    "                    dense (1 2 2 3), ordinal (1 2 3 4) or average (1 2.5 2.5 4)\n"
#define NAMES_METHODS_HELP                                                                         \
    "linear (the default), or another name from NumPy: inverted_cdf,\n"                            \
    "                    averaged_inverted_cdf, closest_observation,\n"                            \
    "                    interpolated_inverted_cdf, hazen, weibull, median_unbiased,\n"            \
    "                    normal_unbiased, lower, higher, midpoint, nearest; or half_sum:\n"

#endif
