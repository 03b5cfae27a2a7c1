// Every way to make a communicator, in a world of 6. Each gets a name of its own (MPI_Comm_set_name) and one
// MPI_Allreduce of a size of its own, so that tests/mpi/test_communicators.py can tell that what was counted on each
// is right. The order of the calls on a parent is part of what is tested: it numbers the children.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int world_rank;
static char data[200000];
static char room[200000];

// Members of communicators that MPI may have reordered, as MPI has them.
static void tell_members(MPI_Comm comm, const char *name) {
  int members[6];
  int rank;
  int size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Gather(&world_rank, 1, MPI_INT, members, 1, MPI_INT, 0, comm);
  if (rank != 0) return;
  printf("members %s:", name);
  for (int i = 0; i < size; i++) printf(" %d", members[i]);
  printf("\n");
  fflush(stdout);
}

static void mark(MPI_Comm comm, const char *name, int bytes) {
  if (comm == MPI_COMM_NULL) return;
  MPI_Comm_set_name(comm, name);
  MPI_Allreduce(data, room, bytes, MPI_BYTE, MPI_BOR, comm);
}

static void free_all(int count, MPI_Comm *comms) {
  for (int i = 0; i < count; i++) {
    if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
  }
}

static void duplicates(void) {
  MPI_Comm comms[5];
  MPI_Request requests[3];
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comms[1]);
  MPI_Comm_idup(MPI_COMM_WORLD, &comms[2], &requests[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &comms[3], &requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  // Among other requests, polled.
  MPI_Comm_idup(MPI_COMM_WORLD, &comms[4], &requests[0]);
  MPI_Irecv(room, 50, MPI_BYTE, (world_rank + 5) % 6, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(data, 30, MPI_BYTE, (world_rank + 1) % 6, 1, MPI_COMM_WORLD, &requests[2]);
  for (int done = 0; !done;) MPI_Testall(3, requests, &done, MPI_STATUSES_IGNORE);
  mark(comms[0], "dup", 10);
  mark(comms[1], "dup with info", 11);
  mark(comms[2], "first idup", 12);
  mark(comms[3], "second idup", 13);
  mark(comms[4], "polled idup", 14);
  free_all(2, comms);
}

static MPI_Group group_of(int count, const int *ranks) {
  MPI_Group world;
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, count, ranks, &group);
  MPI_Group_free(&world);
  return group;
}

// Two disjoint groups in one call, one in an order of its own; rank 1 is in none.
static void by_groups(void) {
  MPI_Comm comm;
  MPI_Group group = MPI_GROUP_EMPTY;
  if (world_rank % 2 == 0) group = group_of(3, (int[]){0, 2, 4});
  if (world_rank == 3 || world_rank == 5) group = group_of(2, (int[]){5, 3});
  MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
  mark(comm, world_rank % 2 == 0 ? "evens" : "five and three", world_rank % 2 == 0 ? 20 : 21);
  if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
}

static void one_group(int count, const int *ranks, int tag, const char *name, int bytes) {
  MPI_Comm comm;
  int member = 0;
  for (int i = 0; i < count; i++) member |= ranks[i] == world_rank;
  if (!member) return;
  MPI_Group group = group_of(count, ranks);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &comm);
  MPI_Group_free(&group);
  mark(comm, name, bytes);
}

// Not collective over the parent: its members number them each for themselves.
static void create_group(void) {
  one_group(2, (int[]){0, 1}, 7, "pair", 30);
  one_group(3, (int[]){0, 1, 2}, 7, "three", 31);
  one_group(3, (int[]){0, 1, 2}, 7, "three again", 32);
  one_group(3, (int[]){0, 2, 1}, 7, "three in another order", 33);
  one_group(2, (int[]){0, 1}, 8, "pair, another tag", 34);
  one_group(2, (int[]){3, 4}, 7, "the others", 35);
}

