/* The counters file: the format that an MPI process writes and that every reader reads. It is in the memory of the
 * node; a keeper saves the files of all processes of the node in one node file.
 *
 * This header is the only description of the format. The runtime compiles it; the Python reader parses the same text
 * with cffi (python/rankwise/profile/collect/layout.py). Therefore it contains only fixed-width members and enums with
 * plain numbers, and no macros.
 *
 * A file is a header, a directory of sections, and the sections. A section is an array of records of one kind, for one
 * thread or for the whole process. A table that is full gets a further section of the same kind; a new kind of record
 * (arrivals, time-line intervals, system counters, ...) is a new value of rankwise_section_kind and needs no new shape:
 * readers skip unknown kinds.
 *
 * RATIONALE: the file is mapped shared, so the kernel keeps its pages however the process ends, and no step at the end
 * of a run is needed to save it. Writers therefore keep it readable at every instant: a record is filled in before
 * `used` counts it, a section before `section_count` does. The unused part of the directory is a hole.
 *
 * Numbers are in the byte order of the machine (`byte_order`), times in ticks of the clock that the stamps calibrate,
 * sizes in bytes, ranks in MPI_COMM_WORLD unless stated otherwise.
 */
#ifndef RANKWISE_FORMAT_H
#define RANKWISE_FORMAT_H

#include <stdint.h>

enum rankwise_format {
  RANKWISE_FORMAT_VERSION = 2,
  RANKWISE_BYTE_ORDER = 0x01020304,
  RANKWISE_MAX_SECTIONS = 4096,
  RANKWISE_MOST_NESTED_REGIONS = 256,
  RANKWISE_MOST_BYTES = 67108864, /* of a file: a file that claims to be larger was not written by Rankwise */
  RANKWISE_NO_THREAD = -1,        /* a section of the whole process */
  RANKWISE_PROCEDURE_WORDS = 9,   /* room for a bit of each procedure */
  RANKWISE_MOST_CALLER_BYTES = 120,
  RANKWISE_MOST_SYSTEM_COUNTERS = 12,
  RANKWISE_CPU_WORDS = 16, /* room for a bit of each processor of a node */
  RANKWISE_MOST_CPUS = 1024,
  RANKWISE_MOST_TASKS = 256,
  RANKWISE_MOST_DEVICES = 64,
  RANKWISE_MOST_ADAPTER_PORTS = 64,
  RANKWISE_NODE_VERSION = 1 /* of node files and of control pages */
};

/* Where a process keeps its counters while it runs. */
enum rankwise_memory {
  RANKWISE_MEMORY_OWN = 0,      /* private: for a program that queries its own counters */
  RANKWISE_MEMORY_SHM = 1,      /* a file in /dev/shm */
  RANKWISE_MEMORY_TMPDIR = 2,   /* a file in the node's own TMPDIR: no room in /dev/shm */
  RANKWISE_MEMORY_ANONYMOUS = 3 /* an unnamed file: no room in either */
};

/* How far the process has got. A run whose processes did not all reach FINALIZED is partial. */
enum rankwise_state {
  RANKWISE_STATE_STARTING = 0,    /* before or inside MPI_Init */
  RANKWISE_STATE_RUNNING = 1,     /* after MPI_Init */
  RANKWISE_STATE_FINALIZING = 2,  /* inside MPI_Finalize */
  RANKWISE_STATE_FINALIZED = 3,   /* MPI_Finalize returned */
  RANKWISE_STATE_ABORTED = 4,     /* called MPI_Abort; abort_code holds the argument */
  RANKWISE_STATE_SWITCHED_OFF = 5 /* an internal error: counts are from before it */
};

/* The MPI ABI that the process uses. */
enum rankwise_abi { RANKWISE_ABI_NONE = 0, RANKWISE_ABI_OPENMPI = 1, RANKWISE_ABI_MPICH = 2, RANKWISE_ABI_MPIABI = 3 };

enum rankwise_section_kind {
  RANKWISE_SECTION_THREADS = 1,          /* rankwise_thread */
  RANKWISE_SECTION_COMMUNICATORS = 2,    /* rankwise_communicator */
  RANKWISE_SECTION_REGIONS = 3,          /* rankwise_region */
  RANKWISE_SECTION_CALLS = 4,            /* rankwise_calls, one row set a thread */
  RANKWISE_SECTION_MESSAGES = 5,         /* rankwise_messages, one row set a thread */
  RANKWISE_SECTION_FILES = 6,            /* rankwise_file */
  RANKWISE_SECTION_ACCESSES = 7,         /* rankwise_accesses, one row set a thread */
  RANKWISE_SECTION_ENDPOINTS = 8,        /* rankwise_endpoint */
  RANKWISE_SECTION_PATTERNS = 9,         /* rankwise_pattern */
  RANKWISE_SECTION_PATTERN_ROWS = 10,    /* rankwise_pattern_row */
  RANKWISE_SECTION_IMPORTS = 11,         /* rankwise_import */
  RANKWISE_SECTION_OBJECTS = 12,         /* rankwise_object */
  RANKWISE_SECTION_SITES = 13,           /* rankwise_site */
  RANKWISE_SECTION_ARRIVAL_TABLES = 14,  /* rankwise_arrival_table */
  RANKWISE_SECTION_ARRIVALS = 15,        /* rankwise_arrival, of one table */
  RANKWISE_SECTION_NEIGHBOURS = 16,      /* rankwise_neighbour */
  RANKWISE_SECTION_TIME_LINES = 20,      /* rankwise_time_line, of a thread */
  RANKWISE_SECTION_SYSTEM_COUNTERS = 24, /* rankwise_system_counters */
  RANKWISE_SECTION_PROCESSORS = 25,      /* rankwise_processor: of the node, by one of its processes */
  RANKWISE_SECTION_TASKS = 26,           /* rankwise_task */
  RANKWISE_SECTION_DEVICES = 27,         /* rankwise_device: of the node, by the same process */
  RANKWISE_SECTION_ADAPTER_PORTS = 28,   /* rankwise_adapter_port: of the node, by the same process */
  RANKWISE_SECTION_RAIL_CHOICES = 29,    /* rankwise_rail_choice */
  RANKWISE_SECTION_STREAMS = 31,         /* rankwise_stream, of a thread */
  RANKWISE_SECTION_SIDES = 32,           /* rankwise_side, of a thread */
  RANKWISE_SECTION_FRAMES = 36,          /* rankwise_site, of the frames in call paths */
  RANKWISE_SECTION_PATHS = 37,           /* rankwise_path, one row set a thread */
  RANKWISE_SECTION_KERNELS = 38          /* rankwise_kernel: one, of the node, by the process of its processors */
};

