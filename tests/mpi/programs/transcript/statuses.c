// What calls write to statuses, flags, indices and request handles.
#include <string.h>

#include "transcript.h"

enum { UNTOUCHED = 4711 };
static int data[100], room[300];

static MPI_Status blank(void) {
  MPI_Status status;
  memset(&status, 0, sizeof status);
  status.MPI_ERROR = UNTOUCHED;
  return status;
}

// A call that completes one request leaves MPI_ERROR alone.
static void say_all(const char *what, const MPI_Status *status) {
  say_status(what, status);
  say("%s: MPI_ERROR %d", what, status->MPI_ERROR);
}

static void from_oneself(void) {
  const MPI_Comm S = MPI_COMM_SELF;
  MPI_Status status = blank();
  MPI_Request request, other;
  MPI_Message message;
  int flag;
  TRY(MPI_Irecv(room, 50, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, S, &request));
  TRY(MPI_Test(&request, &flag, &status));
  say("nothing there: flag %d, request null %d, MPI_ERROR %d", flag, request == MPI_REQUEST_NULL, status.MPI_ERROR);
  TRY(MPI_Isend(data, 7, MPI_INT, 0, 5, S, &other));
  TRY(MPI_Wait(&request, &status));
  say_all("Wait", &status);
  TRY(MPI_Wait(&other, MPI_STATUS_IGNORE));
  say("both null: %d %d", request == MPI_REQUEST_NULL, other == MPI_REQUEST_NULL);
  status = blank();
  TRY(MPI_Wait(&request, &status));
  say_status("Wait for nothing", &status);
  TRY(MPI_Test(&request, &flag, &status));
  say("Test of nothing: flag %d", flag);

  TRY(MPI_Isend(data, 9, MPI_BYTE, 0, 6, S, &other));
  status = blank();
  TRY(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, S, &status));
  say_all("Probe", &status);
  status = blank();
  TRY(MPI_Iprobe(0, 6, S, &flag, &status));
  say_all("Iprobe", &status);
  status = blank();
  TRY(MPI_Mprobe(0, 6, S, &message, &status));
  say_all("Mprobe", &status);
  status = blank();
  TRY(MPI_Mrecv(room, 9, MPI_BYTE, &message, &status));
  say_all("Mrecv", &status);
  say("message is null: %d", message == MPI_MESSAGE_NULL);
  TRY(MPI_Wait(&other, &status));
  TRY(MPI_Iprobe(0, 6, S, &flag, &status));
  say("Iprobe of nothing: flag %d", flag);
  TRY(MPI_Improbe(0, 6, S, &flag, &message, &status));
  say("Improbe of nothing: flag %d", flag);

  TRY(MPI_Irecv(room, 1, MPI_INT, 0, 7, S, &request));
  TRY(MPI_Cancel(&request));
  TRY(MPI_Wait(&request, &status));
  MPI_Test_cancelled(&status, &flag);
  say("cancelled: %d, null %d", flag, request == MPI_REQUEST_NULL);

  status = blank();
  TRY(MPI_Recv(room, 10, MPI_INT, MPI_PROC_NULL, 2, S, &status));
  say_all("Recv of nobody", &status);
  TRY(MPI_Mprobe(MPI_PROC_NULL, 2, S, &message, &status));
  say("message of nobody: %d", message == MPI_MESSAGE_NO_PROC);
  TRY(MPI_Mrecv(room, 1, MPI_INT, &message, &status));
  say_status("Mrecv of nobody", &status);
  status = blank();
  TRY(MPI_Sendrecv(data, 3, MPI_INT, 0, 8, room, 10, MPI_INT, 0, 8, S, &status));
  say_all("Sendrecv", &status);
  TRY(MPI_Sendrecv_replace(data, 3, MPI_INT, 0, 8, 0, 8, S, &status));
  say_status("Sendrecv_replace", &status);

  TRY(MPI_Status_set_elements(&status, MPI_INT, 12));
  TRY(MPI_Status_set_cancelled(&status, 1));
  say_status("by hand", &status);
}