static void splits(void) {
  MPI_Comm half;
  MPI_Comm child;
  MPI_Comm grandchild;
  MPI_Comm node;
  char name[64];
  // The keys turn the order of the ranks round.
  MPI_Comm_split(MPI_COMM_WORLD, world_rank == 5 ? MPI_UNDEFINED : world_rank % 2, -world_rank, &half);
  mark(half, world_rank % 2 == 0 ? "down 4 2 0" : "down 3 1", 40 + world_rank % 2);
  if (half != MPI_COMM_NULL) {
    MPI_Comm_dup(half, &child);
    mark(child, world_rank % 2 == 0 ? "child of 4 2 0" : "child of 3 1", 42 + world_rank % 2);
    MPI_Comm_split(child, world_rank, 0, &grandchild);
    snprintf(name, sizeof name, "alone %d", world_rank);
    mark(grandchild, name, 44 + world_rank);
    free_all(3, (MPI_Comm[]){grandchild, child, half});
  }
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  mark(node, "node", 50);
}

static void cartesian(void) {
  MPI_Comm small;
  MPI_Comm grid;
  MPI_Comm parts[4];
  MPI_Comm reordered;
  MPI_Request request;
  char name[64];
  MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){1, 0}, 0, &small);
  mark(small, "2 x 2 of 6", 60);
  MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){3, 2}, (int[]){0, 1}, 0, &grid);
  mark(grid, "3 x 2", 61);
  MPI_Cart_sub(grid, (int[]){0, 1}, &parts[0]);
  snprintf(name, sizeof name, "row %d", world_rank / 2);
  mark(parts[0], name, 62 + world_rank / 2);
  MPI_Cart_sub(grid, (int[]){1, 0}, &parts[1]);
  snprintf(name, sizeof name, "column %d", world_rank % 2);
  mark(parts[1], name, 65 + world_rank % 2);
  MPI_Comm_dup(grid, &parts[2]);
  mark(parts[2], "dup of 3 x 2", 67);
  MPI_Comm_idup(grid, &parts[3], &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  mark(parts[3], "idup of 3 x 2", 68);
  free_all(4, parts);
  MPI_Cart_create(MPI_COMM_WORLD, 3, (int[]){1, 3, 2}, (int[]){1, 1, 1}, 1, &reordered);
  mark(reordered, "reordered grid", 69);
  tell_members(reordered, "reordered grid");
}

static void graphs(void) {
  MPI_Comm ring;
  MPI_Comm adjacent;
  MPI_Comm distributed;
  const int next = (world_rank + 1) % 6;
  const int previous = (world_rank + 5) % 6;
  const int one = 1;
  MPI_Graph_create(MPI_COMM_WORLD, 4, (int[]){2, 4, 6, 8}, (int[]){3, 1, 0, 2, 1, 3, 2, 0}, 0, &ring);
  mark(ring, "ring of 4", 70);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &adjacent);
  mark(adjacent, "adjacent", 71);
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &world_rank, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &distributed);
  mark(distributed, "reordered graph", 72);
  tell_members(distributed, "reordered graph");
}

// `left` processes on one side, the rest on the other.
static MPI_Comm bridge(int left, MPI_Comm *side, int tag) {
  MPI_Comm inter;
  const int is_left = world_rank < left;
  if (*side == MPI_COMM_NULL) MPI_Comm_split(MPI_COMM_WORLD, is_left, 0, side);
  MPI_Intercomm_create(*side, 0, MPI_COMM_WORLD, is_left ? left : 0, tag, &inter);
  return inter;
}

static void intercommunicators(void) {
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm comms[4];
  MPI_Comm inter = bridge(2, &side, 3);
  const int is_left = world_rank < 2;
  mark(side, is_left ? "left" : "right", is_left ? 80 : 81);
  mark(inter, "two and four", 82);
  // Destinations are ranks in the other group.
  if (world_rank == 5) MPI_Send(data, 100, MPI_BYTE, 1, 0, inter);
  if (world_rank == 1) MPI_Recv(room, 1000, MPI_BYTE, 3, 0, inter, MPI_STATUS_IGNORE);
  if (world_rank == 0) MPI_Send(data, 200, MPI_BYTE, 2, 0, inter);
  if (world_rank == 4) MPI_Recv(room, 1000, MPI_BYTE, 0, 0, inter, MPI_STATUS_IGNORE);

  MPI_Comm_dup(inter, &comms[0]);
  mark(comms[0], "dup of two and four", 83);
  if (world_rank == 3) MPI_Send(data, 300, MPI_BYTE, 0, 0, comms[0]);
  if (world_rank == 0) MPI_Recv(room, 1000, MPI_BYTE, 1, 0, comms[0], MPI_STATUS_IGNORE);
  MPI_Comm_split(inter, world_rank % 2, 0, &comms[1]);
  mark(comms[1], world_rank % 2 == 0 ? "one and two, even" : "one and two, odd", 84 + world_rank % 2);
  MPI_Intercomm_merge(inter, !is_left, &comms[2]);
  mark(comms[2], "left first", 86);
  MPI_Intercomm_merge(inter, is_left, &comms[3]);
  mark(comms[3], "right first", 87);
  free_all(4, comms);

  MPI_Comm again = bridge(2, &side, 3);
  mark(again, "two and four again", 88);
  MPI_Comm other_tag = bridge(2, &side, 4);
  mark(other_tag, "two and four, another tag", 89);

  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm equal = bridge(3, &half, 3);
  mark(half, world_rank < 3 ? "lower half" : "upper half", world_rank < 3 ? 90 : 91);
  mark(equal, "three and three", 92);
  if (world_rank == 2) MPI_Send(data, 400, MPI_BYTE, 0, 0, equal);
  if (world_rank == 3) MPI_Recv(room, 1000, MPI_BYTE, 2, 0, equal, MPI_STATUS_IGNORE);
}

