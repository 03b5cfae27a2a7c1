/* What the running program has sent so far, asked by the program itself. docs/reference/introspection.md explains it.
 *
 *   mpicc -o app app.c $(rankwise link-flags --monitoring)
 *
 * A session records the messages between the processes of a communicator while it is active; while it is suspended,
 * its data can be read. Sessions are independent of each other: they may overlap and nest.
 *
 * All functions are thread-safe, and none is safe in a signal handler. They return MPI_SUCCESS or one of the values
 * below. They are to be called between MPI_M_init and MPI_M_finalize, and those with a session by all processes of its
 * communicator in the same order, MPI_M_get_info excepted.
 */
#ifndef RANKWISE_MPI_MONITORING_H
#define RANKWISE_MPI_MONITORING_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int MPI_M_msid;

/* In the place of a session: all that are active or suspended. */
#define MPI_M_ALL_MSID ((MPI_M_msid) - 1)

/* In the place of an argument that is not wanted. */
#define MPI_M_INT_IGNORE ((int *)0)
#define MPI_M_DATA_IGNORE ((unsigned long *)0)

/* Flags: which messages. Combined by |; what two of them have in common counts once. */
enum {
  MPI_M_P2P_ONLY = 1,    /* that went through the point-to-point layer: the user's, and those inside collectives */
  MPI_M_COLL_ONLY = 2,   /* that collectives are by their definition: whose data goes to whom */
  MPI_M_OSC_ONLY = 4,    /* one-sided */
  MPI_M_ALL_COMM = 7,    /* all of these: collectives as they are defined, and as they were sent */
  MPI_M_USER_ONLY = 8,   /* point-to-point messages of the user alone */
  MPI_M_INSIDE_ONLY = 16 /* messages inside collectives alone */
};

/* What can be seen of the messages inside collectives. */
enum {
  MPI_M_VISIBLE_NONE = 0, /* nothing: no hook fits, or all processes are on one node, within which nothing is seen */
  MPI_M_VISIBLE_PART = 1, /* those between nodes, those of some processes, or those of chosen procedures */
  MPI_M_VISIBLE_ALL = 2   /* all that pass the transport that is watched */
};

/* Errors. */
enum {
  MPI_M_INTERNAL_FAIL = 1,         /* no memory, a file can't be written, or Rankwise is switched off */
  MPI_M_MPIT_FAIL = 2,             /* an MPI call failed, or MPI is not open */
  MPI_M_MISSING_INIT = 3,          /* not between MPI_M_init and MPI_M_finalize */
  MPI_M_SESSION_STILL_ACTIVE = 4,  /* MPI_M_finalize: a session has not been suspended */
  MPI_M_SESSION_NOT_SUSPENDED = 5, /* the session has to be suspended for this */
  MPI_M_INVALID_MSID = 6,          /* unknown, freed, NULL, or MPI_M_ALL_MSID where it can't be */
  MPI_M_SESSION_OVERFLOW = 7,      /* no further session can be numbered */
  MPI_M_MULTIPLE_CALL = 8,         /* already open, active or suspended */
  MPI_M_INVALID_ROOT = 9,
  MPI_M_INVALID_FLAGS = 10,     /* none, or unknown ones */
  MPI_M_INVALID_PROCEDURE = 11, /* no procedure of MPI that Rankwise counts */
  MPI_M_INVALID_COMM = 12,      /* other processes than the session's */
  MPI_M_INVALID_MACHINE = 13,   /* no machine.json, or not that of these processes */
  MPI_M_INVALID_ORDER = 14,     /* not each rank once */
  MPI_M_NOT_VISIBLE = 15        /* MPI_M_INSIDE_ONLY, and nothing of that is visible */
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

/* What can be seen of the messages inside collectives between the processes of the session's communicator: one of
 * MPI_M_VISIBLE_... . All else that flags stand for is always seen. Not collective; the session may be active. */
int MPI_M_get_visible(MPI_M_msid msid, int *visible);

/* Messages and bytes that this process has sent to each process of the communicator. */
int MPI_M_get_data(MPI_M_msid msid, unsigned long *msg_counts, unsigned long *msg_sizes, int flags);

/* The rows of all processes, one after the other, on all of them or on the root. */
int MPI_M_allgather_data(MPI_M_msid msid, unsigned long *matrix_counts, unsigned long *matrix_sizes, int flags);
int MPI_M_rootgather_data(MPI_M_msid msid, int root, unsigned long *matrix_counts, unsigned long *matrix_sizes,
                          int flags);

/* Each process writes filename.[rank].prof, the root filename_counts.[rank].prof and filename_sizes.[rank].prof. */
int MPI_M_flush(MPI_M_msid msid, const char *filename, int flags);
int MPI_M_rootflush(MPI_M_msid msid, int root, const char *filename, int flags);

/* What this process has done on a communicator since MPI was opened, without a session. Not collective. `procedure` is
 * a name such as "MPI_Bcast", or one of these. */
#define MPI_M_ALL_COLLECTIVES "collective"
#define MPI_M_ALL_PROCEDURES "*"

/* Seconds inside calls of the procedure. */
int MPI_M_get_comm_time(MPI_Comm comm, const char *procedure, double *seconds);

/* Calls, bytes sent (collectives: what this process contributed), and bytes received. */
int MPI_M_get_comm_data(MPI_Comm comm, const char *procedure, unsigned long *calls, unsigned long *bytes_sent,
                        unsigned long *bytes_received);

/* Ranks where their partners are. Makes a communicator of the processes of `comm`, which are those of the session: each
 * stays where it is, and those that have sent each other much in the session get ranks that are near each other in what
 * they do. `machine` is the path of a machine.json (docs/reference/machine.md), read by rank 0 of the session; NULL:
 * nodes, packages, caches and cores as the kernels tell. k [size of comm], if it is not MPI_M_INT_IGNORE: k[i] is the
 * new rank of the process that has rank i in `comm`. If nothing is cheaper the order stays. The program frees the
 * communicator; on an error it is MPI_COMM_NULL. */
int MPI_M_reorder(MPI_M_msid msid, MPI_Comm comm, const char *machine, MPI_Comm *optimised, int *k);

/* What rank i of `original` has worked on goes to the process that has rank i in the new order, and so works on that:
 * k as above. Blocks may be of different sizes; `recvcount` is the room. To be called by all processes of `original`.
 */
int MPI_M_redistribute(const void *sendbuf, int sendcount, void *recvbuf, int recvcount, MPI_Datatype datatype,
                       MPI_Comm original, const int *k);

#ifdef __cplusplus
}
#endif

#endif
