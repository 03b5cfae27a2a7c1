// Leaves MPI calls from error handlers and callbacks, then goes on calling MPI, deeper on the stack than before. Two
// ranks; the first argument says how: throw, longjmp, siglongjmp, builtin. tests/mpi/test_leaving.py has the figures.
// The C++ bindings of old libraries are not wanted.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>

namespace {

enum { CALLS = 1000, ROUNDS = 5, WORDS = 1 << 14 };

const char *how;
jmp_buf plain;
sigjmp_buf with_mask;
void *builtin[5];

struct Left {};

[[noreturn]] void leave() {
  if (std::strcmp(how, "longjmp") == 0) longjmp(plain, 1);
  if (std::strcmp(how, "siglongjmp") == 0) siglongjmp(with_mask, 1);
  if (std::strcmp(how, "builtin") == 0) __builtin_longjmp(builtin, 1);
  throw Left();
}

void on_error(MPI_Comm *, int *, ...) { leave(); }

int deletions;

// The first time.
int on_delete(MPI_Comm, int, void *, void *) {
  if (deletions++ == 0) leave();
  return MPI_SUCCESS;
}

int caught_inside;

MPI_Comm dup;

// Left by nobody: what is thrown is caught here.
int on_copy(MPI_Comm, int, void *, void *, void *, int *flag) {
  MPI_Barrier(dup);
  try {
    throw Left();
  } catch (const Left &) {
    ++caught_inside;
  }
  if (std::strcmp(how, "throw") != 0) {
    jmp_buf here;
    if (setjmp(here) == 0) {
      longjmp(here, 1);
    } else {
      ++caught_inside;
    }
  }
  MPI_Barrier(dup);
  *flag = 0;
  return MPI_SUCCESS;
}

// Runs something that leaves MPI.
template <class Work>
[[gnu::noinline]] void left(Work work) {
  if (std::strcmp(how, "longjmp") == 0) {
    if (setjmp(plain) == 0) work();
  } else if (std::strcmp(how, "siglongjmp") == 0) {
    if (sigsetjmp(with_mask, 1) == 0) work();
  } else if (std::strcmp(how, "builtin") == 0) {
    if (__builtin_setjmp(builtin) == 0) work();
  } else {
    try {
      work();
    } catch (const Left &) {
    }
  }
}

// Far below the frame of the call that was left.
[[gnu::noinline]] void deep() {
  volatile char room[WORDS];
  room[0] = room[WORDS - 1] = 0;
  int one = 1;
  int sum;
  for (int i = 0; i < CALLS; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

[[gnu::noinline]] void flat() {
  int one = 1;
  int sum;
  for (int i = 0; i < CALLS; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char **argv) {
  how = argc > 1 ? argv[1] : "throw";
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(dup, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);  // MPICH asks this one when a wait fails

  static char data[8];
  for (int i = 0; i < ROUNDS; ++i) {
    left([&] { MPI_Send(data, 1, MPI_BYTE, 99, 0, dup); });
    if (std::strcmp(how, "builtin") == 0) {
      flat();
    } else {
      deep();
    }
  }
  // A receive that is too short, completed by a wait that is left.
  if (rank == 0) {
    MPI_Send(data, 8, MPI_BYTE, 1, 1, dup);
  } else {
    left([&] {
      MPI_Request request;
      MPI_Irecv(data, 4, MPI_BYTE, 0, 1, dup, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
  }
  MPI_Barrier(MPI_COMM_WORLD);
  // Attributes: one callback returns after a jump inside of it, another one leaves, and the communicator stays.
  int key;
  MPI_Comm_create_keyval(on_copy, on_delete, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, data);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Barrier(copy);
  MPI_Comm_set_attr(copy, key, data);
  left([&] { MPI_Comm_free(&copy); });
  deep();
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  std::printf("caught %d\n", caught_inside);
  MPI_Finalize();
  return 0;
}
