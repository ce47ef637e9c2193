/* dev_lexsort.cu - the order of rows by several key columns.
 *
 * Neighbouring columns are packed into one word while their key bits fit into 64 bits. The rows are
 * sorted by the last word first and by the first word last. Each sort of (word, row) pairs is
 * stable, so it keeps the order by the later words. The ranges of the columns are not measured,
 * because then the number of sorts would depend on a result of the device. A word costs one gather
 * and one sort of pairs. Scratch: one word per row, and the scratch of the sort. */
#include "cuda/columns/columns.cuh"

struct column_word { /* columns [first, first + count) */
    unsigned first, count, bits;
};

struct column_words {
    column_word at[COLUMNS_MOST];
    unsigned    count;
    bool        is_wide; /* some word has more than 32 bits */
};

static key_columns columns_of(const ordo_key_column *columns, size_t count)
{
    key_columns list = {};
    list.count = (unsigned)count;
    for (size_t c = 0; c < count; c++)
        list.at[c] = key_column_of(columns[c]);
    return list;
}

static column_words words_of(const key_columns &columns)
{
    column_words words = {};
    for (unsigned c = 0; c < columns.count; c++) {
        unsigned const     bits = 8u * columns.at[c].bytes;
        column_word *const last = &words.at[words.count - (words.count > 0)];
        if (words.count > 0 && last->bits + bits <= 64) {
            last->count++;
            last->bits += bits;
        } else {
            words.at[words.count++] = {c, 1, bits};
        }
    }
    for (unsigned w = 0; w < words.count; w++)
        words.is_wide |= words.at[w].bits > 32;
    return words;
}

/* ---- Words ---- */

static DEVICE uint64_t word_of_row(const key_columns &columns, const column_word &word,
                                   uint64_t row)
{
    uint64_t bits = column_bits(columns.at[word.first], row);
    for (unsigned c = word.first + 1; c < word.first + word.count; c++)
        bits = bits << 8 * columns.at[c].bytes | column_bits(columns.at[c], row);
    return bits;
}

/* Writes the words of the rows in the order of the index. If `begins`, the order is that of the
 * array, and the index is written too. */
template <typename WORD, typename INDEX>
static __global__ void fill_words(const __grid_constant__ key_columns columns, column_word word,
                                  bool begins, INDEX *index, WORD *words, size_t n)
{
    grid_each(n, [&](size_t i) {
        uint64_t const row = begins ? i : (uint64_t)index[i];
        if (begins)
            index[i] = (INDEX)i;
        words[i] = (WORD)word_of_row(columns, word, row);
    });
}

static ordo_pairs_job pairs_of(const ordo_lexsort_job *job, bool is_wide, void *words)
{
    ordo_pairs_job pairs = {};
    pairs.keys.type = is_wide ? ORDO_U64 : ORDO_U32;
    pairs.keys.keys = words;
    pairs.keys.n = job->n;
    pairs.keys.algorithm = ORDO_ALGORITHM_AUTO;
    pairs.values = job->index;
    pairs.value_size = cuda_type_size(job->index_type);
    return pairs;
}

template <typename INDEX>
static ordo_status sort_by_word(cuda_call *call, const ordo_lexsort_job *job,
                                const key_columns &columns, const column_word &word, bool begins,
                                void *words)
{
    size_t const         used = call->scratch.used;
    bool const           is_wide = word.bits > 32;
    ordo_pairs_job const pairs = pairs_of(job, is_wide, words);
    TRY(with_word(is_wide, [&](auto zero) {
        typedef decltype(zero) WORD;
        return CUDA_LAUNCH(call, (fill_words<WORD, INDEX>), column_grid(call, job->n),
                           COLUMN_THREADS, 0, columns, word, begins, (INDEX *)job->index,
                           (WORD *)words, job->n);
    }));
    TRY(dev_sort_pairs(call, &pairs));
    call->scratch.used = used; /* the next step runs later on the stream, so it can reuse the
                                * scratch */
    return ORDO_OK;
}

