#!/bin/sh
# Packages of Python in a folder of their own.
#
#   scripts/venv.sh NAME TEXT   installs those of scripts/NAME-requirements.txt into .tools/NAME if they are not there (needs Python);
#                               prints that folder. TEXT names them to people
set -eu
cd "$(dirname "$0")/.."

folder=.tools/$1
wanted=scripts/$1-requirements.txt
if ! cmp -s "$wanted" "$folder/installed.txt"; then
  echo "$1.sh: installing $2 into $folder …" >&2
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted" >&2
  # Last, so that an interrupted installation starts again.
  cp "$wanted" "$folder/installed.txt"
fi
echo "$PWD/$folder"
