/* tapes.c - sources and sinks of external calls in memory. */
#include "tapes.h"

#include <errno.h>
#include <string.h>

static size_t part_of(const tape *t, size_t wanted)
{
    size_t const left = t->size - t->at, part = 1 + t->calls * 7919 % 1000;
    size_t const most = wanted < left ? wanted : left;
    return part < most ? part : most;
}

static ptrdiff_t fail(const tape *t, size_t bytes)
{
    errno = t->error;
    return t->lies ? (ptrdiff_t)bytes + 1 : -1;
}

ptrdiff_t tape_read(void *user, void *into, size_t bytes)
{
    tape *const  t = user;
    size_t const part = part_of(t, bytes);
    if (++t->calls == t->fail_at)
        return fail(t, bytes);
    memcpy(into, t->bytes + t->at, part);
    t->at += part;
    return (ptrdiff_t)part;
}

ptrdiff_t tape_write(void *user, const void *from, size_t bytes)
{
    tape *const  t = user;
    size_t const part = part_of(t, bytes);
    if (++t->calls == t->fail_at)
        return fail(t, bytes);
    memcpy(t->bytes + t->at, from, part);
    t->at += part;
    return (ptrdiff_t)part;
}
