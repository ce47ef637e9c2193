/* rank_links.h - the suffixes of rank_groups.c and their ranks; links between groups.
 *
 * If the suffixes one symbol later than those of a group are a whole group, too, both groups have
 * the same order. A link says so: the suffix leaves the rounds, and its rank follows from that of
 * the suffix at the end of the chain of links. So a repeat takes part in rounds only where it ends.
 */
#ifndef ORDO_TEXT_INDUCED_RANK_LINKS_H
#define ORDO_TEXT_INDUCED_RANK_LINKS_H

#include "text/text_work.h"

enum {
    RANK_PIECES = 256
};

typedef struct rank_chain {
    uint32_t length; /* of the chain from this suffix on, in symbols; 0: there is no link */
    uint32_t shift;  /* from the rank of the suffix at the end to the rank of this one */
} rank_chain;

typedef struct ranker {
    size_t          n, depth;
    const uint32_t *names, *heads;
    uint32_t       *rank, *order;
    uint64_t       *words;               /* rank of the later suffix, suffix */
    uint32_t       *suffixes, *groups;   /* that are active, in order; the rank of each group */
    uint32_t       *suffixes2, *groups2; /* of the next round, with gaps between pieces */
    uint64_t       *spare;               /* their memory, free while words are sorted */
    size_t          active, grain;
    size_t          bounds[RANK_PIECES + 1]; /* first group of each piece */
    size_t          tied[RANK_PIECES];       /* of each piece: suffixes of the next round */
    size_t          before[RANK_PIECES];     /* of each piece: these of all pieces before */
    size_t         *large;                   /* the begins of large groups */
    atomic_size_t   large_count;
    rank_chain     *links;  /* NULL: no suffix was linked */
    uint8_t        *linked; /* whether a suffix has a link */
} ranker;

/* The rank of a suffix, as far as it is known. */
static inline uint32_t rank_of(const ranker *r, size_t suffix)
{
    if (r->links == NULL)
        return r->rank[suffix];
    rank_chain const chain = r->links[suffix];
    return r->rank[suffix + chain.length] + chain.shift;
}

static inline void rank_prefetch(const ranker *r, size_t suffix)
{
    if (r->links == NULL)
        TEXT_PREFETCH(r->rank + suffix);
    else
        TEXT_PREFETCH(r->links + suffix);
}

/* The end of the group that begins at i. */
static inline size_t rank_group_end(const ranker *r, size_t i, size_t most)
{
    size_t end = i + 1;
    while (end < most && r->groups[end] == r->groups[i])
        end++;
    return end;
}

/* Cuts the active suffixes into pieces of whole groups: sets grain and bounds. */
void rank_cut(ranker *r);

/* Moves the suffixes of the next round from suffixes2 and groups2 together. */
ordo_status rank_pack(text_work *work, ranker *r);

/* Links suffixes, if there is scratch for it. Called between two rounds; later calls add links. */
ordo_status rank_link(text_work *work, ranker *r);

/* After the last round: writes the places of linked suffixes. */
ordo_status rank_unlink(text_work *work, ranker *r);

#endif
