#!/usr/bin/env bash
# Quick checks of a change: format, lint, types, the tests beside the changed files, and those of the documents. The change is what is
# not committed, else the last commit; with `quick.sh REVISION` everything since REVISION.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

changed_files() {
  if [[ $# -gt 0 ]]; then
    git diff --name-only "$1"
  elif [[ -n $(git status --porcelain) ]]; then
    git diff --name-only HEAD
  else
    git diff --name-only HEAD~1
  fi
  git ls-files --others --exclude-standard
}

# The nearest tests of the default suite: a changed test itself, those in the folder of another file, and for schemas also the published
# files.
tests_near() {
  while read -r file; do
    case $file in
      *.test.ts | *.test.tsx) printf '%s\n' "$file" ;;
      *) printf '%s\n' "$(dirname "$file")"/*.test.ts "$(dirname "$file")"/*.test.tsx ;;
    esac
    [[ $file == schemas/* ]] && printf '%s\n' test/night/{golden,verbatim}.test.ts
  done | sort -u | while read -r test; do
    [[ -f $test && ! $test =~ \.(long|s3|services|fuzz|nodes|browser)\.test\.tsx?$ ]] && printf '%s\n' "${test#./}"
  done
}

mapfile -t tests < <(
  changed_files "$@" | tests_near
  printf '%s\n' test/{documents,rules,specification,direction,changelog}.test.ts
)

checks=(check:format check:lint check:types)
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
for check in "${checks[@]}"; do
  node --run "$check" >"$logs/$check" 2>&1 &
  pids+=($!)
done
npx vitest run --project default $(printf '%s\n' "${tests[@]}" | sort -u)
code=$?
for index in "${!checks[@]}"; do
  wait "${pids[$index]}" || { code=1 && cat "$logs/${checks[$index]}"; }
done
exit "$code"