/* ---- Heads ---- */

/* Marks the heads from the sorted first words. `first` masks the bits of the first column. */
template <typename WORD>
static __global__ void heads_of_words(const WORD *words, uint64_t first, uint8_t *heads, size_t n)
{
    grid_each(n, [&](size_t i) {
        uint64_t const differ = i == 0 ? ~(uint64_t)0 : (uint64_t)words[i] ^ words[i - 1];
        heads[i] = (uint8_t)((differ != 0 ? ORDO_ROW_HEAD : 0) |
                             ((differ & first) != 0 ? ORDO_ROW_FIRST : 0));
    });
}

/* Adds the heads that come from column `from` and later columns. */
template <typename INDEX>
static __global__ void heads_of_rows(const __grid_constant__ key_columns columns, unsigned from,
                                     const INDEX *index, uint8_t *heads, size_t n)
{
    grid_each(n, [&](size_t i) {
        if ((heads[i] & ORDO_ROW_HEAD) != 0)
            return;
        bool differs = false;
        for (unsigned c = from; c < columns.count && !differs; c++)
            differs =
                column_bits(columns.at[c], index[i]) != column_bits(columns.at[c], index[i - 1]);
        if (differs)
            heads[i] |= ORDO_ROW_HEAD;
    });
}

template <typename INDEX>
static ordo_status find_heads(cuda_call *call, const ordo_lexsort_job *job,
                              const key_columns &columns, const column_words &words,
                              const void *sorted)
{
    column_word const word = words.at[0];
    unsigned const    bits = 8u * columns.at[0].bytes;
    uint64_t const    first = ~(uint64_t)0 >> (64 - bits) << (word.bits - bits);
    TRY(with_word(word.bits > 32, [&](auto zero) {
        typedef decltype(zero) WORD;
        return CUDA_LAUNCH(call, heads_of_words<WORD>, column_grid(call, job->n), COLUMN_THREADS, 0,
                           (const WORD *)sorted, first, job->heads, job->n);
    }));
    if (words.count == 1)
        return ORDO_OK;
    return CUDA_LAUNCH(call, heads_of_rows<INDEX>, column_grid(call, job->n), COLUMN_THREADS, 0,
                       columns, word.count, (const INDEX *)job->index, job->heads, job->n);
}

/* ---- The sort ---- */

static void *words_layout(cuda_scratch *scratch, const ordo_lexsort_job *job, bool is_wide)
{
    return scratch_take<char>(scratch, job->n * (is_wide ? sizeof(uint64_t) : sizeof(uint32_t)));
}

size_t dev_lexsort_scratch(const ordo_lexsort_job *job)
{
    column_words const words = words_of(columns_of(job->columns, job->count));
    size_t             most = 0;
    for (unsigned w = 0; w < words.count; w++) {
        ordo_pairs_job const pairs = pairs_of(job, words.at[w].bits > 32, NULL);
        most = ordo_max(most, dev_sort_pairs_scratch(&pairs));
    }
    return scratch_of(words_layout, job, words.is_wide) + most;
}

template <typename INDEX>
static ordo_status lexsort_rows(cuda_call *call, const ordo_lexsort_job *job)
{
    key_columns const  columns = columns_of(job->columns, job->count);
    column_words const words = words_of(columns);
    void *const        sorted = words_layout(&call->scratch, job, words.is_wide);
    for (unsigned w = words.count; w-- > 0;)
        TRY(sort_by_word<INDEX>(call, job, columns, words.at[w], w + 1 == words.count, sorted));
    return job->heads == NULL ? ORDO_OK : find_heads<INDEX>(call, job, columns, words, sorted);
}

ordo_status dev_lexsort(cuda_call *call, const ordo_lexsort_job *job)
{
    TRY(job->index_type == ORDO_U32 ? lexsort_rows<uint32_t>(call, job)
                                    : lexsort_rows<uint64_t>(call, job));
    call->exec->algorithm = "words";
    return ORDO_OK;
}
