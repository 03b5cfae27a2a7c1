// Unwinds one call by the object's unwind tables for one address (.eh_frame; the DWARF standard, section "Call Frame
// Information"). No unwinder is called: the rule of an address is read once, and following it loads one or two words.
#ifndef RANKWISE_FRAME_RULES_H
#define RANKWISE_FRAME_RULES_H

#include <link.h>

#include <cstdint>

namespace rankwise::frames {

// A call, seen from the calling function.
struct Frame {
  std::uintptr_t address = 0;  // where the call returns to
  std::uintptr_t stack = 0;    // its stack pointer at the call
  std::uintptr_t base = 0;     // its frame pointer, rbp or x29, at the call
};

// Where the frame of a function begins, and the registers saved in it.
struct Rule {
  enum class From : std::uint8_t { unknown, stack, base, outermost };
  From from = From::unknown;  // the frame begins at this register + `start`; outermost: the function has no caller
  bool base_saved = false;
  bool is_signed = false;  // the return address, AArch64
  std::int32_t start = 0;
  std::int32_t address_at = 0;  // counted from the beginning
  std::int32_t base_at = 0;
};

// The call that is returned to by the wrapper into which this is inlined.
[[gnu::always_inline]] inline Frame of_wrapper() {
  // (A function that uses the address of its frame has a frame pointer, and saves its caller's there.)
  const void *own_base = __builtin_frame_address(0);
  return {reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
          reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa()), *static_cast<const std::uintptr_t *>(own_base)};
}

// The same for a wrapper whose frame begins here, by its own frame pointer.
inline Frame of(const void *frame, const void *base) {
  const auto *saved = static_cast<const std::uintptr_t *>(base);
  return {saved[1], reinterpret_cast<std::uintptr_t>(frame), saved[0]};
}

// The beginning of the function with the call that returns to `address`; 0 = not in the tables.
std::uintptr_t function_at(const dl_phdr_info &object, std::uintptr_t address);

// The rule of the function with the call that returns to `address`, from the tables of its object. Unknown without
// tables, or if they need more than registers and numbers.
Rule rule_at(const dl_phdr_info &object, std::uintptr_t address);

// Goes on to the call of the function that made this one; false if the rule leads nowhere, or to an address beyond
// `end`.
bool step(const Rule &rule, Frame &frame, std::uintptr_t end = ~std::uintptr_t{0});

}  // namespace rankwise::frames

#endif
