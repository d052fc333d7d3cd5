#!/bin/sh
# Looks for text that pages would show unescaped: every child of an element in api/ has to be an element, a number, a word of the
# code's own, or escaped by `safe`.
#
#   scripts/html-scan.sh [FOLDER]   scan those of FOLDER (default: this repository); exit code 1 where something is unescaped.
#                                   Installs the scanner into .tools/html-scan, whose TypeScript is older than ours
set -eu
repository=$(cd "$(dirname "$0")/.." && pwd)
folder=$repository/.tools/html-scan
wanted='@kitajs/ts-html-plugin@4.1.4 @kitajs/html@4.2.13 typescript@5.9.3'
plugin=$folder/node_modules/@kitajs/ts-html-plugin

if [ "$(cat "$folder/installed.txt" 2>/dev/null)" != "$wanted" ]; then
  echo "html-scan.sh: installing $wanted into .tools/html-scan …" >&2
  rm -rf "$folder"
  # shellcheck disable=SC2086 # The names are words.
  "$repository/scripts/npm.sh" install --prefix "$folder" --no-save --no-package-lock $wanted >&2
  # This version looks at the second branch of `a ? b : c` twice and never at the first.
  sed 's/\[node\.whenFalse, node\.whenFalse\]/[node.whenTrue, node.whenFalse]/' "$plugin/dist/util.js" >"$plugin/dist/util.mended.js"
  grep -q '\[node\.whenTrue, node\.whenFalse\]' "$plugin/dist/util.mended.js"
  mv "$plugin/dist/util.mended.js" "$plugin/dist/util.js"
  # Last, so that an installation that is interrupted is begun anew.
  echo "$wanted" >"$folder/installed.txt"
fi

cd "${1:-$repository}"
# shellcheck disable=SC2046 # No file has white space in its name.
exec node "$repository/scripts/html-scan.mjs" "$plugin" $(find api -name '*.tsx')
