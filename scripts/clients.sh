#!/bin/sh
# Programs that make clients out of an OpenAPI document: openapi-typescript with openapi-fetch, and openapi-python-client.
#
#   scripts/clients.sh [types]   install them into .tools/clients where they are not there (needs npm and Python 3.11); prints that
#                                folder. `types`: openapi-typescript alone, whose TypeScript is older than ours
set -eu
repository=$(cd "$(dirname "$0")/.." && pwd)
folder=$repository/.tools/clients
requirements=$repository/scripts/clients-requirements.txt
npm_wanted="openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3"
wanted="$npm_wanted $(cat "$requirements")"
installed=$(cat "$folder/installed.txt" 2>/dev/null || true)

if [ "$installed" != "$wanted" ] && [ "$installed" != "$npm_wanted" ]; then
  echo "clients.sh: installing openapi-typescript into .tools/clients …" >&2
  rm -rf "$folder"
  # shellcheck disable=SC2086 # The names are words.
  "$repository/scripts/npm.sh" install --prefix "$folder" --no-save --no-package-lock $npm_wanted >&2
  # Last, so that an installation that is interrupted is begun anew; so is the next.
  echo "$npm_wanted" >"$folder/installed.txt"
fi
if [ "${1:-}" != types ] && [ "$installed" != "$wanted" ]; then
  echo "clients.sh: installing openapi-python-client into .tools/clients …" >&2
  rm -rf "$folder/python"
  python3 -m venv "$folder/python"
  "$folder/python/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements" >&2
  echo "$wanted" >"$folder/installed.txt"
fi
echo "$folder"
