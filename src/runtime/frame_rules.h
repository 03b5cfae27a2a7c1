// From a call to the call of the function that has made it, by what the object's tables for unwinding tell of one
// address (.eh_frame; the DWARF standard, section "Call Frame Information"). No unwinder is asked: the rule of an
// address is read once, and to follow it is to load one or two words.
#ifndef RANKWISE_FRAME_RULES_H
#define RANKWISE_FRAME_RULES_H

#include <link.h>

#include <cstdint>

namespace rankwise::frames {

// A call, seen from the function that has made it.
struct Frame {
  std::uintptr_t address = 0;  // where the call returns to
  std::uintptr_t stack = 0;    // its stack pointer at the call
  std::uintptr_t base = 0;     // its frame pointer, rbp or x29, at the call
};

// Where the frame of a function begins, and what it has saved there.
struct Rule {
  enum class From : std::uint8_t { unknown, stack, base, outermost };
  From from = From::unknown;  // the frame begins at this register + `start`; outermost: nobody has called it
  bool base_saved = false;
  bool is_signed = false;  // the return address, AArch64
  std::int32_t start = 0;
  std::int32_t address_at = 0;  // counted from the beginning
  std::int32_t base_at = 0;
};

// The call that the wrapper returns from which this is inlined into.
[[gnu::always_inline]] inline Frame of_wrapper() {
  // (Whoever asks for the address of its frame has a frame pointer, and saves its caller's there.)
  const void *own_base = __builtin_frame_address(0);
  return {reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
          reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa()), *static_cast<const std::uintptr_t *>(own_base)};
}

// The same of a wrapper whose frame begins here, by its own frame pointer.
inline Frame of(const void *frame, const void *base) {
  const auto *saved = static_cast<const std::uintptr_t *>(base);
  return {saved[1], reinterpret_cast<std::uintptr_t>(frame), saved[0]};
}

// Where the function begins that a call in it returns to at `address`; 0 = the tables do not tell.
std::uintptr_t function_at(const dl_phdr_info &object, std::uintptr_t address);

// The rule of the function that a call in it returns to at `address`, from the tables of its object. Unknown where
// there are none, or where they ask for more than registers and numbers.
Rule rule_at(const dl_phdr_info &object, std::uintptr_t address);

// Goes on to the call of the function that made this one; false if the rule leads nowhere, or to what lies beyond
// `end`.
bool step(const Rule &rule, Frame &frame, std::uintptr_t end = ~std::uintptr_t{0});

}  // namespace rankwise::frames

#endif
