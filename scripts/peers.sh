#!/bin/sh
# Peers for the benchmarks: DuckDB and pandas for Python (of the night), Datasette and ROAPI (of the API).
#
#   scripts/peers.sh             installs all into .tools/peers if missing (needs Python 3.11); prints that folder
#   scripts/peers.sh installed   prints it if they are installed, else fails
set -eu
cd "$(dirname "$0")/.."

if [ "${1-}" = installed ] && ! cmp -s scripts/peers-requirements.txt .tools/peers/installed.txt; then
  echo "peers.sh: the packages of peers-requirements.txt are not in .tools/peers" >&2
  exit 1
fi
exec scripts/venv.sh peers 'duckdb, pandas, datasette and roapi'
