/* task.c - from input to output (see task.h). */
#include "cli/cmd/task.h"

/* What --format or else the name of the output file asks for. */
static file_format format_asked(const task_options *o)
{
    if (o->format != FORMAT_AUTO || o->out == NULL)
        return (file_format)o->format;
    return format_of_name(o->out);
}

bool task_check(const char *command, const char *wrong, const task_options *o)
{
    const bool numeric = o->in.dtype != NULL || o->in.skip_bad;
    const bool binary = o->in.format != FORMAT_AUTO && o->in.format != FORMAT_TEXT;

    if (wrong == NULL && o->text && numeric)
        wrong = "--dtype and --skip-bad are for numbers: they do not go with --text";
    if (wrong == NULL && o->text && binary)
        wrong = "--text reads lines: --from npy and --from raw do not go with it";
    if (wrong == NULL && o->lines && o->format != FORMAT_AUTO && o->format != FORMAT_TEXT)
        wrong = "--text writes lines: the only --format is text";
    if (wrong == NULL && o->lines && format_asked(o) != FORMAT_AUTO &&
        format_asked(o) != FORMAT_TEXT)
        wrong = "--text writes lines: name the output .txt, or give --format text";
    if (wrong != NULL)
        cli_error("%s: %s", command, wrong);
    return wrong == NULL;
}

static bool read_input(task *t, const task_options *o)
{
    const bool ok = o->text ? lines_read(o->in.path, &t->lines) : input_read(&o->in, &t->in);
    t->n = o->text ? t->lines.n : t->in.n;
    timing_mark(&t->t, "read");
    return ok;
}

static file_format output_format(const task *t, const task_options *o)
{
    file_format format = format_asked(o);

    if (format == FORMAT_AUTO)
        format = o->few || o->text ? FORMAT_TEXT : t->in.format;
    return format;
}

bool task_begin(task *t, const char *command, const task_options *o)
{
    *t = (task){.in.name = "", .out.fd = -1};
    t->ctx = session_open(command, &o->common);
    if (t->ctx == NULL)
        return false;
    timing_start(&t->t);
    return read_input(t, o) && (o->silent || output_open(&t->out, o->out, output_format(t, o)));
}

ordo_type task_index_type(int asked, size_t n)
{
    return asked != 0 ? (ordo_type)asked : n <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
}

bool task_write(task *t, ordo_type type, const void *results, size_t n)
{
    const bool ok = output_array(&t->out, type, results, n) && output_commit(&t->out);
    timing_mark(&t->t, "write");
    return ok;
}

bool task_write_lines(task *t, const lines *l, bool unique)
{
    const bool ok = lines_write(l, unique, &t->out) && output_commit(&t->out);
    timing_mark(&t->t, "write");
    return ok;
}

int task_end(task *t, const task_options *o, bool ok)
{
    const char *const untyped = o->text ? "string" : t->in.bits ? "bits" : "bytes";

    if (ok)
        ok = report_print(t->ctx, &o->common, untyped, &t->t);
    output_abandon(&t->out);
    input_free(&t->in);
    lines_free(&t->lines);
    session_close();
    return ok ? CLI_OK : CLI_TROUBLE;
}
