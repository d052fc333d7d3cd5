#!/bin/sh
# npm with the options that this repository needs, but with the user's registry.
#
#   scripts/npm.sh ci
set -eu
command -v npm >/dev/null 2>&1 || { echo "modelstats needs Node.js with npm (24 recommended): https://nodejs.org" >&2; exit 1; }
# Options on the command line override all files and variables.
exec npm "$@" --include=dev --include=optional --ignore-scripts --bin-links --no-global --no-dry-run --no-engine-strict \
  --no-legacy-bundling --install-strategy=hoisted --no-package-lock-only --no-workspaces \
  --no-audit --no-fund --no-update-notifier --loglevel=error
