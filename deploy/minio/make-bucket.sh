#!/bin/sh
# Sets up a MinIO: the bucket `modelstats`, a rule that removes remains of killed processes, and two users limited to that bucket. Can be
# repeated: it updates what exists.
#
# Environment: MINIO_ENDPOINT, MINIO_ROOT_USER, MINIO_ROOT_PASSWORD, STORE_WRITER_PASSWORD, STORE_READER_PASSWORD. Needs mc.
set -eu
here=$(dirname "$0")
export MC_CONFIG_DIR="${MC_CONFIG_DIR:-/tmp/mc}"
mc alias set store "$MINIO_ENDPOINT" "$MINIO_ROOT_USER" "$MINIO_ROOT_PASSWORD" >/dev/null
mc mb --ignore-existing store/modelstats
mc ilm rule import store/modelstats <"$here/lifecycle.json"

# A user with its password and the policy of its name.
make_user() {
  mc admin user add store "$1" "$2"
  mc admin policy create store "$1" "$here/$1.json"
  # Attaching twice is an error, so check the result instead.
  mc admin policy attach store "$1" --user "$1" >/dev/null 2>&1 || true
  case $(mc admin user info store "$1") in
  *PolicyName:*"$1"*) ;;
  *)
    echo "make-bucket.sh: the user $1 does not have its policy" >&2
    return 1
    ;;
  esac
}

make_user modelstats-writer "$STORE_WRITER_PASSWORD"
make_user modelstats-reader "$STORE_READER_PASSWORD"