/* Whether the messages that the MPI library sends inside collectives are visible, by a hook in its transport. */
enum rankwise_transport_state {
  RANKWISE_TRANSPORT_NONE = 0,     /* none of the hooks fits this library */
  RANKWISE_TRANSPORT_ACTIVE = 1,   /* `transport` names it */
  RANKWISE_TRANSPORT_REFUSED = 2,  /* the library's internals differ from what we know, or the self-test failed: see the
                                    * note */
  RANKWISE_TRANSPORT_DISABLED = 3, /* the user requested that */
  RANKWISE_TRANSPORT_STOPPED = 4   /* active at first; then a message contradicted our assumptions: see the note */
};

/* The messages that an active hook can see. */
enum rankwise_transport_sees {
  RANKWISE_SEES_BETWEEN_NODES = 1, /* messages between nodes */
  RANKWISE_SEES_WITHIN_NODE = 2,   /* messages within a node, by any transport */
  RANKWISE_SEES_NONBLOCKING = 4    /* messages of non-blocking and persistent collectives are attributed exactly */
};

/* Data that did not fit into a bounded table, or could not be known: counted, never silent. */
enum rankwise_dropped {
  RANKWISE_DROPPED_CALL_ROWS = 0,     /* calls booked on an "other" row: the table of calls is full */
  RANKWISE_DROPPED_MESSAGE_ROWS = 1,  /* messages booked on an "other" row: the table of messages is full */
  RANKWISE_DROPPED_COMMUNICATORS = 2, /* communicators without a record: booked on "other" */
  RANKWISE_DROPPED_REGIONS = 3,       /* region entries without a record: booked on the enclosing region */
  RANKWISE_DROPPED_REQUESTS = 4,      /* requests not tracked: their received bytes are not booked */
  RANKWISE_DROPPED_THREAD_CALLS = 5,  /* calls not booked: no room, or assumed to be nested after a jump */
  RANKWISE_DROPPED_RECEIVES = 6,      /* receives freed before they completed, ...: bytes unknowable */
  RANKWISE_DROPPED_FILES = 7,         /* files opened without a record: booked on "other" */
  RANKWISE_DROPPED_ACCESS_ROWS = 8,   /* calls on files booked on an "other" row: the table of accesses is full */
  RANKWISE_DROPPED_ACCESSES = 9,      /* nonblocking file accesses whose completion was not seen: bytes unknowable */
  RANKWISE_DROPPED_PATTERN_ROWS = 10, /* messages of a pattern that found no room: its algorithm can't be named */
  RANKWISE_DROPPED_INSIDE = 11,       /* messages inside collectives that could not be booked at all */
  RANKWISE_DROPPED_WINDOWS = 12,      /* windows without a record: booked on their communicators */
  RANKWISE_DROPPED_WINDOW_ROWS = 13,  /* one-sided messages booked on the windows' communicators: too many rows */
  RANKWISE_DROPPED_SITE_ROWS = 14,    /* calls whose site is not kept: too many rows, or too many sites */
  RANKWISE_DROPPED_FILE_NAMES = 15,   /* files without a communicator record: booked on their communicators */
  RANKWISE_DROPPED_COUNT = 16
};

/* Communicator indices below RANKWISE_FIRST_COMMUNICATOR are no communicators. */
enum rankwise_communicator_index {
  RANKWISE_COMMUNICATOR_NONE = 0,    /* the call has no communicator (MPI_Init, a wait for nothing, ...) */
  RANKWISE_COMMUNICATOR_SEVERAL = 1, /* a completion call over requests of several communicators */
  RANKWISE_COMMUNICATOR_OTHER = 2,   /* no room for a separate record */
  RANKWISE_FIRST_COMMUNICATOR = 3    /* record 0 of the communicators: MPI_COMM_WORLD */
};

enum rankwise_communicator_flags {
  RANKWISE_COMMUNICATOR_INTER = 1,         /* an intercommunicator */
  RANKWISE_COMMUNICATOR_REORDER_ASKED = 2, /* created with reorder = true */
  RANKWISE_COMMUNICATOR_FREED = 4,
  RANKWISE_COMMUNICATOR_ONE_OF_SEVERAL = 8,  /* its call may make several: the leader is part of the name */
  RANKWISE_COMMUNICATOR_BY_GROUP = 16,       /* named by group, tag and occurrence: not collective over the parent */
  RANKWISE_COMMUNICATOR_UNKNOWN_ORIGIN = 32, /* first seen when it was used */
  RANKWISE_COMMUNICATOR_REORDERED = 64,      /* reordered by Rankwise, for the machine */
  RANKWISE_COMMUNICATOR_WINDOW = 128,        /* no communicator, but a window that was made from its parent */
  RANKWISE_COMMUNICATOR_FILE = 256           /* no communicator, but a file that was opened on its parent */
};

/* Windows and files have records among the communicators, so that their traffic is recorded separately. */
enum rankwise_windows {
  RANKWISE_MOST_WINDOWS = 4096,
  RANKWISE_MOST_WINDOW_ROWS = 65536,   /* of messages of a thread in total: beyond it, windows begin no new rows */
  RANKWISE_MOST_ROWS_FOR_FILES = 65536 /* of calls, or of messages, of a thread: beyond it, files begin no new rows */
};

enum rankwise_object_kind {
  RANKWISE_OBJECT_LIBRARY = 0,
  RANKWISE_OBJECT_PROGRAM = 1,
  RANKWISE_OBJECT_PYTHON = 2,
};

/* Site indices below RANKWISE_FIRST_SITE are no sites. */
enum rankwise_site_index {
  RANKWISE_SITE_UNKNOWN = 0, /* in no object, or the stack of a binding can't be unwound, or no room for a record */
  RANKWISE_FIRST_SITE = 1,   /* record 0 of the sites */
  RANKWISE_MOST_SITES = 2047,
  RANKWISE_MOST_SITE_ROWS = 16384, /* of calls of a thread: beyond it, sites begin no new rows */
  RANKWISE_MOST_OBJECTS = 255,
  RANKWISE_MOST_OBJECT_BYTES = 224, /* of an object's path: the beginning of a longer one is missing */
  RANKWISE_MOST_BUILD_ID_BYTES = 32
};