static void many_at_once(void) {
  const MPI_Comm S = MPI_COMM_SELF;
  MPI_Request requests[6];
  MPI_Status several[6];
  int index, flag, outcount, indices[6];
  for (int i = 0; i < 6; i++) requests[i] = MPI_REQUEST_NULL;
  TRY(MPI_Waitany(6, requests, &index, several));
  say("Waitany of nothing: %d", index == MPI_UNDEFINED);
  TRY(MPI_Testany(6, requests, &index, &flag, several));
  say("Testany of nothing: %d %d", index == MPI_UNDEFINED, flag);
  TRY(MPI_Waitsome(6, requests, &outcount, indices, several));
  say("Waitsome of nothing: %d", outcount == MPI_UNDEFINED);
  TRY(MPI_Testsome(6, requests, &outcount, indices, several));
  say("Testsome of nothing: %d", outcount == MPI_UNDEFINED);
  TRY(MPI_Testall(6, requests, &flag, several));
  say("Testall of nothing: %d", flag);
  TRY(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));

  for (int round = 0; round < 2; round++) {
    MPI_Status *const wanted = round == 0 ? several : MPI_STATUSES_IGNORE;
    for (int i = 0; i < 3; i++) MPI_Irecv(room + 20 * i, 20, MPI_INT, 0, 10 + i, S, &requests[i]);
    for (int i = 0; i < 3; i++) MPI_Isend(data, i + 1, MPI_INT, 0, 10 + i, S, &requests[3 + i]);
    TRY(MPI_Waitall(6, requests, wanted));
    for (int i = 0; i < 6; i++) say("null: %d", requests[i] == MPI_REQUEST_NULL);
    for (int i = 0; i < 3 && round == 0; i++) say_status("of Waitall", &several[i]);
  }
  // One at a time: which one comes first is the library's choice.
  for (int i = 0; i < 3; i++) MPI_Irecv(room + 20 * i, 20, MPI_INT, 0, 20 + i, S, &requests[i]);
  for (int i = 2; i >= 0; i--) {
    MPI_Send(data, i + 1, MPI_INT, 0, 20 + i, S);
    several[0] = blank();
    TRY(MPI_Waitany(3, requests, &index, several));
    say("Waitany: %d", index);
    say_all("of Waitany", several);
  }
  for (int i = 0; i < 3; i++) MPI_Irecv(room + 20 * i, 20, MPI_INT, 0, 30 + i, S, &requests[i]);
  for (int i = 2; i >= 0; i--) {
    MPI_Send(data, i + 1, MPI_INT, 0, 30 + i, S);
    do MPI_Testsome(3, requests, &outcount, indices, several);
    while (outcount == 0);
    say("Testsome: %d, %d, null %d", outcount, indices[0], requests[indices[0]] == MPI_REQUEST_NULL);
    say_status("of Testsome", several);
  }
}

// With statuses and without. Open MPI 5 overlooks errors where statuses are ignored, and leaves their requests.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
enum { WAYS = 1 };
#else
enum { WAYS = 2 };
#endif

