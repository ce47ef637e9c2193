/* fuzz_bzip2.c - any bytes through the decoder, with one and with three threads, and through
 * readers, which must agree; and any bytes compressed and back. */
#include "fuzz.h"

#include "ordo_bz.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROOM = 1 << 20
};

const fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0"),
    FUZZ_SEED("\102\132\150\071\061\101\131\046\123\131\031\223\233\153\000\000\000\001"
              "\000\040\000\040\000\041\030\106\202\356\110\247\012\022\003\062\163\155"
              "\140"),
    FUZZ_SEED("\102\132\150\071\061\101\131\046\123\131\306\207\331\035\000\000\007\221"
              "\000\100\000\002\104\240\000\060\315\000\122\243\032\262\075\175\144\152"
              "\070\135\311\024\341\102\103\032\037\144\164"),
    FUZZ_SEED("\102\132\150\071\061\101\131\046\123\131\211\214\207\004\000\000\001\177"
              "\377\300\201\002\004\010\020\040\100\201\002\004\010\020\040\100\201\002"
              "\004\010\020\040\100\201\002\004\010\020\040\100\201\002\004\040\000\101"
              "\337\376\252\243\114\023\011\201\060\021\243\041\206\106\004\323\002\144"
              "\061\064\141\313\253\262\007\164\050\221\244\112\360\231\072\205\057\052"
              "\225\254\132\271\173\323\006\054\231\264\152\331\355\361\273\353\363\207"
              "\057\342\356\110\247\012\022\021\061\220\340\200"),
    FUZZ_SEED("a text of some words, a text of words, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
};
const size_t fuzz_seed_count = sizeof fuzz_seeds / sizeof *fuzz_seeds;

const char *const fuzz_words[] = {"BZh9", "BZh1", "1AY&SY", "\x17rE8P\x90"};
const size_t      fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

static ordo_ctx *context(unsigned threads)
{
    static ordo_ctx *made[4];
    if (made[threads] == NULL)
        FUZZ_CHECK(ordo_ctx_create(&made[threads], &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU,
                                                              .threads = threads)) == ORDO_OK);
    return made[threads];
}

/* Whether another stream begins here, or the data end in its header. */
static bool begins_stream(const uint8_t *data, size_t size)
{
    if (size == 0 || memcmp(data, "BZh", size < 3 ? size : 3) != 0)
        return false;
    return size < 4 || (data[3] >= '1' && data[3] <= '9');
}

/* One stream, with output in small pieces. Returns whether it ends within the room. */
static bool read_stream(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t *used,
                        size_t *written)
{
    ordo_bz_reader *reader;
    ordo_status     status = ordo_bz_reader_open(context(3), &reader);
    ordo_bz_state   state = ORDO_BZ_HAS_OUTPUT;
    FUZZ_CHECK(status == ORDO_OK);
    *used = *written = 0;
    while (status == ORDO_OK && state == ORDO_BZ_HAS_OUTPUT) {
        size_t       taken, made;
        size_t const left = room - *written, now = left < 1000 ? left : 1000;
        status = ordo_bz_reader_read(context(3), reader, data + *used, size - *used, &taken,
                                     out + *written, now, &made);
        *used += taken;
        *written += made;
        state = ordo_bz_reader_state(reader);
        if (left == 0)
            break;
    }
    FUZZ_CHECK(status == ORDO_OK || status == ORDO_E_ARG);
    ordo_bz_reader_free(reader);
    return status == ORDO_OK && state == ORDO_BZ_ENDED;
}

static void check_readers(const uint8_t *data, size_t size, bool good, const uint8_t *bytes,
                          size_t n)
{
    static uint8_t out[ROOM];
    size_t         at = 0, total = 0, used, written;
    bool           ended = true;
    do {
        ended = read_stream(data + at, size - at, out + total, ROOM - total, &used, &written);
        at += used;
        total += written;
    } while (ended && begins_stream(data + at, size - at));
    FUZZ_CHECK(ended == good);
    FUZZ_CHECK(!good || (total == n && memcmp(out, bytes, n) == 0));
}

static void check_decoder(const uint8_t *data, size_t size)
{
    static uint8_t    one[ROOM], three[ROOM];
    size_t            n1 = 0, n3 = 0;
    ordo_status const s1 = ordo_bz_decompress(context(1), data, size, one, ROOM, &n1, NULL, NULL);
    ordo_status const s3 = ordo_bz_decompress(context(3), data, size, three, ROOM, &n3, NULL, NULL);
    FUZZ_CHECK(s1 == s3 && n1 == n3 && memcmp(one, three, n1) == 0);
    FUZZ_CHECK(s1 == ORDO_OK || s1 == ORDO_E_ARG);
    FUZZ_CHECK(s1 == ORDO_OK || ordo_last_error(context(1))[0] != '\0');
    check_readers(data, size, s1 == ORDO_OK, one, n1);
}

static void check_round_trip(const uint8_t *data, size_t size)
{
    static uint8_t packed[ROOM], back[ROOM];
    size_t         n = 0, got = 0;
    if (size > ROOM / 2)
        return;
    FUZZ_CHECK(ordo_bz_compress(context(1), data, size, packed, ordo_bz_bound(size), &n,
                                &ORDO_OPTS(ordo_bz_opts, .level = 1), NULL) == ORDO_OK);
    FUZZ_CHECK(ordo_bz_decompress(context(1), packed, n, back, ROOM, &got, NULL, NULL) == ORDO_OK);
    FUZZ_CHECK(got == size && (size == 0 || memcmp(back, data, size) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_decoder(data, size);
    check_round_trip(data, size);
    return 0;
}
