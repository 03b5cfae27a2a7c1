// The keeper's entry point, and the functions that compilers assume to exist.
#include "system.h"

namespace rankwise::keeper {
int run(int argc, char **argv);
}

extern "C" {

// RATIONALE: `asm`, because compilers know such loops and would call the function that they are in.
void *memcpy(void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    static_cast<char *>(to)[i] = static_cast<const char *>(from)[i];
    asm volatile("");
  }
  return to;
}

void *memset(void *to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) {
    static_cast<char *>(to)[i] = static_cast<char>(value);
    asm volatile("");
  }
  return to;
}

// The stack holds the number of arguments and the arguments.
[[noreturn, gnu::used]] void rankwise_keeper_begin(long *stack) {
  const int status = rankwise::keeper::run(static_cast<int>(stack[0]), reinterpret_cast<char **>(stack + 1));
  for (;;) rankwise::keeper::call(SYS_exit_group, status);
}

}  // extern "C"

#if defined(__x86_64__)
asm(".globl _start\n_start:\n  xor %ebp, %ebp\n  mov %rsp, %rdi\n  and $-16, %rsp\n  call rankwise_keeper_begin\n");
#else
asm(".globl _start\n_start:\n  mov x29, #0\n  mov x30, #0\n  mov x0, sp\n  bl rankwise_keeper_begin\n");
#endif
