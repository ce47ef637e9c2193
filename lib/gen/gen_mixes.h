/* gen_mixes.h - key i of timestamps, prices and sensors, whose keys have the structure of recorded
 * data, for gen_keys.c.
 *
 * timestamps ascend in bursts inside a small part of the range; jitter exchanges neighbours, and
 * one key in 64 is late. prices are log-normal whole cents with many ties. sensors are readings of
 * several sensors in turn: twelve bits, noise, constants and a mark for a missing reading.
 *
 * Integer arithmetic, and for prices as floats one division, which IEEE 754 rounds to nearest. */
#ifndef ORDO_GEN_GEN_MIXES_H
#define ORDO_GEN_GEN_MIXES_H

#include "gen/gen_maps.h"

enum {
    STAMP_JITTER = 16, /* steps of a burst by which a timestamp may be ahead of its place */
    STAMP_LATE = 64,   /* one key in 64 is late, by at most STAMP_DELAY bursts        */
    STAMP_DELAY = 4,
    PRICE_ROUND = 100, /* half of the prices are one cent below a multiple of this         */
    READING_BITS = 12,
    READING_STUCK = 8, /* one sensor in 8 repeats one value                                */
    READING_LOST = 32, /* one group of LOST_GROUP readings in 32 is missing                */
    LOST_GROUP = 16,
    PERIOD = 1440 /* readings of one period of a sensor                               */
};

/* ---- Maps to keys ---- */

#define GEN_INTEGER_DATA(tag)                                                                      \
    static inline ordo_key_##tag key_of_cents_##tag(uint64_t x) { return (ordo_key_##tag)x; }      \
    static inline ordo_key_##tag key_of_reading_##tag(uint64_t x)                                  \
    {                                                                                              \
        return (ordo_key_##tag)(x >> (sizeof(ordo_key_##tag) == 1 ? READING_BITS - 7 : 0));        \
    }                                                                                              \
    static inline ordo_key_##tag key_of_missing_##tag(void) { return (ordo_key_##tag) - 1; }
GEN_INTEGER_DATA(i8)
GEN_INTEGER_DATA(u8)
GEN_INTEGER_DATA(i16)
GEN_INTEGER_DATA(u16)
GEN_INTEGER_DATA(i32)
GEN_INTEGER_DATA(u32)
GEN_INTEGER_DATA(i64)
GEN_INTEGER_DATA(u64)
#undef GEN_INTEGER_DATA

/* Readings as degrees: exact in both types. */
static inline float  key_of_cents_f32(uint64_t x) { return (float)x / 100.0f; }
static inline double key_of_cents_f64(uint64_t x) { return (double)x / 100.0; }
static inline float  key_of_reading_f32(uint64_t x) { return (float)x * 0x1p-5f - 40.0f; }
static inline double key_of_reading_f64(uint64_t x) { return (double)x * 0x1p-5 - 40.0; }
static inline float  key_of_missing_f32(void) { return -999.0f; }
static inline double key_of_missing_f64(void) { return -999.0; }

/* ---- Key i ---- */

/* The place of timestamp i in the time of the array, a fraction of 2^64. A burst takes the first
 * eighth of its cell of the grid. */
static uint64_t gen_stamp(const gen_state *state, size_t i)
{
    const uint64_t length = ordo_min(state->job->k, state->job->n);
    const uint64_t burst = i / length;
    const uint64_t edge = gen_grid_edge(state->grid, burst);
    const uint64_t width = gen_grid_edge(state->grid, burst + 1) - edge;
    const uint64_t step = width / (8 * (length + STAMP_JITTER));
    const uint64_t jitter = ordo_random_at(state->stream, 2 * (uint64_t)i);
    const uint64_t late = ordo_random_at(state->stream, 2 * (uint64_t)i + 1);
    const uint64_t time =
        edge + step * (i % length) + ordo_random_below(jitter, step * STAMP_JITTER);
    const uint64_t reach = width > time / STAMP_DELAY ? time : width * STAMP_DELAY;

    if (ordo_random_below(late, STAMP_LATE) != 0)
        return time;
    return time - ordo_random_below(late * STAMP_LATE, reach);
}

/* A price in cents. Its logarithm to base 2 is normal with a deviation of 2 (1, 1/2 for 16, 8 bits)
 * and at least `least`. Between two powers of two, 2^x is replaced by a straight line. */
static uint64_t gen_price(const gen_state *state, size_t i, size_t key_size)
{
    const unsigned shift = key_size == 1 ? 61 : key_size == 2 ? 60 : 59;
    const unsigned least = key_size == 1 ? 1 : key_size == 2 ? 3 : 0;
    const uint64_t sum = gen_twelve(state->stream, 7 * (uint64_t)i, 32);
    const uint64_t draw = ordo_random_at(state->stream, 7 * (uint64_t)i + 6);
    const unsigned octave = least + (unsigned)(sum >> shift);
    const uint64_t part = sum << (64 - shift) >> 1 | UINT64_C(1) << 63;
    const uint64_t cents = part >> (63 - octave);

    return draw >> 63 != 0 && cents >= PRICE_ROUND ? cents / PRICE_ROUND * PRICE_ROUND - 1 : cents;
}

/* Reading i is from sensor i mod k. A sensor has its own level, a triangular wave, and the noise of
 * four draws. False if the reading is missing. */
static bool gen_reading(const gen_state *state, size_t i, uint64_t *reading)
{
    const ordo_gen_job *const job = state->job;
    const uint64_t            sensor = i % job->k, time = i / job->k;
    const uint64_t            own = ordo_random_at(state->stream, sensor);
    const uint64_t            level = 512 + (own & 2047);
    const uint64_t            group = time / LOST_GROUP * job->k + sensor;
    const uint64_t lost = ordo_random_at(gen_stream(job->seed, job->dist, GEN_CHOICE), group);
    const uint64_t noise = ordo_random_at(gen_stream(job->seed, job->dist, GEN_FAMILY), i);
    const uint64_t phase = (time + (own >> 32)) % PERIOD;
    const uint64_t wave = phase < PERIOD / 2 ? phase : PERIOD - 1 - phase;

    *reading = level;
    if (ordo_random_below(own, READING_STUCK) != 0)
        *reading +=
            wave + (noise & 63) + (noise >> 6 & 63) + (noise >> 12 & 63) + (noise >> 18 & 63);
    return ordo_random_below(lost, READING_LOST) != 0;
}

#endif
