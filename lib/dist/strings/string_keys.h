/* string_keys.h - keys of 64 bits for the strings of a process.
 *
 * The bytes that all strings of all processes share behind a depth are skipped, up to 120 of them.
 * The next 7 bytes of each string and its length are its key (core/string_view.h), so keys of all
 * processes compare as their strings do, and equal keys that end are equal strings. One read of the
 * strings. */
#ifndef ORDO_DIST_STRINGS_STRING_KEYS_H
#define ORDO_DIST_STRINGS_STRING_KEYS_H

#include "core/string_view.h"
#include "dist/strings/string_part.h"

enum {
    STRING_KEYS_SHARED = 120 /* bytes that ranks compare */
};

typedef struct string_head { /* of a process's strings, behind the depth */
    uint32_t shared;         /* bytes that all of them share */
    uint32_t any;            /* whether there are strings */
    char     bytes[STRING_KEYS_SHARED];
} string_head;

typedef struct string_keys {
    string_part   *part;
    string_view    view;
    uint64_t      *places; /* of the n strings; NULL: all of the part */
    size_t         n;
    uint64_t       depth; /* bytes that all strings share */
    uint64_t      *keys;
    string_head   *heads; /* of each process */
    _Atomic size_t shared;
} string_keys;

static inline size_t string_keys_place(const string_keys *s, size_t i)
{
    return s->places != NULL ? (size_t)s->places[i] : i;
}

/* Takes memory for the keys of all strings of the part, in ascending order. Not collective. */
ordo_status string_keys_open(string_part *part, string_keys *out);
/* Skips the shared bytes behind the depth and makes the keys. Collective. */
ordo_status string_keys_find(string_keys *s);

#endif
