#include "frame_rules.h"

#include <cstddef>
#include <cstring>

namespace rankwise::frames {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t stack_register = 7;
constexpr std::uint64_t base_register = 6;
constexpr std::uint64_t address_register = 16;
#elif defined(__aarch64__)
constexpr std::uint64_t stack_register = 31;
constexpr std::uint64_t base_register = 29;
constexpr std::uint64_t address_register = 30;
#endif

// Access to the loaded part of an object only: its tables may be damaged.
class Memory {
 public:
  explicit Memory(const dl_phdr_info &object) : object_(object) {}

  bool holds(std::uintptr_t address, std::size_t bytes) const {
    for (int i = 0; i < object_.dlpi_phnum; ++i) {
      const ElfW(Phdr) &segment = object_.dlpi_phdr[i];
      const std::uintptr_t start = object_.dlpi_addr + segment.p_vaddr;
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_R) == 0 || address < start) continue;
      if (address - start < segment.p_filesz && segment.p_filesz - (address - start) >= bytes) return true;
    }
    return false;
  }

 private:
  const dl_phdr_info &object_;
};

// Reads consecutive numbers up to an end. A number that doesn't fit makes it permanently bad.
class Reader {
 public:
  Reader(std::uintptr_t from, std::uintptr_t end) : at_(from), end_(end) {}

  bool good() const { return good_; }
  bool more() const { return good_ && at_ < end_; }
  std::uintptr_t at() const { return at_; }

  template <class Value>
  Value get() {
    Value value{};
    if (!good_ || end_ - at_ < sizeof value) {
      good_ = false;
      return value;
    }
    memcpy(&value, reinterpret_cast<const void *>(at_), sizeof value);
    at_ += sizeof value;
    return value;
  }

  void skip(std::uint64_t bytes) {
    good_ = good_ && bytes <= end_ - at_;
    if (good_) at_ += bytes;
  }

  std::uint64_t uleb() {
    std::uint64_t value = 0;
    last_byte(value);
    return value;
  }

  std::int64_t sleb() {
    std::uint64_t value = 0;
    const unsigned bits = last_byte(value);
    const bool negative = bits > 0 && bits < 64 && (value >> (bits - 1) & 1) != 0;  // (0: it is damaged)
    return static_cast<std::int64_t>(negative ? value | ~std::uint64_t{0} << bits : value);
  }

  // A pointer in one of the encodings of the Linux Standard Base ("DWARF Exception Header Encoding"); `data` is what
  // DW_EH_PE_datarel counts from.
  std::uintptr_t pointer(std::uint8_t encoding, std::uintptr_t data) {
    const std::uintptr_t place = at_;
    std::uintptr_t value = 0;
    switch (encoding & 0x0F) {
      case 0x00:
      case 0x04:
      case 0x0C:
        value = get<std::uint64_t>();
        break;
      case 0x02:
        value = get<std::uint16_t>();
        break;
      case 0x03:
        value = get<std::uint32_t>();
        break;
      case 0x0A:
        value = static_cast<std::uintptr_t>(std::intptr_t{get<std::int16_t>()});
        break;
      case 0x0B:
        value = static_cast<std::uintptr_t>(std::intptr_t{get<std::int32_t>()});
        break;
      default:
        good_ = false;
    }
    switch (encoding & 0xF0) {
      case 0x00:
        return value;
      case 0x10:
        return place + value;
      case 0x30:
        return data + value;
      default:
        good_ = false;
        return 0;
    }
  }

 private:
  // Returns the number of bits.
  unsigned last_byte(std::uint64_t &value) {
    unsigned shift = 0;
    for (std::uint8_t byte = 0x80; (byte & 0x80) != 0 && good_; shift += 7) {
      byte = get<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7FU} << shift;
    }
    return shift;
  }

  std::uintptr_t at_;
  std::uintptr_t end_;
  bool good_ = true;
};

// Where a register of the caller is: unchanged, saved at a distance from the beginning of the frame, nowhere, or in an
// unsupported way.
struct Saved {
  enum class How : std::uint8_t { unchanged, at, nowhere, other } how = How::unchanged;
  std::int64_t offset = 0;
};

struct Row {
  std::uint64_t from = ~std::uint64_t{0};  // register that the frame's beginning is counted from
  std::int64_t start = 0;
  Saved base;
  Saved address;
  bool is_signed = false;
};

// Shared by all functions of one compilation.
struct Common {
  std::uint64_t code_unit = 1;
  std::int64_t data_unit = 1;
  std::uint8_t encoding = 0;
  bool has_more = false;  // further data in each function's entry
  bool usable = false;
  std::uintptr_t program = 0;
  std::uintptr_t end = 0;
};

