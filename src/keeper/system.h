// The keeper's system calls, without a C library, so that it runs in any container.
#ifndef RANKWISE_KEEPER_SYSTEM_H
#define RANKWISE_KEEPER_SYSTEM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include <cstddef>
#include <type_traits>

namespace rankwise::keeper {

// Functions of the kernel return a result, or an error as a negative number.
inline long call_with(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result = 0;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "the keeper is written for x86-64 and AArch64"
#endif
}

template <class T>
long word(T value) {
  if constexpr (std::is_null_pointer_v<T>) {
    return 0;
  } else if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<long>(value);
  } else {
    return static_cast<long>(value);
  }
}

template <class A = int, class B = int, class C = int, class D = int, class E = int, class F = int>
long call(long number, A a = 0, B b = 0, C c = 0, D d = 0, E e = 0, F f = 0) {
  return call_with(number, word(a), word(b), word(c), word(d), word(e), word(f));
}

inline void close(int file) {
  if (file >= 0) call(SYS_close, file);
}

// Reads as many bytes as are available; returns the number, or an error.
inline long read_at(int file, void *to, size_t bytes, uint64_t offset) {
  size_t done = 0;
  while (done < bytes) {
    const long got = call(SYS_pread64, file, static_cast<char *>(to) + done, bytes - done, offset + done);
    if (got == -EINTR) continue;
    if (got < 0) return got;
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return static_cast<long>(done);
}

inline long write_at(int file, const void *from, size_t bytes, uint64_t offset) {
  size_t done = 0;
  while (done < bytes) {
    const long put = call(SYS_pwrite64, file, static_cast<const char *>(from) + done, bytes - done, offset + done);
    if (put == -EINTR) continue;
    if (put <= 0) return put < 0 ? put : -EIO;
    done += static_cast<size_t>(put);
  }
  return static_cast<long>(done);
}

struct Time {
  int64_t seconds;
  int64_t nanoseconds;
};

inline int64_t now_ns(int clock) {
  Time time{};
  call(SYS_clock_gettime, clock, &time);
  return time.seconds * 1'000'000'000 + time.nanoseconds;
}

}  // namespace rankwise::keeper

#endif