enum rankwise_topology {
  RANKWISE_TOPOLOGY_NONE = 0,
  RANKWISE_TOPOLOGY_CART = 1,
  RANKWISE_TOPOLOGY_GRAPH = 2,
  RANKWISE_TOPOLOGY_DIST_GRAPH = 3
};

/* File indices below RANKWISE_FIRST_FILE are no files. */
enum rankwise_file_index {
  RANKWISE_FILE_OTHER = 0, /* no room for a separate record, or its opening was not seen */
  RANKWISE_FIRST_FILE = 1, /* record 0 of the files */
  RANKWISE_MOST_FILES = 4096,
  RANKWISE_MOST_FILE_BYTES = 216 /* bytes kept of a file's name */
};

/* The access mode of MPI_File_open, with the same numbers for every MPI library. */
enum rankwise_file_mode {
  RANKWISE_MODE_CREATE = 1,
  RANKWISE_MODE_RDONLY = 2,
  RANKWISE_MODE_WRONLY = 4,
  RANKWISE_MODE_RDWR = 8,
  RANKWISE_MODE_DELETE_ON_CLOSE = 16,
  RANKWISE_MODE_UNIQUE_OPEN = 32,
  RANKWISE_MODE_EXCL = 64,
  RANKWISE_MODE_APPEND = 128,
  RANKWISE_MODE_SEQUENTIAL = 256
};

enum rankwise_message_kind {
  RANKWISE_MESSAGE_POINT_TO_POINT = 0,
  RANKWISE_MESSAGE_IN_COLLECTIVE = 1,
  RANKWISE_MESSAGE_ONE_SIDED = 2,      /* from this process, the origin, to the peer, the target */
  RANKWISE_MESSAGE_ONE_SIDED_FETCH = 3 /* from the peer, the target, to this process, the origin */
};

/* Keys. Calls: site | region | communicator | procedure | size bin; messages: kind | communicator | procedure | peer;
 * accesses: file | procedure.
 * Size bin 0 holds size 0, bin k the sizes from 2^(k-1) to 2^k - 1; bin 127 is "other". */
enum rankwise_key_layout {
  RANKWISE_CALLS_BIN_SHIFT = 0,
  RANKWISE_CALLS_BIN_BITS = 7,
  RANKWISE_CALLS_PROCEDURE_SHIFT = 7,
  RANKWISE_CALLS_PROCEDURE_BITS = 11,
  RANKWISE_CALLS_COMMUNICATOR_SHIFT = 18,
  RANKWISE_CALLS_COMMUNICATOR_BITS = 22,
  RANKWISE_CALLS_REGION_SHIFT = 40,
  RANKWISE_CALLS_REGION_BITS = 12,
  RANKWISE_CALLS_SITE_SHIFT = 52,
  RANKWISE_CALLS_SITE_BITS = 11,
  RANKWISE_MESSAGES_PEER_SHIFT = 0,
  RANKWISE_MESSAGES_PEER_BITS = 28,
  RANKWISE_MESSAGES_PROCEDURE_SHIFT = 28,
  RANKWISE_MESSAGES_PROCEDURE_BITS = 11,
  RANKWISE_MESSAGES_COMMUNICATOR_SHIFT = 39,
  RANKWISE_MESSAGES_COMMUNICATOR_BITS = 22,
  RANKWISE_MESSAGES_KIND_SHIFT = 61,
  RANKWISE_MESSAGES_KIND_BITS = 2,
  RANKWISE_ACCESSES_PROCEDURE_SHIFT = 0,
  RANKWISE_ACCESSES_PROCEDURE_BITS = 11,
  RANKWISE_ACCESSES_FILE_SHIFT = 11,
  RANKWISE_ACCESSES_FILE_BITS = 16,
  RANKWISE_BIN_OTHER = 127,
  RANKWISE_REGION_OTHER = 4095,
  RANKWISE_PEER_OTHER = 268435455,    /* no room for a separate row */
  RANKWISE_PEER_UNKNOWN = 268435454,  /* not a process of MPI_COMM_WORLD */
  RANKWISE_FIRST_ENDPOINT = 134217728 /* from here on: the endpoint with this index minus this number */
};

/* The counters of the system and the processor for a process. */
enum rankwise_system_counter {
  RANKWISE_COUNTER_VOLUNTARY_SWITCHES = 0,   /* context switches: the process waited */
  RANKWISE_COUNTER_INVOLUNTARY_SWITCHES = 1, /* the processor was given to another process */
  RANKWISE_COUNTER_MINOR_FAULTS = 2,         /* page faults without a disk */
  RANKWISE_COUNTER_MAJOR_FAULTS = 3,
  RANKWISE_COUNTER_TASK_CLOCK = 4, /* processor time, ns */
  RANKWISE_COUNTER_MIGRATIONS = 5, /* to another processor */
  RANKWISE_COUNTER_INSTRUCTIONS = 6,
  RANKWISE_COUNTER_CYCLES = 7,
  RANKWISE_COUNTER_FLOATING_POINT_OPERATIONS = 8
};

/* Why a counter is missing: an errno of perf_event_open, or one of these. */
enum rankwise_absent {
  RANKWISE_ABSENT_SWITCHED_OFF = -1,
  RANKWISE_ABSENT_NOT_COUNTED = -2, /* the kernel always reports 0 */
  RANKWISE_ABSENT_NOT_KNOWN = -3,   /* the event on this processor is not known */
  RANKWISE_ABSENT_LOST = -4         /* the program has closed its descriptor */
};

/* One instant on all clocks: two stamps calibrate ticks against seconds. */
struct rankwise_stamp {
  uint64_t ticks;
  int64_t monotonic_ns; /* CLOCK_MONOTONIC */
  int64_t realtime_ns;  /* CLOCK_REALTIME, since 1970 */
};

/* A comparison with the clock of another node: own ticks in the middle of the shortest of some round trips, and the
 * ticks that the other node reported in it. All zero = not done. */
struct rankwise_clock_comparison {
  uint64_t own_ticks;
  uint64_t other_ticks;
  uint64_t round_trip; /* own ticks: the error is at most half of it */
};

