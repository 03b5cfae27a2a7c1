// The MPI procedures that Rankwise calls itself.
#ifndef RANKWISE_WRAPPERS_ASKED_H
#define RANKWISE_WRAPPERS_ASKED_H

// clang-format off
#define RANKWISE_QUERIES(X)                                                                           \
  X(Cart_get) X(Cart_shift) X(Cartdim_get)                                                            \
  X(Comm_get_parent) X(Comm_group) X(Comm_rank) X(Comm_remote_group) X(Comm_remote_size) X(Comm_size) X(Comm_test_inter) \
  X(Dist_graph_neighbors) X(Dist_graph_neighbors_count) X(Graph_neighbors) X(Graph_neighbors_count)   \
  X(Group_free) X(Group_rank) X(Group_size) X(Group_translate_ranks)                                  \
  X(Get_library_version) X(Op_commutative) X(Query_thread) X(Topo_test) X(Type_size_x) X(Win_get_group)
// clang-format on

#endif
