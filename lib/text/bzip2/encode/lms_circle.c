/* lms_circle.c - induced sorting of the rotations of a circle of names, as rotate.c does it for
 * bytes. */
#include "text/bzip2/encode/lms_names.h"

#include <string.h>

#define MARK (UINT32_C(1) << 31) /* the rotation before is of type L */

#define INDEX uint32_t
#define SYMBOL uint16_t
#define BYTES 0
#define FN(name) name##_names
#include "text/lms_find.t.h"

void bz_circle_find_lms(bz_circle *c)
{
    c->lms = (uint32_t)find_circle_names(c->names, c->n, c->begins);
}

/* An entry names a rotation by the position before it. */
static inline uint32_t entry_of(const bz_circle *c, uint32_t at, uint32_t name, bool large)
{
    uint32_t const before = at > 0 ? at - 1 : c->n - 1, last = c->names[before];
    bool const     larger = large ? last >= name : last > name;
    return (larger ? MARK : 0) | before;
}

/* The LMS rotations go to the ends of the buckets of their names. */
static void put_lms(const bz_circle *c, const uint32_t *order, const uint32_t *ends, uint32_t *sa)
{
    uint32_t now = UINT32_MAX, to = 0;
    for (uint32_t i = c->lms; i > 0; i--) {
        uint32_t const at = c->begins[bz_circle_at(order[i - 1], c->lms)], name = c->names[at];
        to = name == now ? to : ends[name];
        now = name;
        sa[--to] = entry_of(c, at, name, true);
    }
}

void bz_circle_induce(const bz_circle *c, const uint32_t *order, uint32_t *places, uint32_t *sa)
{
    uint32_t *const heads = places, *const ends = places + c->kinds;
    uint32_t const n = c->n;
    memset(heads, 0, c->kinds * sizeof *heads);
    for (uint32_t i = 0; i < n; i++)
        heads[c->names[i]]++;
    (void)ordo_sums_before_32(heads, c->kinds);
    memcpy(ends, heads + 1, (c->kinds - 1) * sizeof *ends);
    ends[c->kinds - 1] = n;
    memset(sa, 0, n * sizeof *sa);
    put_lms(c, order, ends, sa);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t const entry = sa[i];
        if ((entry & MARK) != 0) {
            uint32_t const name = c->names[entry & BZ_AT_MASK];
            sa[heads[name]++] = entry_of(c, entry & BZ_AT_MASK, name, true);
        }
    }
    for (uint32_t i = n; i > 0; i--) {
        uint32_t const entry = sa[i - 1];
        if ((entry & MARK) == 0) {
            uint32_t const name = c->names[entry & BZ_AT_MASK];
            sa[--ends[name]] = entry_of(c, entry & BZ_AT_MASK, name, false);
        }
    }
}
