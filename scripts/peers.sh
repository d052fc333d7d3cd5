#!/bin/sh
# DuckDB and pandas for Python, whose plain scripts the benchmarks run beside the night; Datasette and ROAPI, which they run beside
# the API.
#
#   scripts/peers.sh             install all into .tools/peers where they are not there (needs Python 3.11); prints that folder
#   scripts/peers.sh installed   print it where they are there, else fail
set -eu
cd "$(dirname "$0")/.."

folder=.tools/peers
wanted=scripts/peers-requirements.txt
if ! cmp -s "$wanted" "$folder/installed.txt"; then
  if [ "${1-}" = installed ]; then
    echo "peers.sh: what peers-requirements.txt lists is not in $folder" >&2
    exit 1
  fi
  echo "peers.sh: installing duckdb, pandas, datasette and roapi into $folder …" >&2
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted" >&2
  # Last, so that an installation that is interrupted is begun anew.
  cp "$wanted" "$folder/installed.txt"
fi
echo "$PWD/$folder"
