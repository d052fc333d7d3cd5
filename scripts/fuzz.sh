#!/bin/sh
# Schemathesis, which makes requests out of an OpenAPI document, an independent validator of such documents, and a reader of feeds.
#
#   scripts/fuzz.sh          install them into .tools/fuzz where they are not there (needs Python 3.10); prints that folder
set -eu
cd "$(dirname "$0")/.."

folder=.tools/fuzz
wanted=scripts/fuzz-requirements.txt
if ! cmp -s "$wanted" "$folder/installed.txt"; then
  echo "fuzz.sh: installing schemathesis into $folder …" >&2
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted" >&2
  # Last, so that an installation that is interrupted is begun anew.
  cp "$wanted" "$folder/installed.txt"
fi
echo "$PWD/$folder"
