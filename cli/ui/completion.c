/* completion.c - scripts that complete commands and options (see completion.h).
 *
 * Each script is made from the option tables, which name every option and its choices, and from the
 * help texts, which describe them. Operands and the values of other options are file names. */
#define _POSIX_C_SOURCE 200809L

#include "cli/ui/completion.h"

#include "cli/ui/help_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- What the tables and the help say about an option ---- */

static bool is_flag(const option_spec *s)
{
    return s->kind == OPTION_FLAG || s->kind == OPTION_SET;
}

/* Prints "--name", or "-n" for an option that has only a letter. */
static void print_option(const option_spec *s)
{
    printf("%s%s", s->name[1] == '\0' ? "-" : "--", s->name);
}

/* Prints the choices of an option, with blanks between them; "-" stands for a value without
 * name. */
static void print_choices(const option_spec *s)
{
    bool first = true;

    for (const char *name = s->choices; *name != '\0';) {
        name += strspn(name, " ");
        const size_t length = strcspn(name, " ");
        if (length > 0 && *name != '-')
            printf("%s%.*s", first ? "" : " ", (int)length, name);
        first = first && (length == 0 || *name == '-');
        name += length;
    }
}

/* Whether the term of an entry names the option. */
static bool names_option(const char *term, const option_spec *s)
{
    char      written[48];
    const int length =
        snprintf(written, sizeof written, "%s%s", s->name[1] == '\0' ? "-" : "--", s->name);
    const char *at = term;

    while ((at = strstr(at, written)) != NULL) {
        const char after = at[length], before = at > term ? at[-1] : ' ';
        if (!isalnum((unsigned char)after) && after != '-' && before == ' ')
            return true;
        at += length;
    }
    return false;
}

/* Prints the first clause of what the help says about an option, without characters that shells or
 * their completion functions treat specially. */
static void print_description(help_part *p, const char *help, const option_spec *s)
{
    p->at = help;
    while (help_next(p))
        if (p->kind == HELP_ENTRY && names_option(p->term, s)) {
            for (const char *c = p->text; *c != '\0' && *c != ';' && *c != ':' && *c != '('; c++)
                if (strchr("'\"\\[]`$", *c) == NULL)
                    putchar(*c);
            return;
        }
}

/* ---- bash ---- */

static void print_bash(const char *program, const completion_command *commands, size_t n)
{
    printf("# Completion of %s for bash.\n_%s() {\n", program, program);
    puts("    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
         "    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    fputs("        words='", stdout);
    for (size_t c = 0; c < n; c++)
        printf("%s%s", c > 0 ? " " : "", commands[c].name);
    puts("'\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n        return\n    fi\n"
         "    case ${COMP_WORDS[1]}:$before in");
    for (size_t c = 0; c < n; c++)
        for (const option_spec *s = commands[c].options; s != NULL && s->name != NULL; s++) {
            if (is_flag(s) || s->kind == OPTION_MAYBE)
                continue;
            printf("    %s:", commands[c].name);
            print_option(s);
            fputs(") words='", stdout);
            if (s->choices != NULL)
                print_choices(s);
            puts(s->choices != NULL ? "' ;;" : "'; return ;;");
        }
    puts(
        "    *)\n        case $word in -*) ;; *) return ;; esac\n        case ${COMP_WORDS[1]} in");
    for (size_t c = 0; c < n; c++) {
        if (commands[c].options == NULL)
            continue;
        printf("        %s) words='--help", commands[c].name);
        for (const option_spec *s = commands[c].options; s->name != NULL; s++) {
            putchar(' ');
            print_option(s);
        }
        puts("' ;;");
    }
    puts("        esac ;;\n    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}");
    printf("complete -o default -F _%s %s\n", program, program);
}

/* ---- zsh ---- */

static void print_zsh_option(help_part *p, const char *help, const option_spec *s)
{
    fputs("            '", stdout);
    if (s->kind == OPTION_TEXTS || s->kind == OPTION_KEYS)
        putchar('*');
    print_option(s);
    if (!is_flag(s) && s->name[1] != '\0')
        fputs(s->kind == OPTION_MAYBE ? "=-" : "=", stdout);
    putchar('[');
    print_description(p, help, s);
    putchar(']');
    if (!is_flag(s) && s->choices != NULL) {
        printf("%svalue:(", s->kind == OPTION_MAYBE ? "::" : ":");
        print_choices(s);
        putchar(')');
    } else if (!is_flag(s)) {
        fputs(s->kind == OPTION_TEXT || s->kind == OPTION_TEXTS ? ":value:_files" : ":value:",
              stdout);
    }
    puts("' \\");
}

static void print_zsh(const char *program, const completion_command *commands, size_t n,
                      help_part *p)
{
    printf("#compdef %s\n# Completion of %s for zsh.\n_%s() {\n", program, program, program);
    puts("    local -a commands\n"
         "    if (( CURRENT == 2 )); then\n        commands=(");
    for (size_t c = 0; c < n; c++)
        printf("            '%s:%s'\n", commands[c].name, commands[c].summary);
    puts("        )\n        _describe command commands\n        return\n    fi\n"
         "    local command=${words[2]}\n    shift words\n    (( CURRENT-- ))\n"
         "    case $command in");
    for (size_t c = 0; c < n; c++) {
        if (commands[c].options == NULL)
            continue;
        printf("    %s)\n        _arguments -s \\\n", commands[c].name);
        for (const option_spec *s = commands[c].options; s->name != NULL; s++)
            print_zsh_option(p, commands[c].help, s);
        puts("            '--help[print help]' '*:file:_files' ;;");
    }
    puts("    *) _files ;;\n    esac\n}");
    printf("if [ \"$funcstack[1]\" = _%s ]; then _%s \"$@\"; else compdef _%s %s; fi\n", program,
           program, program, program);
}

/* ---- fish ---- */

static void print_fish(const char *program, const completion_command *commands, size_t n,
                       help_part *p)
{
    printf("# Completion of %s for fish.\n", program);
    for (size_t c = 0; c < n; c++)
        printf("complete -c %s -n __fish_use_subcommand -f -a %s -d '%s'\n", program,
               commands[c].name, commands[c].summary);
    for (size_t c = 0; c < n; c++)
        for (const option_spec *s = commands[c].options; s != NULL && s->name != NULL; s++) {
            printf("complete -c %s -n '__fish_seen_subcommand_from %s' -%c %s", program,
                   commands[c].name, s->name[1] == '\0' ? 's' : 'l', s->name);
            if (s->letter != '\0' && s->name[1] != '\0')
                printf(" -s %c", s->letter);
            if (!is_flag(s) && s->kind != OPTION_MAYBE)
                fputs(s->choices != NULL ? " -x" : " -r", stdout);
            if (s->choices != NULL) {
                fputs(" -a '", stdout);
                print_choices(s);
                putchar('\'');
            }
            fputs(" -d '", stdout);
            print_description(p, commands[c].help, s);
            puts("'");
        }
}

bool completion_print(const char *program, const char *shell, const completion_command *commands,
                      size_t n)
{
    const completion_command *longest = &commands[0];
    help_part                 p;

    for (size_t c = 1; c < n; c++)
        if (strlen(commands[c].help) > strlen(longest->help))
            longest = &commands[c];
    const bool ok = help_open(&p, longest->help); /* memory for the parts of any help */
    if (ok && strcmp(shell, "bash") == 0)
        print_bash(program, commands, n);
    else if (ok && strcmp(shell, "zsh") == 0)
        print_zsh(program, commands, n, &p);
    else if (ok)
        print_fish(program, commands, n, &p);
    help_close(&p);
    return ok;
}
