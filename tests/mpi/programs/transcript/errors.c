// Invalid arguments under MPI_ERRORS_RETURN. (Only where no MPI library takes them for valid or crashes on them.)
#include <stddef.h>

#include "transcript.h"

static int data[100], room[100], counts[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3};
static MPI_Datatype types[4];

static void point_to_point(void) {
  const MPI_Comm W = MPI_COMM_WORLD, none = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int flag;
  TRY(MPI_Send(data, 1, MPI_INT, 99, 1, W));
  TRY(MPI_Send(data, 1, MPI_INT, -77, 1, W));
  TRY(MPI_Send(data, -1, MPI_INT, 0, 1, W));
  TRY(MPI_Send(data, 1, MPI_INT, 0, -5, W));
  TRY(MPI_Send(data, 1, MPI_INT, 0, MPI_ANY_TAG, W));
  TRY(MPI_Send(data, 1, MPI_INT, MPI_ANY_SOURCE, 1, W));
  TRY(MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 1, W));
  TRY(MPI_Send(data, 1, MPI_INT, 0, 1, none));
  TRY(MPI_Ssend(data, 1, MPI_INT, 99, 1, W));
  TRY(MPI_Rsend(data, 1, MPI_INT, 99, 1, W));
  TRY(MPI_Bsend(data, 1, MPI_INT, 99, 1, W));
  TRY(MPI_Isend(data, 1, MPI_INT, 99, 1, W, &request));
  TRY(MPI_Issend(data, -1, MPI_INT, 0, 1, W, &request));
  TRY(MPI_Irsend(data, 1, MPI_INT, 0, -5, W, &request));
  TRY(MPI_Ibsend(data, 1, MPI_DATATYPE_NULL, 0, 1, W, &request));
  TRY(MPI_Irecv(room, -1, MPI_INT, 0, 1, W, &request));
  TRY(MPI_Irecv(room, 1, MPI_INT, 0, 1, none, &request));
  TRY(MPI_Recv(room, 1, MPI_INT, 99, 1, W, &status));
  TRY(MPI_Recv(room, 1, MPI_INT, 0, -5, W, &status));
  TRY(MPI_Recv(room, 1, MPI_INT, 0, 1, none, MPI_STATUS_IGNORE));
  TRY(MPI_Sendrecv(data, 1, MPI_INT, 99, 1, room, 1, MPI_INT, 0, 1, W, &status));
  TRY(MPI_Sendrecv(data, 1, MPI_INT, 0, 1, room, 1, MPI_INT, 99, 1, W, MPI_STATUS_IGNORE));
  TRY(MPI_Sendrecv_replace(room, 1, MPI_INT, 99, 1, 0, 1, W, &status));
  TRY(MPI_Probe(99, 1, W, &status));
  TRY(MPI_Iprobe(99, 1, W, &flag, MPI_STATUS_IGNORE));
  TRY(MPI_Mprobe(99, 1, W, &message, &status));
  TRY(MPI_Send_init(data, 1, MPI_INT, 99, 1, W, &request));
  TRY(MPI_Recv_init(room, -1, MPI_INT, 0, 1, W, &request));
  TRY(MPI_Ssend_init(data, 1, MPI_INT, 0, 1, none, &request));
  say("request is null: %d", request == MPI_REQUEST_NULL);
}

