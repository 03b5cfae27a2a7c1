/* Included first in every source: the checked functions (__snprintf_chk, ...), which some systems' compilers and some
   packagers' options ask for, are glibc's alone. */
#undef _FORTIFY_SOURCE
