/* runs.t.h - the conversions of runs.c, for keys of one type. */

static void FN(words_of_keys)(const KEY *keys, size_t n, bool descending, BITS *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = FN(key_sort_bits)(keys[i], descending);
}

static void FN(keys_of_words)(const BITS *words, size_t n, bool descending, KEY *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = FN(key_of_sort_bits)(words[i], descending);
}

/* Keys [from, from + n) as records. */
static void FN(records_of_keys)(const KEY *keys, size_t from, size_t n, bool descending,
                                run_record *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (run_record){FN(key_tie_bits)(keys[from + i], descending), from + i};
}

static void FN(keys_of_records)(const run_record *records, size_t n, const KEY *keys, KEY *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = keys[records[i].place];
}
