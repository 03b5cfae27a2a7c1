/* Machines (docs/reference/machine.md): what has to be told alike by the commands, in Python, and inside of programs.
 */
#ifndef RANKWISE_MACHINE_H
#define RANKWISE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A machine.json as slots, in the order of the tree from left to right; levels from the outermost, which is the whole
 * machine. Where an object leaves levels out, it stands for an object of its own in them. */
struct rankwise_machine {
  int32_t slots;
  int32_t levels;
  int32_t nodes;
  const int32_t *object;    /* [slots][levels]: number of the object of each level, counted over the whole machine */
  const int32_t *processor; /* [slots]: the kernel's number, -1 = unknown */
  const int32_t *node;      /* [slots], ascending */
  const char *const *host;  /* [nodes]: their names */
};

/* NULL if it can't be read or is no machine; `problem` is a line then that names the place in the file. */
struct rankwise_machine *rankwise_read_machine(const char *path, char *problem, size_t room);

void rankwise_free_machine(struct rankwise_machine *machine);

/* The hosts of a list as Slurm writes it, such as `node[01-16,20],login1`: words in their order, those of each word
 * in ascending order. */
struct rankwise_hosts {
  int32_t count;
  const char *const *name;
};

/* NULL if it is no such list, or has more than 2^20 hosts; `problem` is a line then. */
struct rankwise_hosts *rankwise_read_hosts(const char *list, char *problem, size_t room);

void rankwise_free_hosts(struct rankwise_hosts *hosts);

/* Processes by their ranks. */
struct rankwise_processes {
  int32_t count;
  int32_t ended;            /* not 0: they have ended, so a `problem` says where they were */
  const char *const *host;  /* [count]: the name that each one's node gives itself */
  const int64_t *first;     /* [count + 1]: in `processor`, where those that each may run on begin; none: not known */
  const int32_t *processor; /* the kernel's numbers */
};

enum {
  RANKWISE_FOUND = 0,
  RANKWISE_NO_NODE, /* the machine does not have the host of a process */
  RANKWISE_NO_ROOM, /* more processes on a node than the machine has slots there */
  RANKWISE_OUT_OF_MEMORY
};

/* Fills node [count], the node of each process, or `problem`, a line. A host's name with its domain and one without
 * are the same if no other node of the machine has that short name. */
int rankwise_find_nodes(const struct rankwise_machine *machine, const struct rankwise_processes *processes,
                        int32_t *node, char *problem, size_t room);

/* Fills slot [count] likewise: by the hosts, and then by the processors. Processes that are not bound to some of their
 * node's processors are taken to be in the order of their ranks; `bound` tells how many are. */
int rankwise_find_slots(const struct rankwise_machine *machine, const struct rankwise_processes *processes,
                        int32_t *slot, int32_t *bound, char *problem, size_t room);

/* What a byte costs in hops: levels to go up from the nearest that two slots can be; levels that divide nothing do not
 * count. Takes object [slots][levels] as in rankwise_machine, but numbers need not be in order, and fills per_byte
 * [levels + 1], by how many leading objects two slots have in common. 0, or RANKWISE_OUT_OF_MEMORY. */
int rankwise_hops(const int32_t *object, int32_t slots, int32_t levels, double *per_byte);

#ifdef __cplusplus
}
#endif

#endif
