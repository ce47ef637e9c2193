/* help_short.c - prints a help text in its long and in its short form (see help_short.h).
 *
 * Each part of the short form walks over the text anew, which is short. Paragraphs are wrapped
 * again, because those of the text may be wider than a screen. */
#include "cli/ui/help_short.h"

#include "cli/ui/help_text.h"

#include <ctype.h>
#include <string.h>

enum {
    WIDTH = 80,
    MOST_EXAMPLES = 6,
    INDENT = 2,
    TERM_MOST = 24, /* a longer term has a line of its own */
    COMMENT = 3     /* columns between an example and its comment, with the '#' and a blank */
};

void help_print_long(const char *help, FILE *to)
{
    bool begins = true;

    for (; *help != '\0'; help++) {
        putc(begins && *help == HELP_MARK ? ' ' : *help, to);
        begins = *help == '\n';
    }
}

static int larger(int a, int b) { return a > b ? a : b; }

/* ---- Examples ---- */

/* The columns of the command of an example, and its comment; NULL: it has none. */
static int split_example(const char *text, const char **comment)
{
    const char *const mark = strstr(text, " # ");
    size_t            length = mark != NULL ? (size_t)(mark - text) : strlen(text);

    while (length > 0 && text[length - 1] == ' ')
        length--;
    *comment = mark != NULL ? mark + 3 : NULL;
    if (mark != NULL && INDENT + length + COMMENT + strlen(*comment) > WIDTH)
        *comment = NULL;
    return (int)length;
}

/* Goes to the next example that fits in a line. */
static bool next_example(help_part *p, int *length, const char **comment)
{
    while (help_next(p)) {
        if (p->kind != HELP_EXAMPLE)
            continue;
        *length = split_example(p->text, comment);
        if (INDENT + *length <= WIDTH)
            return true;
    }
    return false;
}

/* Comments are below each other where the lines have room for that. */
static void print_examples(help_part *p, const char *help, FILE *to)
{
    const char *comment;
    int         length, column = 0;

    p->at = help;
    for (int i = 0; i < MOST_EXAMPLES && next_example(p, &length, &comment); i++)
        if (comment != NULL)
            column = larger(column, length);
    p->at = help;
    fputs("Examples:\n", to);
    for (int i = 0; i < MOST_EXAMPLES && next_example(p, &length, &comment); i++) {
        fprintf(to, "  %.*s", length, p->text);
        if (comment != NULL) {
            const int room = WIDTH - INDENT - COMMENT - (int)strlen(comment);
            const int at = column <= room ? column : length;
            fprintf(to, "%*s # %s", larger(at - length, 0), "", comment);
        }
        putc('\n', to);
    }
}

/* ---- Paragraphs ---- */

/* Prints text[0..length) from `column` on; further lines are indented. */
static void print_wrapped(const char *text, size_t length, int column, int indent, FILE *to)
{
    for (size_t at = 0, word; at < length; at += word + 1) {
        word = strcspn(text + at, " ");
        if (word > length - at)
            word = length - at;
        if (column > indent && column + 1 + (int)word > WIDTH) {
            fprintf(to, "\n%*s", indent, "");
            column = indent;
        }
        column += fprintf(to, "%s%.*s", column > indent ? " " : "", (int)word, text + at);
    }
    putc('\n', to);
}

/* Paragraphs before the second heading, which is the first of the options. */
static void print_usage(help_part *p, const char *help, FILE *to)
{
    p->at = help;
    for (int headings = 0; help_next(p);) {
        headings += p->kind == HELP_HEADING;
        if (headings > 1)
            break;
        if (p->kind == HELP_USAGE)
            fprintf(to, "\nUsage: %s\n", p->text);
        else if (p->kind == HELP_PROSE && !help_is_exit_status(p))
            print_wrapped(p->text, strlen(p->text), 0, 0, to);
    }
}

/* ---- Options ---- */

typedef struct walk { /* over entries */
    help_part *p;
    int        group;       /* 1: the first one                     */
    bool       first_whole; /* no entry of the first group is marked */
    char       heading[64]; /* of the group                          */
} walk;

static bool next_entry(walk *w)
{
    while (help_next(w->p)) {
        if (w->p->kind == HELP_ENTRY)
            return true;
        if (w->p->kind == HELP_HEADING && !w->p->examples) {
            w->group++;
            snprintf(w->heading, sizeof w->heading, "%s", w->p->text);
        }
    }
    return false;
}

static bool is_shown(const walk *w) { return w->p->marked || (w->group == 1 && w->first_whole); }

/* Entries may also be commands or distributions. */
static bool is_option(const walk *w) { return w->p->term[0] == '-'; }

static walk begin_walk(help_part *p, const char *help)
{
    walk w = {.p = p, .first_whole = true};

    p->at = help;
    while (next_entry(&w) && w.group <= 1)
        w.first_whole = w.first_whole && !p->marked;
    p->at = help;
    w.group = 0;
    return w;
}

/* The length of the first clause: what is before a semicolon or a full stop outside of brackets. */
static size_t first_clause(const char *text)
{
    size_t i = 0;

    for (int depth = 0; text[i] != '\0'; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        const bool stop = text[i] == '.' && text[i + 1] == ' ' && i > 0 && text[i - 1] != '.';
        if (depth == 0 && (text[i] == ';' || stop))
            break;
    }
    return i;
}

/* The column in which descriptions begin. */
static int find_column(help_part *p, const char *help)
{
    walk w = begin_walk(p, help);
    int  column = 0;

    while (next_entry(&w))
        if (is_shown(&w) && strlen(p->term) <= TERM_MOST)
            column = larger(column, INDENT + (int)strlen(p->term) + 2);
    return column;
}

static void print_entries(help_part *p, const char *help, FILE *to)
{
    const int column = find_column(p, help);
    walk      w = begin_walk(p, help);
    int       before = 0; /* of the entry before: 1: an option, 2: none */

    while (next_entry(&w)) {
        const int now = is_option(&w) ? 1 : 2;
        if (!is_shown(&w))
            continue;
        if (now != before)
            fprintf(to, "\n%s:\n", now == 1 ? "Options" : w.heading);
        before = now;
        int at = fprintf(to, "  %s", p->term);
        if (at + 2 > column)
            at = (putc('\n', to), 0);
        fprintf(to, "%*s", column - at, "");
        print_wrapped(p->text, first_clause(p->text), column, column, to);
    }
}

/* Names the entries of the first group that are left out, unless they are options. */
static void print_others(help_part *p, const char *help, FILE *to)
{
    walk w = begin_walk(p, help);
    int  column = 0;

    while (next_entry(&w) && w.group <= 1) {
        if (is_shown(&w) || is_option(&w))
            continue;
        if (column == 0)
            column =
                fprintf(to, "\nMore %c%s:", tolower((unsigned char)w.heading[0]), w.heading + 1) -
                1;
        if (column + 1 + (int)strlen(p->term) > WIDTH)
            column = fprintf(to, "\n ") - 1;
        column += fprintf(to, " %s", p->term);
    }
    if (column > 0)
        putc('\n', to);
}

bool help_print_short(const char *help, const char *longer, FILE *to)
{
    help_part  p;
    const bool ok = help_open(&p, help);

    if (ok) {
        print_examples(&p, help, to);
        print_usage(&p, help, to);
        print_entries(&p, help, to);
        print_others(&p, help, to);
        fprintf(to, "\n'%s' prints everything.\n", longer);
    }
    help_close(&p);
    return ok;
}
