// The tree: objects, which may each represent several siblings, and templates.
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "slots.h"

namespace rankwise::machine {

namespace {

// The siblings of a description.
struct Siblings {
  int level;
  std::int64_t count;
  std::vector<Field> names;           // empty, or one each
  std::vector<std::int64_t> numbers;  // empty, or one for each
  std::optional<std::vector<Field>> children;
};

class Tree {
 public:
  Tree(const Field &file, const std::vector<std::string> &levels, Slots &slots) : levels_(levels), slots_(slots) {
    if (!file.has("templates")) return;
    for (const auto &[name, children] : file["templates"].members()) templates_.emplace(name, children);
  }

  // Counted in advance, so that a hostile file cannot exhaust memory.
  std::int64_t count(const std::vector<Field> &descriptions, int above, bool in_template) {
    std::int64_t slots = 0;
    for (const Field &description : descriptions) {
      const Siblings siblings = understood(description, above, in_template);
      slots += siblings.count * count_inside(siblings, description, in_template);
      if (slots > kMostObjects)
        throw description.problem("there must be at most " + std::to_string(kMostObjects) + " slots");
    }
    return slots;
  }

  void add(const std::vector<Field> &descriptions, int above, bool in_template) {
    for (const Field &description : descriptions)
      add(understood(description, above, in_template), description, above, in_template);
  }

 private:
  void add_host(const Field &field) {
    const std::string name = field.name();
    if (!slots_.add_host(name)) throw field.problem("the node '" + name + "' is given twice");
  }

  void add(const Siblings &siblings, const Field &description, int above, bool in_template) {
    for (std::int64_t i = 0; i < siblings.count; i++) {
      const auto place = static_cast<std::size_t>(i);
      slots_.enter(above, siblings.level);
      if (siblings.level == slots_.node_level()) add_host(siblings.names[place]);
      if (siblings.children)
        add(*siblings.children, siblings.level, in_template || description.has("like"));
      else
        slots_.add(siblings.level, siblings.numbers.empty() ? -1 : siblings.numbers[place]);
    }
  }

  std::int64_t count_inside(const Siblings &siblings, const Field &description, bool in_template) {
    if (!siblings.children) return 1;
    if (!description.has("like")) return count(*siblings.children, siblings.level, in_template);
    const std::pair<std::string, int> key{description["like"].text(), siblings.level};
    const auto known = counted_.find(key);
    if (known != counted_.end()) return known->second;
    return counted_[key] = count(*siblings.children, siblings.level, true);
  }

  Siblings understood(const Field &field, int above, bool in_template) const {
    field.expect_keys({"level", "name", "names", "os", "count", "link_mb_s", "like", "children"}, {"level"});
    Siblings siblings{level_of(field["level"], above), 1, names_of(field), numbers_of(field), {}};
    const bool is_node = siblings.level == slots_.node_level();
    if (!is_node && above < slots_.node_level() && slots_.node_level() < siblings.level)
      throw field["level"].problem("must be inside a node");
    siblings.children = children_of(field, siblings.level, in_template);
    if (field.has("link_mb_s")) field["link_mb_s"].expect_number();
    if (is_node && siblings.names.empty()) throw field.problem("a node must have a name");
    for (const Field &name : siblings.names) static_cast<void>(is_node ? name.name() : name.text());
    const auto names = static_cast<std::int64_t>(siblings.names.size());
    const auto numbers = static_cast<std::int64_t>(siblings.numbers.size());
    siblings.count = field.has("count") ? field["count"].whole(1) : std::max({names, numbers, std::int64_t{1}});
    if ((names != 0 && names != siblings.count) || (numbers != 0 && numbers != siblings.count))
      throw field.problem("names, os and count must give the same number of siblings");
    return siblings;
  }

  int level_of(const Field &field, int above) const {
    const std::string name = field.text();
    const auto position = std::find(levels_.begin(), levels_.end(), name);
    if (position == levels_.end()) throw field.problem("there is no level '" + name + "' among `levels`");
    const auto level = static_cast<int>(position - levels_.begin());
    if (level <= above)
      throw field.problem("'" + name + "' can't be inside '" + levels_[static_cast<std::size_t>(above)] +
                          "': `levels` has it outside");
    return level;
  }

  std::optional<std::vector<Field>> children_of(const Field &field, int level, bool in_template) const {
    if (field.has("like")) {
      const Field like = field["like"];
      if (field.has("children")) throw like.problem("can't have `children`");
      if (in_template) throw like.problem("a template can't be like another one");
      const auto position = templates_.find(like.text());
      if (position == templates_.end()) throw like.problem("there is no template '" + like.text() + "'");
      return position->second.items(1);
    }
    if (field.has("children")) return field["children"].items(1);
    if (level < slots_.node_level()) throw field["level"].problem("an object around nodes must have `children`");
    return {};
  }

  static std::vector<Field> names_of(const Field &field) {
    if (field.has("name") && field.has("names")) throw field["names"].problem("can't have `name`");
    if (field.has("names")) return field["names"].items(1);
    return field.has("name") ? std::vector<Field>{field["name"]} : std::vector<Field>{};
  }

  static std::vector<std::int64_t> numbers_of(const Field &field) {
    std::vector<std::int64_t> numbers;
    if (!field.has("os")) return numbers;
    const Field os = field["os"];
    for (const Field &number : os.is_list() ? os.items(1) : std::vector<Field>{os}) numbers.push_back(number.whole(0));
    return numbers;
  }

  const std::vector<std::string> &levels_;
  Slots &slots_;
  std::unordered_map<std::string, Field> templates_;
  std::map<std::pair<std::string, int>, std::int64_t> counted_;  // slots in a template below an object of a level
};

}  // namespace

void add_tree(const Field &file, const std::vector<std::string> &names, Slots &slots) {
  Tree tree(file, names, slots);
  const std::vector<Field> descriptions = file["tree"].items(1);
  tree.count(descriptions, 0, false);
  tree.add(descriptions, 0, false);
}

}  // namespace rankwise::machine
