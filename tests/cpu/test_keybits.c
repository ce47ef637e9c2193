/* test_keybits.c - core/keybits.h against the oracle: the map from keys to bits is one-to-one,
 * monotone and invertible; it folds ties; descending order keeps NaNs last; key_turn is its own
 * inverse and keeps NaNs.
 *
 * Tests all patterns of 8 and 16 bits; for wider types special values and random patterns. The
 * typed code is in test_keybits.t.h. */
#include "core/keybits.h"
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

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
