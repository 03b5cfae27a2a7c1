// The cost of a message.
#ifndef RANKWISE_PLACEMENT_PRICE_H
#define RANKWISE_PLACEMENT_PRICE_H

namespace rankwise::placement {

struct Price {
  double byte;
  double message;

  [[nodiscard]] double of(double bytes, double messages) const { return bytes * byte + messages * message; }
  bool operator==(const Price &) const = default;
};

inline Price operator+(Price a, Price b) { return {a.byte + b.byte, a.message + b.message}; }
inline Price operator-(Price a, Price b) { return {a.byte - b.byte, a.message - b.message}; }
inline Price operator*(double factor, Price price) { return {factor * price.byte, factor * price.message}; }

}  // namespace rankwise::placement

#endif