struct rankwise_section {
  uint32_t kind; /* rankwise_section_kind */
  uint32_t record_bytes;
  uint32_t capacity; /* records */
  uint32_t used;     /* records, written after the record itself */
  int32_t thread;    /* index of the thread record, or RANKWISE_NO_THREAD */
  uint32_t reserved;
  uint64_t offset; /* from the start of the file */
};

struct rankwise_header {
  char magic[8]; /* "RANKWISE" */
  uint32_t version;
  uint32_t byte_order;
  uint32_t header_bytes;    /* sizeof(struct rankwise_header); the directory follows it */
  uint32_t section_bytes;   /* sizeof(struct rankwise_section) */
  uint32_t section_count;   /* written after the section itself */
  uint32_t state;           /* rankwise_state */
  uint64_t table_digest;    /* of the table of procedures that numbers the keys */
  uint64_t file_bytes;      /* end of the reserved part */
  char runtime_version[32]; /* of Rankwise */

  char host[64];
  char job[64]; /* identifies the world among several in one run directory; may be empty */
  char executable[256];
  char library[256];      /* first line of MPI_Get_library_version */
  char cpus_allowed[256]; /* Linux list format, e.g. 0-3,8 */
  int32_t pid;
  int32_t world_rank; /* -1 until MPI_Init returned */
  int32_t world_size;
  int32_t abi;          /* rankwise_abi */
  int32_t thread_level; /* 0 single, 1 funneled, 2 serialized, 3 multiple; -1 unknown */
  int32_t abort_code;
  int32_t cpu_at_start; /* processor the process ran on, -1 unknown */
  int32_t cpu_at_stop;
  /* Rank in the launcher's order: from its environment, -1 unknown; from MPI if the ranks have another order. */
  int32_t launcher_rank;
  int32_t launcher_size;

  struct rankwise_stamp loaded;   /* just before PMPI_Init */
  struct rankwise_stamp started;  /* MPI_Init returned */
  struct rankwise_stamp latest;   /* last heartbeat: renewed a few times a second while MPI is called */
  struct rankwise_stamp stopping; /* MPI_Finalize called */
  struct rankwise_stamp stopped;  /* MPI_Finalize returned */

  uint64_t user_us; /* of the process, as of `latest` or `stopped` */
  uint64_t system_us;
  uint64_t max_rss_bytes;

  uint64_t own_call_picoticks;       /* measured cost of booking one call of the frequent procedures, in ticks / 1000 */
  uint64_t own_other_call_picoticks; /* of all others */
  uint64_t own_setup_ns;             /* processor time of Rankwise's own share of MPI_Init */
  uint64_t own_finish_ns;   /* processor time of Rankwise's own share of MPI_Finalize, and between polls (polls.h) */
  uint64_t pauses;          /* MPI_Pcontrol(0): calls in between were not booked */
  uint64_t dropped[16];     /* by rankwise_dropped */
  uint32_t transport_state; /* rankwise_transport_state */
  uint32_t transport_sees;  /* rankwise_transport_sees */
  char transport[16];       /* which hook: openmpi-pml, ucx, libfabric */
  char transport_note[64];  /* why it is not active, in one sentence */
  /* Bit p % 64 of word p / 64: calls of procedure p may have bypassed us, because an object's reference to it was not
   * redirected, or was redirected long after the object was loaded. Bit 0: procedures of any object that is loaded
   * later. */
  uint64_t passed_by[RANKWISE_PROCEDURE_WORDS];
  /* The same for procedures that were called by their PMPI_ names, outside any other call. `profiling_callers`: the
   * objects that refer to these names, as many as fit, separated by commas. */
  uint64_t profiling_names[RANKWISE_PROCEDURE_WORDS];
  char profiling_callers[RANKWISE_MOST_CALLER_BYTES];
  uint64_t imports_known;   /* 1 = all imported names without a wrapper are in the section of imports */
  uint32_t memory;          /* rankwise_memory */
  uint32_t has_left;        /* 1 = the keeper need not wait for it: it has left MPI_Finalize, or is gone */
  uint32_t argument_bytes;  /* in `arguments`; if it is full, there may have been more */
  uint32_t computing_tasks; /* most threads seen computing between two samples; 0 = not known */
  char arguments[1016];     /* the command line, from /proc/self/cmdline: a zero ends each word */
  uint64_t clock; /* whose ticks they are: a number shared by all processes of a node, and unique to it; 0 = unknown */
  uint64_t reference;                        /* the clock it was compared with; 0 = none */
  struct rankwise_clock_comparison at_start; /* in MPI_Init */
  struct rankwise_clock_comparison at_stop;  /* in MPI_Finalize */
  int16_t absent[12];        /* by rankwise_system_counter: 0 = available, else an errno or rankwise_absent */
  uint64_t seen[16];         /* processors that it was seen on: bit p % 64 of word p / 64 */
  uint64_t looks;            /* how often that was checked */
  uint64_t moves;            /* of these, how often it had changed */
  uint64_t cpus_at_stop[16]; /* processors that it might use when MPI_Finalize was called; none = not known */
  int32_t omp_num_threads;   /* OMP_NUM_THREADS, of the outermost level; 0 = not set */
  uint32_t tasks;            /* threads of all kinds when MPI_Finalize was called; 0 = not known */
  char omp_proc_bind[32];    /* OMP_PROC_BIND, OMP_PLACES; empty = not set */
  char omp_places[32];
  uint64_t run_queue_wait_ns; /* that its threads were ready to run but had no processor between MPI_Init and
                               * MPI_Finalize, plus 1; 0 = not known */
  char world_order_kept[256]; /* why MPI_COMM_WORLD has kept its order although a new one was asked for; empty = it has
                               * not, or none was */
  char batch_job[64];         /* id of the batch system's job that it belongs to; empty = unknown */
};

/* The node file, HOST.NAMESPACE.KEEPER.TIME.node: the data that a keeper has saved of the processes that it sees. A
 * header, a directory of entries, and the counters of each process in the format above, without unused parts. */
