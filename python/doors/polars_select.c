/* polars_select.c - the expressions median, quantile and rolling_median of Polars. */
#include "polars_call.h"

#include <math.h>
#include <string.h>

/* ---- median, quantile ---- */

static double number_at(ordo_type type, const void *values, size_t i)
{
    switch (type) {
    case ORDO_I8:
        return ((const int8_t *)values)[i];
    case ORDO_U8:
        return ((const uint8_t *)values)[i];
    case ORDO_I16:
        return ((const int16_t *)values)[i];
    case ORDO_U16:
        return ((const uint16_t *)values)[i];
    case ORDO_I32:
        return ((const int32_t *)values)[i];
    case ORDO_U32:
        return ((const uint32_t *)values)[i];
    case ORDO_I64:
        return (double)((const int64_t *)values)[i];
    case ORDO_U64:
        return (double)((const uint64_t *)values)[i];
    case ORDO_F32:
        return (double)((const float *)values)[i];
    case ORDO_F64:
        return ((const double *)values)[i];
    }
    return 0;
}

static size_t to_index(double x) { return (size_t)x; }

/* The two keys next to a quantile of n keys, and how far it is from the first one. */
static ordo_status find_place(const polars_options *options, size_t n, size_t *k, double *share)
{
    double const last = (double)(n - 1), place = options->q * last;
    *share = 0;
    k[0] = k[1] = (size_t)place;
    if (strcmp(options->method, "linear") == 0 || strcmp(options->method, "midpoint") == 0) {
        k[1] = to_index(ceil(place));
        if (k[1] != k[0])
            *share = options->method[0] == 'm' ? 0.5 : place - floor(place);
    } else if (strcmp(options->method, "nearest") == 0) {
        k[0] = to_index(round(place));
    } else if (strcmp(options->method, "higher") == 0) {
        k[0] = to_index(ceil(place));
    } else if (strcmp(options->method, "equiprobable") == 0) {
        k[0] = to_index(fmax(ceil(options->q * (double)n) - 1, 0));
    } else if (strcmp(options->method, "lower") != 0) {
        return polars_fail(ORDO_E_ARG, "interpolation '%s' is not known", options->method);
    }
    return ORDO_OK;
}

/* Writes doubles as the type of the result: f32 for f32, else f64. */
static void narrow_floats(call *c)
{
    double *const values = c->out.values;
    if (c->in.kind.type != ORDO_F32)
        return;
    for (size_t i = 0; i < c->out.n; i++) {
        float const x = (float)values[i];
        memcpy((char *)values + i * sizeof x, &x, sizeof x);
    }
}

ordo_status polars_quantile(call *c)
{
    if (!(c->options.q >= 0 && c->options.q <= 1))
        return polars_fail(ORDO_E_ARG, "quantile should be between 0.0 and 1.0, got %g",
                           c->options.q);
    TRY(polars_make_values(c, 1, sizeof(double)));
    double *const value = c->out.values;
    *value = 0;
    if (c->in.valid == 0)
        return polars_end_with_nulls(c, 0);
    ordo_select_opts const opts = {.struct_size = sizeof opts};
    size_t                 k[2];
    double                 share;
    uint64_t               found[2];
    TRY(find_place(&c->options, c->in.valid, k, &share));
    TRY(polars_check(c, ordo_select(c->ctx, c->in.kind.type, c->in.keys, c->in.valid, k,
                                    share > 0 ? 2 : 1, found, &opts)));
    *value = number_at(c->in.kind.type, found, 0);
    if (share > 0) {
        double const next = number_at(c->in.kind.type, found, 1);
        if (next != *value)
            *value = share == 0.5 && c->options.method[0] == 'm' ? (*value + next) / 2
                                                                 : *value + (next - *value) * share;
    }
    narrow_floats(c);
    return ORDO_OK;
}

ordo_status polars_median(call *c)
{
    c->options.q = 0.5;
    strcpy(c->options.method, "linear");
    return polars_quantile(c);
}

/* ---- rolling_median ---- */

