#!/bin/sh
# Chromium for the tests of `make test-browser`.
#
#   scripts/chromium.sh       find it; where it is missing, install Debian's package as root, else say what to install; prints its path
set -eu

if ! command -v chromium >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "chromium.sh: missing: chromium. Install it, for example: sudo apt-get install chromium" >&2
    exit 1
  fi
  echo "chromium.sh: installing chromium" >&2
  export DEBIAN_FRONTEND=noninteractive
  # Fonts, so that pages are as wide as they are for people.
  install() { apt-get install -y --no-install-recommends chromium fonts-dejavu-core >&2; }
  install || { apt-get update >&2 && install; }
fi
command -v chromium
