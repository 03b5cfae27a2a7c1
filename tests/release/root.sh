# Makes a bare Debian in a folder, with an MPI library and without a compiler: as root, sh tests/release/root.sh RELEASE FOLDER.
# A release whose Python is new enough gets that, too.
set -eu
RELEASE=$1 ROOT=$2
command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2; exit 1; }
PACKAGES=openmpi-bin,ca-certificates
[ "$RELEASE" = bullseye ] || PACKAGES=$PACKAGES,python3,python3-venv
rm -rf "$ROOT.part"
mkdir -p "$ROOT.part"
debootstrap --variant=minbase --include="$PACKAGES" "$RELEASE" "$ROOT.part" >"$ROOT.log" || {
  tail -5 "$ROOT.log" >&2
  exit 1
}
mv "$ROOT.part" "$ROOT"
