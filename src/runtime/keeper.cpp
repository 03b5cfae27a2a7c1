#include "keeper.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "format.h"
#include "write_signals.h"

// The program, as it is on the disk: keeper_image.S.
extern "C" const char rankwise_keeper_image[];
extern "C" const char rankwise_keeper_image_end[];

namespace rankwise::keeper {
namespace {

constexpr std::size_t stack_bytes = 16384;
constexpr int most_files = 3;
constexpr int apart = 16;  // the keeper inherits no descriptors from here on
constexpr int not_started = 127;

struct Order {
  const char *const *arguments;
  const int *files;
  int file_count;
  int image;
  const char *image_path;
  char *stack;  // of the child's child: its end
};

bool write_image(int file) {
  const WithoutWriteSignals quiet;
  const auto bytes = static_cast<std::size_t>(rankwise_keeper_image_end - rankwise_keeper_image);
  if (bytes == 0) errno = ENOSYS;  // not written for this processor
  return bytes != 0 && write(file, rankwise_keeper_image, bytes) == static_cast<ssize_t>(bytes);
}

// A file that is open for writing can't be executed, if it has a name.
int open_image_in(int directory) {
  char name[32];
  snprintf(name, sizeof name, "keeper.%d", static_cast<int>(getpid()));
  const int file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  if (file < 0) return -1;
  const bool written = write_image(file);
  close(file);
  const int image = written ? openat(directory, name, O_RDONLY | O_CLOEXEC) : -1;
  unlinkat(directory, name, 0);
  return image;
}

// The program in memory, open; before Linux 3.17 in a directory.
int open_image(int directory) {
  const auto file = static_cast<int>(syscall(SYS_memfd_create, "rankwise-keeper", 1U));  // MFD_CLOEXEC
  if (file < 0) return open_image_in(directory);
  if (write_image(file)) return file;
  close(file);
  return -1;
}

int out_of_the_way(int file) {
  if (file < 0) return -1;
  const int copy = fcntl(file, F_DUPFD_CLOEXEC, apart);
  close(file);
  return copy;
}

// Starts a function, which never returns, in a child that shares our memory; its id, or -1 and errno.
//
// RATIONALE: not by clone() of libc. ThreadSanitizer intercepts it, assumes that the child has separate memory, and
// then confuses its own state.
int start_beside(int (*function)(void *), char *stack, unsigned long flags, void *argument) {
  void **top = reinterpret_cast<void **>(stack) - 2;
  top[0] = reinterpret_cast<void *>(function);
  top[1] = argument;
#if defined(__x86_64__)
  long answer = SYS_clone;
  register long no_tls asm("r8") = 0;
  register long no_child_id asm("r10") = 0;
  asm volatile(
      "syscall\n  test %%rax, %%rax\n  jnz 1f\n  xor %%ebp, %%ebp\n  pop %%rax\n  pop %%rdi\n  call *%%rax\n  ud2\n1:"
      : "+a"(answer)
      : "D"(flags), "S"(top), "d"(0L), "r"(no_child_id), "r"(no_tls)
      : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long answer asm("x0") = static_cast<long>(flags);
  register void **child_stack asm("x1") = top;
  register long no_parent_id asm("x2") = 0;
  register long no_tls asm("x3") = 0;
  register long no_child_id asm("x4") = 0;
  register long number asm("x8") = SYS_clone;
  asm volatile("svc #0\n  cbnz x0, 1f\n  mov x29, #0\n  ldp x9, x0, [sp], #16\n  blr x9\n  brk #1\n1:"
               : "+r"(answer)
               : "r"(child_stack), "r"(no_parent_id), "r"(no_tls), "r"(no_child_id), "r"(number)
               : "memory");
#else
  long answer = -ENOSYS;  // there is no keeper for it either
#endif
  if (answer >= 0) return static_cast<int>(answer);
  errno = static_cast<int>(-answer);
  return -1;
}

// The child's child. It shares our memory, and we wait until it has become another program: system calls only.
int become_keeper(void *order_of) {
  const auto *order = static_cast<const Order *>(order_of);
  syscall(SYS_setsid);
  int files[most_files];
  for (int i = 0; i < order->file_count; ++i) {
    files[i] = static_cast<int>(syscall(SYS_fcntl, order->files[i], F_DUPFD, apart));
  }
  for (int i = 0; i < order->file_count; ++i) syscall(SYS_dup3, files[i], RANKWISE_FIRST_KEEPER_FILE + i, 0);
  const char *const no_environment[] = {nullptr};
  constexpr int by_descriptor = 0x1000;  // AT_EMPTY_PATH
  syscall(SYS_execveat, order->image, "", order->arguments, no_environment, by_descriptor);
  syscall(SYS_execve, order->image_path, order->arguments, no_environment);  // before Linux 3.19
  syscall(SYS_exit, not_started);
  return not_started;
}

// The child: after its end, its own child belongs to the system.
int leave_keeper(void *order_of) {
  auto *order = static_cast<Order *>(order_of);
  const int pid = start_beside(become_keeper, order->stack, CLONE_VM | CLONE_VFORK, order_of);
  int status = 0;
  // (A keeper with little left to save may have ended by now.)
  const bool failed = pid < 0 || (syscall(SYS_wait4, pid, &status, WNOHANG | __WALL, nullptr) == pid && status != 0);
  syscall(SYS_exit, failed ? not_started : 0);
  return 0;
}

// RATIONALE: a child that ends without a signal is invisible to the program. (Emulators support only the usual kind.)
int start_child(Order &order, char *stack) {
  const int pid = start_beside(leave_keeper, stack, CLONE_VM | CLONE_VFORK, &order);
  return pid >= 0 || errno != EINVAL ? pid
                                     : start_beside(leave_keeper, stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &order);
}

}  // namespace

bool start(const char *const *arguments, const int *files, int file_count) {
  const int image = out_of_the_way(open_image(files[0]));
  if (image < 0) return false;
  char image_path[32];
  snprintf(image_path, sizeof image_path, "/proc/self/fd/%d", image);
  void *stacks = mmap(nullptr, 2 * stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stacks == MAP_FAILED) {
    close(image);
    return false;
  }
  char *const middle = static_cast<char *>(stacks) + stack_bytes;
  Order order = {arguments, files, file_count, image, image_path, middle};
  // No handler of the program may run in a child that shares its memory.
  const std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t before = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
  const int pid = start_child(order, middle + stack_bytes);
  int status = -1;
  if (pid >= 0) {
    while (syscall(SYS_wait4, pid, &status, __WALL, nullptr) < 0 && errno == EINTR) {
    }
    errno = EACCES;  // the only known fact about the program is that it could not be started
  }
  const int error = errno;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
  munmap(stacks, 2 * stack_bytes);
  close(image);
  errno = error;
  return status == 0;
}

}  // namespace rankwise::keeper
