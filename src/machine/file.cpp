// Converts bytes to JSON.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_set>

#include "field.h"

namespace rankwise::machine {

namespace {

constexpr off_t kMostBytes = off_t{1} << 28;

struct Closer {
  void operator()(FILE *file) const { fclose(file); }
};

std::string content_of(const char *path) {
  const std::unique_ptr<FILE, Closer> file(fopen(path, "re"));
  struct stat about{};
  if (!file || fstat(fileno(file.get()), &about) != 0) throw Problem(std::string("cannot read it: ") + strerror(errno));
  if (!S_ISREG(about.st_mode)) throw Problem("cannot read it: it is no file");
  if (about.st_size > kMostBytes) throw Problem("is no machine.json: it has more than 256 MB");
  std::string content(static_cast<std::size_t>(about.st_size), '\0');
  content.resize(fread(content.data(), 1, content.size(), file.get()));
  if (ferror(file.get()) != 0) throw Problem(std::string("cannot read it: ") + strerror(errno));
  return content;
}

// Length of the UTF-8 character at `text`, 0 if it is invalid (RFC 3629).
std::size_t character(const unsigned char *text, std::size_t left) {
  const unsigned char first = text[0];
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || length > left) return 0;
  for (std::size_t i = 1; i < length; i++)
    if ((text[i] & 0xC0) != 0x80) return 0;
  const unsigned char second = text[1];
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || beyond ? 0 : length;
}

void expect_text(const std::string &content) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(content.data());
  for (std::size_t i = 0; i < content.size();) {
    const std::size_t length = character(bytes + i, content.size() - i);
    if (length == 0) throw Problem("is no machine.json: byte " + std::to_string(i) + " is not UTF-8");
    i += length;
  }
}

Problem no_json(const std::string &content, std::size_t at) {
  const auto end = content.begin() + static_cast<std::ptrdiff_t>(std::min(at, content.size()));
  const auto line = std::count(content.begin(), end, '\n') + 1;
  const auto begin = std::find(std::make_reverse_iterator(end), content.rend(), '\n').base();
  return Problem("is no JSON: line " + std::to_string(line) + ", column " + std::to_string(end - begin + 1));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// 0 if none is there.
std::size_t length_of_text(const std::string &content, std::size_t begin) {
  for (std::size_t i = begin + 1; i < content.size(); i++) {
    if (static_cast<unsigned char>(content[i]) < ' ') return 0;
    if (content[i] == '"') return i + 1 - begin;
    if (content[i] != '\\') continue;
    if (content.compare(i + 1, 5, "u0000") == 0) return 0;
    i++;
  }
  return 0;
}

// 0 if none is there.
std::size_t length_of_number(const std::string &content, std::size_t begin) {
  std::size_t i = begin;
  const auto digits = [&] {
    const std::size_t first = i;
    while (is_digit(content[i])) i++;
    return i > first;
  };
  if (content[i] == '-') i++;
  if (content[i] == '0') {
    i++;
  } else if (!digits()) {
    return 0;
  }
  if (content[i] == '.') {
    i++;
    if (!digits()) return 0;
  }
  if (content[i] == 'e' || content[i] == 'E') {
    i++;
    if (content[i] == '+' || content[i] == '-') i++;
    if (!digits()) return 0;
  }
  return is_digit(content[i]) || content[i] == '.' ? 0 : i - begin;
}

// Rejects texts that cJSON accepts, but JSON (RFC 8259) does not: other blanks, control characters in texts, numbers
// such as 01 and 1. Also rejects \u0000, which would end a text for us.
void expect_strict(const std::string &content) {
  for (std::size_t i = 0; i < content.size();) {
    const char c = content[i];
    std::size_t length = 1;
    if (c == '"')
      length = length_of_text(content, i);
    else if (c == '-' || is_digit(c))
      length = length_of_number(content, i);
    else if (static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r')
      length = 0;
    if (length == 0) throw no_json(content, i);
    i += length;
  }
}

void expect_no_key_twice(const cJSON *value) {
  std::unordered_set<std::string_view> keys;
  for (const cJSON *item = value->child; item != nullptr; item = item->next) {
    if (cJSON_IsObject(value) != 0 && !keys.insert(item->string).second)
      throw Problem("the key " + quoted(item->string) + " is given twice in one object");
    expect_no_key_twice(item);
  }
}

}  // namespace

Json parsed_file(const char *path) {
  const std::string content = content_of(path);
  expect_text(content);
  if (content.starts_with("\xEF\xBB\xBF")) throw no_json(content, 0);
  expect_strict(content);
  const char *end = content.c_str();
  // Includes the final 0: nothing may follow.
  Json json(cJSON_ParseWithLengthOpts(content.c_str(), content.size() + 1, &end, 1));
  if (!json) throw no_json(content, static_cast<std::size_t>(end - content.c_str()));
  expect_no_key_twice(json.get());
  return json;
}

}  // namespace rankwise::machine