struct rankwise_node_header {
  char magic[8]; /* "RANKNODE" */
  uint32_t version;
  uint32_t byte_order;
  uint32_t header_bytes; /* sizeof(struct rankwise_node_header); the entries follow it */
  uint32_t entry_bytes;  /* sizeof(struct rankwise_node_entry) */
  uint32_t entry_count;
  uint32_t is_final; /* 1 = every process has left: nothing more will be written */
  uint64_t file_bytes;
  int64_t saved_realtime_ns;  /* when the counters were read, since 1970 */
  int64_t saved_monotonic_ns; /* the same instant on CLOCK_MONOTONIC */
  uint32_t saves;             /* how often, so far */
  uint32_t save_every_ms;     /* maximum time between two saves, if the file system is fast enough */
  int32_t keeper;             /* process id */
  uint32_t run;               /* as in rankwise_control */
  char host[64];
  char runtime_version[32];
  uint64_t network_offset;  /* of its ports and their samples from the start of the file; 0 = none are counted */
  uint32_t network_ports;   /* rankwise_network_port each, then the samples: for each the time (int64_t, on
                             * CLOCK_MONOTONIC), and RANKWISE_NETWORK_COUNTERS values of each port (uint64_t) */
  uint32_t network_samples; /* in the order of time */
  uint64_t reserved[6];
};

/* What the kernel counts of the network, and the keeper samples: a port of an adapter, a network interface, or TCP. */
enum rankwise_network_kind {
  RANKWISE_NETWORK_INFINIBAND = 1, /* also Omni-Path and RoCE */
  RANKWISE_NETWORK_ETHERNET = 2,
  RANKWISE_NETWORK_SLINGSHOT = 3,
  RANKWISE_NETWORK_TCP = 4 /* of the node: interfaces count its packets, too */
};

enum rankwise_network_counter {
  RANKWISE_NETWORK_SENT_BYTES = 0, /* headers included, here and below */
  RANKWISE_NETWORK_RECEIVED_BYTES = 1,
  RANKWISE_NETWORK_SENT_PACKETS = 2,
  RANKWISE_NETWORK_RECEIVED_PACKETS = 3,
  RANKWISE_NETWORK_WAIT_TICKS = 4, /* while it had data to send, and could not: the tick is the adapter's */
  RANKWISE_NETWORK_SYMBOL_ERRORS = 5,
  RANKWISE_NETWORK_RECEIVE_ERRORS = 6,
  RANKWISE_NETWORK_SEND_ERRORS = 7,
  RANKWISE_NETWORK_DISCARDS = 8,
  RANKWISE_NETWORK_LINK_DOWNS = 9,
  RANKWISE_NETWORK_LINK_RECOVERIES = 10,
  RANKWISE_NETWORK_RETRANSMISSIONS = 11,
  RANKWISE_NETWORK_CONGESTION_MARKS = 12,
  RANKWISE_NETWORK_COUNTERS = 13
};

struct rankwise_network_port {
  char device[32];  /* mlx5_0, eth0, cxi0 */
  uint32_t number;  /* of the port on its adapter, from 1; 0 = the adapter has no numbered ports */
  uint32_t kind;    /* rankwise_network_kind */
  uint64_t present; /* bit n: there is a rankwise_network_counter n */
};

struct rankwise_node_entry {
  char name[112];  /* of the process's counters: HOST.PID.TIME.counters */
  uint64_t offset; /* of its counters from the start of the file; the offsets in them count from there */
  uint64_t bytes;
  int64_t gone_ns; /* when the end of the process was seen, on CLOCK_MONOTONIC; 0 = it was not */
  uint64_t reserved;
};

enum rankwise_keeping {
  RANKWISE_CLOSED = 0x40000000,        /* the keeper removes all files: a process that starts now begins a new set */
  RANKWISE_TROUBLE_OWNER = 0x10000,    /* the run directory belongs to another user */
  RANKWISE_TROUBLE_WRITABLE = 0x10001, /* others may write to it */
  RANKWISE_FIRST_KEEPER_FILE = 3 /* descriptors that the keeper is started with: the directory, and the control page */
};

/* The file `control` next to the counters in the memory of a node: shared by its processes and their keeper. The keeper
 * holds a lock (flock) on it as long as it lives. */
struct rankwise_control {
  char magic[8]; /* "RANKCTRL" */
  uint32_t version;
  uint32_t open;    /* processes that count and have not left, or RANKWISE_CLOSED */
  uint32_t settled; /* saves, successful or not, at which no process was open; a futex */
  int32_t keeper;   /* process id of the latest one, 0 = none yet */
  uint64_t pids;    /* inode of the namespace that process ids belong to */
  int32_t trouble;  /* why the latest save failed: an errno, or rankwise_trouble; 0 = it did not */
  uint32_t run;     /* which of the runs in this run directory: RANKWISE_RUN; 0 = not known */
  char host[64];
  char run_directory[4096];
};

struct rankwise_thread {
  uint64_t inside_key;   /* key of the call that the thread is in (size bin 0), 0 = none */
  uint64_t inside_since; /* when that call, or the latest one, began; ticks */
  int32_t tid;           /* kernel's thread id */
  int32_t alive;         /* 0 after the thread ended; another thread may take the slot over */
  /* The partners that this call waits for, as far as known: the sender of a message, and the receiver of one; 0 = none.
   * Not of polling calls. */
  uint64_t inside_source; /* rankwise_partner */
  uint64_t inside_destination;
  uint64_t left_key; /* key of the latest call that the thread has left */
  /* Of its sample of messages. */
  uint16_t halved[3]; /* how often: by their number, by tag, by pair of processes */
  uint16_t renewed;   /* how often the following parameters were reset, discarding the sample until then */
  uint16_t stretch;   /* the sample by time contains, by when they were posted, all messages of stretches of 2^stretch
                       * ticks that begin at each multiple of 2^period ticks (period 0: all), some before them and some
                       * after them */
  uint16_t period;
  uint16_t lost_streams; /* 1 = not all messages were counted, because memory was exhausted or an error occurred */
  uint16_t reserved;
};

/* A partner: process | tag. The process is a rank of the call's communicator (of an intercommunicator the remote
 * group's) plus 1, or one of these; 0 = none. */
enum rankwise_partner {
  RANKWISE_PARTNER_TAG_BITS = 32,
  RANKWISE_PARTNER_ANY = 134217727,     /* MPI_ANY_SOURCE */
  RANKWISE_PARTNER_SEVERAL = 134217726, /* of several requests that differ */
  RANKWISE_PARTNER_WORLD = 134217728,   /* this plus a rank in MPI_COMM_WORLD plus 1 */
  RANKWISE_TAG_ANY = -1,                /* MPI_ANY_TAG */
  RANKWISE_TAG_UNKNOWN = -2             /* unknown, or different */
};

