#include "online.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "clock.h"
#include "report.h"

namespace rankwise::online {

namespace {

bool active = false;
std::int64_t begun = 0;
std::int64_t looking = 0;    // ns for reading the clock twice
std::int64_t agreeing = 0;   // cost of the latest agreement
std::int64_t preparing = 0;  // ns for creating communicators since the latest agreement

template <class Function>
Function *asked(const char *name) {
  return reinterpret_cast<Function *>(library::function(name));
}

int allreduce(const long *mine, long *all, int count, Word op, Word comm) {
  static auto *const real = asked<int(const void *, void *, int, Word, Word, Word)>("PMPI_Allreduce");
  return real(mine, all, count, library::constants().type_long, op, comm);
}

std::int64_t hash_of_host() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  std::uint64_t found = 0xcbf29ce484222325;
  for (const char *at = name; *at != '\0'; ++at) found = (found ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
  return static_cast<std::int64_t>(found >> 2);
}

// Whether all members have the same number; also the maximum of another number.
bool agree(Word comm, std::int64_t number, std::int64_t *largest) {
  const long mine[] = {number, -number, *largest};
  long all[3] = {};
  if (allreduce(mine, all, 3, library::constants().maximum, comm) != library::kSuccess) return false;
  *largest = all[2];
  return all[0] == -all[1];
}

void measure_looking() {
  constexpr int repeated = 256;
  const std::int64_t begin = now_ns();
  for (int i = 0; i < repeated; ++i) static_cast<void>(now_ns());
  looking = 2 * (now_ns() - begin) / repeated;
}

// Replaces the times of the members by the time of the call: from the last arrival to the last departure, if they share
// a clock. Otherwise it is the average time in a call, including the wait for late members.
void agree_on_segment(Communicator &comm, Cell &cell) {
  constexpr int kHead = 4;
  static long mine[kHead + 2 * kMostCalls], all[kHead + 2 * kMostCalls];
  static std::int64_t took[kMostCalls];
  const std::int64_t begin = now_ns();
  if (!comm.is_agreed) {
    std::int64_t nothing = 0;
    comm.has_one_clock = agree(comm.handle, hash_of_host(), &nothing);
    comm.is_agreed = true;
  }
  const int calls = cell.race.calls_of_segment();
  const int times = comm.has_one_clock ? 2 : 1;
  mine[0] = begin - begun;
  mine[1] = report::spent;
  mine[2] = agreeing;
  mine[3] = preparing;
  for (int i = 0; i < calls; ++i) {
    mine[kHead + i] = comm.has_one_clock ? cell.begin[i] : cell.end[i] - cell.begin[i];
    if (comm.has_one_clock) mine[kHead + calls + i] = cell.end[i];
  }
  const Word op = comm.has_one_clock ? library::constants().maximum : library::constants().sum;
  if (allreduce(mine, all, kHead + times * calls, op, comm.handle) != library::kSuccess) {
    cell.race.give_up();  // the program sees the failure in its own calls
    return;
  }
  const long share = comm.has_one_clock ? 1 : comm.processes;
  for (int i = 0; i < calls; ++i)
    took[i] = comm.has_one_clock ? all[kHead + calls + i] - all[kHead + i] : all[kHead + i] / share;
  const Agreed agreed = {all[0] / share, all[1] / share, all[2] / share, all[3] / share};
  const State before = cell.race.state();
  const std::int64_t cost = cell.race.conclude(took, agreed);
  preparing = 0;
  agreeing = now_ns() - begin;
  report::spent += cost + agreeing;
  if (cell.race.state() != before) report::write(comm, cell);
}

}  // namespace

bool is_active() { return active; }

void begin(void *caller, bool has_many_threads) {
  const char *directory = getenv("RANKWISE_ONLINE");
  if (directory == nullptr || active || !library::open(caller)) return;
  auto why = static_cast<std::int64_t>(has_many_threads ? plan::Unfit::threads : plan::read(directory));
  if (!agree(library::constants().comm_world, plan::hash(), &why) && why == 0)
    why = static_cast<std::int64_t>(plan::Unfit::differs);
  begun = now_ns();
  report::begin(directory, begun);
  if (why == 0) {
    measure_looking();
    active = true;
    return;
  }
  static auto *const rank_of = asked<int(Word, int *)>("PMPI_Comm_rank");
  int rank = 0;
  if (rank_of(library::constants().comm_world, &rank) == library::kSuccess && rank == 0)
    report::write_unfit(static_cast<plan::Unfit>(why));
}

void end() {
  if (!active) return;
  active = false;
  report::write_end();
}

Call before(Collective collective, Word handle, std::int64_t bytes, bool is_in_place, bool is_in_order) {
  Call call = {nullptr, nullptr, kDefault, handle};
  Communicator *comm = communicators::find(handle);
  Cell *cell = comm != nullptr ? communicators::cell_of(*comm, collective, bytes) : nullptr;
  if (cell == nullptr) return call;
  cell->has_in_place = cell->has_in_place || is_in_place;
  if (!is_in_order) {  // all members have the same operation, so none of them counts the call
    cell->has_other_order = true;
    return call;
  }
  call = {comm, cell, cell->race.arm(), handle};
  if (call.arm == kDefault) return call;
  const int planned = cell->planned[call.arm];
  if (plan::chosen_at_calls()) {
    if (!plan::choose(planned)) call.arm = kDefault;
    return call;
  }
  std::int64_t ns = 0;
  call.target = communicators::with_algorithm(*comm, planned, &ns);
  preparing += ns;
  report::spent += ns;
  return call;
}

int after(const Call &call, std::int64_t begin_ns, std::int64_t end_ns, int result) {
  Cell &cell = *call.cell;
  if (call.arm != kDefault && plan::chosen_at_calls()) plan::choose_default(cell.planned[call.arm]);
  if (result != library::kSuccess && call.target != call.comm->handle) {
    // The program's error handler is attached to its own communicator.
    static auto *const handle_error = asked<int(Word, int)>("PMPI_Comm_call_errhandler");
    handle_error(call.comm->handle, result);
  }
  if (!cell.race.is_over()) report::spent += looking;
  if (cell.race.is_explored()) {
    cell.begin[cell.race.place()] = begin_ns;
    cell.end[cell.race.place()] = end_ns;
  }
  if (cell.race.count()) agree_on_segment(*call.comm, cell);
  return result;
}

}  // namespace rankwise::online