static void completion(void) {
  MPI_Request none = MPI_REQUEST_NULL, few[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, several[2];
  int flag;
  TRY(MPI_Start(&none));
  TRY(MPI_Startall(-1, few));
  TRY(MPI_Cancel(&none));
  TRY(MPI_Request_free(&none));
  TRY(MPI_Wait(&none, &status));
  TRY(MPI_Test(&none, &flag, &status));
  TRY(MPI_Request_get_status(none, &flag, &status));
  TRY(MPI_Waitall(-1, few, MPI_STATUSES_IGNORE));
  TRY(MPI_Testall(-1, few, &flag, several));
#ifndef MPI_ABI_VERSION  // MPICH's layer of the standard ABI looks at the requests before MPI can refuse it
  int index, outcount, indices[2];
  TRY(MPI_Waitany(-1, few, &index, &status));
  TRY(MPI_Testany(-1, few, &index, &flag, MPI_STATUS_IGNORE));
  TRY(MPI_Waitsome(-1, few, &outcount, indices, several));
  TRY(MPI_Testsome(-1, few, &outcount, indices, MPI_STATUSES_IGNORE));
  MPI_Request *volatile nowhere = NULL;  // volatile, so that the compiler does not know
  TRY(MPI_Wait(nowhere, &status));
  TRY(MPI_Test(nowhere, &flag, &status));
  TRY(MPI_Waitall(2, nowhere, MPI_STATUSES_IGNORE));
  TRY(MPI_Waitany(2, nowhere, &index, &status));
  TRY(MPI_Request_free(nowhere));
#endif
}

static void collectives(void) {
  const MPI_Comm W = MPI_COMM_WORLD, none = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < 4; i++) types[i] = MPI_INT;
  TRY(MPI_Barrier(none));
  TRY(MPI_Bcast(data, 1, MPI_INT, 99, W));
  TRY(MPI_Bcast(data, -1, MPI_INT, 0, W));
  TRY(MPI_Bcast(data, 1, MPI_INT, 0, none));
  TRY(MPI_Gather(data, 1, MPI_INT, room, 1, MPI_INT, 99, W));
  TRY(MPI_Gatherv(data, 1, MPI_INT, room, counts, places, MPI_INT, 0, none));
  TRY(MPI_Scatter(data, 1, MPI_INT, room, 1, MPI_INT, -9, W));
  TRY(MPI_Scatterv(data, counts, places, MPI_INT, room, 1, MPI_INT, 0, none));
  TRY(MPI_Allgather(data, 1, MPI_DATATYPE_NULL, room, 1, MPI_INT, W));
  TRY(MPI_Allgatherv(data, 1, MPI_INT, room, counts, places, MPI_INT, none));
  TRY(MPI_Alltoall(data, 1, MPI_INT, room, 1, MPI_INT, none));
  TRY(MPI_Alltoallv(data, counts, places, MPI_INT, room, counts, places, MPI_INT, none));
  TRY(MPI_Alltoallw(data, counts, places, types, room, counts, places, types, none));
  TRY(MPI_Reduce(data, room, 1, MPI_INT, MPI_SUM, -7, W));
  TRY(MPI_Allreduce(data, room, 1, MPI_INT, MPI_OP_NULL, W));
  TRY(MPI_Allreduce(data, room, 1, MPI_INT, MPI_SUM, none));
  TRY(MPI_Reduce_scatter(data, room, counts, MPI_INT, MPI_SUM, none));
  TRY(MPI_Reduce_scatter_block(data, room, 1, MPI_INT, MPI_OP_NULL, W));
  TRY(MPI_Scan(data, room, 1, MPI_INT, MPI_SUM, none));
  TRY(MPI_Ibarrier(none, &request));
  TRY(MPI_Ibcast(data, 1, MPI_INT, 99, W, &request));
  TRY(MPI_Iallreduce(data, room, 1, MPI_INT, MPI_OP_NULL, W, &request));
  TRY(MPI_Neighbor_alltoall(data, 1, MPI_INT, room, 1, MPI_INT, none));
}

