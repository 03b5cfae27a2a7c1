// Finds the record of an MPI handle: of a communicator, a window.
#ifndef RANKWISE_HANDLE_TABLE_H
#define RANKWISE_HANDLE_TABLE_H

#include <cstdint>
#include <cstdlib>
#include <new>

#include "hash.h"
#include "lock.h"

namespace rankwise {

// Open addressing by handle, linear probing, at most half full. An Object has the members `std::uint64_t handle`,
// `Object *next_unused`, and `void release()`, which frees its resources; objects are reused and never freed.
template <class Object>
class HandleTable {
 public:
  // The last few that a thread has used.
  class Cache {
    friend class HandleTable;
    static constexpr unsigned bits = 3;
    struct Entry {
      std::uint64_t handle = 0;
      std::uint64_t generation = 0;
      Object *object = nullptr;
    } entries_[1U << bits];
  };

  // The object with this handle, nullptr if it is not known.
  Object *find(Cache &cache, std::uint64_t handle) {
    typename Cache::Entry &entry = cache.entries_[scatter(handle) >> (64 - Cache::bits)];
    const std::uint64_t now = __atomic_load_n(&generation_, __ATOMIC_RELAXED);
    if (entry.handle == handle && entry.generation == now) [[likely]] {
      return entry.object;
    }
    Object *object = find(handle);
    if (object != nullptr) entry = {handle, now, object};
    return object;
  }

  // The object if the thread has used it lately, else nullptr.
  [[gnu::always_inline]] Object *find_at_once(const Cache &cache, std::uint64_t handle) const {
    const typename Cache::Entry &entry = cache.entries_[scatter(handle) >> (64 - Cache::bits)];
    const bool found = entry.handle == handle && entry.generation == __atomic_load_n(&generation_, __ATOMIC_RELAXED);
    return found ? entry.object : nullptr;
  }

  [[gnu::noinline]] Object *find(std::uint64_t handle) {
    const Guard guard(lock_);
    return slots_ == nullptr ? nullptr : slots_[probe(handle)];
  }

  // Enters a handle; nullptr if memory is exhausted. `fill(object)` is called under the lock, before another thread can
  // find the object.
  template <class Fill>
  Object *add(std::uint64_t handle, Fill fill) {
    const Guard guard(lock_);
    return make_room() ? enter(handle, fill) : nullptr;
  }

  // The same unless the handle has been entered meanwhile; then the existing object. Threads that find at the same time
  // that a handle is not known may all add it, and use the result at once.
  template <class Fill>
  Object *add_if_new(std::uint64_t handle, Fill fill) {
    const Guard guard(lock_);
    if (!make_room()) return nullptr;
    Object *entered = slots_[probe(handle)];
    return entered != nullptr ? entered : enter(handle, fill);
  }

  // Freeing a handle takes two steps: hide() before MPI is called, because as soon as MPI has freed it another thread
  // may get the same handle for something new, and then drop(), or show() if MPI refused.
  void hide(Object *object) {
    const Guard guard(lock_);
    const std::uint64_t slot = probe(object->handle);
    if (slots_[slot] == object) erase(slot);
    change();
  }
  void show(Object *object) {
    const Guard guard(lock_);
    const std::uint64_t slot = probe(object->handle);
    if (slots_[slot] != nullptr || !make_room()) return retire(object);
    slots_[probe(object->handle)] = object;
    ++alive_;
  }
  void drop(Object *object) {
    const Guard guard(lock_);
    retire(object);
  }

  // MPI is closed: no handle means anything any more.
  void drop_all() {
    const Guard guard(lock_);
    for (std::uint64_t i = 0; slots_ != nullptr && i <= mask_; ++i) {
      if (slots_[i] != nullptr) retire(slots_[i]);
      slots_[i] = nullptr;
    }
    alive_ = 0;
    change();
  }

 private:
  // There is room for it.
  template <class Fill>
  Object *enter(std::uint64_t handle, Fill fill) {
    Object *object = allocate();
    if (object == nullptr) return nullptr;
    object->handle = handle;
    fill(*object);
    // A handle that is still here was freed behind our back: the new meaning replaces the old.
    const std::uint64_t slot = probe(handle);
    if (slots_[slot] != nullptr) {
      retire(slots_[slot]);
    } else {
      ++alive_;
    }
    slots_[slot] = object;
    change();
    return object;
  }

  std::uint64_t slot_of(std::uint64_t handle) const { return (scatter(handle) >> 32) & mask_; }

  // The slot that holds the handle, or the free one where it belongs.
  std::uint64_t probe(std::uint64_t handle) const {
    std::uint64_t i = slot_of(handle);
    while (slots_[i] != nullptr && slots_[i]->handle != handle) i = (i + 1) & mask_;
    return i;
  }

  // Closes the gap that a removed entry leaves in its run.
  void erase(std::uint64_t hole) {
    for (std::uint64_t i = hole;;) {
      i = (i + 1) & mask_;
      if (slots_[i] == nullptr) break;
      if (((i - slot_of(slots_[i]->handle)) & mask_) >= ((i - hole) & mask_)) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    }
    slots_[hole] = nullptr;
    --alive_;
  }

  bool make_room() {
    if (slots_ != nullptr && alive_ * 2 < mask_) return true;
    const std::uint64_t count = slots_ == nullptr ? 256 : (mask_ + 1) * 2;
    auto **larger = static_cast<Object **>(std::calloc(count, sizeof(Object *)));
    if (larger == nullptr) return false;
    Object **old = slots_;
    const std::uint64_t old_count = old == nullptr ? 0 : mask_ + 1;
    slots_ = larger;
    mask_ = count - 1;
    for (std::uint64_t i = 0; i < old_count; ++i) {
      if (old[i] != nullptr) slots_[probe(old[i]->handle)] = old[i];
    }
    std::free(old);
    return true;
  }

  Object *allocate() {
    if (unused_ != nullptr) {
      Object *object = unused_;
      unused_ = object->next_unused;
      object->next_unused = nullptr;
      return object;
    }
    void *memory = std::malloc(sizeof(Object));
    return memory == nullptr ? nullptr : new (memory) Object;
  }

  void retire(Object *object) {
    object->release();
    *object = Object{};
    object->next_unused = unused_;
    unused_ = object;
  }

  // A handle may now refer to another object: the caches of threads are invalid.
  void change() { __atomic_fetch_add(&generation_, 1, __ATOMIC_RELAXED); }

  // Starts at 1: a cache entry that was never filled holds 0.
  std::uint64_t generation_ = 1;
  Lock lock_;
  Object **slots_ = nullptr;
  std::uint64_t mask_ = 0;
  std::uint64_t alive_ = 0;
  Object *unused_ = nullptr;
};

}  // namespace rankwise

#endif
