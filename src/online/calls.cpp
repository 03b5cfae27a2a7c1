// Intercepts the program's calls under both of their names: bindings of Fortran call the second one.
#include <cstdint>

#include "clock.h"
#include "communicators.h"
#include "online.h"

using namespace rankwise::online;
using library::Word;

namespace {

constexpr int kMultiple = 3;  // MPI_THREAD_MULTIPLE

template <class Function>
Function *asked(const char *name) {
  return reinterpret_cast<Function *>(library::function(name));
}

// The function behind ours, found at the first call.
#define REAL(name, ...)                                               \
  static int (*real)(__VA_ARGS__) = nullptr;                          \
  if (real == nullptr) real = asked<int(__VA_ARGS__)>("PMPI_" #name); \
  if (real == nullptr) return library::kOtherError

template <class Carry>
int carry_out(Collective collective, Word comm, std::int64_t bytes, bool is_in_place, bool is_in_order, Carry carry) {
  const Call call = before(collective, comm, bytes, is_in_place, is_in_order);
  if (call.cell == nullptr) return carry(comm);
  const std::int64_t begin = now_ns();
  const int result = carry(call.target);
  return after(call, begin, now_ns(), result);
}

std::int64_t bytes_of(std::int64_t count, Word type) {
  static auto *const size_of = asked<int(Word, int *)>("PMPI_Type_size");
  int bytes = 0;
  return size_of(type, &bytes) == library::kSuccess && bytes > 0 && count > 0 ? count * bytes : 0;
}

// The mean block size if blocks differ between processes. All processes know the counts.
std::int64_t mean_bytes(const int *counts, Word type, Word comm) {
  const Communicator *known = communicators::find(comm);
  if (known == nullptr || counts == nullptr) return 0;
  std::int64_t sum = 0;
  for (int rank = 0; rank < known->processes; ++rank) sum += counts[rank];
  return bytes_of(sum, type) / known->processes;
}

bool is_in_order(Word op) {
  static auto *const commutes = asked<int(Word, int *)>("PMPI_Op_commutative");
  int answer = 0;
  return commutes(op, &answer) == library::kSuccess && answer != 0;
}

// Both names of a procedure. The parameters have names; the arguments are these in brackets.
#define PROCEDURE(name, parameters, arguments)                                                                         \
  static int name##_of_program parameters;                                                                             \
  extern "C" __attribute__((visibility("default"))) int MPI_##name parameters { return name##_of_program arguments; }  \
  extern "C" __attribute__((visibility("default"))) int PMPI_##name parameters { return name##_of_program arguments; } \
  static int name##_of_program parameters

}  // namespace

PROCEDURE(Allgather, (const void *send, int send_count, Word send_type, void *receive, int count, Word type, Word comm),
          (send, send_count, send_type, receive, count, type, comm)) {
  REAL(Allgather, const void *, int, Word, void *, int, Word, Word);
  const auto carry = [&](Word on) { return real(send, send_count, send_type, receive, count, type, on); };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Allgather, comm, bytes_of(count, type), library::is_in_place(send), true, carry);
}

PROCEDURE(Allgatherv,
          (const void *send, int send_count, Word send_type, void *receive, const int *counts, const int *starts,
           Word type, Word comm),
          (send, send_count, send_type, receive, counts, starts, type, comm)) {
  REAL(Allgatherv, const void *, int, Word, void *, const int *, const int *, Word, Word);
  const auto carry = [&](Word on) { return real(send, send_count, send_type, receive, counts, starts, type, on); };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Allgatherv, comm, mean_bytes(counts, type, comm), library::is_in_place(send), true,
                   carry);
}

PROCEDURE(Allreduce, (const void *send, void *receive, int count, Word type, Word op, Word comm),
          (send, receive, count, type, op, comm)) {
  REAL(Allreduce, const void *, void *, int, Word, Word, Word);
  const auto carry = [&](Word on) { return real(send, receive, count, type, op, on); };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Allreduce, comm, bytes_of(count, type), library::is_in_place(send), is_in_order(op),
                   carry);
}

PROCEDURE(Alltoall, (const void *send, int send_count, Word send_type, void *receive, int count, Word type, Word comm),
          (send, send_count, send_type, receive, count, type, comm)) {
  REAL(Alltoall, const void *, int, Word, void *, int, Word, Word);
  const auto carry = [&](Word on) { return real(send, send_count, send_type, receive, count, type, on); };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Alltoall, comm, bytes_of(count, type), library::is_in_place(send), true, carry);
}

PROCEDURE(Alltoallv,
          (const void *send, const int *send_counts, const int *send_starts, Word send_type, void *receive,
           const int *counts, const int *starts, Word type, Word comm),
          (send, send_counts, send_starts, send_type, receive, counts, starts, type, comm)) {
  REAL(Alltoallv, const void *, const int *, const int *, Word, void *, const int *, const int *, Word, Word);
  const auto carry = [&](Word on) {
    return real(send, send_counts, send_starts, send_type, receive, counts, starts, type, on);
  };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Alltoallv, comm, 0, library::is_in_place(send), true, carry);
}

PROCEDURE(Barrier, (Word comm), (comm)) {
  REAL(Barrier, Word);
  if (!is_active()) return real(comm);
  return carry_out(Collective::Barrier, comm, 0, false, true, real);
}

