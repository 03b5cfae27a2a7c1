/* Random traffic between 4 ranks: numbered_messages SEED ROUNDS BURST. No two messages have the same size, so the size
 * that a receive tells says which message it has got. What was sent is printed:
 *
 *   sent SOURCE DESTINATION TAG NUMBER BYTES       ranks in MPI_COMM_WORLD; each communicator has its own tags
 *
 * All ranks draw the same numbers, so all know what comes next. Rounds with wildcards are fenced off by barriers, or
 * they would take what belongs to the next round. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, COMMS = 2, TAGS = 3, ROOM = 1 << 16, MOST_SENT = 1 << 16, POOL = 4 };

static int rank;
static MPI_Comm comms[COMMS];
static char out[ROOM], in[POOL][ROOM];
static unsigned long long state;
static int messages; /* so far, on all ranks: the next one's size */

static struct {
  int destination, tag, number, bytes;
} sent[MOST_SENT];
static int sent_count;
static int numbers[RANKS][COMMS * TAGS];

static int draw(int below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)((state >> 33) % (unsigned)below);
}

static int in_comm(int c, int world) { return c == 0 ? world : RANKS - 1 - world; }

static void note(int destination, int tag, int bytes) {
  if (sent_count == MOST_SENT) MPI_Abort(MPI_COMM_WORLD, 2);
  sent[sent_count].destination = destination;
  sent[sent_count].tag = tag;
  sent[sent_count].number = numbers[destination][tag]++;
  sent[sent_count++].bytes = bytes;
}

static int next_size(void) { return 1 + messages++ % (ROOM - 1); }

