// `rankwise run --place`: makes the communicator that stands in place of MPI_COMM_WORLD. Included inside the namespace
// of a build.
//
// This happens in MPI_Init, before the program has communicated, so it may use the library's MPI_COMM_WORLD.

namespace world_order_here {

// Rank 0's decision, for all processes.
struct Decision {
  enum class Source { none, order, traffic };
  Source source = Source::none;
  char problem[sizeof rankwise_header::world_order_kept] = "";
};

constexpr char no_memory[] = "there is not enough memory";

inline void refuse(Decision &decision, const char *problem) {
  decision.source = Decision::Source::none;
  snprintf(decision.problem, sizeof decision.problem, "%s", problem);
}

// Why a process can't have another rank; 0 = it can. A number of the launcher's variables plus 1, or this.
constexpr unsigned char has_begun = 255;

// On rank 0.
inline void look_for_obstacles(const unsigned char *obstacles, int size, Decision &decision) {
  for (int i = 0; i < size; ++i) {
    if (obstacles[i] == 0) continue;
    if (obstacles[i] == has_begun) return refuse(decision, "the program has opened a session before MPI_Init");
    decision.source = Decision::Source::none;
    snprintf(decision.problem, sizeof decision.problem, "the program reads its rank from %s before MPI_Init",
             launcher::rank_variable(obstacles[i] - 1));
    return;
  }
}

// What rank 0 reads for all.
struct Given {
  int *new_rank = nullptr;
  rankwise_traffic traffic{};
  void *memory = nullptr;

  void read(int size, Decision &decision) {
    char problem[sizeof decision.problem];
    const bool is_order = world_order::is_given();
    decision.source = is_order ? Decision::Source::order : Decision::Source::traffic;
    if (is_order) new_rank = world_order::read_order(size, problem, sizeof problem);
    const bool done =
        is_order ? new_rank != nullptr : world_order::read_traffic(size, &traffic, &memory, problem, sizeof problem);
    if (!done) refuse(decision, problem);
  }
};

class Attempt {
 public:
  Attempt(MPI_Comm comm, int rank, int size) : comm_(abi::bits(comm)), rank_(rank), size_(size) {}
  ~Attempt() {
    std::free(given_.new_rank);
    std::free(given_.memory);
  }
  Attempt(const Attempt &) = delete;
  Attempt &operator=(const Attempt &) = delete;

  // Collective. Makes the communicator; if it returns false, `problem` is the reason, the same on all processes.
  bool run(unsigned char obstacle, MPI_Comm *made) {
    Decision decision;
    if (!decide(obstacle, decision)) refuse(decision, "the MPI library refused to tell where the processes are");
    int new_rank = rank_;
    const bool is_new = decision.source != Decision::Source::none && find_rank(decision, &new_rank);
    memcpy(problem_, decision.problem, sizeof problem_);
    return is_new && RANKWISE_ASK(Comm_split, own::communicator_of(comm_), 0, new_rank, made);
  }

  const char *problem() const { return problem_; }

 private:
  bool decide(unsigned char obstacle, Decision &decision) {
    auto *obstacles = rank_ == 0 ? static_cast<unsigned char *>(std::malloc(static_cast<std::size_t>(size_))) : nullptr;
    // If memory is exhausted, rank 0 skips the exchange.
    bool asks = obstacles != nullptr;
    bool done = own::broadcast(comm_, 0, &asks, sizeof asks);
    if (done && asks) done = own::gather(comm_, 0, &obstacle, sizeof obstacle, obstacles);
    if (rank_ == 0 && !asks) refuse(decision, no_memory);
    if (done && obstacles != nullptr) {
      given_.read(size_, decision);
      if (decision.source != Decision::Source::none) look_for_obstacles(obstacles, size_, decision);
    }
    std::free(obstacles);
    return own::broadcast(comm_, 0, &decision, sizeof decision) && done;
  }