struct rankwise_communicator {
  uint64_t id;         /* the same on all members, and different from all other communicators' */
  uint64_t parent_id;  /* 0 = none */
  uint64_t group_hash; /* hash of the members' world ranks in order; 0 if the name doesn't need it */
  uint64_t created;    /* ticks */
  uint64_t freed;      /* ticks, 0 = not freed */
  uint32_t parent;     /* index of the parent on this process, RANKWISE_COMMUNICATOR_NONE = none or gone; of
                          MPI_Intercomm_create the local communicator: parent_id is 0 there, the sides have two */
  uint32_t sequence;   /* of the creating call on the parent, from 1; for BY_GROUP the occurrence, from 1; of a window
                        * or file the number among the parent's windows or files, from 1 */
  int32_t leader;      /* rank in the parent of the first process (BY_GROUP: its rank in MPI_COMM_WORLD) */
  int32_t tag;         /* for BY_GROUP, else 0 */
  int32_t rank;        /* this process's rank in it */
  int32_t size;        /* of the local group */
  int32_t remote_size; /* of the remote group, 0 for an intracommunicator */
  int32_t color;       /* MPI_Comm_split, MPI_Comm_split_type: arguments of this process */
  int32_t key;
  uint16_t procedure; /* the creating procedure */
  uint16_t flags;     /* rankwise_communicator_flags */
  char letter;        /* letter of the creating procedure in names */
  uint8_t topology;   /* rankwise_topology */
  uint8_t ndims;      /* MPI_Cart: number of dimensions; only the first 8 are kept */
  uint8_t reserved0;
  uint32_t periods; /* bit d = dimension d is periodic */
  uint32_t site;    /* of the creating call: index, or RANKWISE_SITE_UNKNOWN */
  uint32_t reserved1;
  int32_t dims[8];
  char user_name[64];  /* as set by MPI_Comm_set_name, cut to 63 bytes; of a file the end of its path */
  char string_tag[32]; /* string tag of its creation from a group, cut to 31 bytes; empty = a numeric tag */
};

/* Region 0 is the whole program. There is one record for each name inside each enclosing region. */
struct rankwise_region {
  char name[64];
  uint64_t entries;
  uint64_t ticks;  /* inside, nested regions included, closed entries only */
  uint64_t opened; /* ticks at which the open entry began, 0 = not open */
  uint32_t parent; /* index of the enclosing region, less than its own */
  uint32_t reserved0;
  uint64_t reserved[4];
};

/* The system counters of one region between MPI_Init and MPI_Finalize, in all threads, nested regions not included. */
struct rankwise_system_counters {
  uint32_t region;     /* index */
  uint32_t scaled;     /* bit = rankwise_system_counter: it was not counted all the time, and is extrapolated */
  uint64_t present;    /* bit = rankwise_system_counter: it was counted in this region */
  uint64_t values[12]; /* by rankwise_system_counter */
};

/* A processor of the node, by the kernel's number. Package and NUMA domain are the kernel's numbers; core and L3 cache
 * are the number of the lowest processor in them; -1 = not known. */
struct rankwise_processor {
  int32_t os;
  int32_t package;
  int32_t numa;
  int32_t l3;
  int32_t core;
  uint32_t l3_kib;
  uint32_t kind;       /* rankwise_core_kind */
  uint32_t busy_ticks; /* time used on it between MPI_Init and MPI_Finalize of the process that has recorded it, by any
                        * process, in 100ths of a second, plus 1; 0 = not known */
};

enum rankwise_core_kind { RANKWISE_CORE_ANY = 0, RANKWISE_CORE_PERFORMANCE = 1, RANKWISE_CORE_EFFICIENCY = 2 };

/* A device of the node that is near some processors. */
struct rankwise_device {
  char name[32];
  uint32_t kind; /* rankwise_device_kind */
  int32_t numa;  /* -1 = not known */
};

enum rankwise_device_kind { RANKWISE_DEVICE_NETWORK = 1, RANKWISE_DEVICE_GPU = 2 };

/* The kernel of the node. */
struct rankwise_kernel {
  char release[72]; /* of uname */
};

/* A port of a network adapter of the node, as the kernel reports it. */
struct rankwise_adapter_port {
  char device[32];
  char description[72]; /* of the adapter, as the fabric knows it */
  char rate[40];        /* 100 Gb/sec (4X EDR) */
  char link_layer[16];  /* InfiniBand, Ethernet */
  uint64_t node_guid;   /* 0 = not known */
  uint64_t port_guid;
  uint64_t subnet_prefix;
  uint32_t lid; /* 0 = none; also for sm_lid */
  uint32_t sm_lid;
  uint32_t lid_mask_count;
  uint32_t number; /* of the port on its adapter, from 1 */
  uint32_t state;  /* rankwise_port_state, the kernel's numbers */
  uint32_t reserved;
};

enum rankwise_port_state {
  RANKWISE_PORT_UNKNOWN = 0,
  RANKWISE_PORT_DOWN = 1,
  RANKWISE_PORT_INIT = 2,
  RANKWISE_PORT_ARMED = 3,
  RANKWISE_PORT_ACTIVE = 4,
  RANKWISE_PORT_DEFERRED = 5
};

/* A variable of the environment that selects the adapters of the MPI library, and its value. */
struct rankwise_rail_choice {
  char variable[40];
  char value[472];
};

/* A thread of the process, whether it calls MPI or not, when MPI_Finalize was called. */
struct rankwise_task {
  uint64_t allowed[16]; /* processors: bit p % 64 of word p / 64 */
  uint64_t busy_ms;     /* processor time */
  int32_t tid;
  int32_t cpu; /* that it ran on last */
  char name[16];
};

/* An MPI function that an object of the process refers to, and that Rankwise has no wrapper for. */
struct rankwise_import {
  char name[56];
};

/* An object that the loader has loaded, the program or a shared library, or a source file of Python. */
struct rankwise_object {
  char name[RANKWISE_MOST_OBJECT_BYTES]; /* its path, according to the loader or the interpreter */
  uint8_t build_id[RANKWISE_MOST_BUILD_ID_BYTES];
  uint32_t build_id_bytes; /* 0 = it has none */
  uint32_t kind;           /* rankwise_object_kind */
};

/* A place in an object that calls MPI. */
struct rankwise_site {
  uint64_t offset; /* of the address that the call returns to, from where the object is loaded; Python: the line */
  uint32_t object; /* index */
  uint32_t reserved;
};

