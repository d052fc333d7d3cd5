#!/bin/sh
# PostgreSQL, Redis and Prometheus' promtool for `make test-services`, which starts its own servers.
#
#   scripts/services.sh       finds them, or installs Debian's packages as root, or names what to install
set -eu

find_postgres() {
  command -v postgres || ls -d /usr/lib/postgresql/*/bin/postgres 2>/dev/null | tail -1 | grep .
}

find_missing() {
  find_postgres >/dev/null || echo postgresql
  command -v redis-server >/dev/null || echo redis-server
  command -v promtool >/dev/null || echo prometheus
}

missing=$(find_missing)
if [ -n "$missing" ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "services.sh: missing: $missing. Install them, for example: sudo apt-get install postgresql redis-server prometheus" >&2
    exit 1
  fi
  echo "services.sh: installing" $missing >&2
  # Keeps the packages from starting servers and creating a database; tests need only the programs.
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
    chmod +x /usr/sbin/policy-rc.d
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  fi
  if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    mkdir -p /etc/postgresql-common
    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
  fi
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086 # The names contain no spaces.
  install_missing() { apt-get install -y --no-install-recommends -o Dpkg::Options::=--force-confold $missing >&2; }
  install_missing || { apt-get update >&2 && install_missing; }
  [ -z "$(find_missing)" ] || { echo "services.sh: still missing: $(find_missing)" >&2; exit 1; }
fi
find_postgres
command -v redis-server
command -v promtool
