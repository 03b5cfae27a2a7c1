# Unpacks Debian's MPI libraries for arm64, and what they need, into a folder: sh tests/aarch64/root.sh FOLDER. None of it
# is configured or booted: emulated programs find their libraries there (qemu-aarch64-static -L), and launchers are the
# machine's own, of the same release.
set -eu
ROOT=$1
PACKAGES="debootstrap qemu-user-static g++-aarch64-linux-gnu gfortran-aarch64-linux-gnu"
for command in debootstrap qemu-aarch64-static aarch64-linux-gnu-g++ aarch64-linux-gnu-gfortran; do
  command -v $command >/dev/null || { echo "$command is missing: apt-get install $PACKAGES" >&2; exit 1; }
done
# shellcheck disable=SC1091
. /etc/os-release
rm -rf "$ROOT.part"
mkdir -p "$ROOT.part"
debootstrap --foreign --arch=arm64 --variant=minbase --include=libmpich-dev,libopenmpi-dev \
  "$VERSION_CODENAME" "$ROOT.part" >"$ROOT.log" || { tail -5 "$ROOT.log" >&2; exit 1; }
for package in "$ROOT.part"/var/cache/apt/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$ROOT.part"
done
# (What is in the memory of the node is meant for programs of this machine, too.)
rm -rf "$ROOT.part"/var/cache/apt/archives/*.deb "$ROOT.part"/dev
mv "$ROOT.part" "$ROOT"
