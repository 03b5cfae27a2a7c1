/* Lets a running program query the messages that it has sent so far. docs/reference/introspection.md explains the
 * library.
 *
 *   mpicc -o app app.c $(rankwise link-flags --monitoring)
 *
 * A session records the messages between the processes of a communicator while it is active. Its data can be read while
 * it is suspended. Sessions are independent of each other: they may overlap and nest.
 *
 * All functions are thread-safe. None may be called in a signal handler. They return MPI_SUCCESS or one of the error
 * values below. They must be called between MPI_M_init and MPI_M_finalize. All processes of a session's communicator
 * must call the session's functions, in the same order; only MPI_M_get_info is exempt.
 */
#ifndef RANKWISE_MPI_MONITORING_H
#define RANKWISE_MPI_MONITORING_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int MPI_M_msid;

/* Instead of a session: all sessions that are active or suspended. */
#define MPI_M_ALL_MSID ((MPI_M_msid) - 1)

/* For an argument that is not needed. */
#define MPI_M_INT_IGNORE ((int *)0)
#define MPI_M_DATA_IGNORE ((unsigned long *)0)

/* Flags that select messages. Combine them with |; a message that two flags select counts once. */
enum {
  MPI_M_P2P_ONLY = 1,    /* through the point-to-point layer: the user's, and those inside collectives */
  MPI_M_COLL_ONLY = 2,   /* that collectives imply by their definition: whose data goes to which rank */
  MPI_M_OSC_ONLY = 4,    /* one-sided */
  MPI_M_ALL_COMM = 7,    /* all of these: collectives as they are defined, and as they were sent */
  MPI_M_USER_ONLY = 8,   /* only point-to-point messages of the user */
  MPI_M_INSIDE_ONLY = 16 /* only messages inside collectives */
};

/* How many of the messages inside collectives are visible. */
enum {
  MPI_M_VISIBLE_NONE = 0, /* none: no hook fits, or all processes are on one node and messages within a node are not
                           * visible */
  MPI_M_VISIBLE_PART = 1, /* some: between nodes, of some processes, or of chosen procedures */
  MPI_M_VISIBLE_ALL = 2   /* all that pass the observed transport */
};

/* Errors. */
enum {
  MPI_M_INTERNAL_FAIL = 1,         /* no memory, a file can't be written, or Rankwise is switched off */
  MPI_M_MPIT_FAIL = 2,             /* an MPI call failed, or MPI is not initialised or already finalised */
  MPI_M_MISSING_INIT = 3,          /* not between MPI_M_init and MPI_M_finalize */
  MPI_M_SESSION_STILL_ACTIVE = 4,  /* MPI_M_finalize: a session has not been suspended */
  MPI_M_SESSION_NOT_SUSPENDED = 5, /* the session must be suspended first */
  MPI_M_INVALID_MSID = 6,          /* unknown, freed, NULL, or MPI_M_ALL_MSID where it is not allowed */
  MPI_M_SESSION_OVERFLOW = 7,      /* no further session number is available */
  MPI_M_MULTIPLE_CALL = 8,         /* already open, active or suspended */
  MPI_M_INVALID_ROOT = 9,
  MPI_M_INVALID_FLAGS = 10,     /* none, or unknown ones */
  MPI_M_INVALID_PROCEDURE = 11, /* not an MPI procedure that Rankwise counts */
  MPI_M_INVALID_COMM = 12,      /* not the processes of the session, or of the rows that were gathered here */
  MPI_M_INVALID_MACHINE = 13,   /* no valid machine.json, or it does not describe these processes */
  MPI_M_INVALID_ORDER = 14,     /* some rank is missing or repeated, or no place for the order */
  MPI_M_NOT_VISIBLE = 15        /* MPI_M_INSIDE_ONLY, but no message inside collectives is visible */
};

int MPI_M_init(void);
int MPI_M_finalize(void);

int MPI_M_start(MPI_Comm comm, MPI_M_msid *msid);
int MPI_M_suspend(MPI_M_msid msid);
int MPI_M_continue(MPI_M_msid msid);
int MPI_M_reset(MPI_M_msid msid);
int MPI_M_free(MPI_M_msid msid);

/* The thread level of MPI, and the entries of a row: the size of the session's communicator. */
int MPI_M_get_info(MPI_M_msid msid, int *provided, int *array_size);

/* How many of the messages inside collectives are visible between the processes of the session's communicator: one of
 * MPI_M_VISIBLE_... . Messages selected by other flags are always visible. Not collective; the session may be active.
 */
int MPI_M_get_visible(MPI_M_msid msid, int *visible);