// One entry of .eh_frame, from its length on: [from, end).
struct Entry {
  std::uintptr_t from = 0;
  std::uintptr_t end = 0;
};

Entry entry_at(const Memory &memory, std::uintptr_t address) {
  if (!memory.holds(address, 4)) return {};
  std::uint32_t length = 0;
  memcpy(&length, reinterpret_cast<const void *>(address), sizeof length);
  // (No linker writes entries of 4 GiB.)
  if (length == 0 || length == 0xFFFFFFFFU || !memory.holds(address + 4, length)) return {};
  return {address + 4, address + 4 + length};
}

Common common_at(const Memory &memory, std::uintptr_t address) {
  Common common;
  const Entry entry = entry_at(memory, address);
  Reader reader(entry.from, entry.end);
  if (reader.get<std::uint32_t>() != 0 || !reader.good()) return common;
  const auto version = reader.get<std::uint8_t>();
  if (version != 1 && version != 3) return common;
  char augmentation[8] = {};
  for (std::size_t i = 0;; ++i) {
    const char letter = reader.get<char>();
    if (!reader.good() || i == sizeof augmentation) return common;
    if ((augmentation[i] = letter) == '\0') break;
  }
  common.code_unit = reader.uleb();
  common.data_unit = reader.sleb();
  const std::uint64_t returns = version == 1 ? reader.get<std::uint8_t>() : reader.uleb();
  common.program = reader.at();
  if (augmentation[0] == 'z') {
    common.has_more = true;
    const std::uint64_t bytes = reader.uleb();
    common.program = reader.at() + bytes;
    for (const char *letter = augmentation + 1; *letter != '\0'; ++letter) {
      if (*letter == 'R') {
        common.encoding = reader.get<std::uint8_t>();
      } else if (*letter == 'L') {
        reader.get<std::uint8_t>();
      } else if (*letter == 'P') {
        const auto encoding = reader.get<std::uint8_t>();
        reader.pointer(encoding & 0x0F, 0);
      } else if (*letter != 'B') {  // B: signed with the other key
        return common;              // S, a signal frame, among others
      }
    }
  } else if (augmentation[0] != '\0') {
    return common;
  }
  common.end = entry.end;
  common.usable = reader.good() && returns == address_register && common.program <= entry.end;
  return common;
}

// Carries out the instructions up to `address`, or all. False if one is not supported.
class Program {
 public:
  Program(const Common &common, std::uintptr_t address) : common_(common), address_(address) {}

  bool run_common(Row &row) { return run(common_.program, common_.end, row, nullptr); }
  bool run_own(std::uintptr_t from, std::uintptr_t end, std::uintptr_t start, Row &row) {
    location_ = start;
    const Row initial = row;
    return run(from, end, row, &initial);
  }

 private:
  static Saved *place_of(std::uint64_t number, Row &row) {
    if (number == base_register) return &row.base;
    return number == address_register ? &row.address : nullptr;
  }

  static void set(std::uint64_t number, Saved saved, Row &row) {
    if (Saved *place = place_of(number, row)) *place = saved;
  }

  static void restore(std::uint64_t number, Row &row, const Row *initial) {
    static const Row none;
    Row first = initial != nullptr ? *initial : none;
    if (const Saved *place = place_of(number, first)) set(number, *place, row);
  }

  Saved at(std::int64_t units) const { return {Saved::How::at, units * common_.data_unit}; }

  // False: the address lies before it.
  bool advance(std::uint64_t units) {
    location_ += units * common_.code_unit;
    return location_ <= address_;
  }

