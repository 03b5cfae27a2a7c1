/* Stands before dlsym where a program calls it: plugins and extension modules are asked for their functions once they
 * have been loaded and before they run. A jump, not a call: dlsym looks at who called it. */
#if defined(__x86_64__)

  .text
  .globl rankwise_dlsym
  .hidden rankwise_dlsym
  .type rankwise_dlsym, @function
rankwise_dlsym:
  push %rdi
  push %rsi
  sub $8, %rsp                   /* keeps the stack aligned to 16 */
  call rankwise_before_dlsym@PLT
  add $8, %rsp
  pop %rsi
  pop %rdi
  jmp *dlsym@GOTPCREL(%rip)
  .size rankwise_dlsym, . - rankwise_dlsym

#elif defined(__aarch64__)

  .text
  .globl rankwise_dlsym
  .hidden rankwise_dlsym
  .type rankwise_dlsym, @function
rankwise_dlsym:
  stp x29, x30, [sp, #-32]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  bl rankwise_before_dlsym
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  adrp x16, :got:dlsym
  ldr x16, [x16, :got_lo12:dlsym]
  br x16
  .size rankwise_dlsym, . - rankwise_dlsym

#endif

  .section .note.GNU-stack, "", @progbits