/* Messages and bytes that this process has sent to each process of the communicator. */
int MPI_M_get_data(MPI_M_msid msid, unsigned long *msg_counts, unsigned long *msg_sizes, int flags);

/* The rows of all processes in rank order, on all processes or only on the root. */
int MPI_M_allgather_data(MPI_M_msid msid, unsigned long *matrix_counts, unsigned long *matrix_sizes, int flags);
int MPI_M_rootgather_data(MPI_M_msid msid, int root, unsigned long *matrix_counts, unsigned long *matrix_sizes,
                          int flags);

/* Each process writes filename.[rank].prof, the root filename_counts.[rank].prof and filename_sizes.[rank].prof. */
int MPI_M_flush(MPI_M_msid msid, const char *filename, int flags);
int MPI_M_rootflush(MPI_M_msid msid, int root, const char *filename, int flags);

/* The process's activity on a communicator since MPI was initialised; needs no session. Not collective. `procedure` is
 * a name such as "MPI_Bcast", or one of these. */
#define MPI_M_ALL_COLLECTIVES "collective"
#define MPI_M_ALL_PROCEDURES "*"

/* Seconds inside calls of the procedure. */
int MPI_M_get_comm_time(MPI_Comm comm, const char *procedure, double *seconds);

/* Calls, bytes sent (collectives: the contribution of this process), and bytes received. */
int MPI_M_get_comm_data(MPI_Comm comm, const char *procedure, unsigned long *calls, unsigned long *bytes_sent,
                        unsigned long *bytes_received);

/* Makes a communicator in which ranks are near their partners. `comm` must have the processes of the session. Each
 * process stays where it is; processes that sent each other much in the session get ranks whose roles are near each
 * other. `machine` is the path of a machine.json (docs/reference/machine.md), read by rank 0 of the session; with NULL,
 * the machine is given by the nodes, packages, caches and cores that the kernels report. k [size of comm], unless it is
 * MPI_M_INT_IGNORE: k[i] is the new rank of the process that has rank i in `comm`. If no order is cheaper, the order
 * stays. The program frees the communicator; on an error it is MPI_COMM_NULL. */
int MPI_M_reorder(MPI_M_msid msid, MPI_Comm comm, const char *machine, MPI_Comm *optimised, int *k);

/* The input of MPI_M_reorder_if_profitable, and its decision. Set it to 0 before the first call, and pass it to
 * later calls as it is: these then know how far bytes travelled after the decision before. */
typedef struct {
  double repetitions; /* in: how many more times the communication of the session takes place, the same on all
                       * processes; negative: not known. It then takes as long again as the run has taken */
  double bytes;       /* in: data that this process hands over if its rank changes; negative: not known. Its private
                       * memory then counts */
  int reordered;      /* whether there is a new communicator; this and the rest are the same on all processes */
  double gain;        /* estimated: seconds that the better order saves in all repetitions; 0 if not estimated */
  double cost;        /* estimated: seconds to hand over the data and to make the communicator */
  double distance;    /* byte hops per byte of the session, in the order that was chosen; 0 if the next call should
                       * decide in any case */
  char reason[200];   /* a sentence */
} MPI_M_forecast;

/* As MPI_M_reorder, but only if it saves more time in the rest of the run than it costs. If the order stays,
 * `optimised` is MPI_COMM_NULL and k[i] == i. The costs of messages are measured in the call, by a few messages between
 * pairs of processes at each distance. */
int MPI_M_reorder_if_profitable(MPI_M_msid msid, MPI_Comm comm, const char *machine, MPI_M_forecast *forecast,
                                MPI_Comm *optimised, int *k);

/* New ranks from a matrix, in the order of MPI_M_rootgather_data: sizes[i * n + j] are the bytes from rank i to rank j.
 * Not collective. Call it on the process that gathered the rows of a session of n processes last (the root; rank 0
 * after MPI_M_allgather_data), since it then knows where they are. k[i] is the new rank of rank i, as above; the new
 * communicator is then made by MPI_Comm_split(comm, 0, k[rank], ...). */
int MPI_M_mapping(const unsigned long *sizes, int n, int *k);

/* Sends the data of rank i of `original` to the process that has rank i in the new order and continues its work; k as
 * above. Blocks may differ in size; `recvcount` is the capacity. All processes of `original` must call it.
 */
int MPI_M_redistribute(const void *sendbuf, int sendcount, void *recvbuf, int recvcount, MPI_Datatype datatype,
                       MPI_Comm original, const int *k);

#ifdef __cplusplus
}
#endif

#endif
