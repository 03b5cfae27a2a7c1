#!/bin/sh
# Records a command several times, compares it with the profiles that the default branch left in BASELINE, and leaves
# its own in NEW: COMMAND='mpirun -n 4 ./app' sh compare.sh. The exit status is that of `rankwise diff`.
set -eu
: "${COMMAND:?set it to the command that starts the program}"
BASELINE=${BASELINE:-baseline} NEW=${NEW:-new} RUNS=${RUNS:-3} METRIC=${METRIC:-wall} FAIL_ABOVE=${FAIL_ABOVE:-10%}

mkdir -p "$NEW"
run=0
while [ "$run" -lt "$RUNS" ]; do
  run=$((run + 1))
  # shellcheck disable=SC2086
  rankwise run --quiet --force -o "$NEW/$run.rankwise" -- $COMMAND
done

set -- "$BASELINE"/*.rankwise
if ! [ -f "$1" ]; then
  echo "no profiles in $BASELINE: the first run has nothing to be compared with"
  exit 0
fi
rankwise diff --metric "$METRIC" --fail-above "$FAIL_ABOVE" --output summary.md --output junit.xml --output code-quality.json \
  --output badge.svg "$@" -- "$NEW"/*.rankwise
