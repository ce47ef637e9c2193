/* small_sort.t.h - insertion sort and heap sort of one type, in place, on one thread.
 *
 * The includer defines RECORD (the type), LESS(a, b) and FN(name). An array of something else that
 * stands for records, such as indices, also defines ELEMENT (the type of the array), CONTEXT and
 * PASS (the leading parameters of every function, and their names), LOAD(element) and
 * STORE(record). Insertion sort is stable; heap sort takes n lg n comparisons at worst. */
#ifndef ELEMENT
#define ELEMENT RECORD
#define CONTEXT
#define PASS
#define LOAD(element) (element)
#define STORE(record) (record)
#define SMALL_SORT_OF_RECORDS
#endif

static inline void FN(insertion_sort)(CONTEXT ELEMENT *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        RECORD const record = LOAD(a[i]);
        size_t       at = i;
        for (; at > 0 && LESS(record, LOAD(a[at - 1])); at--)
            a[at] = a[at - 1];
        a[at] = STORE(record);
    }
}

/* Puts `record` into the heap[0 .. n), largest on top, at or below `root`, which is free. */
static inline void FN(sift)(CONTEXT ELEMENT *heap, size_t root, size_t n, RECORD record)
{
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        RECORD largest = LOAD(heap[child]);
        if (child + 1 < n) {
            RECORD const right = LOAD(heap[child + 1]);
            bool const   is_right = LESS(largest, right); /* random, so not a branch */
            largest = is_right ? right : largest;
            child += is_right;
        }
        if (!LESS(record, largest))
            break;
        heap[root] = heap[child];
    }
    heap[root] = STORE(record);
}

static inline void FN(heap_sort)(CONTEXT ELEMENT *a, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        FN(sift)(PASS a, i, n, LOAD(a[i]));
    for (size_t end = n; end-- > 1;) {
        RECORD const last = LOAD(a[end]);
        a[end] = a[0];
        FN(sift)(PASS a, 0, end, last);
    }
}

#ifdef SMALL_SORT_OF_RECORDS
#undef ELEMENT
#undef CONTEXT
#undef PASS
#undef LOAD
#undef STORE
#undef SMALL_SORT_OF_RECORDS
#endif
