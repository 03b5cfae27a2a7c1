#include "communicators.h"

#include <cstdlib>

#include "clock.h"
#include "report.h"

namespace rankwise::online::communicators {

namespace {

constexpr std::size_t kBuckets = 1024;
constexpr int kMostCells = 64;

Communicator *buckets[kBuckets];
int made = 0;

template <class Function>
Function *asked(const char *name) {
  return reinterpret_cast<Function *>(library::function(name));
}

std::size_t bucket_of(Word meaning) { return (meaning * 0x9e3779b97f4a7c15) >> 54; }
static_assert(kBuckets == 1 << 10);

// Whether all members are in the world that has agreed on what may be tried. Members of another world, such as a
// server, may run without us.
bool is_within_world(Word handle, int processes) {
  static auto *const group_of = asked<int(Word, void *)>("PMPI_Comm_group");
  static auto *const free_group = asked<int(void *)>("PMPI_Group_free");
  static auto *const intersect = asked<int(Word, Word, void *)>("PMPI_Group_intersection");
  static auto *const size = asked<int(Word, int *)>("PMPI_Group_size");
  Word mine = 0, world = 0, both = 0;
  int number = 0;
  if (group_of(handle, &mine) != library::kSuccess) return false;
  if (group_of(library::constants().comm_world, &world) == library::kSuccess) {
    if (intersect(library::written(&mine), library::written(&world), &both) == library::kSuccess) {
      size(library::written(&both), &number);
      if (number > 0) free_group(&both);
    }
    free_group(&world);
  }
  free_group(&mine);
  return number == processes;
}

// Nothing is tried on intercommunicators or with a single process.
void look_at(Communicator &comm) {
  static auto *const test_inter = asked<int(Word, int *)>("PMPI_Comm_test_inter");
  static auto *const size = asked<int(Word, int *)>("PMPI_Comm_size");
  static auto *const rank = asked<int(Word, int *)>("PMPI_Comm_rank");
  int is_inter = 1, processes = 0;
  if (library::meaning(comm.handle) == library::meaning(library::constants().comm_null)) return;
  if (test_inter(comm.handle, &is_inter) != library::kSuccess || is_inter != 0) return;
  if (size(comm.handle, &processes) != library::kSuccess || processes < 2) return;
  if (!is_within_world(comm.handle, processes)) return;
  if (rank(comm.handle, &comm.rank) == library::kSuccess) comm.processes = processes;
}

Communicator *add(Word handle, std::size_t bucket) {
  auto *comm = static_cast<Communicator *>(calloc(1, sizeof(Communicator)));
  if (comm == nullptr) abort();  // the other members would wait for us
  comm->handle = handle;
  comm->number = made++;
  look_at(*comm);
  comm->next = buckets[bucket];
  return buckets[bucket] = comm;
}

int bits_of(std::int64_t bytes) { return bytes == 0 ? 0 : 64 - __builtin_clzll(static_cast<std::uint64_t>(bytes)); }

Cell *add_cell(Communicator &comm, Collective collective, std::int64_t bytes, int size_bits) {
  int found[kMostArms];
  const int arms = plan::arms_for(collective, comm.processes, bytes, found, kMostArms);
  if (arms == 0 || comm.cell_count == kMostCells) return nullptr;
  auto *cell = static_cast<Cell *>(calloc(1, sizeof(Cell)));
  if (cell == nullptr) abort();
  cell->collective = collective;
  cell->size_bits = size_bits;
  cell->number = comm.cell_count++;
  cell->low = cell->high = bytes;
  for (int arm = 0; arm < arms; ++arm) cell->planned[arm + 1] = found[arm];
  cell->race.begin(arms, plan::millionths(), static_cast<std::uint64_t>(comm.cell_count));
  cell->next = comm.cells;
  return comm.cells = cell;
}

// RATIONALE: not a duplicate, because duplication calls the program's functions that copy attributes.
Word made_like(Word handle) {
  static auto *const group_of = asked<int(Word, void *)>("PMPI_Comm_group");
  static auto *const free_group = asked<int(void *)>("PMPI_Group_free");
  static auto *const create = asked<int(Word, Word, void *)>("PMPI_Comm_create");
  static auto *const get_handler = asked<int(Word, void *)>("PMPI_Comm_get_errhandler");
  static auto *const set_handler = asked<int(Word, Word)>("PMPI_Comm_set_errhandler");
  static auto *const free_handler = asked<int(void *)>("PMPI_Errhandler_free");
  Word group = 0, handler = 0, found = 0;
  if (get_handler(handle, &handler) != library::kSuccess) return 0;
  // The program must not notice a failure.
  set_handler(handle, library::constants().errors_return);
  const bool is_there = group_of(handle, &group) == library::kSuccess &&
                        create(handle, library::written(&group), &found) == library::kSuccess;
  set_handler(handle, library::written(&handler));
  free_handler(&handler);
  if (group != 0) free_group(&group);
  if (!is_there) return 0;
  set_handler(library::written(&found), library::constants().errors_return);
  return library::written(&found);
}

void free_all(Communicator *comm) {
  static auto *const free_comm = asked<int(void *)>("PMPI_Comm_free");
  for (int arm = 0; comm->shadows != nullptr && arm < plan::kMost; ++arm) {
    Word shadow = comm->shadows[arm];
    if (shadow != 0 && shadow != comm->handle) free_comm(&shadow);
  }
  free(comm->shadows);
  while (Cell *cell = comm->cells) {
    comm->cells = cell->next;
    free(cell);
  }
  free(comm);
}

}  // namespace

Communicator *find(Word handle) {
  const Word meaning = library::meaning(handle);
  const std::size_t bucket = bucket_of(meaning);
  Communicator *comm = buckets[bucket];
  while (comm != nullptr && library::meaning(comm->handle) != meaning) comm = comm->next;
  if (comm == nullptr) comm = add(handle, bucket);
  return comm->processes > 0 ? comm : nullptr;
}

Cell *cell_of(Communicator &comm, Collective collective, std::int64_t bytes) {
  const int size_bits = bits_of(bytes);
  Cell *cell = comm.cells;
  while (cell != nullptr && (cell->collective != collective || cell->size_bits != size_bits)) cell = cell->next;
  if (cell == nullptr) return add_cell(comm, collective, bytes, size_bits);
  if (bytes < cell->low) cell->low = bytes;
  if (bytes > cell->high) cell->high = bytes;
  return cell;
}

Word with_algorithm(Communicator &comm, int planned, std::int64_t *ns) {
  if (comm.shadows == nullptr) comm.shadows = static_cast<Word *>(calloc(plan::kMost, sizeof(Word)));
  if (comm.shadows == nullptr) abort();
  Word &shadow = comm.shadows[planned];
  if (shadow != 0) return shadow;
  const std::int64_t begin = now_ns();
  if (plan::choose(planned)) {
    shadow = made_like(comm.handle);
    plan::choose_default(planned);
  }
  if (shadow == 0) shadow = comm.handle;
  *ns += now_ns() - begin;
  return shadow;
}

void forget(Word handle) {
  const Word meaning = library::meaning(handle);
  Communicator **at = &buckets[bucket_of(meaning)];
  while (*at != nullptr && library::meaning((*at)->handle) != meaning) at = &(*at)->next;
  if (*at == nullptr) return;
  Communicator *comm = *at;
  *at = comm->next;
  report::write(*comm);
  free_all(comm);
}

void each(void (*what)(Communicator &comm)) {
  for (Communicator *comm : buckets) {
    for (; comm != nullptr; comm = comm->next) what(*comm);
  }
}

}  // namespace rankwise::online::communicators
