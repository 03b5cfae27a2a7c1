/* Included first in every source of the runtime. Before glibc 2.34, these functions are in separate libraries, libdl
 * and libpthread. The preloaded library doesn't link these, because every process would then have to load two more. A
 * program with MPI has them anyway. If they are missing, the functions' addresses are null. */
#pragma weak dladdr
#pragma weak dlclose
#pragma weak dlinfo
#pragma weak dlopen
#pragma weak dlsym
#pragma weak pthread_attr_getstack
#pragma weak pthread_getattr_np
#pragma weak pthread_key_create
#pragma weak pthread_setspecific
