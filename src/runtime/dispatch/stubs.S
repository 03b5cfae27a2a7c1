/* One stub a wrapped function: a jump through rankwise_slots. A slot that has not been filled in leads to the
 * stub's second half, which gets the address from rankwise_first_call, and jumps there with unchanged arguments.
 *
 * Two more of each kind serve calls by PMPI_ names (profiling.h). The address of such a name is a jump through
 * rankwise_profiling_slots, which leads to rankwise_profiling_call until that has a result. If the function after ours
 * depends on the call, rankwise_following_call chooses it. */
#if defined(__x86_64__)

  .text
  .macro ASKING name, answer     /* the slot's number is on the stack, above the return address of the program */
\name:
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  push %rax                      /* number of vector registers of a variadic call (MPI_Pcontrol) */
  mov 56(%rsp), %rdi
  mov 64(%rsp), %rsi             /* the return address, if needed */
  sub $8, %rsp                   /* keeps the stack aligned to 16 */
  call \answer@PLT
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
  .endm

  .macro JUMP table, slot
  jmp *(\table + 8 * \slot)(%rip)
  .endm
  .macro ASK name, slot
  push $\slot
  jmp \name
  .endm

#elif defined(__aarch64__)

  .text
  .macro ASKING name, answer     /* the slot's number is in x17 */
\name:
  stp x29, x30, [sp, #-96]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  mov x0, x17
  mov x1, x30                    /* the return address, if needed */
  bl \answer
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp x29, x30, [sp], #96
  br x16
  .endm

  .macro JUMP table, slot
  adrp x16, \table
  add x16, x16, :lo12:\table
  ldr x16, [x16, #(8 * \slot)]
  br x16
  .endm
  .macro ASK name, slot
  mov x17, #\slot
  b \name
  .endm

#else
#error "Rankwise has no dispatch stubs for this processor: add them in src/runtime/dispatch/stubs.S"
#endif

  ASKING first_call, rankwise_first_call

  .macro STUB name, slot
  .type \name, @function
\name:
  JUMP rankwise_slots, \slot
first_\slot:
  ASK first_call, \slot
  .size \name, . - \name
  .endm

  .macro EXPORTED name, slot
#ifndef RANKWISE_ARCHIVE         /* there each exported symbol is a separate member: archive/stub.inc */
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

/* The stubs, each by its distance from its place in the table, for the relocations that are redirected to them. The
 * symbols themselves may be defined by another library before ours, so the table uses names that no other library can
 * define. */
  .section .rodata
  .balign 4
  .globl rankwise_stubs
  .hidden rankwise_stubs
  .type rankwise_stubs, @object
rankwise_stubs:
#define EXPORTED_STUB(name, slot) .long first_##slot - STUB_JUMP - .
#define HIDDEN_STUB(name, slot) .long first_##slot - STUB_JUMP - .
#if defined(__x86_64__)
#define STUB_JUMP 6
#else
#define STUB_JUMP 16
#endif
#include "../generated/stubs.inc"
  .size rankwise_stubs, . - rankwise_stubs
#undef EXPORTED_STUB
#undef HIDDEN_STUB

#ifndef RANKWISE_ARCHIVE
  .text
  ASKING profiling_call, rankwise_profiling_call
  ASKING following_call, rankwise_following_call
  .macro PROFILING_STUB slot
profiling_\slot:
  JUMP rankwise_profiling_slots, \slot
asking_\slot:
  ASK profiling_call, \slot
following_\slot:
  ASK following_call, \slot
  .endm
#define HIDDEN_STUB(name, slot) PROFILING_STUB slot
#define EXPORTED_STUB(name, slot) PROFILING_STUB slot
#include "../generated/stubs.inc"
#undef EXPORTED_STUB
#undef HIDDEN_STUB

  .macro TABLE name
  .balign 64
  .globl \name
  .hidden \name
  .type \name, @object
\name:
  .endm

  .bss
  TABLE rankwise_profiling_slots
#define EXPORTED_STUB(name, slot) .skip 8
#define HIDDEN_STUB(name, slot) .skip 8
#include "../generated/stubs.inc"
#undef EXPORTED_STUB
#undef HIDDEN_STUB

  .section .rodata
  TABLE rankwise_profiling_jump  /* the second half of a stub lies so far behind its beginning */
  .long asking_0 - profiling_0

  TABLE rankwise_profiling_stubs
#define EXPORTED_STUB(name, slot) .long profiling_##slot - .
#define HIDDEN_STUB(name, slot) .long profiling_##slot - .
#include "../generated/stubs.inc"
#undef EXPORTED_STUB
#undef HIDDEN_STUB

  TABLE rankwise_following_stubs
#define EXPORTED_STUB(name, slot) .long following_##slot - .
#define HIDDEN_STUB(name, slot) .long following_##slot - .
#include "../generated/stubs.inc"
#endif

  .section .note.GNU-stack, "", @progbits
