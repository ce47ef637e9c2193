/* profile_svg.c - a profile as a picture: time to the right, a row for the phases, for each way of
 * the link, for the GPU, and for each thread that brought, fetched or sorted something. */
#include "cli/ui/profile.h"

enum {
    LEFT = 110,
    WIDTH = 1000,
    TOP = 34,
    ROW = 14,
    BAR = 11,
    FIXED = 4 /* rows before the threads' */
};

typedef struct drawing {
    FILE          *to;
    const profile *p;
} drawing;

static double across(const drawing *d, double seconds)
{
    return LEFT + WIDTH * (seconds / d->p->whole.ended);
}

static const char *colour(uint32_t kind)
{
    switch (kind) {
    case ORDO_SPAN_DIVIDE:
        return "#4477aa";
    case ORDO_SPAN_PUT:
        return "#228833";
    case ORDO_SPAN_BIN:
        return "#ccbb44";
    case ORDO_SPAN_IN:
        return "#66ccee";
    case ORDO_SPAN_OUT:
        return "#aa3377";
    case ORDO_SPAN_WORK:
        return "#ee6677";
    default:
        return "#dddddd";
    }
}

static unsigned row_of(const ordo_span *span)
{
    switch (span->kind) {
    case ORDO_SPAN_IN:
        return 1;
    case ORDO_SPAN_OUT:
        return 2;
    case ORDO_SPAN_WORK:
        return 3;
    default:
        return profile_is_host(span->kind) ? FIXED + span->lane : 0;
    }
}

static void bar(const drawing *d, const ordo_span *span)
{
    double const x = across(d, span->began), right = across(d, span->ended);
    fprintf(d->to, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n", x,
            TOP + ROW * row_of(span), right - x > 0.1 ? right - x : 0.1, BAR, colour(span->kind));
}

static void label(const drawing *d, unsigned row, const char *text)
{
    fprintf(d->to, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">%s</text>\n", LEFT - 6,
            TOP + ROW * row + BAR - 2, text);
}

/* What is idle, in words, above; the phases' borders and names over the first row. */
static void captions(const drawing *d)
{
    const profile_part *const whole = &d->p->whole;
    fprintf(d->to,
            "<text x=\"%d\" y=\"14\">%.1f ms; GPU idle %.1f %%, CPU idle %.1f %%; blue: divided "
            "and sent, green: put in place, yellow: bins sorted</text>\n",
            LEFT, 1e3 * whole->ended, 100 * whole->device_idle / whole->ended,
            100 * (1 - whole->threads / whole->ended));
    for (int i = 0; i < PROFILE_PHASES; i++)
        fprintf(d->to, "<text x=\"%.1f\" y=\"%d\">%s</text>\n",
                across(d, d->p->phases[i].began) + 2, TOP + BAR - 2, profile_phase_names[i]);
    label(d, 0, "phase");
    label(d, 1, "to GPU");
    label(d, 2, "from GPU");
    label(d, 3, "GPU");
}

void profile_draw(FILE *to, const profile *p)
{
    drawing const d = {to, p};
    unsigned      rows = FIXED;
    for (size_t i = 0; i < p->count; i++)
        if (row_of(&p->spans[i]) + 1 > rows)
            rows = row_of(&p->spans[i]) + 1;
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
            "font-family=\"sans-serif\" font-size=\"10\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + WIDTH + 20, TOP + ROW * rows + 10);
    for (size_t i = 0; i < p->count && p->whole.ended > 0; i++)
        bar(&d, &p->spans[i]);
    if (p->whole.ended > 0)
        captions(&d);
    for (unsigned thread = FIXED; thread < rows; thread++) {
        char text[32];
        snprintf(text, sizeof text, "thread %u", thread - FIXED);
        label(&d, thread, text);
    }
    fputs("</svg>\n", to);
}
