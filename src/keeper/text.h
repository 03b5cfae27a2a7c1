// Text functions of the keeper.
#ifndef RANKWISE_KEEPER_TEXT_H
#define RANKWISE_KEEPER_TEXT_H

#include <stddef.h>
#include <stdint.h>

namespace rankwise::keeper {

inline size_t length(const char *text) {
  size_t n = 0;
  while (text[n] != '\0') ++n;
  return n;
}

inline bool equal(const char *a, const char *b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

inline bool ends_with(const char *text, const char *end) {
  const size_t n = length(text);
  const size_t m = length(end);
  return n >= m && equal(text + (n - m), end);
}

inline int64_t number(const char *text) {
  int64_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (*text - '0');
  return value;
}

// Appends texts and numbers; anything that does not fit is left out.
class Text {
 public:
  template <size_t bytes>
  explicit Text(char (&to)[bytes]) : at_(to), end_(to + bytes - 1) {
    *at_ = '\0';
  }
  Text &operator<<(const char *text) {
    while (*text != '\0' && at_ < end_) *at_++ = *text++;
    *at_ = '\0';
    return *this;
  }
  Text &add(uint64_t value, unsigned base) {
    char digits[65];
    char *first = digits + sizeof digits - 1;
    *first = '\0';
    do {
      *--first = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    return *this << first;
  }

 private:
  char *at_;
  char *end_;
};

template <size_t bytes>
void copy(char (&to)[bytes], const char *from) {
  Text text(to);
  text << from;
}

}  // namespace rankwise::keeper

#endif
