/* Machines (docs/reference/machine.md): shared by the commands, Python and programs, so that all read them in the same
 * way.
 */
#ifndef RANKWISE_MACHINE_H
#define RANKWISE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A machine.json as slots, in the order of the tree from left to right. Levels start with the outermost, which is the
 * whole machine. If an object skips levels, it counts as a separate object in each of them. */
struct rankwise_machine {
  int32_t slots;
  int32_t levels;
  int32_t nodes;
  const int32_t *object;    /* [slots][levels]: number of the object of each level, counted over the whole machine */
  const int32_t *processor; /* [slots]: the kernel's number, -1 = unknown */
  const int32_t *node;      /* [slots], ascending */
  const char *const *host;  /* [nodes]: their names */
};

/* NULL if the file can't be read or is no machine; `problem` is then one line that names the place in the file. */
struct rankwise_machine *rankwise_read_machine(const char *path, char *problem, size_t room);

void rankwise_free_machine(struct rankwise_machine *machine);

/* The hosts of a list in Slurm's notation, such as `node[01-16,20],login1`: in the order of the words, and ascending
 * within each word. */
struct rankwise_hosts {
  int32_t count;
  const char *const *name;
};

/* NULL if it is no such list, or has more than 2^20 hosts; `problem` is then one line. */
struct rankwise_hosts *rankwise_read_hosts(const char *list, char *problem, size_t room);

void rankwise_free_hosts(struct rankwise_hosts *hosts);

/* Processes by their ranks. */
struct rankwise_processes {
  int32_t count;
  int32_t ended;            /* not 0: the processes have ended, and a `problem` uses the past tense */
  const char *const *host;  /* [count]: each process's node, by the name that the node gives itself */
  const int64_t *first;     /* [count + 1]: where each process's allowed processors begin in `processor`; no entries:
                             * not known */
  const int32_t *processor; /* the kernel's numbers */
};

enum {
  RANKWISE_FOUND = 0,
  RANKWISE_NO_NODE, /* the machine does not contain the host of a process */
  RANKWISE_NO_ROOM, /* a node has more processes than the machine has slots there */
  RANKWISE_OUT_OF_MEMORY
};

/* Fills node [count], the node of each process, or `problem`, a line. A host name with its domain equals the short name
 * if no other node of the machine has that short name. */
int rankwise_find_nodes(const struct rankwise_machine *machine, const struct rankwise_processes *processes,
                        int32_t *node, char *problem, size_t room);

/* Fills slot [count] in the same way: by the hosts, and then by the processors. Processes that are not bound to a
 * subset of their node's processors are assumed to be in rank order; `bound` is the number of bound processes. */
int rankwise_find_slots(const struct rankwise_machine *machine, const struct rankwise_processes *processes,
                        int32_t *slot, int32_t *bound, char *problem, size_t room);

/* The cost of a byte in hops: the number of levels to go up, counted from the nearest that two slots can be. Levels
 * that divide nothing do not count. Takes object [slots][levels] as in rankwise_machine, but numbers need not be in
 * order, and fills per_byte [levels + 1], indexed by the number of leading objects that two slots have in common.
 * Returns 0, or RANKWISE_OUT_OF_MEMORY. */
int rankwise_hops(const int32_t *object, int32_t slots, int32_t levels, double *per_byte);

#ifdef __cplusplus
}
#endif

#endif
