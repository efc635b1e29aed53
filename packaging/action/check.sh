#!/usr/bin/env bash
# Calls `strata check` with what action.yml was given. Values come from the environment, so that none of them is code.
set -euo pipefail

arguments=()
while IFS= read -r recording; do
  if [[ "$recording" =~ [^[:space:]] ]]; then
    arguments+=("$recording")
  fi
done <<< "$RECORDINGS"

# An option that is empty was not given.
option() {
  if [[ -n "$2" ]]; then
    arguments+=("$1" "$2")
  fi
}
option --budget "$BUDGET"
option --baseline "$BASELINE"
option --allow-growth "$ALLOW_GROWTH"
option --format "$FORMAT"
option --output "$OUTPUT"

exec "$STRATA" check "${arguments[@]}"
