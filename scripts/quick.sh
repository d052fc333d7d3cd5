#!/usr/bin/env bash
# What a change should pass before anything longer is run: format, lint, types, the tests beside the changed files, and those of the
# documents. A change is what is not committed yet; where all is, the last commit; `quick.sh REVISION` is everything since REVISION.
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

# The default suite's tests in the very folders of the files: folders below them are rooms of their own.
tests_beside() {
  xargs -r dirname | sort -u | while read -r folder; do
    for test in "$folder"/*.test.ts "$folder"/*.test.tsx; do
      [[ -f $test && ! $test =~ \.(long|s3|services|fuzz|nodes|browser)\.test\.tsx?$ ]] && printf '%s\n' "${test#./}"
    done
  done
}

mapfile -t tests < <(
  changed_files "$@" | tests_beside
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
