#!/bin/sh
# Says clearly what is missing before anything fails in an obscure way.
command -v npm >/dev/null 2>&1 || { echo "modelstats needs Node.js 20.19 or newer with npm (24 recommended): https://nodejs.org" >&2; exit 1; }
node -e 'var v = process.versions.node.split(".").map(Number); process.exit(v[0] > 20 || (v[0] === 20 && v[1] >= 19) ? 0 : 1)' || {
  echo "modelstats needs Node.js 20.19 or newer (24 recommended), this is $(node --version): https://nodejs.org" >&2
  exit 1
}