/* The call paths of a site: a sample of its calls, by the functions on the way to the site.
 *
 * A call is in the sample with a probability that is known when it ends: one of so many at the site, more of the first
 * ones. In addition, calls are sampled by time, so that long ones are always included. Each call in the sample
 * represents 1 / probability calls.
 */
struct rankwise_path {
  uint64_t key;        /* a hash of procedure, site, flags and frames; 0 = row not in use */
  uint64_t samples;    /* calls in the sample */
  double calls;        /* that they represent: w, summed up */
  double ticks;        /* w t, summed up, where t is the time of a call */
  double calls_spread; /* w (w - 1), summed up: the variance of `calls` */
  double ticks_spread; /* w (w - 1) t^2, summed up */
  uint16_t site;       /* index */
  uint16_t procedure;
  uint16_t flags; /* rankwise_path_flags */
  uint16_t frame_count;
  uint16_t frames[8]; /* indices, outwards from the call of the function that contains the site */
};

enum rankwise_path_flags {
  RANKWISE_PATH_WHOLE = 1,   /* it begins at the start of the program or of a thread */
  RANKWISE_PATH_CUT = 2,     /* beyond the last frame, the unwind tables lack information */
  RANKWISE_PATH_NO_ROOM = 4, /* calls without room for their path: there are no frames */
  RANKWISE_PATH_PYTHON = 8   /* the last frame is called by the interpreter of Python, whose own frames are not kept */
};

/* Frame indices below RANKWISE_FIRST_FRAME are no frames. */
enum rankwise_paths {
  RANKWISE_FIRST_FRAME = 1, /* record 0 of the frames */
  RANKWISE_MOST_FRAMES = 4095,
  RANKWISE_MOST_PATHS = 2048, /* of a thread */
  RANKWISE_MOST_CALLERS = 7   /* kept of a path */
};

struct rankwise_calls {
  uint64_t key; /* 0 = row not in use */
  uint64_t calls;
  uint64_t bytes_sent;     /* really sent; collective: what this process contributes; file: written */
  uint64_t bytes_received; /* really received; collective: 0; file: read */
  uint64_t ticks;          /* sum over the calls */
  uint64_t min_ticks;
  uint64_t max_ticks;
  uint64_t reserved;
};

struct rankwise_messages {
  uint64_t key;
  uint64_t messages;
  uint64_t bytes;
  uint64_t reserved;
};

/* A destination of a transport. Peers of messages may be endpoints: the process of an endpoint is known when the files
 * of all processes are read, because each records its own.
 *
 * RATIONALE: transports know addresses, not ranks, and asking all others for theirs would need additional messages. */
struct rankwise_endpoint {
  uint64_t address[2]; /* hash of the transport's address, the same in all processes */
  uint32_t own;        /* 1: this process receives under this address */
  uint32_t reserved;
};

/* A collective of one shape. The messages inside it are kept for the first calls, to compare them with the messages of
 * known algorithms. All members of a communicator count its calls in the same way, so they keep the same ones. The
 * table is a sample: when it is full, further shapes have no pattern. */
struct rankwise_pattern {
  uint64_t size;         /* bytes of the message, as in size bins; RANKWISE_SIZE_VARIES = differs by process */
  uint64_t calls;        /* of this shape, on this process */
  uint32_t communicator; /* index */
  uint16_t procedure;
  uint16_t kept; /* rows are of the calls 1 to `kept`; at most RANKWISE_MOST_KEPT_CALLS */
  int32_t root;  /* rank in the communicator, -1 = none */
  uint32_t lost; /* messages of the kept calls that found no room or can't be distinguished from others' */
};

enum rankwise_patterns { RANKWISE_SIZE_VARIES = -1, RANKWISE_MOST_PATTERNS = 1024, RANKWISE_MOST_KEPT_CALLS = 2 };

/* Messages of one kept call to one peer. Several rows of the same call and peer add up. */
struct rankwise_pattern_row {
  uint32_t pattern; /* index */
  uint32_t call;    /* which of the calls of this shape, from 1 */
  uint32_t peer;    /* as in the keys of messages */
  uint32_t reserved;
  uint64_t messages;
  uint64_t bytes;
};

/* A collective on an intracommunicator, a window or a file, for which the arrivals of single instances are kept.
 * Instances are numbered from 1, in the same way on all members. Number n is kept if the low `shift` bits of a hash of
 * n (src/runtime/arrivals.h) are 0. (For collectives among neighbours, a hash of (n + 1) / 2, so that two are kept
 * together.) If there is no more room, `shift` grows, and instances that no longer qualify are removed. So all members
 * keep the same ones.
 *
 * In addition, once `shift` is more than 0, the calls with the longest steps are kept. A step is the time from one
 * collective on the communicator to the next. They are nearly the same on all members, too, because all wait for the
 * late one.
 *
 * Persistent collectives: start s of the i-th that was initialised, of one procedure, has the number i * 2^32 + s.
 *
 * RATIONALE: by a hash, because every 4th instance would always be the same call of a loop that has four of them. And
 * the longest, because a small sample misses the call in which a rank stops for seconds. */
struct rankwise_arrival_table {
  uint32_t communicator; /* index */
  uint16_t procedure;
  uint16_t shift;
  uint64_t traits; /* rankwise_traits, of all calls that have succeeded; 0 = not known: written by older versions */
  uint64_t starts; /* of persistent collectives; of others 0 */
};

/* Properties that may restrict the choice of an algorithm: at least one of the calls has had it. */
enum rankwise_traits {
  RANKWISE_TRAITS_KNOWN = 1,
  RANKWISE_TRAITS_NOT_COMMUTATIVE = 2, /* an operation that is not commutative */
  RANKWISE_TRAITS_ROUNDS = 4,          /* an operation whose result may depend on the order of the operands */
  RANKWISE_TRAITS_IN_PLACE = 8         /* MPI_IN_PLACE */
};

enum rankwise_arrivals {
  RANKWISE_MOST_ARRIVAL_TABLES = 256,
  RANKWISE_ARRIVALS_A_SECTION = 64,
  RANKWISE_MOST_ARRIVAL_SECTIONS = 2, /* of a table */
  RANKWISE_MOST_LONG_ARRIVALS = 24,   /* of a table, besides the sample; none of collectives that are only posted */
  RANKWISE_MOST_POSTED_ARRIVALS = 64  /* that are under way at a time */
};

