// Windows, and one-sided operations on slots of them.
#include "interpreter.h"

enum { SLOT = 8192 };

static MPI_Win windows[MOST];
static void *memories[MOST];  // of windows that were given theirs

static MPI_Win window(void) { return windows[number()]; }

void run_Win_create(void) {
  const MPI_Comm comm = communicator();
  const MPI_Aint bytes = (MPI_Aint)number() * SLOT;
  const int win = number();
  memories[win] = calloc(1, (size_t)bytes + 1);
  MPI_Win_create(memories[win], bytes, 1, MPI_INFO_NULL, comm, &windows[win]);
}

void run_Win_allocate(void) {
  const MPI_Comm comm = communicator();
  const MPI_Aint bytes = (MPI_Aint)number() * SLOT;
  void *memory;
  MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, &memory, &windows[number()]);
}

void run_Win_free(void) {
  const int win = number();
  MPI_Win_free(&windows[win]);
  free(memories[win]);
  memories[win] = NULL;
}

// --- Synchronisation ---

static MPI_Group part_of(MPI_Win win, const List *ranks) {
  MPI_Group all, part;
  PMPI_Win_get_group(win, &all);
  PMPI_Group_incl(all, ranks->n, ranks->values, &part);
  PMPI_Group_free(&all);
  return part;
}

void run_Win_post(void) {
  const MPI_Win win = window();
  const List ranks = numbers();
  MPI_Group group = part_of(win, &ranks);
  MPI_Win_post(group, 0, win);
  PMPI_Group_free(&group);
}

void run_Win_start(void) {
  const MPI_Win win = window();
  const List ranks = numbers();
  MPI_Group group = part_of(win, &ranks);
  MPI_Win_start(group, 0, win);
  PMPI_Group_free(&group);
}

void run_Win_lock(void) {
  const MPI_Win win = window();
  const int target = number(), exclusive = number();
  MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win);
}

void run_Win_fence(void) { MPI_Win_fence(0, window()); }
void run_Win_lock_all(void) { MPI_Win_lock_all(0, window()); }

#define ON_WINDOW(name) \
  void run_##name(void) { MPI_##name(window()); }
ON_WINDOW(Win_complete)
ON_WINDOW(Win_wait)
ON_WINDOW(Win_unlock_all)
ON_WINDOW(Win_flush_all)
ON_WINDOW(Win_flush_local_all)
ON_WINDOW(Win_sync)

#define ON_TARGET(name)           \
  void run_##name(void) {         \
    const MPI_Win win = window(); \
    MPI_##name(number(), win);    \
  }
ON_TARGET(Win_unlock)
ON_TARGET(Win_flush)
ON_TARGET(Win_flush_local)

// --- Operations ---

typedef struct {
  MPI_Win win;
  int target;
  MPI_Aint slot;
  int count;
  MPI_Datatype type;
  MPI_Op op;
} Operation;

static Operation next_operation(void) {
  Operation it = {.count = 1};
  it.win = window();
  it.target = peer();
  it.slot = (MPI_Aint)number() * SLOT;
  return it;
}

static Operation many(void) {
  Operation it = next_operation();
  it.count = number();
  it.type = datatype();
  return it;
}

static MPI_Op op(void) {
  const int which = number();
  return which == 0 ? MPI_SUM : which == 1 ? MPI_REPLACE : MPI_NO_OP;
}

static Operation many_with_op(void) {
  Operation it = many();
  it.op = op();
  return it;
}

static void put(Operation it, MPI_Request *request) {
  const void *from = data(it.count, it.type);
  if (request == NULL) {
    MPI_Put(from, it.count, it.type, it.target, it.slot, it.count, it.type, it.win);
  } else {
    MPI_Rput(from, it.count, it.type, it.target, it.slot, it.count, it.type, it.win, request);
  }
}

static void get(Operation it, MPI_Request *request) {
  void *to = room(it.count, it.type);
  if (request == NULL) {
    MPI_Get(to, it.count, it.type, it.target, it.slot, it.count, it.type, it.win);
  } else {
    MPI_Rget(to, it.count, it.type, it.target, it.slot, it.count, it.type, it.win, request);
  }
}

static void accumulate(Operation it, MPI_Request *request) {
  const void *from = data(it.count, it.type);
  if (request == NULL) {
    MPI_Accumulate(from, it.count, it.type, it.target, it.slot, it.count, it.type, it.op, it.win);
  } else {
    MPI_Raccumulate(from, it.count, it.type, it.target, it.slot, it.count, it.type, it.op, it.win, request);
  }
}

static void get_accumulate(Operation it, MPI_Request *request) {
  const void *from = data(it.count, it.type);
  void *to = room(it.count, it.type);
  if (request == NULL) {
    MPI_Get_accumulate(from, it.count, it.type, to, it.count, it.type, it.target, it.slot, it.count, it.type, it.op,
                       it.win);
  } else {
    MPI_Rget_accumulate(from, it.count, it.type, to, it.count, it.type, it.target, it.slot, it.count, it.type, it.op,
                        it.win, request);
  }
}

void run_Put(void) { put(many(), NULL); }
void run_Get(void) { get(many(), NULL); }
void run_Accumulate(void) { accumulate(many_with_op(), NULL); }
void run_Get_accumulate(void) { get_accumulate(many_with_op(), NULL); }

void run_Rput(void) {
  MPI_Request *request = &pending[number()];
  put(many(), request);
}

void run_Rget(void) {
  MPI_Request *request = &pending[number()];
  get(many(), request);
}

void run_Raccumulate(void) {
  MPI_Request *request = &pending[number()];
  accumulate(many_with_op(), request);
}

void run_Rget_accumulate(void) {
  MPI_Request *request = &pending[number()];
  get_accumulate(many_with_op(), request);
}

void run_Fetch_and_op(void) {
  Operation it = next_operation();
  it.type = datatype();
  it.op = op();
  MPI_Fetch_and_op(data(1, it.type), room(1, it.type), it.type, it.target, it.slot, it.op, it.win);
}

void run_Compare_and_swap(void) {
  Operation it = next_operation();
  it.type = datatype();
  MPI_Compare_and_swap(data(1, it.type), data(1, it.type), room(1, it.type), it.type, it.target, it.slot, it.win);
}
