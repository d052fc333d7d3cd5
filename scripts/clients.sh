#!/bin/sh
# Programs that make clients out of an OpenAPI document: openapi-typescript with openapi-fetch, and openapi-python-client.
#
#   scripts/clients.sh       install them into .tools/clients where they are not there (needs npm and Python 3.11); prints that
#                            folder. The TypeScript that openapi-typescript works with is older than ours
set -eu
repository=$(cd "$(dirname "$0")/.." && pwd)
folder=$repository/.tools/clients
requirements=$repository/scripts/clients-requirements.txt
wanted="openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3"

if [ "$(cat "$folder/installed.txt" 2>/dev/null)" != "$wanted $(cat "$requirements")" ]; then
  echo "clients.sh: installing openapi-typescript and openapi-python-client into .tools/clients …" >&2
  rm -rf "$folder"
  # shellcheck disable=SC2086 # The names are words.
  "$repository/scripts/npm.sh" install --prefix "$folder" --no-save --no-package-lock $wanted >&2
  python3 -m venv "$folder/python"
  "$folder/python/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements" >&2
  # Last, so that an installation that is interrupted is begun anew.
  echo "$wanted $(cat "$requirements")" >"$folder/installed.txt"
fi
echo "$folder"