  bool run(std::uintptr_t from, std::uintptr_t end, Row &row, const Row *initial) {
    Reader reader(from, end);
    Row remembered[8];
    std::size_t depth = 0;
    const Saved other{Saved::How::other, 0};
    while (reader.more()) {
      const auto code = reader.get<std::uint8_t>();
      const std::uint64_t low = code & 0x3F;
      switch (code & 0xC0) {
        case 0x40:  // advance_loc
          if (!advance(low)) return true;
          continue;
        case 0x80:  // offset
          set(low, at(static_cast<std::int64_t>(reader.uleb())), row);
          continue;
        case 0xC0:  // restore
          restore(low, row, initial);
          continue;
        default:
          break;
      }
      switch (code) {
        case 0x00:  // nop
          break;
        case 0x01:  // set_loc
          location_ = reader.pointer(common_.encoding, 0);
          if (location_ > address_) return reader.good();
          break;
        case 0x02:  // advance_loc1, 2, 4
          if (!advance(reader.get<std::uint8_t>())) return reader.good();
          break;
        case 0x03:
          if (!advance(reader.get<std::uint16_t>())) return reader.good();
          break;
        case 0x04:
          if (!advance(reader.get<std::uint32_t>())) return reader.good();
          break;
        case 0x05: {  // offset_extended
          const std::uint64_t number = reader.uleb();
          set(number, at(static_cast<std::int64_t>(reader.uleb())), row);
          break;
        }
        case 0x06:  // restore_extended
          restore(reader.uleb(), row, initial);
          break;
        case 0x07:  // undefined
          set(reader.uleb(), {Saved::How::nowhere, 0}, row);
          break;
        case 0x08:  // same_value
          set(reader.uleb(), {}, row);
          break;
        case 0x09: {  // register
          const std::uint64_t number = reader.uleb();
          reader.uleb();
          set(number, other, row);
          break;
        }
        case 0x0A:  // remember_state
          if (depth == sizeof remembered / sizeof remembered[0]) return false;
          remembered[depth++] = row;
          break;
        case 0x0B:  // restore_state
          if (depth == 0) return false;
          row = remembered[--depth];
          break;
        case 0x0C:  // def_cfa
          row.from = reader.uleb();
          row.start = static_cast<std::int64_t>(reader.uleb());
          break;
        case 0x0D:  // def_cfa_register
          row.from = reader.uleb();
          break;
        case 0x0E:  // def_cfa_offset
          row.start = static_cast<std::int64_t>(reader.uleb());
          break;
        case 0x0F:  // def_cfa_expression
          row.from = ~std::uint64_t{0};
          reader.skip(reader.uleb());
          break;
        case 0x10:    // expression
        case 0x16: {  // val_expression
          const std::uint64_t number = reader.uleb();
          reader.skip(reader.uleb());
          set(number, other, row);
          break;
        }
        case 0x11: {  // offset_extended_sf
          const std::uint64_t number = reader.uleb();
          set(number, at(reader.sleb()), row);
          break;
        }
        case 0x12:  // def_cfa_sf
          row.from = reader.uleb();
          row.start = reader.sleb() * common_.data_unit;
          break;
        case 0x13:  // def_cfa_offset_sf
          row.start = reader.sleb() * common_.data_unit;
          break;
        case 0x14:    // val_offset
        case 0x15: {  // val_offset_sf
          const std::uint64_t number = reader.uleb();
          reader.uleb();
          set(number, other, row);
          break;
        }
#if defined(__aarch64__)
        case 0x2D:  // AARCH64_negate_ra_state
          row.is_signed = !row.is_signed;
          break;
#endif
        case 0x2E:  // GNU_args_size
          reader.uleb();
          break;
        default:
          return false;
      }
    }
    return reader.good();
  }

  const Common &common_;
  std::uintptr_t address_;
  std::uintptr_t location_ = 0;
};

// The entry of the function that contains an address; 0 = none.
std::uintptr_t find_entry(const Memory &memory, std::uintptr_t header, std::size_t bytes, std::uintptr_t address) {
  constexpr std::uint8_t table_of_pairs = 0x3B;  // the format of all linkers: sdata4, datarel
  if (!memory.holds(header, bytes)) return 0;
  Reader reader(header, header + bytes);
  const auto version = reader.get<std::uint8_t>();
  const auto frame_encoding = reader.get<std::uint8_t>();
  const auto count_encoding = reader.get<std::uint8_t>();
  const auto table_encoding = reader.get<std::uint8_t>();
  if (version != 1 || table_encoding != table_of_pairs) return 0;
  reader.pointer(frame_encoding, header);
  const std::uintptr_t count = reader.pointer(count_encoding, header);
  struct Pair {
    std::int32_t start;
    std::int32_t entry;
  };
  if (!reader.good() || count == 0 || count > (header + bytes - reader.at()) / sizeof(Pair)) return 0;
  const auto pair = [&](std::uintptr_t i) {
    Pair found{};
    memcpy(&found, reinterpret_cast<const void *>(reader.at() + i * sizeof found), sizeof found);
    return found;
  };
  const auto absolute = [&](std::int32_t value) { return header + static_cast<std::uintptr_t>(std::intptr_t{value}); };
  std::uintptr_t low = 0;
  for (std::uintptr_t high = count; high - low > 1;) {
    const std::uintptr_t middle = low + (high - low) / 2;
    (absolute(pair(middle).start) <= address ? low : high) = middle;
  }
  return absolute(pair(low).start) <= address ? absolute(pair(low).entry) : 0;
}

