/* Files of InfiniBand fabrics in bulk, and walks through their forwarding tables: for Python, which reads lines of any
 * other form, and reports wrong lines. Not installed.
 */
#ifndef RANKWISE_FABRIC_H
#define RANKWISE_FABRIC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RANKWISE_NO_SPACE = -1 }; /* there is not enough memory */

/* Rows of forwarding tables, such as `0x002a 007 : (...)`. */
struct rankwise_rows {
  int64_t room;   /* for how many rows the arrays have room */
  int64_t count;  /* how many they have */
  uint32_t *lid;  /* [room] */
  uint16_t *port; /* [room]: 0 to 999; 255 where it says UNREACHABLE */
};

/* Appends consecutive rows: `0x`, four hexadecimal digits, the gap, three decimal digits and a blank, or UNREACHABLE
 * and the end of the line. Stops at another line, at one without an end, and when the arrays are full. Returns how many
 * bytes it read. */
int64_t rankwise_read_rows(const char *text, int64_t size, const char *gap, struct rankwise_rows *rows);

/* Devices, and their ports with cables, as `ibnetdiscover` lists them. Texts are given by their place in the file. */
struct rankwise_listed {
  int64_t devices; /* how many the arrays have */
  uint8_t *kind;   /* 'S': switch, 'H': adapter */
  uint64_t *node;
  uint64_t *system;
  int32_t *port_count;
  int64_t *name;
  int32_t *name_size;

  int64_t ports; /* how many the arrays have */
  int64_t *line; /* from 1 */
  int32_t *device;
  int32_t *number;
  uint64_t *guid; /* of the port; of a switch its port 0 */
  int32_t *lid;
  int32_t *lid_count;
  uint8_t *far_kind;
  uint64_t *far_node;
  int32_t *far_number;
  uint64_t *far_guid;
  int32_t *far_lid;
  int64_t *far_name;
  int32_t *far_name_size;
  uint64_t *rate; /* the characters of its word, at most 8, the first one in the lowest byte */
};

/* Appends the paragraphs of a file from a place on, as far as they have the usual form, with values in range.
 * Paragraphs end with an empty line, or with the file. `line` is the number of the line there, and is counted on. The
 * arrays must have room for all lines that begin with `[`, and a device for each paragraph. Returns the place behind
 * the last paragraph. */
int64_t rankwise_read_listed(const char *text, int64_t size, int64_t place, struct rankwise_listed *listed,
                             int64_t *line);

/* Fills first [count] with the number of the first of the texts that is the same as each. Returns 0, or
 * RANKWISE_NO_SPACE. */
int rankwise_find_same(const char *text, const int64_t *place, const int32_t *size, int64_t count, int64_t *first);

/* The forwarding tables of a subnet, and some destinations. */
struct rankwise_ways {
  int32_t switches;
  int32_t ways;            /* of each switch to each LID */
  int64_t lids;            /* columns of `forward` */
  const uint16_t *forward; /* [switches][lids][ways]: ports; 0xffff: none */
  int32_t ports;           /* columns of `far` */
  const int32_t *far;      /* [switches][ports]: the switch, or switches + host port, at the other end of a cable; -1:
                            * none. Of higher ports: the last column */
  int32_t destinations;
  const int64_t *lid;  /* [destinations] */
  const int64_t *host; /* [destinations]: host port */
};

enum { RANKWISE_NOT_ALL = 0, RANKWISE_ALL_ARRIVE };

/* Whether messages for each destination arrive from each of the switches begin [begins], on all ways, within `hops`
 * hops. May return RANKWISE_NO_SPACE. */
int rankwise_all_arrive(const struct rankwise_ways *ways, const int32_t *begin, int32_t begins, int32_t hops);

#ifdef __cplusplus
}
#endif

#endif
