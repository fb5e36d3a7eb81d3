#!/usr/bin/env bash
# Runs the linter for the action beside this file. What it is given comes in variables, lists with one entry a line.
set -euo pipefail

arguments=(lint --format github "--profile=$LINT_PROFILE" "--fail-on=$LINT_FAIL_ON")
while IFS= read -r key; do
    [[ -z "$key" ]] || arguments+=("--keys=$key")
done <<<"${LINT_KEYS:-}"
arguments+=(--)
while IFS= read -r path; do
    [[ -z "$path" ]] || arguments+=("$path")
done <<<"$LINT_PATHS"

exec countersign "${arguments[@]}"
