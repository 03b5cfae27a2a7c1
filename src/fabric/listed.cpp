// Devices and their ports as `ibnetdiscover` lists them, in paragraphs of the usual form.
#include <cstdint>
#include <cstring>

#include "digits.h"
#include "rankwise/fabric.h"

namespace {

using rankwise::fabric::digit_value;
using rankwise::fabric::kDecimal;
using rankwise::fabric::kHexadecimal;
using rankwise::fabric::kNoNumber;
using rankwise::fabric::Values;

constexpr int kGuidDigits = 16;
constexpr int kLidDigits = 9;
constexpr int kPortDigits = 4;
constexpr std::uint64_t kMostLid = 0xbfff;
constexpr std::uint64_t kMostPort = 254;
constexpr std::uint64_t kMostLmc = 7;
constexpr std::int64_t kRateSize = sizeof(std::uint64_t);

// Reads a text from left to right. Each function returns whether the thing is there, and then goes on behind it.
class Scanner {
 public:
  Scanner(const char *at, const char *end) : at_(at), end_(end) {}

  [[nodiscard]] const char *at() const { return at_; }
  [[nodiscard]] bool is_at_end() const { return at_ == end_; }
  [[nodiscard]] bool is_at(char character) const { return at_ < end_ && *at_ == character; }

  bool word(const char *expected) {
    const std::size_t size = std::strlen(expected);
    if (static_cast<std::size_t>(end_ - at_) < size || std::memcmp(at_, expected, size) != 0) return false;
    at_ += size;
    return true;
  }

  bool blanks() {
    const char *const begin = at_;
    while (is_at(' ') || is_at('\t')) at_++;
    return at_ > begin;
  }

  bool line_end() {
    while (is_at(' ') || is_at('\t') || is_at('\r')) at_++;
    return is_at_end() || word("\n");
  }

  bool number(int most_digits, std::uint64_t most, std::uint64_t &value) {
    return digits<10>(kDecimal, 1, most_digits, value) && value <= most;
  }
  bool guid(std::uint64_t &value, int least_digits = 1) {
    return digits<16>(kHexadecimal, least_digits, kGuidDigits, value);
  }
  // In brackets; false: wrong, or missing.
  bool port(std::uint64_t &number_read) {
    return word("[") && number(kPortDigits, kMostPort, number_read) && number_read > 0 && word("]");
  }
  // In parentheses, if there is one; false: wrong.
  bool maybe_guid(std::uint64_t &value, bool &is_there) {
    is_there = word("(");
    return !is_there || (guid(value) && word(")"));
  }
  // "S-..." or "H-...", with the quotes.
  bool node(std::uint8_t &kind, std::uint64_t &value) {
    if (!word("\"") || !(is_at('S') || is_at('H'))) return false;
    kind = static_cast<std::uint8_t>(*at_++);
    return word("-") && guid(value, kGuidDigits) && word("\"");
  }
  // A text in quotes, up to the last of these words in the line, which end it.
  bool text(const char *ending, const char *&begin, std::int64_t &size) {
    if (!word("\"")) return false;
    begin = at_;
    const std::int64_t ending_size = static_cast<std::int64_t>(std::strlen(ending));
    const void *const newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    const char *last = (newline ? static_cast<const char *>(newline) : end_) - ending_size;
    while (last >= begin && std::memcmp(last, ending, static_cast<std::size_t>(ending_size)) != 0) last--;
    size = last - begin;
    at_ = last + ending_size;
    return size >= 0;
  }
  // A word of visible ASCII characters, not too long, packed into a number.
  bool packed(std::uint64_t &value) {
    const char *const begin = at_;
    while (at_ < end_ && *at_ > ' ' && *at_ < '\x7f') at_++;
    const std::int64_t size = at_ - begin;
    if (size < 1 || size > kRateSize) return false;
    value = 0;
    for (std::int64_t place = size; place-- > 0;) value = value << 8 | static_cast<unsigned char>(begin[place]);
    return true;
  }

 private:
  template <unsigned Base>
  bool digits(const Values &values, int least, int most, std::uint64_t &number_read) {
    int count = 0;
    number_read = 0;
    for (; count < most && at_ < end_; count++) {
      const std::uint32_t digit = digit_value(values, *at_);
      if (digit == kNoNumber) break;
      number_read = number_read * Base + digit;
      at_++;
    }
    return count >= least;
  }

  const char *at_;
  const char *end_;
};

// The facts above a device, and the device.
struct Head {
  std::uint8_t kind = 0;
  std::uint64_t node = 0;
  std::uint64_t system = 0;
  std::uint64_t port_guid = 0;
  std::uint64_t lid = 0;
  std::uint64_t lmc = 0;
};

class Paragraphs {
 public:
  Paragraphs(const char *text, std::int64_t size, std::int64_t place, rankwise_listed &listed, std::int64_t line)
      : text_(text), scanner_(text + place, text + size), listed_(listed), line_(line) {}

  [[nodiscard]] std::int64_t place() const { return scanner_.at() - text_; }
  [[nodiscard]] std::int64_t line() const { return line_; }

  // Adds the next one behind empty lines; false: the text ends, or it has another form.
  bool read() {
    while (!scanner_.is_at_end() && line_end()) {
    }
    const Scanner before = scanner_;
    const std::int64_t line = line_, devices = listed_.devices, ports = listed_.ports;
    if (!scanner_.is_at_end() && paragraph()) return true;
    scanner_ = before;
    line_ = line;
    listed_.devices = devices;
    listed_.ports = ports;
    return false;
  }

 private:
  bool line_end() {
    Scanner behind = scanner_;
    if (!behind.line_end()) return false;
    scanner_ = behind;
    line_++;
    return true;
  }

