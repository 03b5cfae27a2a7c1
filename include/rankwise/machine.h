/* A machine.json (docs/machine.md) as slots, for programs without Python. */
#ifndef RANKWISE_MACHINE_H
#define RANKWISE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Slots are in the order of the tree, from left to right; levels from the outermost, which is the whole machine. Where
 * an object leaves levels out, it stands for an object of its own in them. */
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

#ifdef __cplusplus
}
#endif

#endif
