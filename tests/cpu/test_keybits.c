/* test_keybits.c - core/keybits.h against the oracle's idea of order: one-to-one, monotone,
 * invertible, ties folded, descending turned around with NaN still last; key_turn, which turns the
 * bits themselves, is its own inverse and leaves NaNs alone.
 *
 * All patterns of 8 and 16 bits; for wider types specials, their neighbours and random patterns.
 * The typed code is in test_keybits.t.h. */
#include "core/keybits.h"
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 1 << 16
};

#define ORDO_TEMPLATE "cpu/test_keybits.t.h"
#include "core/for_each_type.h"

int main(void)
{
    testkit_start();
#define ORDO_TYPE(ID, tag, key, bits) keybits_test_##tag(ORDO_##ID);
#include "core/types.def"
    return testkit_done();
}
