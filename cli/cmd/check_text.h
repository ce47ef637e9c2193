/* check_text.h - whether numbers in text are sorted; a part of check.c. */
#ifndef ORDO_CLI_CMD_CHECK_TEXT_H
#define ORDO_CLI_CMD_CHECK_TEXT_H

#include "cli/cmd/check.h"
#include "cli/io/linestream.h"

/* Reads the lines of s as text_read() does, up to the first number out of order. */
bool check_text_numbers(const check_request *request, linestream *s, bool *sorted);

/* Says what is out of order, in the words of GNU sort; number counts lines or elements from 1. */
void check_complain(const char *name, size_t number, const char *text, size_t length);

#endif
