#!/bin/sh
# Generators of clients from an OpenAPI document: openapi-typescript with openapi-fetch, and openapi-python-client.
#
#   scripts/clients.sh [types]   installs them into .tools/clients if missing (needs npm and Python 3.11); prints that
#                                folder. `types`: only openapi-typescript, which needs an older TypeScript
set -eu
repository=$(cd "$(dirname "$0")/.." && pwd)
folder=$repository/.tools/clients
requirements=$repository/scripts/clients-requirements.txt
npm_expected="openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3"
expected="$npm_expected $(cat "$requirements")"
installed=$(cat "$folder/installed.txt" 2>/dev/null || true)

if [ "$installed" != "$expected" ] && [ "$installed" != "$npm_expected" ]; then
  echo "clients.sh: installing openapi-typescript into .tools/clients …" >&2
  rm -rf "$folder"
  # shellcheck disable=SC2086 # The names contain no spaces.
  "$repository/scripts/npm.sh" install --prefix "$folder" --no-save --no-package-lock $npm_expected >&2
  # Last, so that an interrupted installation starts again; so is the next.
  echo "$npm_expected" >"$folder/installed.txt"
fi
if [ "${1:-}" != types ] && [ "$installed" != "$expected" ]; then
  echo "clients.sh: installing openapi-python-client into .tools/clients …" >&2
  rm -rf "$folder/python"
  python3 -m venv "$folder/python"
  "$folder/python/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements" >&2
  echo "$expected" >"$folder/installed.txt"
fi
echo "$folder"
