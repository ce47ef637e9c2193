/* key_version.c - the bytes of a version key, -V (see key_encode.h).
 *
 * The order is that of GNU's version sort: an empty key, ".", "..", other keys that begin with '.',
 * then the rest. A key without its suffixes, such as ".tar.gz", decides first, then the whole key.
 * A text is compared in turn by characters that are no digits and by numbers: '~' comes before the
 * end of the characters, then letters, then other characters. */
#include "cli/lines/key_encode.h"

#include <string.h>

enum {
    CODE_TILDE = 1,
    CODE_END = 2, /* of the characters before a number or the end of the text */
    CODE_LETTERS = 3
};

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static unsigned code_of(char c)
{
    const unsigned byte = (unsigned char)c;

    if (c == '~')
        return CODE_TILDE;
    if (is_letter(c))
        return CODE_LETTERS + (c >= 'a' ? byte - 'a' + 26 : byte - 'A');
    /* Others keep their order; digits, letters and '~' leave gaps that are closed. */
    return CODE_LETTERS + 52 + byte - (byte > '9' ? 10 : 0) - (byte > 'Z' ? 26 : 0) -
           (byte > 'z' ? 26 : 0) - (byte > '~' ? 1 : 0);
}

static void put_parts(key_span text, key_bytes *out)
{
    const char *p = text.begin;

    do {
        for (; p < text.end && !is_digit(*p); p++)
            put_byte(out, code_of(*p));
        put_byte(out, CODE_END);
        while (p < text.end && *p == '0')
            p++;
        const char *const digits = p;
        while (p < text.end && is_digit(*p))
            p++;
        put_number(out, digits, p);
    } while (p < text.end);
    put_byte(out, CODE_END);
}

/* Where the suffixes begin: as many parts ".LETTER..." of letters, digits and '~' as there are at
 * the end. */
static const char *suffixes(key_span text)
{
    const char *begin = text.end;

    for (const char *p = text.end; p > text.begin;) {
        while (p > text.begin && (is_letter(p[-1]) || is_digit(p[-1]) || p[-1] == '~'))
            p--;
        if (p == begin || p == text.begin || p[-1] != '.' || is_digit(*p))
            break;
        begin = --p;
    }
    return begin;
}

void version_encode(key_span span, key_bytes *out)
{
    const size_t length = (size_t)(span.end - span.begin);
    const bool   dot = length > 0 && span.begin[0] == '.';

    put_byte(out, length == 0                                  ? 0
                  : dot && length == 1                         ? 1
                  : dot && length == 2 && span.begin[1] == '.' ? 2
                  : dot                                        ? 3
                                                               : 4);
    put_parts((key_span){span.begin, suffixes(span)}, out);
    put_parts(span, out);
}
