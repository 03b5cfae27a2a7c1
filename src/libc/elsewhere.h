/* Included first in every source of the runtime. These functions are in libraries of their own, libdl and libpthread,
   in glibc before 2.34. The preloaded library doesn't ask for these, which would cost every process the loading of two
   more: a program with MPI has them anyway. Where they are missing, the functions' addresses are null. */
#pragma weak dladdr
#pragma weak dlclose
#pragma weak dlinfo
#pragma weak dlopen
#pragma weak dlsym
#pragma weak pthread_attr_getstack
#pragma weak pthread_getattr_np
#pragma weak pthread_key_create
#pragma weak pthread_setspecific
