/* csv_spill.c - temporary files that are written once, then read (see csv_records.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/csv/csv_records.h"

#include "cli/io/spool.h"

#include <errno.h>
#include <unistd.h>

bool csv_spill_open(csv_spill *spill, const execution *e, size_t most)
{
    *spill = (csv_spill){.fd = pieces_temporary(e), .most = most};
    return spill->fd >= 0;
}

bool csv_spill_flush(csv_spill *spill)
{
    const bool ok = spool_write(spill->fd, spill->buffer.data, spill->buffer.used);

    spill->buffer.used = 0;
    return ok || cli_fail("cannot write a temporary file: %s", strerror(errno));
}

bool csv_spill_append(csv_spill *spill, const void *bytes, size_t length)
{
    if (!csv_append_bytes(&spill->buffer, bytes, length))
        return cli_fail("not enough memory to write a temporary file");
    spill->bytes += length;
    return spill->buffer.used < spill->most || csv_spill_flush(spill);
}

bool csv_spill_read(const csv_spill *spill, uint64_t at, void *into, size_t bytes)
{
    return spool_read(spill->fd, at, into, bytes) ||
           cli_fail("cannot read a temporary file: %s", strerror(errno));
}

void csv_spill_close(csv_spill *spill)
{
    if (spill->fd >= 0)
        close(spill->fd);
    spill->fd = -1;
    key_bytes_free(&spill->buffer);
}
