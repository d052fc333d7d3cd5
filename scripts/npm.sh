#!/bin/sh
# npm with the options that this repository needs, whatever stands in the user's own configuration; the registry is the user's.
#
#   scripts/npm.sh ci
set -eu
command -v npm >/dev/null 2>&1 || { echo "modelstats needs Node.js with npm (24 recommended): https://nodejs.org" >&2; exit 1; }
# The last word is npm's: options on its command line come before every file and variable.
exec npm "$@" --include=dev --include=optional --ignore-scripts --bin-links --no-global --no-dry-run --no-engine-strict \
  --no-legacy-bundling --install-strategy=hoisted --no-package-lock-only --no-workspaces \
  --no-audit --no-fund --no-update-notifier --loglevel=error