// Rank 0 sends what has no room at rank 1.
static void too_little_room(MPI_Comm W) {
  MPI_Status status, several[3];
  MPI_Request requests[3];
  if (rank == 0) {
    for (int i = 0; i < 3 + 3 * WAYS; i++) MPI_Send(data, 10, MPI_INT, 1, i, W);
    return;
  }
  status = blank();
  TRY(MPI_Recv(room, 1, MPI_INT, 0, 0, W, &status));
  TRY(MPI_Recv(room, 1, MPI_INT, 0, 1, W, MPI_STATUS_IGNORE));
  TRY(MPI_Irecv(room, 1, MPI_INT, 0, 2, W, &requests[0]));
  TRY(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  say("null: %d", requests[0] == MPI_REQUEST_NULL);
  for (int ignored = 0; ignored < WAYS; ignored++) {
    memset(several, 0, sizeof several);
    // The last of three has too little room; libraries needn't look at those behind an error.
    for (int i = 0; i < 3; i++)
      MPI_Irecv(room + 100 * i, i == 2 ? 1 : 20, MPI_INT, 0, 3 + 3 * ignored + i, W, &requests[i]);
    TRY(MPI_Waitall(3, requests, ignored ? MPI_STATUSES_IGNORE : several));
    for (int i = 0; i < 3; i++) say("null: %d", requests[i] == MPI_REQUEST_NULL);
    for (int i = 0; i < 3 && !ignored; i++) tried("of Waitall", several[i].MPI_ERROR);
    for (int i = 0; i < 2 && !ignored; i++) say_status("of Waitall", &several[i]);
  }
}

static void note(MPI_Comm *comm, int *code, ...) {
  int class;
  (void)comm;
  MPI_Error_class(*code, &class);
  say("handler: class %d", class);
}

static void errors_in_statuses(void) {
  MPI_Comm W;
  MPI_Errhandler handler;
  TRY(MPI_Comm_dup(MPI_COMM_WORLD, &W));
  TRY(MPI_Comm_create_errhandler(note, &handler));
  TRY(MPI_Comm_set_errhandler(W, handler));
  TRY(MPI_Errhandler_free(&handler));
  too_little_room(W);
  TRY(MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN));
  too_little_room(W);
  TRY(MPI_Comm_free(&W));
}

static void persistent(void) {
  MPI_Request requests[2];
  MPI_Status status;
  int flag;
  TRY(MPI_Send_init(data, 5, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &requests[0]));
  TRY(MPI_Recv_init(room, 50, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &requests[1]));
  TRY(MPI_Wait(&requests[1], &status));
  say_status("not started", &status);
  for (int i = 0; i < 3; i++) {
    if (i == 0) {
      TRY(MPI_Start(&requests[1]));
      TRY(MPI_Start(&requests[0]));
    } else {
      TRY(MPI_Startall(2, requests));
    }
    TRY(MPI_Wait(&requests[1], i == 2 ? MPI_STATUS_IGNORE : &status));
    say_status("persistent", &status);
    TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    say("persistent is null: %d %d", requests[0] == MPI_REQUEST_NULL, requests[1] == MPI_REQUEST_NULL);
  }
  TRY(MPI_Request_get_status(requests[1], &flag, &status));
  say("inactive: flag %d", flag);
  for (int i = 0; i < 2; i++) TRY(MPI_Request_free(&requests[i]));
  say("freed is null: %d %d", requests[0] == MPI_REQUEST_NULL, requests[1] == MPI_REQUEST_NULL);
}

static int query(void *state, MPI_Status *status) {
  say("query of %s", (const char *)state);
  status->MPI_SOURCE = 3;
  status->MPI_TAG = 4;
  MPI_Status_set_cancelled(status, 0);
  return MPI_Status_set_elements(status, MPI_INT, 11);
}
static int free_state(void *state) {
  say("free of %s", (const char *)state);
  return MPI_SUCCESS;
}
static int cancel(void *state, int complete) {
  say("cancel of %s, complete %d", (const char *)state, complete);
  return MPI_SUCCESS;
}

static void generalised(void) {
  MPI_Request request;
  MPI_Status status;
  int flag;
  for (int ignored = 0; ignored < 2; ignored++) {
    TRY(MPI_Grequest_start(query, free_state, cancel, "a state", &request));
    TRY(MPI_Test(&request, &flag, &status));
    say("flag %d", flag);
    TRY(MPI_Cancel(&request));
    TRY(MPI_Grequest_complete(request));
    TRY(MPI_Wait(&request, ignored ? MPI_STATUS_IGNORE : &status));
    if (!ignored) say_status("generalised", &status);
    say("null: %d", request == MPI_REQUEST_NULL);
  }
}

void statuses(void) {
  from_oneself();
  many_at_once();
  errors_in_statuses();
  persistent();
  generalised();
}