  bool paragraph() {
    Head head;
    bool has_port = false;
    while (!scanner_.is_at('S') && !scanner_.is_at('C'))
      if (!fact(head, has_port)) return false;
    if (!device(head)) return false;
    if (!has_port) head.port_guid = head.node;
    while (scanner_.is_at('['))
      if (!port(head)) return false;
    return scanner_.is_at_end() || line_end();
  }

  // Such as sysimgguid=0x1234; the GUID of port 0 may follow in parentheses.
  bool fact(Head &head, bool &has_port) {
    const bool is_system = scanner_.word("sysimgguid");
    if (!is_system && !scanner_.word("vendid") && !scanner_.word("devid") && !scanner_.word("switchguid") &&
        !scanner_.word("caguid"))
      return false;
    std::uint64_t value = 0, port_guid = 0;
    bool is_there = false;
    if (!scanner_.word("=0x") || !scanner_.guid(value) || !scanner_.maybe_guid(port_guid, is_there)) return false;
    if (is_system) head.system = value;
    if (is_there) head.port_guid = port_guid;
    has_port |= is_there;
    return line_end();
  }

  bool device(Head &head) {
    const bool is_switch = scanner_.word("Switch");
    if (!is_switch && !scanner_.word("Ca")) return false;
    std::uint64_t port_count = 0;
    if (!scanner_.blanks() || !scanner_.number(kLidDigits, UINT64_MAX, port_count) || !scanner_.word(" ")) return false;
    if (!scanner_.node(head.kind, head.node) || (head.kind == 'S') != is_switch) return false;
    const char *name = nullptr;
    std::int64_t name_size = 0;
    if (!scanner_.blanks() || !scanner_.word("# ") || !scanner_.text("\"", name, name_size)) return false;
    if (is_switch && !switch_lid(head)) return false;
    const std::int64_t place = listed_.devices++;
    listed_.kind[place] = head.kind;
    listed_.node[place] = head.node;
    listed_.system[place] = head.system;
    listed_.port_count[place] = static_cast<std::int32_t>(port_count);
    listed_.name[place] = name - text_;
    listed_.name_size[place] = static_cast<std::int32_t>(name_size);
    return line_end();
  }

  bool switch_lid(Head &head) {
    if (!scanner_.word(" ")) return false;
    if (!scanner_.word("enhanced ")) scanner_.word("base ");
    return scanner_.word("port 0 lid ") && scanner_.number(kLidDigits, kMostLid, head.lid) && scanner_.word(" lmc ") &&
           scanner_.number(1, kMostLmc, head.lmc);
  }

  bool port(const Head &head) {
    const bool of_switch = head.kind == 'S';
    std::uint64_t number = 0, guid = 0, far_node = 0, far_number = 0, far_guid = 0, lid = 0, lmc = 0, far_lid = 0;
    std::uint64_t rate = 0;
    bool has_guid = false, has_far_guid = false;
    std::uint8_t far_kind = 0;
    const char *far_name = nullptr;
    std::int64_t far_name_size = 0;
    if (!scanner_.port(number) || !scanner_.maybe_guid(guid, has_guid)) return false;
    scanner_.blanks();
    if (!scanner_.node(far_kind, far_node) || !scanner_.port(far_number)) return false;
    if (!scanner_.maybe_guid(far_guid, has_far_guid)) return false;
    if (!scanner_.blanks() || !scanner_.word("#") || !scanner_.blanks()) return false;
    const bool has_lid = scanner_.word("lid ");
    if (has_lid && !(scanner_.number(kLidDigits, kMostLid, lid) && scanner_.word(" lmc ") &&
                     scanner_.number(1, kMostLmc, lmc) && scanner_.word(" ")))
      return false;
    if (!of_switch && !(has_guid && has_lid)) return false;
    if (!scanner_.text("\" lid ", far_name, far_name_size)) return false;
    if (!scanner_.number(kLidDigits, kMostLid, far_lid) || !scanner_.word(" ") || !scanner_.packed(rate)) return false;
    if (of_switch) {
      guid = head.port_guid;
      lid = head.lid;
      lmc = head.lmc;
    }
    const std::int64_t place = listed_.ports++;
    listed_.line[place] = line_;
    listed_.device[place] = static_cast<std::int32_t>(listed_.devices - 1);
    listed_.number[place] = static_cast<std::int32_t>(number);
    listed_.guid[place] = guid;
    listed_.lid[place] = static_cast<std::int32_t>(lid);
    listed_.lid_count[place] = lid ? 1 << lmc : 0;
    listed_.far_kind[place] = far_kind;
    listed_.far_node[place] = far_node;
    listed_.far_number[place] = static_cast<std::int32_t>(far_number);
    listed_.far_guid[place] = has_far_guid || far_kind == 'H' ? far_guid : far_node;
    listed_.far_lid[place] = static_cast<std::int32_t>(far_lid);
    listed_.far_name[place] = far_name - text_;
    listed_.far_name_size[place] = static_cast<std::int32_t>(far_name_size);
    listed_.rate[place] = rate;
    return line_end();
  }

  const char *text_;
  Scanner scanner_;
  rankwise_listed &listed_;
  std::int64_t line_;
};

}  // namespace

__attribute__((visibility("default"))) std::int64_t rankwise_read_listed(const char *text, std::int64_t size,
                                                                         std::int64_t place, rankwise_listed *listed,
                                                                         std::int64_t *line) {
  Paragraphs paragraphs(text, size, place, *listed, *line);
  while (paragraphs.read()) {
  }
  *line = paragraphs.line();
  return paragraphs.place();
}