PROCEDURE(Bcast, (void *buffer, int count, Word type, int root, Word comm), (buffer, count, type, root, comm)) {
  REAL(Bcast, void *, int, Word, int, Word);
  const auto carry = [&](Word on) { return real(buffer, count, type, root, on); };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Bcast, comm, bytes_of(count, type), false, true, carry);
}

PROCEDURE(Gather,
          (const void *send, int send_count, Word send_type, void *receive, int count, Word type, int root, Word comm),
          (send, send_count, send_type, receive, count, type, root, comm)) {
  REAL(Gather, const void *, int, Word, void *, int, Word, int, Word);
  const auto carry = [&](Word on) { return real(send, send_count, send_type, receive, count, type, root, on); };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Gather, comm, 0, library::is_in_place(send), true, carry);
}

PROCEDURE(Scatter,
          (const void *send, int send_count, Word send_type, void *receive, int count, Word type, int root, Word comm),
          (send, send_count, send_type, receive, count, type, root, comm)) {
  REAL(Scatter, const void *, int, Word, void *, int, Word, int, Word);
  const auto carry = [&](Word on) { return real(send, send_count, send_type, receive, count, type, root, on); };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Scatter, comm, 0, library::is_in_place(receive), true, carry);
}

PROCEDURE(Reduce, (const void *send, void *receive, int count, Word type, Word op, int root, Word comm),
          (send, receive, count, type, op, root, comm)) {
  REAL(Reduce, const void *, void *, int, Word, Word, int, Word);
  const auto carry = [&](Word on) { return real(send, receive, count, type, op, root, on); };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Reduce, comm, bytes_of(count, type), library::is_in_place(send), is_in_order(op), carry);
}

PROCEDURE(Reduce_scatter, (const void *send, void *receive, const int *counts, Word type, Word op, Word comm),
          (send, receive, counts, type, op, comm)) {
  REAL(Reduce_scatter, const void *, void *, const int *, Word, Word, Word);
  const auto carry = [&](Word on) { return real(send, receive, counts, type, op, on); };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Reduce_scatter, comm, mean_bytes(counts, type, comm), library::is_in_place(send),
                   is_in_order(op), carry);
}

PROCEDURE(Reduce_scatter_block, (const void *send, void *receive, int count, Word type, Word op, Word comm),
          (send, receive, count, type, op, comm)) {
  REAL(Reduce_scatter_block, const void *, void *, int, Word, Word, Word);
  const auto carry = [&](Word on) { return real(send, receive, count, type, op, on); };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Reduce_scatter_block, comm, bytes_of(count, type), library::is_in_place(send),
                   is_in_order(op), carry);
}

PROCEDURE(Scan, (const void *send, void *receive, int count, Word type, Word op, Word comm),
          (send, receive, count, type, op, comm)) {
  REAL(Scan, const void *, void *, int, Word, Word, Word);
  const auto carry = [&](Word on) { return real(send, receive, count, type, op, on); };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Scan, comm, 0, library::is_in_place(send), is_in_order(op), carry);
}

PROCEDURE(Exscan, (const void *send, void *receive, int count, Word type, Word op, Word comm),
          (send, receive, count, type, op, comm)) {
  REAL(Exscan, const void *, void *, int, Word, Word, Word);
  const auto carry = [&](Word on) { return real(send, receive, count, type, op, on); };
  if (!is_active()) return carry(comm);
  return carry_out(Collective::Exscan, comm, 0, library::is_in_place(send), is_in_order(op), carry);
}

PROCEDURE(Comm_free, (void *comm), (comm)) {
  REAL(Comm_free, void *);
  if (is_active()) communicators::forget(library::written(comm));
  return real(comm);
}

PROCEDURE(Comm_disconnect, (void *comm), (comm)) {
  REAL(Comm_disconnect, void *);
  if (is_active()) communicators::forget(library::written(comm));
  return real(comm);
}

PROCEDURE(Finalize, (), ()) {
  REAL(Finalize);
  end();
  return real();
}

// If the library is not in the global scope, the caller of these functions leads to it.
static int initialize(int *count, char ***words, void *caller) {
  auto *const real = reinterpret_cast<int (*)(int *, char ***)>(library::function("PMPI_Init", caller));
  if (real == nullptr) return library::kOtherError;
  const int result = real(count, words);
  if (result == library::kSuccess) begin(caller, false);
  return result;
}

static int initialize_thread(int *count, char ***words, int wanted, int *provided, void *caller) {
  auto *const real =
      reinterpret_cast<int (*)(int *, char ***, int, int *)>(library::function("PMPI_Init_thread", caller));
  if (real == nullptr) return library::kOtherError;
  const int result = real(count, words, wanted, provided);
  if (result == library::kSuccess) begin(caller, *provided == kMultiple);
  return result;
}

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int MPI_Init(int *count, char ***words) { return initialize(count, words, __builtin_return_address(0)); }
EXPORTED int PMPI_Init(int *count, char ***words) { return initialize(count, words, __builtin_return_address(0)); }
EXPORTED int MPI_Init_thread(int *count, char ***words, int wanted, int *provided) {
  return initialize_thread(count, words, wanted, provided, __builtin_return_address(0));
}
EXPORTED int PMPI_Init_thread(int *count, char ***words, int wanted, int *provided) {
  return initialize_thread(count, words, wanted, provided, __builtin_return_address(0));
}
