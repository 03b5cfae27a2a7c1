// What a process finds of the keeper that starts beside it: nothing. tests/mpi/test_keeper_unseen.py
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static volatile sig_atomic_t signals;

static void count_signal(int number) {
  (void)number;
  ++signals;
}

// A sum over all variables, which are in the same order as long as nobody changes them.
static unsigned long environment(void) {
  unsigned long sum = 0;
  for (char **variable = environ; *variable != NULL; ++variable) {
    for (const char *c = *variable; *c != '\0'; ++c) sum = sum * 31 + (unsigned char)*c;
  }
  return sum;
}

static int is_ours(const char *target) { return strstr(target, "rankwise") != NULL; }

static void say_files(void) {
  DIR *directory = opendir("/proc/self/fd");
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    char path[512];
    char target[512] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
    if (readlink(path, target, sizeof target - 1) > 0 && is_ours(target)) printf("file %s\n", target);
  }
  closedir(directory);
}

// Also children that no signal tells of.
static void say_children(const char *when) {
  errno = 0;
  const int usual = waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
  const int any = waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD;
  printf("%s children %d %d signals %d\n", when, !usual, !any, (int)signals);
}

int main(int argc, char **argv) {
  cpu_set_t before;
  cpu_set_t after;
  sched_getaffinity(0, sizeof before, &before);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_ZERO(&before);
  CPU_SET(first, &before);
  sched_setaffinity(0, sizeof before, &before);
  signal(SIGCHLD, count_signal);
  sigset_t blocked;
  sigset_t still_blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGWINCH);
  sigprocmask(SIG_SETMASK, &blocked, NULL);
  MPI_Init(&argc, &argv);
  const unsigned long variables = environment();
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  say_children("in the run:");
  say_files();
  MPI_Finalize();
  say_children("at the end:");
  sched_getaffinity(0, sizeof after, &after);
  sigprocmask(SIG_SETMASK, NULL, &still_blocked);
  printf("processors %d blocked %d environment %d\n", CPU_EQUAL(&before, &after),
         memcmp(&blocked, &still_blocked, 8) == 0, environment() == variables);
  return 0;
}
