/* help_text.c - takes a help text apart, line by line (see help_text.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/ui/help_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool help_open(help_part *p, const char *help)
{
    const size_t size = strlen(help) + 1;

    *p = (help_part){.at = help, .memory = malloc(2 * size)};
    p->text = p->memory;
    p->term = p->memory != NULL ? p->memory + size : NULL;
    return p->memory != NULL;
}

void help_close(help_part *p)
{
    free(p->memory);
    *p = (help_part){.at = ""};
}

static size_t indent_of(const char *line) { return strspn(line, " "); }

/* The description begins there; the length of the line if there is none. */
static size_t description_at(const char *line, size_t length)
{
    static const size_t columns[] = {20, 30};

    for (size_t i = 2; i + 2 < length; i++)
        if (line[i] == ' ' && line[i + 1] == ' ')
            return i + indent_of(line + i);
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
        if (length > columns[c] && line[columns[c] - 1] == ' ')
            return columns[c];
    return length;
}

/* Appends line[0..length) to text, after a blank if text is not empty. */
static void append(char *text, const char *line, size_t length)
{
    size_t used = strlen(text);

    if (used > 0 && length > 0)
        text[used++] = ' ';
    memcpy(text + used, line, length);
    text[used + length] = '\0';
}

/* Appends the lines from p->at on that are indented by `least` to `most` blanks. */
static void append_lines(help_part *p, size_t least, size_t most)
{
    while (*p->at != '\0' && *p->at != '\n' && indent_of(p->at) >= least &&
           indent_of(p->at) <= most) {
        const size_t indent = indent_of(p->at), length = strcspn(p->at, "\n");
        append(p->text, p->at + indent, length - indent);
        p->at += length + (p->at[length] == '\n');
    }
}

static void read_entry(help_part *p, const char *line, size_t length)
{
    const size_t from = description_at(line, length);
    size_t       end = from;

    while (end > 2 && line[end - 1] == ' ')
        end--;
    p->kind = HELP_ENTRY;
    append(p->term, line + 2, end - 2);
    append(p->text, line + from, length - from);
    append_lines(p, 3, SIZE_MAX);
}

bool help_next(help_part *p)
{
    static const char usage[] = "Usage: ";

    p->at += strspn(p->at, "\n");
    const char *const line = p->at;
    const size_t      length = strcspn(line, "\n");
    p->text[0] = p->term[0] = '\0';
    p->kind = HELP_END;
    if (length == 0)
        return false;
    p->at += length + (line[length] == '\n');
    if (strncmp(line, usage, strlen(usage)) == 0) {
        p->kind = HELP_USAGE;
        append(p->text, line + strlen(usage), length - strlen(usage));
    } else if (line[0] == ' ' && p->examples) {
        p->kind = HELP_EXAMPLE;
        append(p->text, line + indent_of(line), length - indent_of(line));
    } else if (line[0] == ' ') {
        read_entry(p, line, length);
    } else if (line[length - 1] == ':') {
        p->kind = HELP_HEADING;
        append(p->text, line, length - 1);
        p->examples = strcmp(p->text, "Examples") == 0;
    } else {
        p->kind = HELP_PROSE;
        append(p->text, line, length);
        append_lines(p, 0, 0);
    }
    return true;
}
