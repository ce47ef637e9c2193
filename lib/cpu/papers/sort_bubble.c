/* sort_bubble.c - bubble sort of items, the sequential peer that Pfaff and Treadwell measure their
 * sorts of roughly sorted sequences against ("Parallel Sorting of Roughly-Sorted Sequences", 2016).
 *
 * A pass carries the largest item so far along and ends where the last exchange happened, for all
 * behind that is in its place; the sort ends with a pass that exchanges nothing. An item moves
 * one place towards the front in a pass, so an array whose radius is k takes at most k + 1 passes.
 * One thread, no scratch, time n (k + 1), n^2 / 2 at worst; cancel is asked for all along. */
#include "cpu/cpu.h"
#include "cpu/sort/items.h"

enum {
    STRETCH = ORDO_TUNE_PIECE /* items between two polls */
};

#define ORDO_TEMPLATE "cpu/papers/bubble.t.h"
#include "cpu/sort/for_each_item.h"

ordo_status cpu_items_bubble(const cpu_items *items, ordo_exec *exec)
{
    exec->algorithm = "bubble";
    exec->isa = "generic";
    switch (items->kind) {
    case CPU_ITEM_32:
        return cpu_done(bubble_sort_32(items->items, items->n, exec));
    case CPU_ITEM_64:
        return cpu_done(bubble_sort_64(items->items, items->n, exec));
    default:
        return cpu_done(bubble_sort_128(items->items, items->n, exec));
    }
}
