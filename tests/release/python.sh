# Builds Debian 12's Python in the Debian 11 of `make test-containers`, for `make standalone`: sh tests/release/python.sh ROOT.
# The folder then runs on any Linux with a glibc of 2.31 or newer.
set -eu
ROOT=$1
sed -n 's/^deb \(.*\) bullseye main.*/deb-src \1 bookworm main/p' "$ROOT/etc/apt/sources.list" >"$ROOT/etc/apt/sources.list.d/source.list"
export DEBIAN_FRONTEND=noninteractive
chroot "$ROOT" sh -c '
  apt-get update
  apt-get install --yes --no-install-recommends make zlib1g-dev libsqlite3-dev libffi-dev dpkg-dev xz-utils
  cd /root && apt-get source --download-only python3.11 && tar -xf python3.11_*.orig.tar.* && cd Python-3.11*
  ./configure --quiet --prefix=/opt/python --disable-test-modules --with-ensurepip=no
  make --silent --jobs 2 && make --silent install' >"$ROOT.python.log" 2>&1 || {
  tail -5 "$ROOT.python.log" >&2
  exit 1
}
