// Function tables of libfabric's objects: the table of an object is replaced by a copy with some functions hooked.
#ifndef RANKWISE_HOOKS_MPICH_LIBFABRIC_TABLES_H
#define RANKWISE_HOOKS_MPICH_LIBFABRIC_TABLES_H

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "../../lock.h"

namespace rankwise::libfabric {

struct Peers;

// A copy, its original, and the peers of the object.
//
// RATIONALE: never freed, because the closing of the object is not reported; there are a few for each endpoint.
template <class Functions>
struct Copy {
  const Functions *original;
  Peers *peers;         // of an address vector, and of an endpoint that is bound to one; nullptr = none so far
  Functions functions;  // the last: libfabric's own table may be longer than we know

  static Copy &of(Functions *functions) {
    return *reinterpret_cast<Copy *>(reinterpret_cast<char *>(functions) - offsetof(Copy, functions));
  }
};

// All copies, so that they can be restored to their originals.
class Copies {
 public:
  // Puts a copy of the table in its place. nullptr, with nothing changed, if it is shorter than `least` or memory is
  // exhausted.
  template <class Functions>
  Copy<Functions> *replace(Functions *&place, std::size_t least = sizeof(Functions)) {
    using Ours = Copy<Functions>;
    const Functions *original = place;
    if (original == nullptr || original->size < least || original->size > most_bytes) return nullptr;
    const std::size_t bytes = original->size > sizeof(Functions) ? original->size : sizeof(Functions);
    void *memory = std::calloc(1, offsetof(Ours, functions) + bytes);
    auto *entry = static_cast<Entry *>(std::malloc(sizeof(Entry)));
    if (memory == nullptr || entry == nullptr) {
      std::free(memory);
      std::free(entry);
      return nullptr;
    }
    auto *copy = new (memory) Ours{original, nullptr, {}};
    memcpy(&copy->functions, original, original->size);
    place = &copy->functions;
    const Guard guard(lock_);
    first_ = new (entry) Entry{&copy->functions, original, first_};
    return copy;
  }

  void restore() {
    const Guard guard(lock_);
    for (Entry *entry = first_; entry != nullptr; entry = entry->next) {
      auto *to = static_cast<void **>(entry->copy);
      const auto *from = static_cast<void *const *>(entry->original);
      const std::size_t count = *static_cast<const std::size_t *>(entry->original) / sizeof(void *);
      for (std::size_t i = 1; i < count; ++i) __atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
    }
    // From now on they don't change, and the originals may be freed.
    first_ = nullptr;
  }

 private:
  static constexpr std::size_t most_bytes = 4096;
  struct Entry {
    void *copy;
    const void *original;
    Entry *next;
  };
  Lock lock_;
  Entry *first_ = nullptr;
};

}  // namespace rankwise::libfabric

#endif
