#!/usr/bin/env bash
# Runs validate, test and diff, prints annotations, and writes their reports to $CI_REPORTS. Exits 0: the highest exit
# code of the three is the output `status`, so that the steps after it can publish the reports first.
set -uo pipefail

reports=${CI_REPORTS:?is the folder for the reports}
mkdir -p "$reports"
status=0

run() {
  npx --no-install millrace "$@"
  local code=$?
  if [ "$code" -gt "$status" ]; then status=$code; fi
}

schema=()
if [ -n "${CI_SCHEMA:-}" ]; then schema=(--schema "$CI_SCHEMA"); fi
strict=()
if [ "${CI_STRICT:-false}" = true ]; then strict=(--strict); fi
base=${CI_BASE:-}
if [ -z "$base" ] && [ -n "${GITHUB_BASE_REF:-}" ]; then base=origin/$GITHUB_BASE_REF; fi

run validate --format github "${strict[@]}" "${schema[@]}" \
  --write "sarif=$reports/millrace.sarif" --write "markdown=$reports/validate.md"
run test --format github "${schema[@]}" --write "junit=$reports/millrace.xml" --write "markdown=$reports/test.md"
if [ -n "$base" ]; then
  run diff --format github "${schema[@]}" --write "markdown=$reports/diff.md" "$base...HEAD"
fi

for report in diff validate test; do
  if [ -f "$reports/$report.md" ]; then cat "$reports/$report.md" && echo; fi
done > "$reports/comment.md"
echo "status=$status" >> "${GITHUB_OUTPUT:-/dev/stdout}"
