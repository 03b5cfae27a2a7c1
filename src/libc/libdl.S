/* libdl.so.2, which is empty since glibc 2.34. */
#include "symbol.inc"

  symbol dladdr, 2.2.5
  symbol dlclose, 2.2.5
  symbol dlopen, 2.2.5
  symbol dlsym, 2.2.5
  symbol dlinfo, 2.3.3