/* One instance, on one process. */
struct rankwise_arrival {
  uint64_t instance; /* from 1; 0 = row not in use */
  uint64_t arrived;  /* ticks; of a collective that is only posted: when it was posted */
  uint64_t left;     /* ticks; if only posted: when the call ended that completed it */
  uint64_t entered;  /* ticks; if only posted: when that call began, or the first call that tested it; 0 = no such
                      * collective */
  uint64_t asked; /* ticks; if only posted: the time in these calls between `entered` and `left`. If one call completed
                   * several such collectives, its share of that; 0 = all */
  /* The step before it in ticks: since the thread left its previous blocking collective on the same communicator,
   * window or file (0 = none, or called by another thread), and the part in calls of MPI. If only posted: also since
   * the previous post, if that was later. */
  uint64_t since;
  uint64_t since_in_mpi;
  uint64_t left_key; /* key of the thread's latest call before, 0 = none */
  uint64_t bytes;    /* size of the message, as in size bins */
  int32_t root;      /* rank in the communicator, -1 = none */
  uint16_t table;    /* index */
  uint16_t region;   /* that the call was in */
};

/* The destinations of a process in the neighbourhood collectives of a communicator, unless they follow from its
 * dimensions. The last entry has no rank and marks the list as complete. */
struct rankwise_neighbour {
  uint32_t communicator; /* index */
  int32_t rank;          /* in the communicator, -1 = the end */
};

/* The activity of a thread in one interval of its time line: sums as in rankwise_calls, without MPI_Init, MPI_Finalize
 * and similar calls. The time of a call is in the intervals that it spans, everything else in the interval in which it
 * ended. */
struct rankwise_interval {
  uint64_t ticks; /* in MPI */
  uint64_t bytes_sent;
  uint64_t bytes_received;
  uint64_t messages; /* begun, inside collectives not included */
  uint64_t calls;
};

enum rankwise_time_lines { RANKWISE_MOST_INTERVALS = 256 };

/* The time line of a thread: intervals of equal width, 2^shift ticks; the first begins at first * 2^shift. If there is
 * no more room, neighbours are merged in place, an even number with the odd one that follows, and the width doubles; so
 * the intervals of all processes with one clock are aligned. Data of the thread's rows that is in no interval belongs
 * to the latest interval.
 *
 * RATIONALE: a process may be killed, and a reader may come, while intervals are merged. A reader reads from the
 * beginning to the end: if `merges_begun` then equals `merges_done`, the data in between is consistent. */
struct rankwise_time_line {
  uint64_t merges_done;
  uint64_t first;
  uint32_t shift;
  uint32_t used; /* intervals; calls end in the last one now */
  struct rankwise_interval intervals[RANKWISE_MOST_INTERVALS];
  uint64_t merges_begun;
};

/* A file as one communicator opens it in one mode. */
struct rankwise_file {
  uint64_t name_hash; /* of the whole name */
  uint64_t opens;
  uint32_t communicator; /* index on this process of the communicator that it was opened on */
  uint32_t mode;         /* rankwise_file_mode */
  uint32_t name_bytes;   /* of the whole name: if it is longer than `name`, its beginning is missing there */
  uint32_t own;          /* index of its record among the communicators; RANKWISE_COMMUNICATOR_NONE = it has none */
  uint64_t reserved;
  char name[RANKWISE_MOST_FILE_BYTES]; /* as given to MPI_File_open; without a zero at the end if it fills the room */
};

/* Calls on a file. Their times and bytes are in rankwise_calls, too. */
struct rankwise_accesses {
  uint64_t key; /* 0 = row not in use */
  uint64_t accesses;
  uint64_t bytes_read;
  uint64_t bytes_written;
  uint64_t ticks;
  uint64_t reserved[3];
};

/* A stream: the messages that one process sends to another on one communicator with one tag. MPI matches them in the
 * order in which they are sent, so both processes number them in the same way. The number of a receive counts the
 * receives of the stream in the order in which they were posted. */
struct rankwise_stream {
  uint64_t messages;     /* sent; or receives: posted, or completed if source or tag were wildcards */
  uint64_t latest_open;  /* latest receive with wildcards, by its number in the thread, that was open when one of the
                          * messages was counted and may have matched it; 0 = none */
  uint32_t communicator; /* index */
  uint32_t rank;         /* of the other process in the communicator, of an intercommunicator in the remote group */
  uint32_t peer;         /* its rank in MPI_COMM_WORLD */
  int32_t tag;
  uint32_t flags;  /* rankwise_stream_flags */
  uint32_t thread; /* index of the thread that counts */
};

enum rankwise_stream_flags {
  RANKWISE_STREAM_RECEIVES = 1, /* from the peer; else sent to it */
  RANKWISE_STREAM_BROKEN = 2    /* some may have been cancelled: no number is certain */
};

enum rankwise_streams { RANKWISE_NO_STREAM = -1, RANKWISE_MOST_STREAMS = 512, RANKWISE_MOST_SIDES = 1024 };

/* One side's record of a message in the sample. The sample is selected by the number in the stream, by tag and by pair
 * of processes, so that both sides keep the same messages; the reader joins them. */
struct rankwise_side {
  uint64_t number; /* in its stream, from 0 */
  uint64_t posted; /* ticks: the send or the receive */
  uint64_t began;  /* ticks: the call in which it completed, or that waited for it (PROBED); 0 = it was freed */
  uint64_t ended;
  uint64_t key; /* of the row of that call in rankwise_calls */
  uint64_t bytes;
  uint32_t stream;    /* index among the streams of the thread; RANKWISE_NO_STREAM: not known, or no message */
  uint32_t messages;  /* completed by that call, whether in the sample or not */
  uint16_t procedure; /* that posted it */
  uint16_t flags;     /* rankwise_side_flags */
  uint32_t thread;    /* index */
};

enum rankwise_side_flags {
  RANKWISE_SIDE_UNCERTAIN = 1, /* its number: receives with wildcards were open, ... */
  RANKWISE_SIDE_PROBED = 2,    /* the call waited for the message and left it to be received */
  /* The upper half: its place in the sample by time. 0 = by when it was posted, 255 = not in it, else after a stretch:
   * 1 + the periods since this began. */
  RANKWISE_SIDE_AFTER_SHIFT = 8
};

#endif
