#include "field.h"

#include <algorithm>
#include <cmath>

namespace rankwise::machine {

namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool is_printable(const std::string &text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < ' ' || byte == 0x7F;
  });
}

}  // namespace

const cJSON *Field::find(const char *key) const { return cJSON_GetObjectItemCaseSensitive(value_, key); }

void Field::expect_keys(std::initializer_list<std::string_view> allowed) const {
  if (!cJSON_IsObject(value_)) throw problem("must be an object: {...}");
  std::vector<std::string_view> seen;
  for (const cJSON *item = value_->child; item != nullptr; item = item->next) {
    const std::string_view key = item->string;
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      std::string known;
      for (const std::string_view one : allowed) known += (known.empty() ? "" : ", ") + std::string(one);
      throw problem("unknown key " + quoted(is_printable(item->string) ? key : "?") + "; known are " + known);
    }
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      throw problem("the key " + quoted(key) + " is there twice in one object");
    seen.push_back(key);
  }
}

std::vector<std::pair<std::string, Field>> Field::members() const {
  if (!cJSON_IsObject(value_)) throw problem("must be an object: {...}");
  std::vector<std::pair<std::string, Field>> found;
  for (const cJSON *item = value_->child; item != nullptr; item = item->next)
    found.emplace_back(item->string, Field(item, path_ + "." + item->string));
  return found;
}

Field Field::operator[](const char *key) const {
  const cJSON *found = find(key);
  if (found == nullptr) throw problem(quoted(key) + " is missing");
  return {found, path_.empty() ? key : path_ + "." + key};
}

std::vector<Field> Field::items(std::size_t least) const {
  if (!is_list()) throw problem("must be a list: [...]");
  std::vector<Field> found;
  for (const cJSON *item = value_->child; item != nullptr; item = item->next)
    found.emplace_back(item, path_ + "[" + std::to_string(found.size()) + "]");
  if (found.size() < least) throw problem("must not be empty");
  return found;
}

std::string Field::text() const {
  if (!is_text()) throw problem("must be a text");
  std::string text = value_->valuestring;
  if (!is_printable(text)) throw problem("must not contain control characters");
  return text;
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
