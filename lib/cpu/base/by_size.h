/* by_size.h - runs a loop over elements with a constant size. */
#ifndef ORDO_CPU_BASE_BY_SIZE_H
#define ORDO_CPU_BASE_BY_SIZE_H

#define ELEMENT_SIZE(bytes, LOOP)                                                                  \
    case bytes:                                                                                    \
        LOOP(bytes);                                                                               \
        break;

/* Runs LOOP(bytes), with a constant number of bytes if `size` is a common size. */
#define BY_ELEMENT_SIZE(size, LOOP)                                                                \
    switch (size) {                                                                                \
        ELEMENT_SIZE(1, LOOP)                                                                      \
        ELEMENT_SIZE(2, LOOP)                                                                      \
        ELEMENT_SIZE(4, LOOP)                                                                      \
        ELEMENT_SIZE(8, LOOP)                                                                      \
        ELEMENT_SIZE(12, LOOP)                                                                     \
        ELEMENT_SIZE(16, LOOP)                                                                     \
        ELEMENT_SIZE(24, LOOP)                                                                     \
        ELEMENT_SIZE(32, LOOP)                                                                     \
        ELEMENT_SIZE(40, LOOP)                                                                     \
        ELEMENT_SIZE(48, LOOP)                                                                     \
        ELEMENT_SIZE(64, LOOP)                                                                     \
    default:                                                                                       \
        LOOP(size);                                                                                \
    }

#endif
