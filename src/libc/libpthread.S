/* libpthread.so.0, which is empty since glibc 2.34. */
#include "symbol.inc"

  symbol __pthread_key_create, 2.2.5  /* not musl */
  symbol pthread_attr_getstack, 2.2.5
  symbol pthread_create, 2.2.5
  symbol pthread_detach, 2.2.5
  symbol pthread_getattr_np, 2.2.5
  symbol pthread_getspecific, 2.2.5
  symbol pthread_join, 2.2.5
  symbol pthread_key_create, 2.2.5
  symbol pthread_key_delete, 2.2.5
  symbol pthread_once, 2.2.5
  symbol pthread_rwlock_rdlock, 2.2.5
  symbol pthread_rwlock_unlock, 2.2.5
  symbol pthread_rwlock_wrlock, 2.2.5
  symbol pthread_setspecific, 2.2.5
  symbol pthread_sigmask, 2.2.5
