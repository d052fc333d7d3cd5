#!/bin/sh
# Chromium for `make test-browser`, and curl for the commands that the console shows.
#
#   scripts/chromium.sh       finds both, or installs Debian's packages as root, or names what to install; prints
#                             Chromium's path
set -eu

find_missing() {
  command -v chromium >/dev/null || echo chromium fonts-dejavu-core # Pages need a font.
  command -v curl >/dev/null || echo curl ca-certificates
}

missing=$(find_missing)
if [ -n "$missing" ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "chromium.sh: missing: $missing. Install them, for example: sudo apt-get install chromium curl" >&2
    exit 1
  fi
  echo "chromium.sh: installing" $missing >&2
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086 # The names contain no spaces.
  install_missing() { apt-get install -y --no-install-recommends $missing >&2; }
  install_missing || { apt-get update >&2 && install_missing; }
fi
command -v chromium
