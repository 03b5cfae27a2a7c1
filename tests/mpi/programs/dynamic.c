// Processes that come later, and worlds that meet. tests/mpi/test_dynamic.py knows each count and byte.
//
//   dynamic spawn      2 processes spawn 3, then 1 + 1
//   dynamic ports      process 0 accepts process 1, each by itself
//   dynamic join NAME  the same by a socket of that name
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int rank, size;
static char buffer[1000];

static void around(MPI_Comm comm, int bytes) {
  static char in[1000];
  int own, all;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &all);
  MPI_Sendrecv(buffer, bytes, MPI_CHAR, (own + 1) % all, 5, in, bytes, MPI_CHAR, (own + all - 1) % all, 5, comm,
               MPI_STATUS_IGNORE);
}

// Across the intercommunicator: the last of the old sends to the last of the new and gets an answer; then everybody
// takes part in one communicator, and two halves of the intercommunicator.
static void talk(MPI_Comm inter, int is_new) {
  int others;
  MPI_Comm_remote_size(inter, &others);
  if (rank == size - 1) {
    if (!is_new) MPI_Send(buffer, 100, MPI_CHAR, others - 1, 1, inter);
    MPI_Recv(buffer, 1000, MPI_CHAR, others - 1, 1, inter, MPI_STATUS_IGNORE);
    if (is_new) MPI_Send(buffer, 7, MPI_CHAR, others - 1, 1, inter);
  }
  MPI_Comm merged;
  MPI_Intercomm_merge(inter, is_new, &merged);
  around(merged, 10);
  MPI_Comm_free(&merged);
  MPI_Comm_disconnect(&inter);
}

static void spawn(char *program) {
  char *arguments[] = {"spawn", NULL};
  MPI_Comm inter;
  MPI_Comm_spawn(program, arguments, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
  talk(inter, 0);
  char *programs[] = {program, program};
  char **both[] = {arguments, arguments};
  int counts[] = {1, 1};
  MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm_spawn_multiple(2, programs, both, counts, infos, 1, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
  talk(inter, 0);
}

static void exchange(MPI_Comm inter) {
  if (rank == 0) MPI_Send(buffer, 60, MPI_CHAR, 0, 2, inter);
  if (rank == 1) MPI_Recv(buffer, 60, MPI_CHAR, 0, 2, inter, MPI_STATUS_IGNORE);
  MPI_Comm_disconnect(&inter);
}

static void ports(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm inter;
  if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
  if (rank == 1) MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
  exchange(inter);
  if (rank == 0) MPI_Close_port(port);
}

static void join(const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", name);
  int end = socket(AF_UNIX, SOCK_STREAM, 0);
  if (rank == 0 && (bind(end, (struct sockaddr *)&address, sizeof address) != 0 || listen(end, 1) != 0)) exit(1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && connect(end, (struct sockaddr *)&address, sizeof address) != 0) exit(1);
  if (rank == 0) end = accept(end, NULL, NULL);
  MPI_Comm inter;
  MPI_Comm_join(end, &inter);
  exchange(inter);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    talk(parent, 1);
  } else if (strcmp(argv[1], "spawn") == 0) {
    spawn(argv[0]);
  } else if (strcmp(argv[1], "ports") == 0) {
    ports();
  } else {
    join(argv[2]);
  }
  MPI_Finalize();
  return 0;
}
