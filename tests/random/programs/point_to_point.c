// Point-to-point messages, probes and completion.
#include "interpreter.h"

static MPI_Status probed;
static MPI_Message message;

enum { AS_PROBED = -4 };

#define SEND(name)                                                \
  void run_##name(void) {                                         \
    const MPI_Comm comm = communicator();                         \
    const int dest = peer(), tag_ = tag(), count = number();      \
    const MPI_Datatype type = datatype();                         \
    MPI_##name(data(count, type), count, type, dest, tag_, comm); \
  }
SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)

#define ISEND(name)                                                                   \
  void run_##name(void) {                                                             \
    const MPI_Comm comm = communicator();                                             \
    const int dest = peer(), tag_ = tag(), count = number();                          \
    const MPI_Datatype type = datatype();                                             \
    MPI_##name(data(count, type), count, type, dest, tag_, comm, &pending[number()]); \
  }
ISEND(Isend)
ISEND(Ibsend)
ISEND(Issend)
ISEND(Irsend)

#define SEND_INIT(name)                                                              \
  void run_##name(void) {                                                            \
    const MPI_Comm comm = communicator();                                            \
    const int dest = peer(), tag_ = tag(), count = number();                         \
    const MPI_Datatype type = datatype();                                            \
    const int request = number();                                                    \
    MPI_##name(data(count, type), count, type, dest, tag_, comm, &pending[request]); \
    is_idle[request] = 1;                                                            \
  }
SEND_INIT(Send_init)
SEND_INIT(Bsend_init)
SEND_INIT(Ssend_init)
SEND_INIT(Rsend_init)

void run_Recv(void) {
  const MPI_Comm comm = communicator();
  int source = peer(), tag_ = tag();
  const int count = number();
  const MPI_Datatype type = datatype();
  if (source == AS_PROBED) source = probed.MPI_SOURCE, tag_ = probed.MPI_TAG;
  MPI_Status status;
  MPI_Recv(room(count, type), count, type, source, tag_, comm, number() ? MPI_STATUS_IGNORE : &status);
}

void run_Irecv(void) {
  const MPI_Comm comm = communicator();
  const int source = peer(), tag_ = tag(), count = number();
  const MPI_Datatype type = datatype();
  MPI_Irecv(room(count, type), count, type, source, tag_, comm, &pending[number()]);
}

void run_Recv_init(void) {
  const MPI_Comm comm = communicator();
  const int source = peer(), tag_ = tag(), count = number();
  const MPI_Datatype type = datatype();
  const int request = number();
  MPI_Recv_init(room(count, type), count, type, source, tag_, comm, &pending[request]);
  is_idle[request] = 1;
}

typedef struct {
  MPI_Comm comm;
  int dest, sendtag, sendcount;
  MPI_Datatype sendtype;
  int source, recvtag, recvcount;
  MPI_Datatype recvtype;
} Exchange;

static Exchange exchange(void) {
  Exchange e = {.comm = communicator()};
  e.dest = peer(), e.sendtag = tag(), e.sendcount = number(), e.sendtype = datatype();
  e.source = peer(), e.recvtag = tag(), e.recvcount = number(), e.recvtype = datatype();
  return e;
}

void run_Sendrecv(void) {
  const Exchange e = exchange();
  MPI_Status status;
  MPI_Sendrecv(data(e.sendcount, e.sendtype), e.sendcount, e.sendtype, e.dest, e.sendtag, room(e.recvcount, e.recvtype),
               e.recvcount, e.recvtype, e.source, e.recvtag, e.comm, number() ? MPI_STATUS_IGNORE : &status);
}

void run_Isendrecv(void) {
  const Exchange e = exchange();
  MPI_Isendrecv(data(e.sendcount, e.sendtype), e.sendcount, e.sendtype, e.dest, e.sendtag,
                room(e.recvcount, e.recvtype), e.recvcount, e.recvtype, e.source, e.recvtag, e.comm,
                &pending[number()]);
}

void run_Sendrecv_replace(void) {
  const MPI_Comm comm = communicator();
  const int dest = peer(), sendtag = tag(), source = peer(), recvtag = tag(), count = number();
  const MPI_Datatype type = datatype();
  MPI_Status status;
  MPI_Sendrecv_replace(room(count, type), count, type, dest, sendtag, source, recvtag, comm,
                       number() ? MPI_STATUS_IGNORE : &status);
}

void run_Isendrecv_replace(void) {
  const MPI_Comm comm = communicator();
  const int dest = peer(), sendtag = tag(), source = peer(), recvtag = tag(), count = number();
  const MPI_Datatype type = datatype();
  MPI_Isendrecv_replace(room(count, type), count, type, dest, sendtag, source, recvtag, comm, &pending[number()]);
}

void run_Probe(void) {
  const MPI_Comm comm = communicator();
  const int source = peer();
  MPI_Probe(source, tag(), comm, &probed);
}

void run_Iprobe(void) {
  const MPI_Comm comm = communicator();
  const int source = peer(), tag_ = tag();
  int flag = 0;
  long calls = 0;
  for (; !flag; ++calls) MPI_Iprobe(source, tag_, comm, &flag, &probed);
  report(0, calls);
}

