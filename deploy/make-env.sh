#!/bin/sh
# Writes deploy/.env from deploy/.env.example, with random values for empty passwords and keys. Never overwrites a file.
#
#   deploy/make-env.sh [FILE]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
file=${1-"$here/.env"}
if [ -e "$file" ]; then
  echo "make-env.sh: $file exists already and was not changed" >&2
  exit 1
fi
umask 077
while IFS= read -r line; do
  case $line in
  # Letters and digits need no encoding in URLs.
  *_PASSWORD=) line=$line$(openssl rand -hex 24) ;;
  MODELSTATS_SECRET_KEYS=) line=$line$(openssl rand -base64 32) ;;
  esac
  printf '%s\n' "$line"
done <"$here/.env.example" >"$file.$$"
mv "$file.$$" "$file"
echo "make-env.sh: wrote $file, readable only by you"
