#!/bin/sh
# Peers for the benchmarks: DuckDB and pandas for Python (of the night), Datasette and ROAPI (of the API).
#
#   scripts/peers.sh             installs all into .tools/peers if missing (needs Python 3.11); prints that folder
#   scripts/peers.sh installed   prints it if they are installed, else fails
set -eu
cd "$(dirname "$0")/.."

folder=.tools/peers
wanted=scripts/peers-requirements.txt
if ! cmp -s "$wanted" "$folder/installed.txt"; then
  if [ "${1-}" = installed ]; then
    echo "peers.sh: the packages of peers-requirements.txt are not in $folder" >&2
    exit 1
  fi
  echo "peers.sh: installing duckdb, pandas, datasette and roapi into $folder …" >&2
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted" >&2
  # Last, so that an interrupted installation starts again.
  cp "$wanted" "$folder/installed.txt"
fi
echo "$PWD/$folder"