// The function's data in the entry at `place`.
struct Function {
  std::uintptr_t start = 0;  // 0 = none contains the address
  Common common;
  std::uintptr_t program = 0;  // where the entry's own instructions begin, and end
  std::uintptr_t end = 0;
};

Function function_of(const Memory &memory, std::uintptr_t place, std::uintptr_t address) {
  const Entry entry = entry_at(memory, place);
  Reader reader(entry.from, entry.end);
  const auto back = reader.get<std::uint32_t>();
  if (back == 0 || !reader.good()) return {};
  const Common common = common_at(memory, entry.from - back);
  if (!common.usable) return {};
  const std::uintptr_t start = reader.pointer(common.encoding, 0);
  const std::uintptr_t length = reader.pointer(common.encoding & 0x0F, 0);
  if (common.has_more) reader.skip(reader.uleb());
  if (!reader.good() || address < start || address - start >= length) return {};
  return {start, common, reader.at(), entry.end};
}

// The object that contains a call's address.
Function find_function(const dl_phdr_info &object, std::uintptr_t call) {
  const Memory memory(object);
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_GNU_EH_FRAME) continue;
    const std::uintptr_t place = find_entry(memory, object.dlpi_addr + segment.p_vaddr, segment.p_memsz, call);
    return place != 0 ? function_of(memory, place, call) : Function{};
  }
  return {};
}

bool row_at(const Function &function, std::uintptr_t address, Row &row) {
  Program program(function.common, address);
  return function.start != 0 && program.run_common(row) &&
         program.run_own(function.program, function.end, function.start, row);
}

bool is_small(std::int64_t offset) { return offset > -(1 << 24) && offset < 1 << 24; }

}  // namespace

std::uintptr_t function_at(const dl_phdr_info &object, std::uintptr_t address) {
  return find_function(object, address - 1).start;
}

Rule rule_at(const dl_phdr_info &object, std::uintptr_t address) {
  const std::uintptr_t call = address - 1;  // what follows a call may be another function's
  Row row;
  const bool found = row_at(find_function(object, call), call, row);
  Rule rule;
  if (found && row.address.how == Saved::How::nowhere) rule.from = Rule::From::outermost;
  const bool base_is_known = row.base.how == Saved::How::unchanged || row.base.how == Saved::How::at;
  const bool understood = found && row.address.how == Saved::How::at && base_is_known && is_small(row.start) &&
                          is_small(row.address.offset) && is_small(row.base.offset);
  if (!understood) return rule;
  if (row.from == stack_register) rule.from = Rule::From::stack;
  if (row.from == base_register) rule.from = Rule::From::base;
  rule.is_signed = row.is_signed;
  rule.start = static_cast<std::int32_t>(row.start);
  rule.address_at = static_cast<std::int32_t>(row.address.offset);
  rule.base_saved = row.base.how == Saved::How::at;
  rule.base_at = static_cast<std::int32_t>(row.base.offset);
  return rule;
}

bool step(const Rule &rule, Frame &frame, std::uintptr_t end) {
  if (rule.from == Rule::From::unknown || rule.from == Rule::From::outermost) return false;
  const std::uintptr_t from = rule.from == Rule::From::stack ? frame.stack : frame.base;
  const std::uintptr_t start = from + static_cast<std::uintptr_t>(std::intptr_t{rule.start});
  // A frame is above the frames of the functions that it calls, and contains its saved registers.
  if (start < frame.stack || start > end || start % sizeof start != 0) return false;
  const auto place = [&](std::int32_t offset) { return start + static_cast<std::uintptr_t>(std::intptr_t{offset}); };
  const auto is_in_frame = [&](std::int32_t offset) {
    return offset < 0 && offset % static_cast<std::int32_t>(sizeof start) == 0 && place(offset) >= frame.stack;
  };
  if (!is_in_frame(rule.address_at) || (rule.base_saved && !is_in_frame(rule.base_at))) return false;
  const auto load = [&](std::int32_t offset) { return *reinterpret_cast<const std::uintptr_t *>(place(offset)); };
  std::uintptr_t address = load(rule.address_at);
  if (rule.base_saved) frame.base = load(rule.base_at);
#if defined(__aarch64__)
  if (rule.is_signed) {
    register std::uintptr_t signed_address __asm__("x30") = address;
    __asm__("hint 7" : "+r"(signed_address));  // xpaclri: removes the signature
    address = signed_address;
  }
#endif
  frame.address = address;
  frame.stack = start;
  return true;
}

}  // namespace rankwise::frames
