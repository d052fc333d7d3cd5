#!/bin/sh
# Schemathesis, which generates requests from an OpenAPI document, a validator of such documents, and a feed reader.
#
#   scripts/fuzz.sh          installs them into .tools/fuzz if missing (needs Python 3.10); prints that folder
set -eu
cd "$(dirname "$0")/.."

folder=.tools/fuzz
wanted=scripts/fuzz-requirements.txt
if ! cmp -s "$wanted" "$folder/installed.txt"; then
  echo "fuzz.sh: installing schemathesis into $folder …" >&2
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted" >&2
  # Last, so that an interrupted installation starts again.
  cp "$wanted" "$folder/installed.txt"
fi
echo "$PWD/$folder"
