/* libm.so.6. */
#include "symbol.inc"

  symbol fegetround, 2.2.5
  symbol fesetround, 2.2.5
  symbol ilogb, 2.2.5
  symbol ldexp, 2.2.5
  symbol log, 2.2.5
  symbol lround, 2.2.5
  symbol sqrt, 2.2.5