static void communicators(void) {
  const MPI_Comm W = MPI_COMM_WORLD;
  MPI_Comm none = MPI_COMM_NULL, new = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  int number, keyval = MPI_KEYVAL_INVALID;
  char name[MPI_MAX_OBJECT_NAME];
  void *value;
  TRY(MPI_Comm_rank(none, &number));
  TRY(MPI_Comm_size(none, &number));
  TRY(MPI_Comm_remote_size(W, &number));
  TRY(MPI_Comm_group(none, &group));
  TRY(MPI_Comm_compare(W, none, &number));
  TRY(MPI_Comm_test_inter(none, &number));
  TRY(MPI_Comm_dup(none, &new));
  TRY(MPI_Comm_idup(none, &new, &request));
  TRY(MPI_Comm_create(W, MPI_GROUP_NULL, &new));
  TRY(MPI_Comm_create_group(none, MPI_GROUP_EMPTY, 0, &new));
  TRY(MPI_Comm_split(none, 0, 0, &new));
  TRY(MPI_Comm_split(W, -3, 0, &new));
  TRY(MPI_Comm_split_type(none, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &new));
  TRY(MPI_Comm_free(&none));
  TRY(MPI_Comm_disconnect(&none));
  TRY(MPI_Comm_set_name(none, "name"));
  TRY(MPI_Comm_get_name(none, name, &number));
  TRY(MPI_Intercomm_create(none, 0, W, 1, 0, &new));
  TRY(MPI_Cart_create(W, 1, (int[]){99}, (int[]){0}, 0, &new));
  TRY(MPI_Cart_create(none, 1, (int[]){1}, (int[]){0}, 0, &new));
  TRY(MPI_Cart_sub(W, (int[]){1}, &new));
  TRY(MPI_Cart_coords(W, 0, 1, &number));
  TRY(MPI_Cartdim_get(W, &number));
  TRY(MPI_Graph_create(none, 1, (int[]){1}, (int[]){0}, 0, &new));
  TRY(MPI_Graphdims_get(W, &number, &number));
  TRY(MPI_Dist_graph_neighbors_count(W, &number, &number, &number));
  TRY(MPI_Topo_test(none, &number));
  TRY(MPI_Comm_get_attr(W, keyval, &value, &number));
  TRY(MPI_Comm_set_attr(W, keyval, NULL));
  TRY(MPI_Comm_free_keyval(&keyval));
  TRY(MPI_Comm_get_attr(none, MPI_TAG_UB, &value, &number));
  say("nothing was made: %d %d", new == MPI_COMM_NULL, request == MPI_REQUEST_NULL);
#if defined(MPICH_VERSION) || (defined(I_MPI_VERSION) && !defined(MPI_ABI_VERSION))
  // Handles that outlive their object are known as such where handles are numbers; elsewhere they are bad pointers.
  MPI_Comm freed;
  MPI_Comm_dup(W, &new);
  freed = new;
  TRY(MPI_Comm_free(&new));
  TRY(MPI_Send(data, 1, MPI_INT, 0, 1, freed));
  TRY(MPI_Barrier(freed));
  TRY(MPI_Comm_free(&freed));
#endif
}

static void others(void) {
  MPI_Group group, none = MPI_GROUP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL, integer = MPI_INT;
  MPI_Op op = MPI_OP_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  int number, flag;
  char text[MPI_MAX_INFO_VAL];
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  TRY(MPI_Group_incl(group, 1, (int[]){99}, &none));
  TRY(MPI_Group_rank(MPI_GROUP_NULL, &number));
  TRY(MPI_Group_free(&group));
  TRY(MPI_Group_free(&group));
  TRY(MPI_Type_size(MPI_DATATYPE_NULL, &number));
  TRY(MPI_Type_commit(&type));
  TRY(MPI_Type_free(&type));
  TRY(MPI_Type_free(&integer));
  TRY(MPI_Type_contiguous(-1, MPI_INT, &type));
  TRY(MPI_Op_free(&op));
  op = MPI_SUM;
  TRY(MPI_Op_free(&op));
  TRY(MPI_Info_free(&info));
  TRY(MPI_Info_set(MPI_INFO_NULL, "key", "value"));
  TRY(MPI_Info_create(&info));
  TRY(MPI_Info_delete(info, "missing"));
  TRY(MPI_Info_get(info, "missing", 10, text, &flag));
  TRY(MPI_Info_get_nthkey(info, 5, text));
  TRY(MPI_Info_free(&info));
  TRY(MPI_Errhandler_free(&handler));
  TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL));
  TRY(MPI_Error_class(99999999, &number));
}

void errors(void) {
  point_to_point();
  completion();
  collectives();
  communicators();
  others();
}
