// Blocks the signals that Rankwise's own writes may raise (SIGPIPE, SIGXFSZ): they would kill the program.
#ifndef RANKWISE_WRITE_SIGNALS_H
#define RANKWISE_WRITE_SIGNALS_H

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <initializer_list>

namespace rankwise {

// While an instance exists, writes of its thread raise neither SIGPIPE, if the reader is gone, nor SIGXFSZ, beyond the
// limit of the process (ulimit -f): the call just fails. errno stays as it is.
class WithoutWriteSignals {
 public:
  WithoutWriteSignals() {
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &both, &mask_, sizeof both);
    syscall(SYS_rt_sigpending, &pending_, sizeof pending_);
  }

  ~WithoutWriteSignals() {
    const int error = errno;
    for (const std::uint64_t one : {sigpipe, sigxfsz}) {
      const timespec now = {};
      if ((pending_ & one) == 0) syscall(SYS_rt_sigtimedwait, &one, nullptr, &now, sizeof one);
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask_, nullptr, sizeof mask_);
    errno = error;
  }

  WithoutWriteSignals(const WithoutWriteSignals &) = delete;
  WithoutWriteSignals &operator=(const WithoutWriteSignals &) = delete;

 private:
  // Signal sets of the kernel.
  static constexpr std::uint64_t sigpipe = std::uint64_t{1} << (SIGPIPE - 1);
  static constexpr std::uint64_t sigxfsz = std::uint64_t{1} << (SIGXFSZ - 1);
  static constexpr std::uint64_t both = sigpipe | sigxfsz;

  std::uint64_t mask_ = 0;
  std::uint64_t pending_ = 0;
};

}  // namespace rankwise

#endif
