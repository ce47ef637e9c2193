#!/bin/sh
# run.sh BUILD page|browser - tests of the report: loading, statistics, verdicts and the page, or
# the page in headless Chromium. Exits 77 if there is no python3, or no Chromium for `browser`.
# CHROMIUM names another program; EMULATOR comes from the environment (for cross builds).
set -u
build=$1
part=$2
cd "$(dirname "$0")" || exit 2

command -v python3 >/dev/null || {
    echo "run.sh: skipped: python3 is not installed"
    exit 77
}
if [ "$part" = browser ]; then
    found=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
    CHROMIUM=${CHROMIUM:-$found}
    [ -n "$CHROMIUM" ] || {
        echo "run.sh: skipped: chromium is not installed; scripts/bootstrap report installs it"
        exit 77
    }
    export CHROMIUM
    exec python3 -B -m unittest -v test_browser
fi
ORDO_BENCH="${EMULATOR:-} $build/ordo-bench"
export ORDO_BENCH
exec python3 -B -m unittest -v test_data test_sources test_runs test_page
