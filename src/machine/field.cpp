#include "field.h"

#include <algorithm>
#include <cmath>

namespace rankwise::machine {

namespace {

constexpr char kNotPrintable[] = "must not contain control characters";

// Code points that are not printable or reverse the text around them: control and format characters, blanks other than
// the usual one, line separators, private use. The same as in python/rankwise/topology/machine/fields.py.
constexpr char32_t kUnprintable[][2] = {
    {0x00, 0x1F},     {0x7F, 0xA0},     {0xAD, 0xAD},     {0x600, 0x605},   {0x61C, 0x61C},
    {0x6DD, 0x6DD},   {0x70F, 0x70F},   {0x890, 0x891},   {0x8E2, 0x8E2},   {0x1680, 0x1680},
    {0x180E, 0x180E}, {0x2000, 0x200F}, {0x2028, 0x202F}, {0x205F, 0x206F}, {0x3000, 0x3000},
    {0xD800, 0xF8FF}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0x10FFFF},
};

// The code point of valid UTF-8 at `text`, which is moved past it.
char32_t next_character(const char *&text) {
  const auto first = static_cast<unsigned char>(*text++);
  if (first < 0x80) return first;
  char32_t character = first & (first >= 0xF0 ? 0x07U : first >= 0xE0 ? 0x0FU : 0x1FU);
  while ((static_cast<unsigned char>(*text) & 0xC0U) == 0x80) character = character << 6 | (*text++ & 0x3FU);
  return character;
}

bool is_printable(const char *text) {
  while (*text != '\0') {
    const char32_t character = next_character(text);
    for (const auto &[first, last] : kUnprintable)
      if (character >= first && character <= last) return false;
  }
  return true;
}

}  // namespace

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

const cJSON *Field::find(const char *key) const { return cJSON_GetObjectItemCaseSensitive(value_, key); }

void Field::expect_keys(std::initializer_list<std::string_view> allowed,
                        std::initializer_list<const char *> required) const {
  if (!cJSON_IsObject(value_)) throw problem("must be an object: {...}");
  for (const cJSON *item = value_->child; item != nullptr; item = item->next) {
    const std::string_view key = item->string;
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      std::string known;
      for (const std::string_view word : allowed) known += (known.empty() ? "" : ", ") + std::string(word);
      throw problem("unknown key " + quoted(is_printable(item->string) ? key : "?") + "; known are " + known);
    }
  }
  for (const char *key : required)
    if (!has(key)) throw problem(quoted(key) + " is missing");
}

std::vector<std::pair<std::string, Field>> Field::members() const {
  if (!cJSON_IsObject(value_)) throw problem("must be an object: {...}");
  std::vector<std::pair<std::string, Field>> fields;
  for (const cJSON *item = value_->child; item != nullptr; item = item->next) {
    if (!is_printable(item->string)) throw problem(kNotPrintable);
    fields.emplace_back(item->string, Field(item, path_ + "." + item->string));
  }
  return fields;
}

Field Field::operator[](const char *key) const {
  if (!cJSON_IsObject(value_)) throw problem("must be an object: {...}");
  const cJSON *value = find(key);
  if (value == nullptr) throw problem(quoted(key) + " is missing");
  return {value, path_.empty() ? key : path_ + "." + key};
}

std::vector<Field> Field::items(std::size_t least) const {
  if (!is_list()) throw problem("must be a list: [...]");
  std::vector<Field> elements;
  for (const cJSON *item = value_->child; item != nullptr; item = item->next)
    elements.emplace_back(item, path_ + "[" + std::to_string(elements.size()) + "]");
  if (elements.size() < least) throw problem("must not be empty");
  return elements;
}

std::string Field::text() const {
  if (!is_text()) throw problem("must be a text");
  if (!is_printable(value_->valuestring)) throw problem(kNotPrintable);
  return value_->valuestring;
}

std::string Field::name() const {
  std::string name = text();
  if (name.empty() || name.find(' ') != std::string::npos) throw problem("must be a name without blanks");
  return name;
}

std::int64_t Field::whole(std::int64_t least, std::int64_t most) const {
  const double value = cJSON_IsNumber(value_) ? value_->valuedouble : NAN;
  if (!(value >= static_cast<double>(least)) || std::floor(value) != value)
    throw problem("must be a whole number above " + std::to_string(least - 1));
  if (value > static_cast<double>(most)) throw problem("must be at most " + std::to_string(most));
  return static_cast<std::int64_t>(value);
}

void Field::expect_number() const {
  if (!cJSON_IsNumber(value_) || !(value_->valuedouble >= 0) || !std::isfinite(value_->valuedouble))
    throw problem("must be a number, 0 or more");
}

}  // namespace rankwise::machine