// Communicators of one process complete at once: their requests may share a handle.
static void alone(void) {
  MPI_Comm comms[4];
  MPI_Request requests[3];
  char name[64];
  static const char *const what[] = {"self dup", "self split", "self first idup", "self second idup"};
  MPI_Comm_dup(MPI_COMM_SELF, &comms[0]);
  MPI_Comm_split(MPI_COMM_SELF, 0, 0, &comms[1]);
  MPI_Isend(data, 20, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Comm_idup(MPI_COMM_SELF, &comms[2], &requests[1]);
  MPI_Comm_idup(MPI_COMM_SELF, &comms[3], &requests[2]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "%s %d", what[i], world_rank);
    mark(comms[i], name, 100 + 10 * i + world_rank);
  }
  MPI_Sendrecv(data, 33, MPI_BYTE, 0, 0, room, 40, MPI_BYTE, 0, 0, comms[0], MPI_STATUS_IGNORE);
}

// The communicator is freed, and a new one made, while messages on it are under way.
static void freed_early(void) {
  MPI_Comm first;
  MPI_Comm second;
  MPI_Request requests[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  mark(first, "freed early", 150);
  MPI_Irecv(room, 200000, MPI_BYTE, (world_rank + 5) % 6, 2, first, &requests[0]);
  MPI_Isend(data, 100000 + world_rank, MPI_BYTE, (world_rank + 1) % 6, 2, first, &requests[1]);
  MPI_Comm_free(&first);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  mark(second, "made meanwhile", 151);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void names(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  mark(comm, "two \"words\", it's \x1b[31mred\x1b[0m\n\xff", 160);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  mark(comm,
       "Gr\xc3\xb6\xc3\x9f"
       "e",
       161);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  mark(comm, "0123456789012345678901234567890123456789012345678901234567890123456789", 162);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  mark(comm, "replaced", 163);
  MPI_Comm_set_name(comm, "at last");
  MPI_Comm_set_name(MPI_COMM_WORLD, "the world");
}

// A dup of a dup of a dup ...
static void deep(int depth) {
  MPI_Comm comm = MPI_COMM_WORLD;
  for (int i = 0; i < depth; i++) {
    MPI_Comm child;
    MPI_Comm_dup(comm, &child);
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
    comm = child;
  }
  MPI_Allreduce(data, room, 170, MPI_BYTE, MPI_BOR, comm);
}

// Handles are used again and again.
static void many(int count) {
  for (int i = 0; i < count; i++) {
    MPI_Comm comm;
    if (i % 2 == 0) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, world_rank, 0, &comm);
    }
    MPI_Allreduce(data, room, 1 + i, MPI_BYTE, MPI_BOR, comm);
    MPI_Comm_free(&comm);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  if (argc == 3 && strcmp(argv[1], "many") == 0) {
    many(atoi(argv[2]));
  } else if (argc == 3 && strcmp(argv[1], "deep") == 0) {
    deep(atoi(argv[2]));
  } else {
    duplicates();
    by_groups();
    create_group();
    splits();
    cartesian();
    graphs();
    intercommunicators();
    alone();
    freed_early();
    names();
  }
  MPI_Finalize();
  return 0;
}