/* Sends in one of many ways. */
static void send(int way, int c, int to, int tag, int bytes) {
  MPI_Request request;
  const int there = in_comm(c, to);
  note(to, tag, bytes);
  switch (way) {
    case 0:
      MPI_Send(out, bytes, MPI_BYTE, there, tag, comms[c]);
      return;
    case 1:
      MPI_Ssend(out, bytes, MPI_BYTE, there, tag, comms[c]);
      return;
    case 2:
      MPI_Isend(out, bytes, MPI_BYTE, there, tag, comms[c], &request);
      break;
    case 3:
      MPI_Issend(out, bytes, MPI_BYTE, there, tag, comms[c], &request);
      break;
    case 4: {
      int done = 0;
      MPI_Isend(out, bytes, MPI_BYTE, there, tag, comms[c], &request);
      while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      return;
    }
    case 5:
      MPI_Isend(out, bytes, MPI_BYTE, there, tag, comms[c], &request);
      MPI_Request_free(&request);
      return;
    default:
      MPI_Send_init(out, bytes, MPI_BYTE, there, tag, comms[c], &request);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Request_free(&request);
      return;
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive(int way, int c, int from, int tag) {
  MPI_Request request;
  MPI_Message message;
  MPI_Status status;
  const int there = in_comm(c, from);
  switch (way) {
    case 0:
      MPI_Recv(in[0], ROOM, MPI_BYTE, there, tag, comms[c], MPI_STATUS_IGNORE);
      return;
    case 1:
      MPI_Irecv(in[0], ROOM, MPI_BYTE, there, tag, comms[c], &request);
      break;
    case 2:
      MPI_Probe(there, tag, comms[c], MPI_STATUS_IGNORE);
      MPI_Recv(in[0], ROOM, MPI_BYTE, there, tag, comms[c], &status);
      return;
    case 3:
      MPI_Mprobe(there, tag, comms[c], &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(in[0], ROOM, MPI_BYTE, &message, &status);
      return;
    case 4: {
      int found = 0;
      while (!found) MPI_Improbe(there, tag, comms[c], &found, &message, MPI_STATUS_IGNORE);
      MPI_Imrecv(in[0], ROOM, MPI_BYTE, &message, &request);
      break;
    }
    default:
      MPI_Recv_init(in[0], ROOM, MPI_BYTE, there, tag, comms[c], &request);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Request_free(&request);
      return;
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* One after the other, with a receive posted before or not. */
static void exact(int c, int from, int to, int tag) {
  const int way_out = draw(7), way_in = draw(6), size = next_size();
  if (rank == from) send(way_out, c, to, tag, size);
  if (rank == to) receive(way_in, c, from, tag);
}

/* Several at once, completed together or one by one. */
static void several(int c, int from, int to, int tag) {
  const int one_by_one = draw(2);
  MPI_Request requests[POOL];
  for (int i = 0; i < POOL; ++i) {
    const int size = next_size();
    if (rank == from) {
      note(to, tag, size);
      MPI_Isend(out, size, MPI_BYTE, in_comm(c, to), tag, comms[c], &requests[i]);
    }
    if (rank == to) MPI_Irecv(in[i], ROOM, MPI_BYTE, in_comm(c, from), tag, comms[c], &requests[i]);
  }
  if (rank != from && rank != to) return;
  if (!one_by_one) {
    MPI_Waitall(POOL, requests, MPI_STATUSES_IGNORE);
    return;
  }
  for (int i = 0; i < POOL; ++i) {
    int index;
    MPI_Waitany(POOL, requests, &index, MPI_STATUS_IGNORE);
  }
}

/* All others send to one, which takes what comes; by blocking receives or by some that are open at once. */
static void wild(int c, int to, int tag) {
  const int blocking = draw(2), any_tag = draw(2);
  int sizes[RANKS];
  MPI_Request requests[POOL];
  for (int i = 0; i < RANKS; ++i) sizes[i] = next_size();
  MPI_Barrier(MPI_COMM_WORLD);
  const int tag_in = any_tag ? MPI_ANY_TAG : tag;
  if (rank != to) {
    send(0, c, to, tag, sizes[rank]);
  } else if (blocking) {
    for (int i = 0; i < RANKS - 1; ++i)
      MPI_Recv(in[0], ROOM, MPI_BYTE, MPI_ANY_SOURCE, tag_in, comms[c], MPI_STATUS_IGNORE);
  } else {
    for (int i = 0; i < RANKS - 1; ++i)
      MPI_Irecv(in[i], ROOM, MPI_BYTE, MPI_ANY_SOURCE, tag_in, comms[c], &requests[i]);
    for (int i = 0; i < RANKS - 1; ++i) {
      int index;
      MPI_Waitany(RANKS - 1, requests, &index, MPI_STATUS_IGNORE);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A receive with a wildcard between two without, all for messages of one stream; completed in another order. */
static void between(int c, int from, int to, int tag) {
  MPI_Request requests[3];
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) {
    const int size = next_size();
    if (rank == from) send(0, c, to, tag, size);
    if (rank == to) {
      MPI_Irecv(in[i], ROOM, MPI_BYTE, i == 1 ? MPI_ANY_SOURCE : in_comm(c, from), tag, comms[c], &requests[i]);
    }
  }
  for (int i = 2; rank == to && i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void both_ways(int c, int one, int other, int tag) {
  const int first = next_size(), second = next_size();
  if (rank != one && rank != other) return;
  const int there = rank == one ? other : one, size = rank == one ? first : second;
  note(there, tag, size);
  MPI_Sendrecv(out, size, MPI_BYTE, in_comm(c, there), tag, in[0], ROOM, MPI_BYTE, in_comm(c, there), tag, comms[c],
               MPI_STATUS_IGNORE);
}

/* A receive for which nothing comes is cancelled, while one that was posted later goes on. */
static void cancelled(int c, int from, int to, int tag) {
  const int size = next_size();
  MPI_Request first, second;
  if (rank == to) {
    MPI_Irecv(in[0], ROOM, MPI_BYTE, in_comm(c, from), tag, comms[c], &first);
    MPI_Irecv(in[1], ROOM, MPI_BYTE, in_comm(c, from), tag, comms[c], &second);
    MPI_Cancel(&first);
    MPI_Wait(&first, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == from) send(0, c, to, tag, size);
  if (rank == to) MPI_Wait(&second, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 5) MPI_Abort(MPI_COMM_WORLD, 1);
  state = strtoull(argv[1], NULL, 10);
  const int rounds = atoi(argv[2]), burst = atoi(argv[3]), cancels = atoi(argv[4]);
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_split(MPI_COMM_WORLD, 0, RANKS - rank, &comms[1]);
  for (int round = 0; round < rounds; ++round) {
    const int c = draw(COMMS), from = draw(RANKS), to = (from + 1 + draw(RANKS - 1)) % RANKS;
    const int tag = c * TAGS + draw(TAGS);
    switch (draw(cancels ? 8 : 7)) {
      case 0:
      case 1:
        exact(c, from, to, tag);
        break;
      case 2:
        several(c, from, to, tag);
        break;
      case 3:
        wild(c, to, tag);
        break;
      case 4:
        between(c, from, to, tag);
        break;
      case 5:
        both_ways(c, from, to, tag);
        break;
      case 6: {
        MPI_Pcontrol(0);
        exact(c, from, to, tag);
        MPI_Pcontrol(1);
        break;
      }
      default:
        cancelled(c, from, to, tag);
    }
  }
  for (int i = 0; i < burst; ++i) {
    const int size = next_size();
    if (rank == 0) send(0, 0, 1, 0, size);
    if (rank == 1) receive(0, 0, 0, 0);
  }
  char *text = calloc((size_t)sent_count + 1, 64);
  int length = 0;
  for (int i = 0; i < sent_count; ++i) {
    length += sprintf(text + length, "sent %d %d %d %d %d\n", rank, sent[i].destination, sent[i].tag, sent[i].number,
                      sent[i].bytes);
  }
  for (int r = 0; r < RANKS; ++r) {
    if (r == rank) fwrite(text, 1, (size_t)length, stdout);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free(text);
  MPI_Comm_free(&comms[1]);
  MPI_Finalize();
  return 0;
}
