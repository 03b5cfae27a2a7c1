# Makes a Debian 11 with its MPI libraries and its compiler in a folder, whose programs chroot can run: as root,
# sh tests/containers/root.sh FOLDER
set -eu
ROOT=$1
command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2; exit 1; }
rm -rf "$ROOT.part"
mkdir -p "$ROOT.part"
debootstrap --variant=minbase bullseye "$ROOT.part" >"$ROOT.log" || { tail -5 "$ROOT.log" >&2; exit 1; }
DEBIAN_FRONTEND=noninteractive chroot "$ROOT.part" sh -c "apt-get update && apt-get install --yes \
  --no-install-recommends gcc libc6-dev libmpich-dev libopenmpi-dev mpich openmpi-bin && apt-get clean" \
  >>"$ROOT.log" 2>&1 || { tail -5 "$ROOT.log" >&2; exit 1; }
mv "$ROOT.part" "$ROOT"
