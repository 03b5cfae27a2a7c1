# clang-format and clang-tidy over the C and C++ sources: sh tests/lint/c.sh BIN [--fix]
set -eu
BIN=$1
FIX=${2:-}
cd "$(dirname "$0")/../.."
SOURCES=$(find src include examples bench tests -name '*.c' -o -name '*.h' -o -name '*.cpp' | grep -v -e /generated/ -e /third_party/)

if [ "$FIX" = --fix ]; then
  # shellcheck disable=SC2086
  "$BIN/clang-format" -i $SOURCES
else
  # shellcheck disable=SC2086
  "$BIN/clang-format" --dry-run --Werror $SOURCES
  build/tools/bin/cmake -S . -B build/lint -G Ninja -DCMAKE_MAKE_PROGRAM="$PWD/build/tools/bin/ninja" >/dev/null
  # One build stands for the three: their text is the same.
  find src/keeper src/runtime src/introspection src/placement src/machine src/fabric src/reordering src/watch src/online -name '*.cpp' | grep -v -e builds/mpich -e builds/mpiabi |
    xargs -n 1 -P "$(nproc)" "$BIN/clang-tidy" -p build/lint --quiet --warnings-as-errors='*' 2>/dev/null
fi
