// A machine.json as a whole: its levels, and which of the two forms it has.
#include <algorithm>

#include "slots.h"

namespace rankwise::machine {

namespace {

constexpr std::size_t kMostLevels = 64;

void expect_level(const Field &level, bool regular) {
  if (regular)
    level.expect_keys({"name", "cost", "link_mb_s", "count", "names"});
  else
    level.expect_keys({"name", "cost", "link_mb_s"});
  if (level["name"].text().empty()) throw level["name"].problem("must not be empty");
  if (level.has("link_mb_s")) level["link_mb_s"].expect_number();
  if (!level.has("cost")) return;
  const Field cost = level["cost"];
  cost.expect_keys({"latency_us", "overhead_us", "us_per_byte", "bandwidth_mb_s"});
  for (const char *key : {"latency_us", "overhead_us", "us_per_byte", "bandwidth_mb_s"})
    if (cost.has(key) && !cost[key].is_null()) cost[key].expect_number();
}

// Their names, the machine's first even if it is left out.
std::vector<std::string> names_of(const Field &field, const std::vector<Field> &levels, bool regular) {
  std::vector<std::string> names;
  for (const Field &level : levels) {
    expect_level(level, regular);
    const std::string name = level["name"].text();
    if (names.empty() && name != "machine") names.emplace_back("machine");
    if (names.empty() && (level.has("count") || level.has("names")))
      throw level.problem("there is one machine, without `count` and `names`");
    if (std::find(names.begin(), names.end(), name) != names.end())
      throw level.problem("the name '" + name + "' is there twice");
    names.push_back(name);
    if (names.size() > kMostLevels) throw field.problem("must not be more than " + std::to_string(kMostLevels));
  }
  if (std::find(names.begin(), names.end(), "node") == names.end())
    throw field.problem("one must have the name \"node\"");
  return names;
}

}  // namespace

Slots read_slots(const char *path) {
  const Json json = parsed_file(path);
  const Field file(json.get(), "");
  file.expect_keys({"format", "version", "levels", "templates", "tree", "network", "sources", "misfits"});
  if (!file["format"].is_text() || file["format"].text() != "rankwise-machine")
    throw file["format"].problem("must be \"rankwise-machine\"");
  if (file["version"].whole(1) != 1)
    throw file["version"].problem("this Rankwise reads version 1; use the one that wrote the file");
  const bool regular = !file.has("tree");
  const Field field = file["levels"];
  std::vector<Field> levels = field.items(1);
  const std::vector<std::string> names = names_of(field, levels, regular);
  if (regular && file.has("templates")) throw file["templates"].problem("are for a `tree`, which is missing");
  // To take a torus for a tree would give an order that may be worse than the present one.
  if (file.has("network"))
    throw file["network"].problem("can't be used inside a running program, which places by levels alone: leave it out");
  for (const char *key : {"sources", "misfits"})
    if (file.has(key)) static_cast<void>(file[key].items());
  const auto node = std::find(names.begin(), names.end(), "node") - names.begin();
  Slots slots(static_cast<int>(names.size()), static_cast<int>(node));
  if (levels.size() == names.size()) levels.erase(levels.begin());  // that of the machine
  if (regular)
    add_regular(levels, slots);
  else
    add_tree(file, names, slots);
  return slots;
}

}  // namespace rankwise::machine
