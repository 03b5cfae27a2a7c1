#include "hosts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "field.h"

namespace rankwise::machine {

namespace {

constexpr std::size_t kMostHosts = std::size_t{1} << 20;
constexpr std::size_t kMostDigits = 15;

using Words = std::vector<std::string>;

Problem no_list(const std::string &list) {
  return Problem("'" + list + "' is no list of hosts such as node[01-16,20]");
}

Problem too_many(const std::string &list) {
  return Problem("'" + list + "' names more than " + std::to_string(kMostHosts) + " hosts");
}

// Splits at the commas outside brackets.
Words words_of(const std::string &list) {
  Words words(1);
  bool inside = false;
  for (const char c : list) {
    if (c == '[' || c == ']') {
      if (inside == (c == '[')) throw no_list(list);
      inside = c == '[';
    }
    if (c == ',' && !inside)
      words.emplace_back();
    else
      words.back() += c;
  }
  if (inside) throw no_list(list);
  return words;
}

struct Number {
  std::size_t value;
  std::size_t width;  // with leading zeros
};

Number number_of(const std::string &list, const std::string &text) {
  const bool digits = !text.empty() && text.size() <= kMostDigits &&
                      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) throw no_list(list);
  return {std::stoul(text), text.size()};
}

std::string padded(std::size_t value, std::size_t width) {
  const std::string text = std::to_string(value);
  return std::string(width - std::min(width, text.size()), '0') + text;
}

// The numbers of `01-16,20`, each once.
Words numbers_in(const std::string &list, const std::string &inside) {
  std::set<std::pair<std::size_t, std::string>> values;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', begin), inside.size());
    const std::string range = inside.substr(begin, end - begin);
    const std::size_t dash = range.find('-');
    const Number first = number_of(list, range.substr(0, dash));
    const Number last = dash == std::string::npos ? first : number_of(list, range.substr(dash + 1));
    if (last.value < first.value) throw no_list(list);
    if (last.value - first.value >= kMostHosts) throw too_many(list);
    for (std::size_t value = first.value; value <= last.value; value++)
      values.emplace(value, padded(value, first.width));
    begin = end + 1;
  }
  Words numbers;
  for (const auto &[value, text] : values) numbers.push_back(text);
  return numbers;
}

Words expanded(const std::string &list, const std::string &word) {
  Words names(1);
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t open = std::min(word.find('[', at), word.size());
    for (std::string &name : names) name += word.substr(at, open - at);
    if (open == word.size()) break;
    const std::size_t close = word.find(']', open);
    const Words numbers = numbers_in(list, word.substr(open + 1, close - open - 1));
    if (names.size() * numbers.size() > kMostHosts) throw too_many(list);
    Words longer;
    for (const std::string &name : names)
      for (const std::string &number : numbers) longer.push_back(name + number);
    names = std::move(longer);
    at = close + 1;
  }
  return names;
}

std::string stripped(const std::string &text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::vector<std::string> hosts_of(const std::string &list) {
  Words hosts;
  for (const std::string &part : words_of(list)) {
    const std::string word = stripped(part);
    if (word.empty() || word.find_first_of("!&^@/%*? ") != std::string::npos) throw no_list(list);
    const Words names = expanded(list, word);
    if (hosts.size() + names.size() > kMostHosts) throw too_many(list);
    hosts.insert(hosts.end(), names.begin(), names.end());
  }
  return hosts;
}

}  // namespace rankwise::machine
