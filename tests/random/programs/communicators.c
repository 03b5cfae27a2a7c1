// Constructors and destructors of communicators, their names, and regions.
#include "interpreter.h"

void run_Comm_dup(void) {
  const MPI_Comm comm = communicator();
  MPI_Comm_dup(comm, &comms[number()]);
}

void run_Comm_dup_with_info(void) {
  const MPI_Comm comm = communicator();
  MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &comms[number()]);
}

void run_Comm_idup(void) {
  const MPI_Comm comm = communicator();
  MPI_Comm *child = &comms[number()];
  MPI_Comm_idup(comm, child, &pending[number()]);
}

void run_Comm_idup_with_info(void) {
  const MPI_Comm comm = communicator();
  MPI_Comm *child = &comms[number()];
  MPI_Comm_idup_with_info(comm, MPI_INFO_NULL, child, &pending[number()]);
}

void run_Comm_split(void) {
  const MPI_Comm comm = communicator();
  const int color = number(), key = number();
  MPI_Comm_split(comm, color < 0 ? MPI_UNDEFINED : color, key, &comms[number()]);
}

void run_Comm_split_type(void) {
  const MPI_Comm comm = communicator();
  const int taking_part = number(), key = number();
  MPI_Comm_split_type(comm, taking_part ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, key, MPI_INFO_NULL, &comms[number()]);
}

static MPI_Group part_of(MPI_Comm comm, const List *ranks) {
  MPI_Group all, part;
  PMPI_Comm_group(comm, &all);
  PMPI_Group_incl(all, ranks->n, ranks->values, &part);
  PMPI_Group_free(&all);
  return part;
}

void run_Comm_create(void) {
  const MPI_Comm comm = communicator();
  const List ranks = numbers();
  MPI_Group group = part_of(comm, &ranks);
  MPI_Comm_create(comm, group, &comms[number()]);
  if (ranks.n > 0) PMPI_Group_free(&group);
}

void run_Comm_create_group(void) {
  const MPI_Comm comm = communicator();
  const List ranks = numbers();
  const int tag_ = number();
  MPI_Group group = part_of(comm, &ranks);
  MPI_Comm_create_group(comm, group, tag_, &comms[number()]);
  PMPI_Group_free(&group);
}

void run_Cart_create(void) {
  const MPI_Comm comm = communicator();
  const List dims = numbers(), periods = numbers();
  MPI_Cart_create(comm, dims.n, dims.values, periods.values, 0, &comms[number()]);
}

void run_Cart_sub(void) {
  const MPI_Comm comm = communicator();
  const List remain = numbers();
  MPI_Cart_sub(comm, remain.values, &comms[number()]);
}

void run_Graph_create(void) {
  const MPI_Comm comm = communicator();
  const List index = numbers(), edges = numbers();
  MPI_Graph_create(comm, index.n, index.values, edges.values, 0, &comms[number()]);
}

void run_Dist_graph_create(void) {
  const MPI_Comm comm = communicator();
  const int source = number();
  const List destinations = numbers();
  MPI_Dist_graph_create(comm, 1, &source, &destinations.n, destinations.values, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                        &comms[number()]);
}

void run_Dist_graph_create_adjacent(void) {
  const MPI_Comm comm = communicator();
  const List sources = numbers(), destinations = numbers();
  MPI_Dist_graph_create_adjacent(comm, sources.n, sources.values, MPI_UNWEIGHTED, destinations.n, destinations.values,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comms[number()]);
}

void run_Intercomm_create(void) {
  const MPI_Comm comm = communicator();
  const int leader = number();
  const MPI_Comm bridge = communicator();
  const int remote_leader = number(), tag_ = number();
  MPI_Intercomm_create(comm, leader, bridge, remote_leader, tag_, &comms[number()]);
}

void run_Intercomm_merge(void) {
  const MPI_Comm comm = communicator();
  const int high = number();
  MPI_Intercomm_merge(comm, high, &comms[number()]);
}

void run_Comm_free(void) { MPI_Comm_free(&comms[number()]); }

void run_Comm_disconnect(void) { MPI_Comm_disconnect(&comms[number()]); }

void run_Comm_set_name(void) {
  const MPI_Comm comm = communicator();
  char name[64];
  snprintf(name, sizeof name, "name %d", number());
  MPI_Comm_set_name(comm, name);
}

void run_Pcontrol(void) {
  const int level = number(), region = number();
  static char name[64];
  snprintf(name, sizeof name, region < 0 ? "" : "region %d", region);
  MPI_Pcontrol(level, name);
}
