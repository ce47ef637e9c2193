/* completion.c - scripts that complete commands and options (see completion.h).
 *
 * Each script is made from the option tables, which name every option and its choices, and from the
 * help texts, which describe them. Other operands and values are file names. For the names of
 * columns a script runs `PROGRAM completion --columns WORDS`, with the program of the PATH: it must
 * not run a file only because a command line names it. */
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

static bool is_column(const option_spec *s) { return s->choices == option_columns; }

/* Whether the value is a number, and so no file name. */
static bool is_number(const option_spec *s)
{
    return s->kind == OPTION_COUNT || s->kind == OPTION_REAL || s->kind == OPTION_SIZE;
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

/* Prints a part of a script, in which '~' stands for the program. */
static void print_part(const char *text, const char *program)
{
    for (; *text != '\0'; text++)
        if (*text == '~')
            fputs(program, stdout);
        else
            putchar(*text);
}

static bool has_columns(const completion_command *commands, size_t n)
{
    for (size_t c = 0; c < n; c++)
        for (const option_spec *s = commands[c].options; s != NULL && s->name != NULL; s++)
            if (is_column(s))
                return true;
    return false;
}

/* ---- bash ---- */

/* The names are quoted, unless the word begins with a quote. */
static const char bash_columns[] =
    "_~_columns() {\n"
    "    local word=${1#[\\\"\\']} name\n"
    "    while IFS= read -r name; do\n"
    "        [[ $name == \"$word\"* || $(printf %q \"$name\") == \"$word\"* ]] || continue\n"
    "        [ \"$word\" != \"$1\" ] || name=$(printf %q \"$name\")\n"
    "        COMPREPLY+=(\"$name\")\n"
    "    done < <(command ~ completion --columns \"${COMP_WORDS[@]:1}\" 2>/dev/null)\n"
    "    compopt +o default 2>/dev/null\n"
    "}\n";

/* bash divides "--name=value" into three words. */
static const char bash_begin[] =
    "_~() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
    "    COMPREPLY=()\n"
    "    case $word:$before in\n"
    "    =:*) word= before=$before= ;;\n"
    "    *:=) before=${COMP_WORDS[COMP_CWORD - 2]}= ;;\n"
    "    esac\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n";

static const char bash_end[] = "        esac ;;\n"
                               "    esac\n"
                               "    [ -z \"$words\" ] || compopt +o default 2>/dev/null\n"
                               "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                               "}\n"
                               "complete -o default -F _~ ~\n";

/* A case: what the value of an option may be. */
static void print_bash_value(const char *program, const char *command, const option_spec *s)
{
    printf("    %s:", command);
    print_option(s);
    if (s->kind == OPTION_MAYBE) {
        putchar('=');
    } else if (s->name[1] != '\0') {
        printf(" | %s:--%s=", command, s->name);
        if (s->letter != '\0')
            printf(" | %s:-%c", command, s->letter);
    }
    if (is_column(s)) {
        printf(") _%s_columns \"$word\"; return ;;\n", program);
    } else if (s->choices != NULL) {
        fputs(") words='", stdout);
        print_choices(s);
        puts("' ;;");
    } else {
        puts(is_number(s) ? ") compopt +o default 2>/dev/null; return ;;" : ") return ;;");
    }
}

static void print_bash_options(const completion_command *c)
{
    printf("        %s) words='--help%s", c->name, c->all ? " --help=all" : "");
    for (const option_spec *s = c->options; s->name != NULL; s++) {
        putchar(' ');
        print_option(s);
    }
    puts("' ;;");
}

static void print_bash(const char *program, const completion_command *commands, size_t n)
{
    printf("# Completion of %s for bash.\n", program);
    if (has_columns(commands, n))
        print_part(bash_columns, program);
    print_part(bash_begin, program);
    fputs("        words='", stdout);
    for (size_t c = 0; c < n; c++)
        printf("%s%s", c > 0 ? " " : "", commands[c].name);
    puts("'\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n        return\n    fi\n"
         "    case ${COMP_WORDS[1]}:$before in");
    for (size_t c = 0; c < n; c++) {
        if (commands[c].all)
            printf("    %s:--help=) words=all ;;\n", commands[c].name);
        for (const option_spec *s = commands[c].options; s != NULL && s->name != NULL; s++)
            if (!is_flag(s))
                print_bash_value(program, commands[c].name, s);
    }
    puts("    *)\n        case ${COMP_WORDS[1]}:$word in");
    for (size_t c = 0; c < n; c++)
        if (commands[c].options == NULL && commands[c].words != NULL)
            printf("        %s:*) words='%s' ;;\n", commands[c].name, commands[c].words);
    puts("        *:-*) ;;");
    for (size_t c = 0; c < n; c++)
        if (commands[c].options != NULL && commands[c].words != NULL)
            printf("        %s:*) words='%s' ;;\n", commands[c].name, commands[c].words);
    puts("        *) return ;;\n        esac\n"
         "        [ -n \"$words\" ] || case ${COMP_WORDS[1]} in");
    for (size_t c = 0; c < n; c++)
        if (commands[c].options != NULL)
            print_bash_options(&commands[c]);
    print_part(bash_end, program);
}