void run_Mprobe(void) {
  const MPI_Comm comm = communicator();
  const int source = peer();
  MPI_Mprobe(source, tag(), comm, &message, &probed);
}

void run_Improbe(void) {
  const MPI_Comm comm = communicator();
  const int source = peer(), tag_ = tag();
  int flag = 0;
  long calls = 0;
  for (; !flag; ++calls) MPI_Improbe(source, tag_, comm, &flag, &message, &probed);
  report(0, calls);
}

void run_Mrecv(void) {
  const int count = number();
  const MPI_Datatype type = datatype();
  MPI_Status status;
  MPI_Mrecv(room(count, type), count, type, &message, number() ? MPI_STATUS_IGNORE : &status);
}

void run_Imrecv(void) {
  const int count = number();
  const MPI_Datatype type = datatype();
  MPI_Imrecv(room(count, type), count, type, &message, &pending[number()]);
}

void run_Cancel(void) { MPI_Cancel(&pending[number()]); }

// --- Completion: the handles are copied out of the table and back -----------------------------------------

static MPI_Request set[LONGEST];
static MPI_Status statuses[LONGEST];
static MPI_Status *given;
static unsigned long long last_mask;
static long last_calls;

static List take(void) {
  const List list = numbers();
  for (int i = 0; i < list.n; ++i) set[i] = pending[list.values[i]];
  return list;
}

static List take_to_complete(void) {
  const List list = take();
  given = number() ? MPI_STATUSES_IGNORE : statuses;
  last_calls = 0;
  return list;
}

static void put_back(const List *list) {
  for (int i = 0; i < list->n; ++i) pending[list->values[i]] = set[i];
  if (last_calls > 0) report(last_mask, last_calls);
}

// Bits of the requests that are under way.
static unsigned long long active(const List *list) {
  unsigned long long mask = 0;
  for (int i = 0; i < list->n; ++i) {
    if (set[i] != MPI_REQUEST_NULL && !is_idle[list->values[i]]) mask |= 1ULL << i;
  }
  return mask;
}

// Remembers over which requests the next call is made.
static void about_to_call(const List *list) {
  const unsigned long long mask = active(list);
  if (last_calls > 0 && mask != last_mask) {
    report(last_mask, last_calls);
    last_calls = 0;
  }
  last_mask = mask;
  ++last_calls;
}

// A persistent request keeps its handle when it completes.
static void complete(const List *list, int which) {
  if (which != MPI_UNDEFINED && set[which] != MPI_REQUEST_NULL) is_idle[list->values[which]] = 1;
}

static void complete_some(const List *list, int n, const int *which) {
  for (int i = 0; n != MPI_UNDEFINED && i < n; ++i) complete(list, which == NULL ? i : which[i]);
}

static MPI_Status *one_status(void) { return given == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : given; }

void run_Wait(void) {
  const int request = number();
  MPI_Status status;
  MPI_Wait(&pending[request], number() ? MPI_STATUS_IGNORE : &status);
  if (pending[request] != MPI_REQUEST_NULL) is_idle[request] = 1;
}

void run_Waitall(void) {
  const List list = take_to_complete();
  MPI_Waitall(list.n, set, given);
  complete_some(&list, list.n, NULL);
  put_back(&list);
}

#define UNTIL_COMPLETE(name, COMPLETED, WHICH, ...) \
  void run_##name(void) {                           \
    const List list = take_to_complete();           \
    int flag = 0;                                   \
    int which[LONGEST];                             \
    (void)flag, (void)which;                        \
    do {                                            \
      about_to_call(&list);                         \
      MPI_##name(__VA_ARGS__);                      \
      complete_some(&list, COMPLETED, WHICH);       \
    } while (active(&list));                        \
    put_back(&list);                                \
  }
UNTIL_COMPLETE(Waitany, 1, which, list.n, set, which, one_status())
UNTIL_COMPLETE(Waitsome, flag, which, list.n, set, &flag, which, given)
UNTIL_COMPLETE(Test, flag ? 1 : 0, NULL, set, &flag, one_status())
UNTIL_COMPLETE(Testall, flag ? list.n : 0, NULL, list.n, set, &flag, given)
UNTIL_COMPLETE(Testany, flag ? 1 : 0, which, list.n, set, which, &flag, one_status())
UNTIL_COMPLETE(Testsome, flag, which, list.n, set, &flag, which, given)

void run_Request_get_status(void) {
  const int request = number();
  int flag = 0;
  long calls = 0;
  MPI_Status status;
  for (; !flag; ++calls) MPI_Request_get_status(pending[request], &flag, &status);
  report(1, calls);
}

void run_Request_free(void) {
  const int request = number();
  MPI_Request_free(&pending[request]);
  is_idle[request] = 0;
}

void run_Start(void) {
  const int request = number();
  MPI_Start(&pending[request]);
  is_idle[request] = 0;
}

void run_Startall(void) {
  const List list = take();
  MPI_Startall(list.n, set);
  last_calls = 0;
  put_back(&list);
  for (int i = 0; i < list.n; ++i) is_idle[list.values[i]] = 0;
}
