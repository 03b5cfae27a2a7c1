/* Included first in every source. Some systems' compilers and some packagers' options call the checked functions
 * (__snprintf_chk, ...), which exist only in glibc. */
#undef _FORTIFY_SOURCE
