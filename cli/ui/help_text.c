/* help_text.c - takes a help text apart, line by line (see help_text.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/ui/help_text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    while (*p->at != '\0' && *p->at != '\n' && *p->at != HELP_MARK && indent_of(p->at) >= least &&
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
    p->marked = line[0] == HELP_MARK;
    if (strncmp(line, usage, strlen(usage)) == 0) {
        p->kind = HELP_USAGE;
        append(p->text, line + strlen(usage), length - strlen(usage));
    } else if (line[0] == ' ' && p->examples) {
        p->kind = HELP_EXAMPLE;
        append(p->text, line + indent_of(line), length - indent_of(line));
    } else if (line[0] == ' ' || p->marked) {
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

/* ---- A manual page, in mdoc ---- */

static const char exit_status[] = "Exit status: ";

/* Prints text so that roff changes none of its characters. */
static void print_escaped(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text != '\0'; text++)
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\'')
            fputs("\\(aq", stdout);
        else if (*text == '"')
            fputs("\\(dq", stdout);
        else
            putchar(*text);
}

static void print_line(const char *text)
{
    print_escaped(text);
    putchar('\n');
}

/* A line with a macro and one argument, in which no word is taken for another macro. */
static void print_macro(const char *macro, const char *argument)
{
    printf("%s \"", macro);
    print_escaped(argument);
    puts("\"");
}

/* The date of SOURCE_DATE_EPOCH if it is set, so that builds can be repeated; else of today. */
static void print_date(void)
{
    const char *const epoch = getenv("SOURCE_DATE_EPOCH");
    const time_t      now = epoch != NULL ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm         parts;
    char              text[40] = "";

    if (gmtime_r(&now, &parts) != NULL)
        (void)strftime(text, sizeof text, "%B %d, %Y", &parts);
    printf(".Dd %s\n", text);
}

static void print_usages(help_part *p)
{
    bool first = true;

    puts(".Sh SYNOPSIS");
    while (help_next(p))
        if (p->kind == HELP_USAGE) {
            if (!first)
                puts(".br");
            print_line(p->text);
            first = false;
        }
}

bool help_is_exit_status(const help_part *p)
{
    return p->kind == HELP_PROSE && strncmp(p->text, exit_status, strlen(exit_status)) == 0;
}

/* Paragraphs before the second heading, which is the first of the options. */
static void print_description(help_part *p)
{
    puts(".Sh DESCRIPTION");
    for (int headings = 0, paragraphs = 0; help_next(p);) {
        headings += p->kind == HELP_HEADING;
        if (headings > 1)
            break;
        if (p->kind == HELP_PROSE && !help_is_exit_status(p)) {
            if (paragraphs++ > 0)
                puts(".Pp");
            print_line(p->text);
        }
    }
}

/* Entries in lists below their headings, and paragraphs after the first list. */
static void print_options(help_part *p, const char *section)
{
    bool list = false, any = false;

    while (help_next(p)) {
        if (list && p->kind != HELP_ENTRY) {
            puts(".El");
            list = false;
        }
        if (p->kind == HELP_HEADING && !p->examples) {
            if (!any)
                printf(".Sh %s\n", section);
            any = true;
            print_macro(".Ss", p->text);
        } else if (p->kind == HELP_ENTRY) {
            if (!list)
                puts(".Bl -tag -width Ds");
            list = true;
            print_macro(".It Sy", p->term);
            print_line(p->text);
        } else if (p->kind == HELP_PROSE && any && !help_is_exit_status(p)) {
            puts(".Pp");
            print_line(p->text);
        }
    }
    if (list)
        puts(".El");
}

static void print_examples(help_part *p)
{
    puts(".Sh EXAMPLES\n.Bd -literal");
    while (help_next(p))
        if (p->kind == HELP_EXAMPLE)
            print_line(p->text);
    puts(".Ed");
}

static void print_exit_status(help_part *p)
{
    puts(".Sh EXIT STATUS");
    while (help_next(p))
        if (help_is_exit_status(p))
            print_line(p->text + strlen(exit_status));
}

bool manual_print(const manual_page *page, const char *help)
{
    help_part p;

    printf(".\\\" Made from the text of '%s'.\n", page->source);
    print_date();
    fputs(".Dt ", stdout);
    for (const char *c = page->name; *c != '\0'; c++)
        putchar(toupper((unsigned char)*c));
    printf(" 1\n.Os\n.Sh NAME\n.Nm %s\n.Nd %s\n", page->name, page->summary);
    if (!help_open(&p, help))
        return false;
    print_usages(&p);
    p.at = help;
    print_description(&p);
    p.at = help;
    print_options(&p, page->section);
    puts(".\\\" DETAILS");
    p.at = help;
    print_examples(&p);
    p.at = help;
    print_exit_status(&p);
    help_close(&p);
    printf(".Sh SEE ALSO\n%s\n", page->also);
    return true;
}
