// Regions by MPI_Pcontrol: nested, re-entered, left in the wrong order, never left; and pauses. Two ranks.
// tests/mpi/test_regions.py follows the calls.
#define _DEFAULT_SOURCE  // usleep
#include <mpi.h>
#include <unistd.h>

static char data[1000];

static void regions(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1, "outer");
  MPI_Bcast(data, 1, MPI_BYTE, 0, MPI_COMM_WORLD);
  usleep(20000);
  MPI_Pcontrol(1, "inner");
  MPI_Bcast(data, 2, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Bcast(data, 2, MPI_BYTE, 0, MPI_COMM_WORLD);
  usleep(50000);
  MPI_Pcontrol(-1, "inner");
  MPI_Bcast(data, 4, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Pcontrol(-1, "outer");
  MPI_Barrier(MPI_COMM_WORLD);

  for (int i = 0; i < 3; i++) {
    MPI_Pcontrol(1, "again and again");
    MPI_Bcast(data, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Pcontrol(-1, "again and again");
  }

  // Inside itself: its time counts once.
  MPI_Pcontrol(1, "recursive");
  MPI_Pcontrol(1, "recursive");
  usleep(30000);
  MPI_Pcontrol(-1, "recursive");
  MPI_Bcast(data, 16, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Pcontrol(-1, "recursive");

  // Left without having been entered, here and inside another one.
  MPI_Pcontrol(-1, "unknown");
  MPI_Pcontrol(1, "outside");
  MPI_Pcontrol(-1, "unknown");
  MPI_Bcast(data, 32, MPI_BYTE, 0, MPI_COMM_WORLD);
  // The end of the outer region ends the inner one, too; the inner one's own end then comes too late.
  MPI_Pcontrol(1, "not left");
  MPI_Bcast(data, 64, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Pcontrol(-1, "outside");
  MPI_Pcontrol(-1, "not left");
  MPI_Barrier(MPI_COMM_WORLD);
}

// Levels without a name, and with one that is none.
static void without_argument(void) {
  for (int i = 0; i < 2; i++) {
    MPI_Pcontrol(2);
    MPI_Pcontrol(1);
    MPI_Pcontrol(-1);
    MPI_Pcontrol(0);
    MPI_Pcontrol(1);
    MPI_Pcontrol(1, (char *)0);
    MPI_Pcontrol(1, (char *)1);
    MPI_Pcontrol(1, "");
  }
  MPI_Pcontrol(17, "no level of ours");
  MPI_Barrier(MPI_COMM_WORLD);
}

// The register of an absent argument holds what the call before left there: here, a name.
static void behind_a_name(void) {
  MPI_Pcontrol(-1, "left over");
  MPI_Pcontrol(1);
}

static void pauses(int rank) {
  MPI_Request early, late;
  MPI_Comm paused;
  MPI_Status status;
  if (rank == 1) MPI_Irecv(data, 1000, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &early);
  MPI_Pcontrol(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, data, 100, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Send(data, 100, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
  } else {
    MPI_Wait(&early, &status);
    MPI_Irecv(data, 1000, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &late);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &paused);
  MPI_Pcontrol(1);
  if (rank == 0) {
    MPI_Send(data, 200, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
  } else {
    MPI_Wait(&late, MPI_STATUS_IGNORE);
  }
  MPI_Allreduce(MPI_IN_PLACE, data, 3, MPI_BYTE, MPI_BOR, paused);
  MPI_Comm_free(&paused);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Pcontrol(1);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1) {
    behind_a_name();
  } else {
    regions();
    without_argument();
    pauses(rank);
    MPI_Pcontrol(1, "to the end");
    MPI_Bcast(data, 128, MPI_BYTE, 0, MPI_COMM_WORLD);
    usleep(10000);
  }
  MPI_Finalize();
  return 0;
}
