#include "thread.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

#include "lock.h"

namespace rankwise {

void *Thread::more_scratch_memory(std::size_t bytes) {
  constexpr std::size_t for_a_few_requests = 1024;
  const std::size_t larger_bytes = bytes < for_a_few_requests ? for_a_few_requests : bytes * 2;
  void *larger = std::malloc(larger_bytes);
  if (larger == nullptr) return nullptr;
  std::free(of_call.scratch);
  of_call.scratch = larger;
  of_call.scratch_bytes = larger_bytes;
  return larger;
}

void OfCall::release() {
  std::free(scratch);
  running.release();
}

namespace threads {

constinit thread_local Thread *current = nullptr;

namespace {

constexpr std::uint32_t first_threads = 32;
constexpr std::uint32_t most_threads = 512;
constexpr std::size_t record_bytes = apart;  // of the section: readers skip the unused part of a record
static_assert(sizeof(rankwise_thread) <= record_bytes);

Lock attaching;
Thread *idle = nullptr;
rankwise_section *section = nullptr;
std::uint32_t thread_count = 0;
pthread_key_t exit_key;
bool exit_key_exists = false;

// The rows stay, and the next thread continues them: programs that start threads in every step would otherwise fill the
// file with row sets.
void detach(void *value) {
  auto *thread = static_cast<Thread *>(value);
  const Guard guard(attaching);
  thread->record->alive = 0;
  thread->record->inside_key = 0;
  thread->next_idle = idle;
  idle = thread;
  // Another destructor of the thread may still call MPI: it attaches again, in addition to the thread that has the rows
  // then.
  current = nullptr;
}

// Doubles the number; nullptr at the maximum.
rankwise_section *next_section() {
  if (thread_count >= most_threads) return nullptr;
  if (section == nullptr) {
    exit_key_exists = pthread_key_create != nullptr && pthread_key_create(&exit_key, detach) == 0;
  }
  return counters_file::add_section(RANKWISE_SECTION_THREADS, record_bytes,
                                    thread_count == 0 ? first_threads : thread_count, RANKWISE_NO_THREAD,
                                    counters_file::Need::ordinary);
}

Thread *create() {
  if (section == nullptr || section->used == section->capacity) {
    rankwise_section *next = next_section();
    if (next == nullptr) return nullptr;
    section = next;
  }
  void *memory = std::aligned_alloc(alignof(Thread), sizeof(Thread));
  if (memory == nullptr) return nullptr;
  auto *thread = new (memory) Thread;
  thread->index = static_cast<int>(thread_count);
  char *records = static_cast<char *>(counters_file::records(section));
  thread->record = reinterpret_cast<rankwise_thread *>(records + section->used * record_bytes);
  thread->streams.belong_to(thread->index, thread->record);
  if (!thread->calls.create(thread->index) || !thread->messages.create(thread->index) ||
      !thread->paths.create(thread->index)) {
    std::free(memory);
    return nullptr;
  }
  counters_file::publish(section);
  ++thread_count;
  return thread;
}

}  // namespace

Thread *attach() {
  const Guard guard(attaching);
  Thread *thread = idle;
  if (thread != nullptr) {
    idle = thread->next_idle;
    thread->inside = nullptr;
    callbacks::forget(*thread);
    thread->communicator_cache = {};
    thread->file_cache = {};
    thread->window_cache = {};
    thread->polls = {};
  } else {
    thread = create();
  }
  if (thread == nullptr) {
    counters_file::drop(RANKWISE_DROPPED_THREAD_CALLS);
    return nullptr;
  }
  thread->record->tid = static_cast<std::int32_t>(syscall(SYS_gettid));
  thread->record->alive = 1;
  current = thread;
  if (exit_key_exists) pthread_setspecific(exit_key, thread);
  return thread;
}

}  // namespace threads
}  // namespace rankwise
