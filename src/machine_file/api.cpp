// The C interface: lets no exception out.
#include <cstdio>
#include <new>
#include <string>
#include <utility>

#include "rankwise/machine.h"
#include "slots.h"

namespace {

using rankwise::machine_file::Slots;

// What the caller sees, and what it points into.
struct Held : rankwise_machine {
  Slots slots_read;
  std::vector<const char *> names;

  explicit Held(Slots read) : rankwise_machine{}, slots_read(std::move(read)) {
    for (const std::string &name : slots_read.hosts) names.push_back(name.c_str());
    slots = static_cast<std::int32_t>(slots_read.count());
    levels = slots_read.levels();
    nodes = static_cast<std::int32_t>(names.size());
    object = slots_read.objects.data();
    processor = slots_read.processors.data();
    node = slots_read.nodes.data();
    host = names.data();
  }
};

}  // namespace

#define RANKWISE_EXPORTED __attribute__((visibility("default")))

RANKWISE_EXPORTED rankwise_machine *rankwise_read_machine(const char *path, char *problem, std::size_t room) {
  try {
    return new Held(rankwise::machine_file::read_slots(path));
  } catch (const std::bad_alloc &) {
    snprintf(problem, room, "%s: there is not enough memory", path);
  } catch (const std::exception &error) {
    snprintf(problem, room, "%s: %s", path, error.what());
  }
  return nullptr;
}

RANKWISE_EXPORTED void rankwise_free_machine(rankwise_machine *machine) { delete static_cast<Held *>(machine); }