/* ---- zsh ---- */

static void print_zsh_option(const char *program, help_part *p, const char *help,
                             const option_spec *s)
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
    if (is_column(s)) {
        printf(":column:_%s_columns", program);
    } else if (!is_flag(s) && s->choices != NULL) {
        printf("%svalue:(", s->kind == OPTION_MAYBE ? "::" : ":");
        print_choices(s);
        putchar(')');
    } else if (!is_flag(s)) {
        fputs(s->kind == OPTION_TEXT || s->kind == OPTION_TEXTS ? ":value:_files" : ":value:",
              stdout);
    }
    puts("' \\");
}

static const char zsh_columns[] =
    "_~_columns() {\n"
    "    local -a names\n"
    "    names=(\"${(@f)$(command ~ completion --columns \"${words[@]}\" 2>/dev/null)}\")\n"
    "    [[ -n $names[1] ]] && compadd -- \"${names[@]}\"\n"
    "}\n";

static void print_zsh(const char *program, const completion_command *commands, size_t n,
                      help_part *p)
{
    printf("#compdef %s\n# Completion of %s for zsh.\n", program, program);
    if (has_columns(commands, n))
        print_part(zsh_columns, program);
    printf("_%s() {\n", program);
    puts("    local -a commands\n"
         "    if (( CURRENT == 2 )); then\n        commands=(");
    for (size_t c = 0; c < n; c++)
        printf("            '%s:%s'\n", commands[c].name, commands[c].summary);
    puts("        )\n        _describe command commands\n        return\n    fi\n"
         "    local command=${words[2]}\n    shift words\n    (( CURRENT-- ))\n"
         "    case $command in");
    for (size_t c = 0; c < n; c++) {
        const char *const words = commands[c].words;
        if (commands[c].options == NULL && words != NULL)
            printf("    %s) compadd -- %s ;;\n", commands[c].name, words);
        if (commands[c].options == NULL)
            continue;
        printf("    %s)\n        _arguments -s \\\n", commands[c].name);
        for (const option_spec *s = commands[c].options; s->name != NULL; s++)
            print_zsh_option(program, p, commands[c].help, s);
        printf("            '--help%s' ",
               commands[c].all ? "=-[print help]::form:(all)" : "[print help]");
        if (words != NULL)
            printf("'*:word:(%s)' ;;\n", words);
        else
            puts("'*:file:_files' ;;");
    }
    puts("    *) _files ;;\n    esac\n}");
    printf("if [ \"$funcstack[1]\" = _%s ]; then _%s \"$@\"; else compdef _%s %s; fi\n", program,
           program, program, program);
}

/* ---- fish ---- */

static const char fish_columns[] =
    "function __~_columns\n"
    "    command ~ completion --columns (commandline -opc)[2..] (commandline -ct) 2>/dev/null\n"
    "end\n";

static void print_fish_option(const char *program, const completion_command *c, help_part *p,
                              const option_spec *s)
{
    printf("complete -c %s -n '__fish_seen_subcommand_from %s' -%c %s", program, c->name,
           s->name[1] == '\0' ? 's' : 'l', s->name);
    if (s->letter != '\0' && s->name[1] != '\0')
        printf(" -s %c", s->letter);
    if (!is_flag(s) && s->kind != OPTION_MAYBE)
        fputs(s->choices != NULL || is_number(s) ? " -x" : " -r", stdout);
    if (is_column(s)) {
        printf(" -a '(__%s_columns)'", program);
    } else if (s->choices != NULL) {
        fputs(" -a '", stdout);
        print_choices(s);
        putchar('\'');
    }
    fputs(" -d '", stdout);
    print_description(p, c->help, s);
    puts("'");
}

static void print_fish(const char *program, const completion_command *commands, size_t n,
                       help_part *p)
{
    printf("# Completion of %s for fish.\n", program);
    if (has_columns(commands, n))
        print_part(fish_columns, program);
    for (size_t c = 0; c < n; c++)
        printf("complete -c %s -n __fish_use_subcommand -f -a %s -d '%s'\n", program,
               commands[c].name, commands[c].summary);
    for (size_t c = 0; c < n; c++) {
        if (commands[c].words != NULL)
            printf("complete -c %s -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", program,
                   commands[c].name, commands[c].words);
        if (commands[c].all)
            printf("complete -c %s -n '__fish_seen_subcommand_from %s' -l help -a all -d 'print "
                   "help'\n",
                   program, commands[c].name);
        for (const option_spec *s = commands[c].options; s != NULL && s->name != NULL; s++)
            print_fish_option(program, &commands[c], p, s);
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