/* A window has a result if it has enough observations. */
static ordo_status find_windows(call *c, size_t window, size_t least)
{
    size_t const n = c->in.n, ahead = c->options.center ? (window - 1) / 2 : 0;
    size_t const back = window - 1 - ahead;
    size_t       seen = 0;
    ALLOCATE(c->out.validity, n / 8 + 1, 1);
    memset(c->out.validity, 0, n / 8 + 1);
    for (size_t i = 0; i < ahead && i < n; i++)
        seen += polars_is_valid(c->in.validity, i);
    for (size_t i = 0; i < n; i++) {
        if (ahead < n - i)
            seen += polars_is_valid(c->in.validity, i + ahead);
        if (i > back)
            seen -= polars_is_valid(c->in.validity, i - back - 1);
        bool const valid = seen >= least && seen > 0;
        c->out.validity[i / 8] |= (uint8_t)(valid << i % 8);
        c->out.nulls += !valid;
    }
    return ORDO_OK;
}

static ordo_status move_over(call *c, ordo_type type, const void *in, size_t window,
                             ordo_method method, double *out)
{
    bool const             is_median = method == ORDO_METHOD_DEFAULT;
    ordo_moving_opts const opts = {.struct_size = sizeof opts,
                                   .min_periods = 1,
                                   .q = is_median ? 0 : 0.5,
                                   .nans = c->in.validity == NULL ? ORDO_NANS_LAST : ORDO_NANS_OMIT,
                                   .method = is_median ? 0 : method,
                                   .center = c->options.center};
    return polars_check(c,
                        ordo_moving(c->ctx, is_median ? ORDO_MOVING_MEDIAN : ORDO_MOVING_QUANTILE,
                                    type, in, c->in.n, window, ORDO_F64, out, &opts));
}

/* Puts the keys, as doubles, in the places of the valid rows; others are NaN. */
static void place_numbers(const call *c, ordo_type type, const void *keys, double *out)
{
    for (size_t row = 0, i = 0; row < c->in.n; row++)
        out[row] = polars_is_valid(c->in.validity, row) ? number_at(type, keys, i++) : (double)NAN;
}

/* Windows with nulls: these are NaNs that are left out. If there are NaNs among the keys, the
 * windows move over dense ranks, whose medians are the mean of two keys. */
static ordo_status move_over_nulls(call *c, size_t window, double *out)
{
    ordo_rank_opts const opts = {.struct_size = sizeof opts, .ties = ORDO_TIES_DENSE};
    size_t const         n = c->in.n;
    double              *numbers, *keys, *ranks, *higher;
    bool const           nans = polars_has_nan(&c->in);
    ALLOCATE(numbers, (nans ? 4 : 1) * n, sizeof *numbers);
    c->in.memory[2] = numbers;
    if (!nans) {
        place_numbers(c, c->in.kind.type, c->in.keys, numbers);
        return move_over(c, ORDO_F64, numbers, window, ORDO_METHOD_DEFAULT, out);
    }
    keys = numbers + n;
    ranks = keys + n;
    higher = ranks + n;
    TRY(polars_check(
        c, ordo_rank(c->ctx, c->in.kind.type, c->in.keys, c->in.valid, ORDO_F64, ranks, &opts)));
    for (size_t i = 0; i < c->in.valid; i++)
        keys[(size_t)ranks[i] - 1] = number_at(c->in.kind.type, c->in.keys, i);
    place_numbers(c, ORDO_F64, ranks, numbers);
    TRY(move_over(c, ORDO_F64, numbers, window, ORDO_METHOD_LOWER, out));
    TRY(move_over(c, ORDO_F64, numbers, window, ORDO_METHOD_HIGHER, higher));
    for (size_t i = 0; i < n; i++)
        if (!isnan(out[i]))
            out[i] = out[i] == higher[i]
                         ? keys[(size_t)out[i] - 1]
                         : (keys[(size_t)out[i] - 1] + keys[(size_t)higher[i] - 1]) / 2;
    return ORDO_OK;
}

ordo_status polars_rolling_median(call *c)
{
    int64_t const window = c->options.window, least = c->options.least;
    if (window < 1 || least < 0 || least > window)
        return polars_fail(
            ORDO_E_ARG,
            "window_size is %lld and min_samples %lld; expected 1 or more, and from 0 to "
            "window_size",
            (long long)window, (long long)least);
    size_t const width = (uint64_t)window < 2 * c->in.n + 1 ? (size_t)window : 2 * c->in.n + 1;
    TRY(polars_make_values(c, c->in.n, sizeof(double)));
    if (c->in.n == 0)
        return ORDO_OK;
    TRY(find_windows(c, (size_t)window, (size_t)least));
    TRY(c->in.validity != NULL
            ? move_over_nulls(c, width, c->out.values)
            : move_over(c, c->in.kind.type, c->in.keys, width, ORDO_METHOD_DEFAULT, c->out.values));
    narrow_floats(c);
    return ORDO_OK;
}
