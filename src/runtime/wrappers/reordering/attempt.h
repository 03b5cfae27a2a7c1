// `rankwise run --reorder`: recreates a virtual topology in an order that suits the machine. Included inside the
// namespace of a build.
//
// MPI 4.1, section 8.5.1, of reorder = true: "the function may reorder the processes (possibly so as to choose a good
// embedding of the virtual topology onto the physical machine)". First the library carries out the call with reorder =
// false: so it finds and reports the program's errors itself. From then on there is a valid result even if a later step
// fails. All processes decide each step in the same way.

namespace reordering_here {

class Attempt {
 public:
  // `plain`: the library's result on this process. `roles`: processes of the topology.
  Attempt(MPI_Comm comm_old, MPI_Comm plain, rankwise_topology kind, int roles)
      : comm_old_(comm_old), plain_(plain), copy_(plain), kind_(kind), roles_(roles) {}

  // Collective. prepare(copy, rank, size, new_rank) prepares the call for the new order, and repeat(comm, place)
  // creates the topology on `comm`, whose processes are in that order already. True if `made` replaces the plain
  // communicator, which is then gone.
  template <class Prepare, class Repeat>
  bool run(Prepare prepare, Repeat repeat, MPI_Comm *made) {
    trouble = false;
    if (!find_processes() || roles_ <= 1 || !open_copy()) return false;
    reordering::Order order;
    bool done = find_better(&order) && prepare(copy_, rank_, size_, order.new_rank);
    done = done && make(order.new_rank[rank_], repeat, made);
    std::free(order.new_rank);
    close_copy(done);
    return done;
  }

  // Collective. Only determines the rank that this process would have, if the order would be another one. The plain
  // communicator is then gone.
  void look(int *new_rank) {
    trouble = false;
    reordering::Order order;
    if (find_processes() && open_copy() && find_better(&order)) {
      *new_rank = order.new_rank[rank_] < roles_ ? order.new_rank[rank_] : abi::undefined;
    }
    std::free(order.new_rank);
    close_copy(true);
  }

 private:
  // False if some processes are not of our world: processes of another world may run without us.
  bool find_processes() {
    Processes found;
    if (!own::processes(abi::bits(comm_old_), &found)) return false;
    rank_ = found.rank;
    size_ = found.size;
    bool ours = true;
    for (int i = 0; i < size_; ++i) ours = ours && found.world_ranks[i] >= 0;
    std::free(found.world_ranks);
    return ours && roles_ <= size_;
  }

  // A communicator of all processes, including the left-over ones: any of them may be.
  bool open_copy() {
    if (roles_ < size_ && !RANKWISE_ASK(Comm_split, comm_old_, 0, rank_, &copy_)) return false;
    return only_note_errors(copy_);
  }

  // False if the order stays.
  bool find_better(reordering::Order *order) {
    const bool done = find_order(order);
    if (order->outcome == reordering::Outcome::failed) {
      say_once("--reorder: communicators keep their order: %s", order->problem);
    }
    return done && order->outcome == reordering::Outcome::reordered;
  }

  bool find_order(reordering::Order *order) {
    const Handle copy = abi::bits(copy_);
    int roles = roles_;
    bool fine = own::broadcast(copy, 0, &roles, sizeof roles) && roles == roles_;
    fine = fine && (plain_ != abi::comm_null) == (rank_ < roles_);
    const OwnEdges own_edges(plain_, kind_, rank_);
    Traffic traffic;
    snprintf(order->problem, sizeof order->problem, "the edges of a topology can't be gathered");
    if (!agree(copy_, fine && own_edges.fine())) return false;
    if (!traffic.gather(copy, rank_, size_, roles_, own_edges)) return false;
    *order = reordering::find_order(*communication(), copy, rank_, size_, traffic.of_root(rank_), reorder::machine());
    return true;
  }

  template <class Repeat>
  bool make(int new_rank, Repeat repeat, MPI_Comm *made) {
    const bool has_role = new_rank < roles_;
    MPI_Comm in_order = abi::comm_null;
    MPI_Comm topology = abi::comm_null;
    bool fine = RANKWISE_ASK(Comm_split, copy_, has_role ? 0 : abi::undefined, new_rank, &in_order);
    fine = agree(copy_, fine && has_role == (in_order != abi::comm_null));
    if (fine && has_role) {
      const own::Ours ours;
      fine = repeat(in_order, &topology) == abi::success && topology != abi::comm_null;
      fine = fine && inherit_errors(comm_old_, topology);
    }
    fine = agree(copy_, fine);
    if (in_order != abi::comm_null) own::free(abi::bits(in_order));
    if (!fine && topology != abi::comm_null) own::free(abi::bits(topology));
    *made = topology;
    return fine;
  }

  void close_copy(bool done) {
    if (copy_ != plain_) own::free(abi::bits(copy_));
    if (plain_ == abi::comm_null) return;
    if (done) {
      own::free(abi::bits(plain_));
    } else if (copy_ == plain_) {
      static_cast<void>(inherit_errors(comm_old_, plain_));
    }
  }

  MPI_Comm comm_old_;
  MPI_Comm plain_;
  MPI_Comm copy_;
  rankwise_topology kind_;
  int roles_;
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace reordering_here
