#!/bin/sh
# MinIO, the S3 server of the tests and of first steps.
#
#   scripts/minio.sh          finds it, or builds it into .tools/ (needs Go, takes some 3 minutes once); prints its path
#   scripts/minio.sh start    runs it until Ctrl-C on 127.0.0.1, with a free port and a temporary data folder
set -eu
cd "$(dirname "$0")/.."

find_minio() {
  if [ -x .tools/minio ]; then
    echo "$PWD/.tools/minio"
  else
    command -v minio
  fi
}

get_minio() {
  find_minio && return
  if ! command -v go >/dev/null; then
    echo "minio.sh: MinIO is neither on PATH nor in .tools/, and Go to build it is missing." >&2
    echo "minio.sh: install MinIO or Go 1.24 or newer, or use the container of deploy/compose.yaml." >&2
    return 1
  fi
  echo "minio.sh: building MinIO into .tools/, some 3 minutes …" >&2
  # Into a temporary folder first, so that an interrupted build doesn't look finished.
  mkdir -p .tools
  build=$(mktemp -d .tools/build.XXXXXX)
  # Like MinIO's releases: without C and debug information, which saves an eighth of the time.
  GOBIN="$PWD/$build" CGO_ENABLED=0 go install -ldflags='-s -w' github.com/minio/minio@latest >&2 ||
    { rm -rf "$build"; return 1; }
  mv "$build/minio" .tools/minio
  rm -rf "$build"
  find_minio
}

start_minio() {
  minio=$(get_minio)
  data=$(mktemp -d "${TMPDIR:-/tmp}/modelstats-minio.XXXXXX")
  trap 'rm -rf "$data"' EXIT
  port=$(node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
  mkdir "$data/modelstats" # Folders at the top are buckets.
  MINIO_ROOT_USER=modelstats MINIO_ROOT_PASSWORD=modelstats MINIO_BROWSER=off \
    "$minio" server "$data" --address "127.0.0.1:$port" --quiet &
  server=$!
  trap 'kill "$server" 2>/dev/null || true' INT TERM
  until is_ready "http://127.0.0.1:$port"; do
    kill -0 "$server" 2>/dev/null || { echo "minio.sh: MinIO ended before it was ready" >&2; return 1; }
  done
  cat <<TEXT
MinIO runs on http://127.0.0.1:$port with an empty bucket 'modelstats', until Ctrl-C. In another terminal:

  export MODELSTATS_STORE=s3://modelstats/store MODELSTATS_S3_ENDPOINT=http://127.0.0.1:$port
  export AWS_ACCESS_KEY_ID=modelstats AWS_SECRET_ACCESS_KEY=modelstats

TEXT
  # A signal ends the wait before the server, whose data must be removed last.
  while kill -0 "$server" 2>/dev/null; do wait "$server" || true; done
}

is_ready() {
  node -e 'fetch(process.argv[1]).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))' "$1/minio/health/ready"
}

case ${1-get} in
get) get_minio ;;
start) start_minio ;;
*) echo "usage: scripts/minio.sh [get|start]" >&2; exit 2 ;;
esac
