/* Replace longjmp and similar functions in a program's calls. They jump, because the C library must see the program as
 * its caller. rankwise_set_jumps shows the data that setjmp stores: see leaving.cpp. */
#if defined(__x86_64__)

  .macro JUMP name, function
  .globl \name
  .hidden \name
  .type \name, @function
\name:
  push %rdi
  push %rsi
  sub $8, %rsp                   /* keeps the stack aligned to 16 */
  call rankwise_before_longjmp@PLT
  add $8, %rsp
  pop %rsi
  pop %rdi
  jmp *\function@GOTPCREL(%rip)
  .size \name, . - \name
  .endm

  .text
  .globl rankwise_set_jumps
  .hidden rankwise_set_jumps
  .type rankwise_set_jumps, @function
rankwise_set_jumps:
  push %rbx
  mov %rsi, %rbx
  call _setjmp@PLT
  sub $64, %rsp
  mov %rbx, %rdi
  call _setjmp@PLT
  add $64, %rsp
  mov %rsp, %rax
  pop %rbx
  ret
  .size rankwise_set_jumps, . - rankwise_set_jumps

#elif defined(__aarch64__)

  .macro JUMP name, function
  .globl \name
  .hidden \name
  .type \name, @function
\name:
  stp x29, x30, [sp, #-32]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  bl rankwise_before_longjmp
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  adrp x16, :got:\function
  ldr x16, [x16, :got_lo12:\function]
  br x16
  .size \name, . - \name
  .endm

  .text
  .globl rankwise_set_jumps
  .hidden rankwise_set_jumps
  .type rankwise_set_jumps, @function
rankwise_set_jumps:
  stp x29, x30, [sp, #-32]!
  mov x29, sp
  str x19, [sp, #16]
  mov x19, x1
  bl _setjmp
  sub sp, sp, #64
  mov x0, x19
  bl _setjmp
  add sp, sp, #64
  mov x0, sp
  ldr x19, [sp, #16]
  ldp x29, x30, [sp], #32
  ret
  .size rankwise_set_jumps, . - rankwise_set_jumps

#endif

  .weak __longjmp_chk            /* glibc's own */
  JUMP rankwise_longjmp, longjmp
  JUMP rankwise_checked_longjmp, __longjmp_chk

  .section .note.GNU-stack, "", @progbits
