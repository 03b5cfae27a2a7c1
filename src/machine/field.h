// Values of a JSON file with their place in it, so that each error message names the place: `levels[2].count`.
#ifndef RANKWISE_MACHINE_FIELD_H
#define RANKWISE_MACHINE_FIELD_H

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../third_party/cjson/cJSON.h"

namespace rankwise::machine {

// Limit for objects of a kind and for slots: ten times as many as the largest machines have.
inline constexpr std::int64_t kMostObjects = std::int64_t{1} << 24;

// One line that names the error and its place.
struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Field {
 public:
  Field(const cJSON *value, std::string path) : value_(value), path_(std::move(path)) {}

  [[nodiscard]] Problem problem(const std::string &message) const {
    return Problem(path_.empty() ? message : path_ + ": " + message);
  }

  // All keys must be among `allowed`, and all of `required` must be present.
  void expect_keys(std::initializer_list<std::string_view> allowed, std::initializer_list<const char *> required) const;
  // The keys of an object whose keys are names.
  [[nodiscard]] std::vector<std::pair<std::string, Field>> members() const;
  [[nodiscard]] bool has(const char *key) const { return find(key) != nullptr; }
  [[nodiscard]] Field operator[](const char *key) const;  // a problem if it is missing
  [[nodiscard]] std::vector<Field> items(std::size_t least = 0) const;
  [[nodiscard]] bool is_list() const { return cJSON_IsArray(value_) != 0; }
  [[nodiscard]] bool is_text() const { return cJSON_IsString(value_) != 0; }
  [[nodiscard]] bool is_null() const { return cJSON_IsNull(value_) != 0; }

  [[nodiscard]] bool is(std::string_view text) const { return is_text() && text == value_->valuestring; }
  [[nodiscard]] std::string text() const;  // printable
  [[nodiscard]] std::string name() const;  // without blanks
  [[nodiscard]] std::int64_t whole(std::int64_t least, std::int64_t most = kMostObjects) const;
  void expect_number() const;  // finite, 0 or more

 private:
  [[nodiscard]] const cJSON *find(const char *key) const;

  const cJSON *value_;
  std::string path_;
};

struct Deleter {
  void operator()(cJSON *json) const { cJSON_Delete(json); }
};
using Json = std::unique_ptr<cJSON, Deleter>;

std::string quoted(std::string_view text);

// The content of a file; a problem if it can't be read, is no JSON, or an object in it has a duplicate key.
Json parsed_file(const char *path);

}  // namespace rankwise::machine

#endif
