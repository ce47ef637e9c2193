/* as_sort.c - names and texts in the quotes that GNU programs use in the C locale (see
 * as_sort.h). */
#include "cli/base/as_sort.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_MOST = 1 << 12 /* bytes of a quoted text; longer ones are cut */
};

static bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

/* Where the next text is made. */
static char *next_buffer(void)
{
    static char     buffers[2][TEXT_MOST + 16];
    static unsigned turn;

    turn = !turn;
    return buffers[turn];
}

/* The escape of a byte that is not printable, or of a backslash. */
static size_t put_escape(char *to, char c)
{
    static const char bytes[] = "\a\b\f\n\r\t\v\\", letters[] = "abfnrtv\\";
    const char *const found = c != '\0' ? strchr(bytes, c) : NULL;

    if (found != NULL)
        return (size_t)sprintf(to, "\\%c", letters[found - bytes]);
    return (size_t)sprintf(to, "\\%03o", (unsigned)(unsigned char)c);
}

const char *sort_quoted(const char *text)
{
    char *const out = next_buffer();
    size_t      used = 0;

    out[used++] = '\'';
    for (; *text != '\0' && used < TEXT_MOST; text++)
        if (*text == '\'')
            used += (size_t)sprintf(out + used, "\\'");
        else if (is_plain(*text) && *text != '\\')
            out[used++] = *text;
        else
            used += put_escape(out + used, *text);
    out[used++] = '\'';
    out[used] = '\0';
    return out;
}

/* Bytes that are not printable go between $'...'. */
static void put_shell_quoted(char *out, const char *name)
{
    size_t used = 0;
    bool   escaping = false;

    out[used++] = '\'';
    for (; *name != '\0' && used < TEXT_MOST; name++) {
        const bool plain = is_plain(*name);
        if (plain == escaping)
            used += (size_t)sprintf(out + used, plain ? "''" : "'$'");
        escaping = !plain;
        if (*name == '\'')
            used += (size_t)sprintf(out + used, "'\\''");
        else if (plain)
            out[used++] = *name;
        else
            used += put_escape(out + used, *name);
    }
    strcpy(out + used, "'");
}

static bool is_printable(const char *name)
{
    while (is_plain(*name))
        name++;
    return *name == '\0';
}

/* Special for a shell, also within double quotes. */
static bool is_special(const char *name) { return strpbrk(name, "!\"$&()*;<=>?[\\^`|:") != NULL; }

const char *sort_name_quoted(const char *name)
{
    char *const out = next_buffer();

    if (strchr(name, '\'') != NULL && is_printable(name) && !is_special(name) &&
        strlen(name) < TEXT_MOST)
        sprintf(out, "\"%s\"", name);
    else
        put_shell_quoted(out, name);
    return out;
}

const char *sort_name(const char *name)
{
    if (name == NULL || strcmp(name, "stdin") == 0)
        return "-";
    const bool brace = strcmp(name, "{") == 0 || strcmp(name, "}") == 0;
    const bool plain = is_printable(name) && !is_special(name) && strpbrk(name, " '") == NULL;

    return plain && !brace && strchr("#~", name[0]) == NULL ? name : sort_name_quoted(name);
}

bool sort_usage_failed(const char *format, ...)
{
    char    text[2 * TEXT_MOST];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cli_error("%s", text);
    cli_line(stderr, "Try 'sort --help' for more information.");
    return false;
}

bool file_failed(const char *step, const char *name, int error)
{
    if (!cli_is_sort())
        return cli_fail("%s: cannot %s: %s", name, step, strerror(error));
    if (strcmp(name, "stdout") == 0)
        name = "standard output";
    return cli_fail("%s failed: %s: %s", step, sort_name(name), strerror(error));
}
