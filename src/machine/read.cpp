// Reads a whole machine.json: its levels, and which of the two forms it has. It accepts and refuses the same files, in
// the same order of checks, as python/rankwise/topology/machine/read.py: tests/unit/test_machine_reader.py compares
// them.
#include <algorithm>

#include "slots.h"

namespace rankwise::machine {

namespace {

constexpr std::size_t kMostLevels = 64;

void expect_level(const Field &level, bool regular) {
  if (regular)
    level.expect_keys({"name", "cost", "link_mb_s", "count", "names"}, {"name"});
  else
    level.expect_keys({"name", "cost", "link_mb_s"}, {"name"});
  if (level.has("cost")) level["cost"].expect_keys({"latency_us", "overhead_us", "us_per_byte", "bandwidth_mb_s"}, {});
  if (level["name"].text().empty()) throw level["name"].problem("must not be empty");
  if (level.has("cost")) {
    const Field cost = level["cost"];
    for (const char *key : {"latency_us", "overhead_us", "us_per_byte", "bandwidth_mb_s"})
      if (cost.has(key) && !cost[key].is_null()) cost[key].expect_number();
  }
  if (level.has("link_mb_s")) level["link_mb_s"].expect_number();
}

// The names of the levels, with the machine's first even if it is left out.
std::vector<std::string> names_of(const Field &field, const std::vector<Field> &levels, bool regular) {
  for (const Field &level : levels) expect_level(level, regular);
  std::vector<std::string> names;
  const Field &first = levels.front();
  if (first["name"].text() != "machine")
    names.emplace_back("machine");
  else if (first.has("count") || first.has("names"))
    throw first.problem("the machine itself has no `count` or `names`");
  if (names.size() + levels.size() > kMostLevels)
    throw field.problem("must not be more than " + std::to_string(kMostLevels));
  for (const Field &level : levels) {
    const std::string name = level["name"].text();
    if (std::find(names.begin(), names.end(), name) != names.end())
      throw level.problem("the name " + quoted(name) + " is given twice");
    names.push_back(name);
  }
  if (std::find(names.begin(), names.end(), "node") == names.end())
    throw field.problem("one must have the name \"node\"");
  return names;
}

// These are not used here.
void expect_source(const Field &source) {
  source.expect_keys({"kind", "what", "file", "date"}, {"kind"});
  for (const char *key : {"kind", "what", "file", "date"})
    if (source.has(key)) static_cast<void>(source[key].text());
}

void expect_outlier(const Field &outlier) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 52;
  outlier.expect_keys({"kind", "where", "hosts", "what", "size", "value", "expected", "level", "verdict"},
                      {"kind", "where", "hosts", "what", "size", "value", "expected", "level"});
  for (const char *key : {"kind", "where"}) static_cast<void>(outlier[key].text());
  for (const Field &host : outlier["hosts"].items()) static_cast<void>(host.name());
  static_cast<void>(outlier["what"].text());
  static_cast<void>(outlier["size"].whole(0, most_bytes));
  for (const char *key : {"value", "expected"}) outlier[key].expect_number();
  static_cast<void>(outlier["level"].text());
  if (outlier.has("verdict")) static_cast<void>(outlier["verdict"].text());
}

}  // namespace

Slots read_slots(const char *path) {
  const Json json = parsed_file(path);
  const Field file(json.get(), "");
  if (!file["format"].is("rankwise-machine")) throw file["format"].problem("must be \"rankwise-machine\"");
  file.expect_keys({"format", "version", "levels", "templates", "tree", "network", "sources", "outliers"},
                   {"version", "levels"});
  if (file["version"].whole(1) != 1)
    throw file["version"].problem("this Rankwise reads version 1; use the one that wrote the file");
  const bool regular = !file.has("tree");
  const Field field = file["levels"];
  std::vector<Field> levels = field.items(1);
  const std::vector<std::string> names = names_of(field, levels, regular);
  if (regular && file.has("templates")) throw file["templates"].problem("are for a `tree`, which is missing");
  // Treating a torus as a tree would give an order that may be worse than the present one.
  if (file.has("network"))
    throw file["network"].problem("can't be used inside a running program, which places by levels alone: leave it out");
  const auto node = std::find(names.begin(), names.end(), "node") - names.begin();
  Slots slots(static_cast<int>(names.size()), static_cast<int>(node));
  if (levels.size() == names.size()) levels.erase(levels.begin());  // the machine's level
  if (regular)
    add_regular(levels, slots);
  else
    add_tree(file, names, slots);
  if (file.has("sources"))
    for (const Field &source : file["sources"].items()) expect_source(source);
  if (file.has("outliers"))
    for (const Field &outlier : file["outliers"].items()) expect_outlier(outlier);
  return slots;
}

}  // namespace rankwise::machine
