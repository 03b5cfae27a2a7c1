/* The MPI library's own functions by slot; null if the program doesn't have them. */
  .section .data.rel.ro, "aw"
  .balign 8
  .globl rankwise_functions
  .hidden rankwise_functions
  .type rankwise_functions, @object
rankwise_functions:
#define EXPORTED_STUB(name, slot) .weak P##name ; .quad P##name
#define HIDDEN_STUB(name, slot) .weak P##name ; .quad P##name
#include "../generated/stubs.inc"
  .size rankwise_functions, . - rankwise_functions

/* The runtime's own references to these are weak (src/libc/elsewhere.h): from a static library the linker takes only
 * members that are needed. */
  .section .data.rel.ro, "aw"
  .quad dladdr, dlopen, dlsym
  .quad pthread_attr_getstack, pthread_getattr_np, pthread_key_create, pthread_setspecific

/* This symbol shows `rankwise run` that a program records itself. */
  .section .rodata
  .globl rankwise_in_program
  .type rankwise_in_program, @object
rankwise_in_program:
  .byte 1
  .size rankwise_in_program, 1

  .section .note.GNU-stack, "", @progbits
