/* Replace dlsym and dlopen in a program's calls (loader_calls.h). They continue to the originals with a jump and not a
 * call: the loader checks the identity of its caller. */
  .weak dlsym                    /* elsewhere.h */
  .weak dlopen
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
  test %rax, %rax
  jnz 1f
  jmp *dlsym@GOTPCREL(%rip)
1:
  ret
  .size rankwise_dlsym, . - rankwise_dlsym

  .globl rankwise_dlopen
  .hidden rankwise_dlopen
  .type rankwise_dlopen, @function
rankwise_dlopen:
  push %rdi
  push %rsi
  sub $8, %rsp
  call rankwise_before_dlopen@PLT
  add $8, %rsp
  pop %rsi
  pop %rdi
  jmp *dlopen@GOTPCREL(%rip)
  .size rankwise_dlopen, . - rankwise_dlopen

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
  cbnz x0, 1f
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  adrp x16, :got:dlsym
  ldr x16, [x16, :got_lo12:dlsym]
  br x16
1:
  ldp x29, x30, [sp], #32
  ret
  .size rankwise_dlsym, . - rankwise_dlsym

  .globl rankwise_dlopen
  .hidden rankwise_dlopen
  .type rankwise_dlopen, @function
rankwise_dlopen:
  stp x29, x30, [sp, #-32]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  bl rankwise_before_dlopen
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  adrp x16, :got:dlopen
  ldr x16, [x16, :got_lo12:dlopen]
  br x16
  .size rankwise_dlopen, . - rankwise_dlopen

#endif

  .section .note.GNU-stack, "", @progbits
