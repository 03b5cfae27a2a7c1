/* One stub a wrapped function: a jump through rankwise_slots. A slot that has not been filled in leads to the
 * stub's second half, which asks rankwise_first_call where to go, and goes there with all arguments as they were. */
#if defined(__x86_64__)

  .text
first_call:                      /* the slot's number is on the stack, above the return address of the program */
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  push %rax                      /* number of vector registers of a variadic call (MPI_Pcontrol) */
  mov 56(%rsp), %rdi
  sub $8, %rsp                   /* keeps the stack aligned to 16 */
  call rankwise_first_call@PLT
  mov %rax, %r11
  add $8, %rsp
  pop %rax
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  add $8, %rsp
  jmp *%r11

  .macro STUB name, slot
  .type \name, @function
\name:
  jmp *(rankwise_slots + 8 * \slot)(%rip)
first_\slot:
  push $\slot
  jmp first_call
  .size \name, . - \name
  .endm

#elif defined(__aarch64__)

  .text
first_call:                      /* the slot's number is in x17 */
  stp x29, x30, [sp, #-96]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  mov x0, x17
  bl rankwise_first_call
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp x29, x30, [sp], #96
  br x16

  .macro STUB name, slot
  .type \name, @function
\name:
  adrp x16, rankwise_slots
  add x16, x16, :lo12:rankwise_slots
  ldr x16, [x16, #(8 * \slot)]
  br x16
first_\slot:
  mov x17, #\slot
  b first_call
  .size \name, . - \name
  .endm

#else
#error "Rankwise has no dispatch stubs for this processor: add them in src/runtime/dispatch/stubs.S"
#endif

  .macro EXPORTED name, slot
#ifndef RANKWISE_ARCHIVE         /* there each exported symbol is a member of its own: archive/stub.inc */
  .globl \name
#endif
  STUB \name, \slot
  .endm
  .macro HIDDEN name, slot
  .local \name
  STUB \name, \slot
  .endm

#define EXPORTED_STUB(name, slot) EXPORTED name, slot
#define HIDDEN_STUB(name, slot) HIDDEN name, slot
#include "../generated/stubs.inc"
#undef EXPORTED_STUB
#undef HIDDEN_STUB

  .data
  .balign 64
  .globl rankwise_slots
  .hidden rankwise_slots
  .type rankwise_slots, @object
rankwise_slots:
#define EXPORTED_STUB(name, slot) .quad first_##slot
#define HIDDEN_STUB(name, slot) .quad first_##slot
#include "../generated/stubs.inc"
#undef EXPORTED_STUB
#undef HIDDEN_STUB
  .size rankwise_slots, . - rankwise_slots

/* Addresses of the stubs, for the relocations that are redirected to them. The symbols themselves may be defined by
 * another library that comes before ours, so the table names them by what no other library can define. */
  .section .data.rel.ro, "aw"
  .balign 8
  .globl rankwise_stubs
  .hidden rankwise_stubs
  .type rankwise_stubs, @object
rankwise_stubs:
#define EXPORTED_STUB(name, slot) .quad first_##slot - STUB_JUMP
#define HIDDEN_STUB(name, slot) .quad first_##slot - STUB_JUMP
#if defined(__x86_64__)
#define STUB_JUMP 6
#else
#define STUB_JUMP 16
#endif
#include "../generated/stubs.inc"
  .size rankwise_stubs, . - rankwise_stubs

  .section .note.GNU-stack, "", @progbits