  // Collective: this process's new rank. False if the order stays.
  bool find_rank(Decision &decision, int *new_rank) {
    if (decision.source == Decision::Source::order) return receive_rank(decision, new_rank);
    const rankwise_traffic *traffic = rank_ == 0 ? &given_.traffic : nullptr;
    const reordering::Order order =
        reordering::find_order(*communication(), comm_, rank_, size_, traffic, world_order::machine());
    if (order.outcome == reordering::Outcome::reordered) *new_rank = order.new_rank[rank_];
    if (order.outcome == reordering::Outcome::failed) refuse(decision, order.problem);
    if (order.outcome == reordering::Outcome::kept) refuse(decision, "no order is cheaper");
    std::free(order.new_rank);
    return order.outcome == reordering::Outcome::reordered;
  }

  bool receive_rank(Decision &decision, int *new_rank) {
    const auto size = static_cast<std::size_t>(size_);
    if (given_.new_rank == nullptr) given_.new_rank = static_cast<int *>(std::malloc(size * sizeof(int)));
    if (!agree(own::communicator_of(comm_), given_.new_rank != nullptr)) {
      refuse(decision, no_memory);
      return false;
    }
    if (!own::broadcast(comm_, 0, given_.new_rank, size * sizeof(int))) return false;
    *new_rank = given_.new_rank[rank_];
    return true;
  }

  static bool agree(MPI_Comm comm, bool fine) {
    reordering_here::trouble = false;
    return reordering_here::agree(comm, fine);
  }

  Handle comm_;
  int rank_;
  int size_;
  Given given_;
  char problem_[sizeof Decision::problem] = "";
};

// The attributes of MPI_COMM_SELF are deleted first in MPI_Finalize, the latest first, so the program's functions for
// them still have MPI_COMM_WORLD. Its own attributes are deleted here.
inline int end(MPI_Comm, int, void *, void *) {
  MPI_Comm ordered = world::ordered;
  if (world::has_new_order()) static_cast<void>(RANKWISE_ASK(Comm_free, &ordered));
  world::ordered = world::plain;
  return abi::success;
}

inline void stand_in_for_world(MPI_Comm made, int rank) {
  using Create = int (*)(own::CopyAttribute *, own::DeleteAttribute *, int *, void *);
  using Set = int (*)(MPI_Comm, int, void *);
  int keyval = -1;
  if (own::ask<Create>("PMPI_Comm_create_keyval", &own::copy_nothing, &end, &keyval, nullptr)) {
    own::ask<Set>("PMPI_Comm_set_attr", abi::comm_self, keyval, nullptr);
  }
  static_cast<void>(RANKWISE_ASK(Comm_set_name, made, "MPI_COMM_WORLD"));
  world::plain = abi::comm_world;
  world::ordered = made;
  rankwise_header *head = counters_file::header();
  if (head != nullptr) head->launcher_rank = rank;
}

inline void keep(int rank, const char *why) {
  if (rank == 0) say_once("MPI_COMM_WORLD keeps its order: %s", why);
  rankwise_header *head = counters_file::header();
  if (head != nullptr) snprintf(head->world_order_kept, sizeof head->world_order_kept, "%s", why);
}

}  // namespace world_order_here

// Every process of the job must take part, regardless of its counters. Processes that were spawned keep their order.
void change_world_order() {
  // `wanted` is never set in a program with MPI and Rankwise linked in, because not all of its calls pass us.
  const bool is_linked = !world_order::wanted && world_order::is_asked();
  if (!(world_order::wanted || is_linked) || !queries.find()) return;
  abi::find_constants("");
  world_order::begun();
  MPI_Comm parent = abi::comm_null;
  if (queries.Comm_get_parent(&parent) != abi::success || parent != abi::comm_null) return;
  int rank = 0;
  int size = 0;
  if (queries.Comm_size(abi::comm_world, &size) != abi::success || size < 2) return;
  if (queries.Comm_rank(abi::comm_world, &rank) != abi::success) return;
  if (is_linked) return world_order_here::keep(rank, "the program has MPI linked in statically");
  const bool begun = lifecycle::state::started;
  const auto obstacle = static_cast<unsigned char>(world_order::variable_read());
  world_order_here::Attempt attempt(abi::comm_world, rank, size);
  MPI_Comm made = abi::comm_null;
  if (attempt.run(begun ? world_order_here::has_begun : obstacle, &made)) {
    world_order_here::stand_in_for_world(made, rank);
    return;
  }
  world_order_here::keep(rank, attempt.problem());
}
