// Rows of forwarding tables. The largest fabrics have 350 million, so each may take a few nanoseconds.
#include <cstdint>
#include <cstring>
#include <string_view>

#include "digits.h"
#include "rankwise/fabric.h"

namespace {

using rankwise::fabric::kNoNumber;
using rankwise::fabric::Number;

constexpr std::int64_t kLidAt = sizeof "0x" - 1;
constexpr std::int64_t kLidDigits = 4;
constexpr std::int64_t kPortDigits = 3;
constexpr Number<kLidDigits> kLid(16);
constexpr Number<kPortDigits> kPort(10);
constexpr char kUnreachable[] = "UNREACHABLE\n";
constexpr std::int64_t kUnreachableSize = sizeof kUnreachable - 1;
constexpr std::uint32_t kNowhere = 255;

struct Row {
  std::uint32_t lid;
  std::uint32_t port;
};

// Returns the end of the row that begins at `text`; null: it is another line, or has no end.
const char *read_row(const char *text, const char *end, std::string_view gap, Row &row) {
  const char *const lid = text + kLidAt, *const port = lid + kLidDigits + gap.size();
  if (end - port <= kPortDigits || text[0] != '0' || text[1] != 'x') return nullptr;
  row.lid = kLid.read(lid);
  if (row.lid >= kNoNumber) return nullptr;
  for (std::size_t place = 0; place < gap.size(); place++)  // faster than a call for a character or three
    if (lid[kLidDigits + place] != gap[place]) return nullptr;
  row.port = kPort.read(port);
  if (row.port < kNoNumber && port[kPortDigits] == ' ') {
    const char *const rest = port + kPortDigits + 1;
    if (rest < end && *rest == '\n') return rest + 1;
    const void *const behind = std::memchr(rest, '\n', static_cast<std::size_t>(end - rest));
    return behind ? static_cast<const char *>(behind) + 1 : nullptr;
  }
  row.port = kNowhere;
  const bool is_unreachable = end - port >= kUnreachableSize && std::memcmp(port, kUnreachable, kUnreachableSize) == 0;
  return is_unreachable ? port + kUnreachableSize : nullptr;
}

}  // namespace

__attribute__((visibility("default"))) std::int64_t rankwise_read_rows(const char *text, std::int64_t size,
                                                                       const char *gap, rankwise_rows *rows) {
  const std::string_view between(gap);
  const char *place = text;
  std::int64_t count = rows->count;
  for (; count < rows->room; count++) {
    Row row{};
    const char *const behind = read_row(place, text + size, between, row);
    if (!behind) break;
    rows->lid[count] = row.lid;
    rows->port[count] = static_cast<std::uint16_t>(row.port);
    place = behind;
  }
  rows->count = count;
  return place - text;
}
