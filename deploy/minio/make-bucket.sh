#!/bin/sh
# Makes what the store needs in a MinIO: the bucket `modelstats`, a rule that removes what killed processes leave, and two users with
# rights on that bucket alone. Again and again does no harm: what is there is brought up to date.
#
# Environment: MINIO_ENDPOINT, MINIO_ROOT_USER, MINIO_ROOT_PASSWORD, STORE_WRITER_PASSWORD, STORE_READER_PASSWORD. Needs mc.
set -eu
here=$(dirname "$0")
export MC_CONFIG_DIR="${MC_CONFIG_DIR:-/tmp/mc}"
mc alias set store "$MINIO_ENDPOINT" "$MINIO_ROOT_USER" "$MINIO_ROOT_PASSWORD" >/dev/null
mc mb --ignore-existing store/modelstats
mc ilm rule import store/modelstats <"$here/lifecycle.json"

# A user, its password and its policy, which has its name.
make_user() {
  mc admin user add store "$1" "$2"
  mc admin policy create store "$1" "$here/$1.json"
  # Attaching what is attached is refused, so what counts is that it is.
  mc admin policy attach store "$1" --user "$1" >/dev/null 2>&1 || true
  case $(mc admin user info store "$1") in
  *PolicyName:*"$1"*) ;;
  *)
    echo "make-bucket.sh: the user $1 has not got its policy" >&2
    return 1
    ;;
  esac
}

make_user modelstats-writer "$STORE_WRITER_PASSWORD"
make_user modelstats-reader "$STORE_READER_PASSWORD"
