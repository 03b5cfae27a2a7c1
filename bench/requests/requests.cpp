// What the table of requests costs: entering a request and taking it out again.
//
//     ./requests THREADS ALIVE
//
// Compiled together with src/runtime/requests.cpp, as the runtime is. ALIVE requests are entered and then completed, in
// each of THREADS threads at the same time, each its own. With 1 the table takes no lock, as in a program whose
// threads don't call MPI at once; 0 is one thread with locks. Prints the nanoseconds of one request: of the fastest
// batch, and the mean of the processor time.
#include "requests.h"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

// Stand-ins for the rest of the runtime.
namespace rankwise::counters_file {
rankwise_header *header() {
  static rankwise_header counted;
  return &counted;
}
}  // namespace rankwise::counters_file

namespace {

namespace requests = rankwise::requests;

constexpr int most_threads = 64;
constexpr int requests_a_batch = 1000;
constexpr int batches = 2000;

int alive;
pthread_barrier_t ready;

struct Result {
  double fastest;
  double mean;
} results[most_threads];

double nanoseconds(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// Addresses as an allocator gives them out: in order, one size apart. One thread's are not another's.
std::uint64_t handle(long thread, int i) {
  return 0x7F0000001000ULL + static_cast<std::uint64_t>(thread) * 0x4000000ULL + static_cast<std::uint64_t>(i) * 0x140U;
}

void batch(long thread, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < alive; ++i) {
      requests::table.put(requests::of_communicator(handle(thread, i), 3, requests::Kind::receive));
    }
    for (int i = 0; i < alive; ++i) {
      if (requests::table.complete(handle(thread, i)).kind != requests::Kind::receive) std::abort();
    }
  }
}

void *work(void *argument) {
  const long thread = reinterpret_cast<long>(argument);
  const int rounds = alive < requests_a_batch ? requests_a_batch / alive : 1;
  const double count = static_cast<double>(rounds) * alive;
  Result &result = results[thread];
  pthread_barrier_wait(&ready);
  batch(thread, rounds);  // the table grows
  const double used = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  const int wanted = alive < requests_a_batch ? batches : batches * requests_a_batch / alive;
  for (int i = 0; i < wanted; ++i) {
    const double before = nanoseconds(CLOCK_MONOTONIC);
    batch(thread, rounds);
    const double passed = (nanoseconds(CLOCK_MONOTONIC) - before) / count;
    if (i == 0 || passed < result.fastest) result.fastest = passed;
  }
  result.mean = (nanoseconds(CLOCK_THREAD_CPUTIME_ID) - used) / (count * wanted);
  return nullptr;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const int wanted = std::atoi(argv[1]);
  const int threads = wanted == 0 ? 1 : wanted;
  alive = std::atoi(argv[2]);
  if (threads < 0 || threads > most_threads || alive < 1) return 2;
  rankwise::threads::several = wanted != 1;
  pthread_barrier_init(&ready, nullptr, static_cast<unsigned>(threads));
  pthread_t started[most_threads];
  for (long i = 0; i < threads; ++i) {
    if (pthread_create(&started[i], nullptr, work, reinterpret_cast<void *>(i)) != 0) return 1;
  }
  double fastest = 0;
  double mean = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(started[i], nullptr);
    if (results[i].fastest > fastest) fastest = results[i].fastest;
    mean += results[i].mean / threads;
  }
  std::printf("%.1f %.1f\n", fastest, mean);
  return 0;
}
