/* strings.c - the section `strings`: words made of keys, and the generators of strings. */
#define _POSIX_C_SOURCE 200809L
#include "race.h"

#include <stdio.h>
#include <string.h>

typedef enum verb {
    SORT,
    ARGSORT,
    RANK,
    POINTERS,
    VERBS
} verb;

enum {
    WORD_MOST = 48,     /* bytes of a word with its zero byte                     */
    LONG_MOST = 1000000 /* long strings have 250 bytes: at most so many at once */
};

static const char *const verb_names[VERBS] = {"sort", "argsort", "rank", "pointers"};

/* All strings of all copies in both forms of ordo_strings.h: bytes with offsets, and pointers to
 * strings that end with a zero byte. */
static room bytes, offsets, ended, pointers, work, out, out_bytes, keys;

static void make_words(const row *r, const side *maker, size_t copies)
{
    static const char *const formats[] = {"%u", "https://www.example.org/items/%u"};
    size_t const             all = copies * r->n;
    const char *const format = r->dist->dist == ORDO_DIST_SORTED ? "%010u" : formats[r->shape];
    char *const       text = room_of(&bytes, all * WORD_MOST);
    uint64_t *const   starts = offsets.at;
    const uint32_t   *key = room_of(&keys, all * sizeof *key);

    make_keys(maker, type_of(ORDO_U32), r->dist, r->n, copies, keys.at);
    for (size_t i = 0; i < all; i++)
        starts[i + 1] = starts[i] + (uint64_t)snprintf(text + starts[i], WORD_MOST, format, key[i]);
}

static void make_strings(const row *r, const side *maker, size_t all)
{
    uint64_t *const starts = offsets.at;
    for (int pass = 0; pass < 2; pass++) { /* the first pass writes the offsets */
        char *const text = pass == 0 ? NULL : room_of(&bytes, starts[all]);
        if (maker->lib->gen_strings(maker->ctx, r->dist->dist, all, starts, text,
                                    pass == 0 ? 0 : starts[all], NULL) != ORDO_OK)
            fail(r->name, maker->lib->last_error(maker->ctx));
    }
}

static void prepare(const row *r, const side *maker)
{
    size_t const copies = copies_of(r->n), all = copies * r->n;
    uint64_t    *starts = room_of(&offsets, (all + 1) * sizeof *starts);

    starts[0] = 0;
    if (r->dist->dist == ORDO_DIST_STRINGS || r->dist->dist == ORDO_DIST_FASTA)
        make_strings(r, maker, all);
    else
        make_words(r, maker, copies);
    room_of(&work, all * sizeof(char *));
    room_of(&out, (all + copies) * sizeof(uint64_t));
    room_of(&out_bytes, starts[all]);
    const char **const each = room_of(&pointers, all * sizeof *each);
    char              *to = room_of(&ended, starts[all] + all);
    for (size_t i = 0; i < all; i++) {
        size_t const length = (size_t)(starts[i + 1] - starts[i]);
        each[i] = to;
        memcpy(to, (const char *)bytes.at + starts[i], length);
        to[length] = '\0';
        to += length + 1;
    }
}

static void reset(const row *r)
{
    if (r->verb == POINTERS)
        copy_bytes(work.at, pointers.at, copies_of(r->n) * r->n * sizeof(char *));
}

static ordo_status call(const row *r, const side *s, size_t copy, uint64_t *number)
{
    size_t const          n = r->n;
    const uint64_t *const starts = (const uint64_t *)offsets.at + copy * n;
    ordo_strings const    strings = {
           .struct_size = sizeof strings, .bytes = bytes.at, .offsets = starts};
    uint64_t *const to = (uint64_t *)out.at + copy * (n + 1);

    (void)number;
    switch ((verb)r->verb) {
    case SORT:
        return s->lib->sort_strings(s->ctx, &strings, n, (char *)out_bytes.at + starts[0], to,
                                    NULL);
    case ARGSORT:
        return s->lib->argsort_strings(s->ctx, &strings, n, ORDO_U32, to, NULL);
    case RANK:
        return s->lib->rank_strings(s->ctx, &strings, n, ORDO_F64, to,
                                    &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_AVERAGE));
    case POINTERS:
    case VERBS:
        break;
    }
    return s->lib->sort_pointers(s->ctx, (const char **)work.at + copy * n, n, NULL);
}

static span result(const row *r, size_t copy, uint64_t number)
{
    size_t const          n = r->n;
    const uint64_t *const starts = (const uint64_t *)offsets.at + copy * n;
    const uint64_t *const to = (const uint64_t *)out.at + copy * (n + 1);

    (void)number;
    switch ((verb)r->verb) {
    case SORT:
        return (span){(const char *)out_bytes.at + starts[0], (size_t)(starts[n] - starts[0])};
    case ARGSORT:
        return (span){to, n * sizeof(uint32_t)};
    case RANK:
        return (span){to, n * sizeof(double)};
    case POINTERS:
    case VERBS:
        break;
    }
    return (span){(const char *const *)work.at + copy * n, n * sizeof(char *)};
}

static void list(const section *self, row_list *rows, size_t n)
{
    static const struct {
        ordo_dist dist;
        int       prefix;
    } inputs[] = {{ORDO_DIST_UNIFORM, 0}, {ORDO_DIST_ZIPF, 0},   {ORDO_DIST_FEW, 0},
                  {ORDO_DIST_SORTED, 0},  {ORDO_DIST_SIGNED, 1}, {ORDO_DIST_ZIPF, 1},
                  {ORDO_DIST_STRINGS, 0}, {ORDO_DIST_FASTA, 0}};

    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        for (int v = 0; v < VERBS; v++)
            if (n <= LONG_MOST || inputs[i].dist < ORDO_DIST_STRINGS ||
                inputs[i].dist > ORDO_DIST_FASTA)
                row_add(rows,
                        (row){.section = self,
                              .verb = v,
                              .shape = inputs[i].prefix,
                              .dist = dist_of(inputs[i].dist),
                              .n = n},
                        verb_names[v], inputs[i].prefix ? "prefix" : "");
}

static outcome time_row(const row *r, const side *s, bool digest)
{
    static const calls all = {reset, call, result};
    return time_calls(&all, r, s, digest);
}

const section strings_section = {"strings", false, NULL, list, prepare, time_row};
