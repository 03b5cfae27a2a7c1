// Names that a terminal, a shell, a database, a web page or a spreadsheet might obey. Each communicator has another
// one; tests/mpi/test_hostile_names.py knows them.
#include <mpi.h>

static const char *const names[] = {
    "\x1b[31mred\x1b[2J",
    "[bold red]markup[/] :smile:",
    "'; DROP TABLE calls; --",
    "\"quotes\" `id` $(id) ;& | >x",
    "two\nlines\r\tand\vmore",
    "not \xff\xfe UTF-8 \xc3(",
    "turned \xe2\x80\xae around",
    "<script>alert(1)</script>",
    "=1+1",
};
enum { COUNT = sizeof names / sizeof *names };

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < COUNT; i++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, names[i]);
    MPI_Pcontrol(1, names[i]);
    MPI_Barrier(comm);
    MPI_Pcontrol(-1, names[i]);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
