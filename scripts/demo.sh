#!/usr/bin/env bash
# Publishes every day of a sample source into the default store, issues a key per plan, and says what can be done with it.
set -euo pipefail
cd "$(dirname "$0")/.."

source=${1:-fixtures/days}
modelstats() { node dist/bin/modelstats.js "$@"; }

echo "Publishing the days of $source:"
modelstats nightly --source "$source" --all-days
echo
modelstats status

cat <<'NEXT'

Each day was captured, checked, compared with the day before and published. What to try next:

  node dist/bin/modelstats.js verify --all     prove the published files, hash by hash, and replay the feed
  node dist/bin/modelstats.js nightly --help   a night over data of your own
  node dist/bin/modelstats.js --help           all commands
  gunzip -c data/store/releases/*/snapshot/models.jsonl.gz | head -3
  make demo                                    again: every day is published already; the keys below are new
NEXT

node scripts/demo-keys.mjs
