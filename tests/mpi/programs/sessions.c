// Sessions, alone and beside the world, for 3 processes. tests/mpi/test_sessions.py knows each count and byte.
//
// The first argument is a list of steps: s = a session opens and works, t = the same, finalised later by e;
// w = MPI_Init and a message in the world, f = MPI_Finalize.
#include <mpi.h>
#include <stdio.h>

static MPI_Session kept_session;
static MPI_Comm kept;

static MPI_Group world_of(MPI_Session session) {
  MPI_Group group;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  return group;
}

static MPI_Group part_of(MPI_Group all, int first, int last) {
  MPI_Group group;
  int range[1][3] = {{first, last, 1}};
  MPI_Group_range_incl(all, 1, range, &group);
  return group;
}

// One message round the communicator: `bytes` from each process to the next.
static void around(MPI_Comm comm, int bytes) {
  char out[1000] = {0}, in[1000];
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % size, 5, in, bytes, MPI_CHAR, (rank + size - 1) % size, 5, comm,
               MPI_STATUS_IGNORE);
}

static MPI_Comm from_group(MPI_Group group, const char *tag) {
  MPI_Comm comm;
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  return comm;
}

// Everybody's communicator twice with one tag, a child of it, a part, and a bridge between two parts.
static void work(MPI_Session session) {
  MPI_Group all = world_of(session);
  int rank;
  MPI_Group_rank(all, &rank);
  MPI_Comm comm = from_group(all, "org.rankwise/all_of us");
  around(comm, 10);
  MPI_Comm half;
  MPI_Comm_split(comm, rank == 0, 0, &half);
  MPI_Barrier(half);
  MPI_Comm_free(&half);
  MPI_Comm_free(&comm);
  comm = from_group(all, "org.rankwise/all_of us");
  around(comm, 20);
  MPI_Comm_free(&comm);
  MPI_Group one = part_of(all, 0, 0), others = part_of(all, 1, 2);
  if (rank > 0) {
    comm = from_group(others, "part");
    around(comm, 30);
    MPI_Comm_free(&comm);
  }
  MPI_Intercomm_create_from_groups(rank == 0 ? one : others, 0, rank == 0 ? others : one, 0, "bridge", MPI_INFO_NULL,
                                   MPI_ERRORS_RETURN, &comm);
  char byte = 0;
  if (rank == 0) MPI_Send(&byte, 1, MPI_CHAR, 1, 0, comm);
  if (rank == 2) MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, comm, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  MPI_Group_free(&one);
  MPI_Group_free(&others);
  MPI_Group_free(&all);
}

static MPI_Session opened(void) {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  return session;
}

int main(int argc, char **argv) {
  for (const char *step = argc > 1 ? argv[1] : "s"; *step != '\0'; ++step) {
    MPI_Session session;
    MPI_Group all;
    switch (*step) {
      case 's':
        session = opened();
        work(session);
        MPI_Session_finalize(&session);
        break;
      case 't':
        kept_session = opened();
        all = world_of(kept_session);
        kept = from_group(all, "kept");
        MPI_Group_free(&all);
        break;
      case 'e':
        around(kept, 40);
        MPI_Comm_free(&kept);
        MPI_Session_finalize(&kept_session);
        break;
      case 'w':
        MPI_Init(&argc, &argv);
        around(MPI_COMM_WORLD, 50);
        break;
      default:
        MPI_Finalize();
    }
  }
  puts("done");
  return 0;
}
