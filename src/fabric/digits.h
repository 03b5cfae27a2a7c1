// Digits of numbers.
#ifndef RANKWISE_FABRIC_DIGITS_H
#define RANKWISE_FABRIC_DIGITS_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace rankwise::fabric {

// Or more: a character is no digit.
constexpr std::uint32_t kNoNumber = 1 << 24;

using Values = std::array<std::uint32_t, 256>;  // by character

// What digits contribute to a number in which one of them counts `unit`.
constexpr Values values_of_digits(std::uint32_t base, std::uint32_t unit) {
  Values values{};
  values.fill(kNoNumber);
  for (std::uint32_t digit = 0; digit < base; digit++)
    for (const char character : {"0123456789abcdef"[digit], "0123456789ABCDEF"[digit]})
      values[static_cast<unsigned char>(character)] = digit * unit;
  return values;
}

inline constexpr Values kHexadecimal = values_of_digits(16, 1);
inline constexpr Values kDecimal = values_of_digits(10, 1);

// The value of a character; kNoNumber: it is no digit.
inline std::uint32_t digit_value(const Values &values, char character) {
  return values[static_cast<unsigned char>(character)];
}

// Numbers of a fixed number of digits. RATIONALE: a table for each place makes multiplications and most checks
// unnecessary.
template <std::size_t Size>
class Number {
 public:
  explicit constexpr Number(std::uint32_t base) : places_{} {
    std::uint32_t unit = 1;
    for (std::size_t place = Size; place-- > 0; unit *= base) places_[place] = values_of_digits(base, unit);
  }

  // The number that begins at `text`; kNoNumber or more: not all are digits.
  [[nodiscard]] std::uint32_t read(const char *text) const {
    std::uint32_t number = 0;
    for (std::size_t place = 0; place < Size; place++) number += digit_value(places_[place], text[place]);
    return number;
  }

 private:
  std::array<Values, Size> places_;
};

}  // namespace rankwise::fabric

#endif
