#!/bin/sh
# Starts Rankwise by the Python of this folder, wherever the folder lies, and by whatever link it is called.
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
  /*) self=$target ;;
  *) self=${self%/*}/$target ;;
  esac
done
case $self in
*/bin/rankwise) folder=${self%/bin/rankwise} ;;
*) folder=.. ;;
esac
# No variable of the user's Python counts (-I), and no file is looked for that is not there (-S).
exec "$folder/python/bin/python3" -I -S "$folder/start.py" "$@"
