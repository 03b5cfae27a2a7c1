// Starts other processes in every way there is, and goes on. Given a program, the first rank starts that in the end,
// without what the launcher told it. tests/mpi/test_children.py
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int rank;

static void wait_for(pid_t child, const char *what) {
  int status = 0;
  waitpid(child, &status, 0);
  printf("rank %d: %s ends with %d\n", rank, what, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  fflush(stdout);
}

// What no MPI program may do, and many do unknowingly: the child's calls must not become the parent's.
static void calls_mpi(void) {
  MPI_Request none = MPI_REQUEST_NULL;
  int done;
  for (int i = 0; i < 5; ++i) MPI_Test(&none, &done, MPI_STATUS_IGNORE);
  MPI_Pcontrol(1, "region of the child");
  MPI_Pcontrol(0);
}

static void forked(void) {
  const pid_t child = fork();
  if (child == 0) {
    calls_mpi();
    printf("child of rank %d\n", rank);
    fflush(stdout);
    _exit(3);
  }
  wait_for(child, "child");
}

static void forked_twice(void) {
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      calls_mpi();
      _exit(4);
    }
    wait_for(grandchild, "grandchild");
    _exit(5);
  }
  wait_for(child, "its parent");
}

static void executed(void) {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/echo", "echo", "executed", (char *)NULL);
    _exit(127);
  }
  wait_for(child, "what was executed");
}

static void piped(void) {
  char line[64] = "";
  FILE *pipe = popen("echo through a pipe", "r");
  if (pipe == NULL || fgets(line, sizeof line, pipe) == NULL) exit(1);
  printf("rank %d: %s", rank, line);
  pclose(pipe);
}

static int told_by_launcher(const char *variable) {
  static const char *const starts[] = {"PMI", "OMPI_COMM", "OMPI_MCA_ess", "OMPI_MCA_orte", "OMPI_UNIVERSE",
                                       "HYD", "MPIR",      "MPI_LOCAL",    "PRTE"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i) {
    if (strncmp(variable, starts[i], strlen(starts[i])) == 0) return 1;
  }
  return 0;
}

static void started_alone(char **program) {
  const pid_t child = fork();
  if (child == 0) {
    char **kept = environ;
    for (char **variable = environ; *variable != NULL; ++variable) {
      if (!told_by_launcher(*variable)) *kept++ = *variable;
    }
    *kept = NULL;
    execv(program[0], program);
    _exit(127);
  }
  wait_for(child, "a world of its own");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int value = 1;
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  forked();
  forked_twice();
  executed();
  if (system("echo by the shell") != 0) return 1;
  piped();
  if (argc > 1 && rank == 0) started_alone(argv + 1);
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
