-- The profile: one SQLite file, NAME.rankwise. docs/reference/profile-format.md explains every table and column.
-- Times in seconds (durations) or ISO 8601 with time zone (instants), sizes in bytes, ranks in MPI_COMM_WORLD.

PRAGMA application_id = 1380669265;  -- 'RKWQ': the file says what it is before any table is read
PRAGMA user_version = 2;             -- version of this schema

CREATE TABLE run (                   -- one row
  rankwise_version TEXT NOT NULL,
  command          TEXT NOT NULL,    -- JSON array: the words after `--`, as given
  executable       TEXT NOT NULL,    -- the MPI program, as the ranks saw it
  directory        TEXT NOT NULL,    -- working directory of the launch
  launcher         TEXT NOT NULL,    -- mpirun, mpiexec, srun, ... or '' (started directly)
  job              TEXT NOT NULL,    -- job id of the scheduler or launcher, or ''
  mpi_abi          TEXT NOT NULL,    -- openmpi, mpich, mpiabi
  mpi_library      TEXT NOT NULL,    -- first line of MPI_Get_library_version
  thread_level     TEXT NOT NULL,    -- single, funneled, serialized, multiple, unknown
  started          TEXT NOT NULL,    -- first rank entered MPI_Init
  stopped          TEXT NOT NULL,    -- end of the last rank, as far as it is known
  wall             REAL NOT NULL,    -- longest rank: MPI_Init entered to MPI_Finalize returned (or its end, as far as it is known)
  exit_status      INTEGER,          -- of the launch; NULL = unknown (recovered); 128 + n = signal n
  ranks_expected   INTEGER NOT NULL, -- size of MPI_COMM_WORLD
  ranks_seen       INTEGER NOT NULL, -- counters files that could be read
  partial          INTEGER NOT NULL, -- 1 = not every rank came to the end of MPI_Finalize
  partial_reason   TEXT NOT NULL,    -- one sentence, '' if complete
  not_covered      TEXT NOT NULL,    -- JSON array: MPI procedures that the program imports and Rankwise does not record, or that passed it by; null = unknown
  world            INTEGER NOT NULL DEFAULT 1, -- which of the launch's MPI_COMM_WORLDs this is, by start, from 1
  worlds           INTEGER NOT NULL DEFAULT 1, -- how many there were, one profile each
  only             TEXT NOT NULL DEFAULT '[]', -- JSON array: collectives inside of which messages were recorded; [] = all
  ended            TEXT DEFAULT NULL, -- when `rankwise run` noted the end of the job; NULL = not known, so neither is that of its ranks
  programs         TEXT NOT NULL DEFAULT '[]' -- JSON array: the command line of each program of the world, an array of words, as its first rank saw it
);

CREATE TABLE tags (                  -- what tells this run from others: `rankwise run --tag`, commit and branch
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE ranks (
  rank         INTEGER PRIMARY KEY,
  host         TEXT NOT NULL,
  pid          INTEGER NOT NULL,
  state        TEXT NOT NULL,        -- starting, running, finalizing, finalized, aborted, switched off
  abort_code   INTEGER,              -- argument of MPI_Abort
  cpus_allowed TEXT NOT NULL,        -- Linux list format, e.g. 0-3,8
  cpu_start    INTEGER,              -- processor it ran on when MPI_Init returned
  cpu_stop     INTEGER,              -- ... when MPI_Finalize was called
  started      TEXT NOT NULL,        -- MPI_Init entered
  stopped      TEXT NOT NULL,        -- MPI_Finalize returned, or its end, as far as it is known
  wall         REAL NOT NULL,
  user         REAL NOT NULL,        -- processor time of the process
  system       REAL NOT NULL,
  mpi          REAL NOT NULL,        -- sum of calls.seconds between MPI_Init and MPI_Finalize, those two not included
  init_finalize REAL NOT NULL,       -- time in MPI_Init and MPI_Finalize
  max_rss      INTEGER NOT NULL,     -- maximum resident memory, bytes
  threads      INTEGER NOT NULL,     -- most threads that called MPI and were alive at the same time
  overhead     REAL NOT NULL,        -- seconds of Rankwise itself: calls x measured cost + setup_overhead
  inside       TEXT,                 -- procedure that the rank was inside of when it ended without leaving it
  inside_communicator INTEGER REFERENCES communicators(id),
  inside_since TEXT,
  -- Whether the messages that the MPI library sends inside collectives were seen.
  transport       TEXT NOT NULL DEFAULT '',        -- the hook: openmpi-pml, ucx, ...; '' = none
  transport_state TEXT NOT NULL DEFAULT 'unknown', -- none (no hook fits), active, refused, disabled, stopped, unknown
  transport_sees  TEXT NOT NULL DEFAULT '',        -- of between-nodes, within-node, nonblocking; separated by blanks
  transport_note  TEXT NOT NULL DEFAULT '',        -- why it is not active
  run             REAL NOT NULL,     -- between MPI_Init returned and MPI_Finalize called (or last heartbeat)
  setup_overhead  REAL NOT NULL,     -- of overhead: processor time of Rankwise's part of MPI_Init and MPI_Finalize
  -- Whom the call waits for that the rank was inside of: world ranks, -1 = MPI_ANY_SOURCE, -2 = several; tags, -1 =
  -- MPI_ANY_TAG; NULL = nobody, or not known.
  inside_source          INTEGER DEFAULT NULL,     -- whose message
  inside_source_tag      INTEGER DEFAULT NULL,
  inside_destination     INTEGER DEFAULT NULL,     -- who has to take its message
  inside_destination_tag INTEGER DEFAULT NULL,
  -- The next six are of ranks that did not come to the end of MPI_Finalize. NULL = not known.
  last_call       TEXT DEFAULT NULL,               -- last instant at which it is known to have called MPI
  last_procedure  TEXT DEFAULT NULL,               -- procedure of the latest call that returned
  last_communicator INTEGER DEFAULT NULL REFERENCES communicators(id),
  gone            TEXT DEFAULT NULL,               -- when the process was seen to be gone
  signal          INTEGER DEFAULT NULL,            -- that ended it
  exit_code       INTEGER DEFAULT NULL,            -- that it ended with
  -- Where it counted: shm, tmpdir, anonymous (memory without a name), own (nobody else saw it), unknown.
  memory          TEXT NOT NULL DEFAULT 'unknown',
  -- NULL = not known. An error without an offset: the clocks were not compared, and the collectives of the program tell.
  clock_offset    REAL DEFAULT NULL,               -- seconds that the node's clock is ahead of that of rank 0's node, in MPI_Init
  clock_error     REAL DEFAULT NULL                -- seconds by which the times in `arrivals` may be off, at most
);

CREATE TABLE launcher_ranks (        -- empty unless Rankwise gave MPI_COMM_WORLD another order than the launcher's
  rank          INTEGER PRIMARY KEY REFERENCES ranks(rank),
  launcher_rank INTEGER NOT NULL     -- of the same process, in the launcher's order
);

CREATE TABLE communicators (
  id           INTEGER PRIMARY KEY,  -- 0 none, 1 several, 2 other; from 3 real ones, MPI_COMM_WORLD = 3
  name         TEXT NOT NULL UNIQUE, -- ancestry, e.g. W_a1_u2.0, W_w1, W_f1; (none), (several), (other)
  family       TEXT NOT NULL,        -- the name without what tells the members: communicators made alike, on all parts of their parents
  user_name    TEXT NOT NULL,        -- MPI_Comm_set_name, MPI_Win_set_name, of a file its path; '' if not set
  parent       INTEGER REFERENCES communicators(id),
  procedure    TEXT NOT NULL,        -- creating procedure, '' for predefined ones
  size         INTEGER NOT NULL,     -- processes of the (local) group; 0 for 0..2
  remote_size  INTEGER NOT NULL,     -- processes of the remote group, 0 = intracommunicator
  members      TEXT NOT NULL,        -- world ranks by rank in the communicator, compact: 0-3,8,12-96:4 (:stride)
  topology     TEXT NOT NULL,        -- '', cart, graph, dist_graph
  dims         TEXT NOT NULL,        -- JSON array, cart only
  periods      TEXT NOT NULL,        -- JSON array of 0/1
  reorder      INTEGER NOT NULL,     -- 1 = reordering was asked for
  created      REAL NOT NULL,        -- seconds after run.started, earliest member
  freed        REAL,                 -- seconds after run.started, latest member; NULL = not freed
  members_seen INTEGER NOT NULL,     -- members whose counters were read
  reordered    INTEGER NOT NULL DEFAULT 0, -- 1 = by Rankwise, for the machine (rankwise run --reorder)
  remote_members TEXT NOT NULL DEFAULT '', -- of the remote group, likewise; '' = an intracommunicator
  remote_parent INTEGER DEFAULT NULL REFERENCES communicators(id), -- that MPI_Intercomm_create made the remote group from
  type         TEXT NOT NULL DEFAULT 'communicator', -- what it is: communicator; window, file (made from, opened on its parent)
  -- Where the creating call was made; NULL = not known: predefined communicators.
  created_in   TEXT DEFAULT NULL,    -- name of the object's file: libfftw3_mpi.so.3
  site         INTEGER DEFAULT NULL REFERENCES sites(id)
);

CREATE TABLE objects (               -- programs, shared libraries and files of Python that calls were made in
  id         INTEGER PRIMARY KEY,    -- from 1
  path       TEXT NOT NULL,          -- as the loader or the interpreter has it; a long one without its beginning
  build_id   TEXT NOT NULL,          -- NT_GNU_BUILD_ID, hexadecimal; '' = it has none
  is_program INTEGER NOT NULL,       -- 1 = the program itself; 2 = a library that counts as it: the program is all in it
  is_python  INTEGER NOT NULL DEFAULT 0 -- 1 = a source file of Python
);

CREATE TABLE sites (                 -- places that call MPI
  id     INTEGER PRIMARY KEY,        -- from 1
  object INTEGER NOT NULL REFERENCES objects(id),
  offset INTEGER NOT NULL,           -- of the address that the call returns to, from where the object is loaded;
                                     -- of a file of Python the line
  -- As the symbols and the debug information of the object tell; NULL = they don't, or were not at hand.
  function TEXT DEFAULT NULL,
  file   TEXT DEFAULT NULL,          -- path, as the compiler was given it
  line   INTEGER DEFAULT NULL        -- from 1
);

CREATE TABLE frames (                -- places that calls of MPI came through: as `sites`
  id     INTEGER PRIMARY KEY,
  object INTEGER NOT NULL REFERENCES objects(id),
  offset INTEGER NOT NULL,
  function TEXT DEFAULT NULL,
  file   TEXT DEFAULT NULL,
  line   INTEGER DEFAULT NULL
);

CREATE TABLE paths (                 -- how calls came to their sites: a sample of them, over all ranks
  id             INTEGER PRIMARY KEY, -- from 1
  site           INTEGER NOT NULL REFERENCES sites(id),
  procedure      INTEGER NOT NULL REFERENCES procedures(id),
  frames         TEXT NOT NULL,       -- ids of frames, from the caller of the site's function outwards: 3,8,1; '' = none
  ends           TEXT NOT NULL,       -- whole: where the program or a thread begins; more: further frames are not kept;
                                      -- cut: the stack could not be followed further; python: the interpreter
                                      -- calls the last one; unknown: no room for the path
  ranks          INTEGER NOT NULL,    -- that have such calls in their samples
  samples        INTEGER NOT NULL,    -- calls in the sample
  calls          REAL NOT NULL,       -- that they stand for: w each, the inverse of the probability to be in the sample
  seconds        REAL NOT NULL,       -- likewise: w t
  calls_spread   REAL NOT NULL,       -- sum of w (w - 1): the variance of `calls`
  seconds_spread REAL NOT NULL        -- sum of w (w - 1) t^2: that of `seconds`
);

CREATE TABLE regions (               -- a name inside an enclosing region: the same name inside another one is another row
  id     INTEGER PRIMARY KEY,        -- 0 = the whole program, 4095 = other
  name   TEXT NOT NULL,
  parent INTEGER DEFAULT NULL REFERENCES regions(id), -- enclosing region; NULL = of ids 0 and 4095
  path   TEXT NOT NULL DEFAULT ''    -- names from the outermost region to this one, with slashes between them
);

CREATE TABLE region_times (
  rank    INTEGER NOT NULL REFERENCES ranks(rank),
  region  INTEGER NOT NULL REFERENCES regions(id),
  entries INTEGER NOT NULL,
  seconds REAL NOT NULL,             -- inclusive: wall time inside, nested regions included
  exclusive REAL NOT NULL,           -- likewise, nested regions not included
  PRIMARY KEY (rank, region)
) WITHOUT ROWID;

CREATE TABLE procedures (
  id    INTEGER PRIMARY KEY,         -- 0 = (not attributed): messages inside collectives whose call is not known
  name  TEXT NOT NULL UNIQUE,        -- MPI_Send, ...; a large-count binding is booked on its procedure
  class TEXT NOT NULL                -- point-to-point, probe, completion, collective, neighbourhood, communicator, environment, ...
);

-- What the ranks counted is packed; the view `calls` shows it. A place is a site of a rank, on a
-- communicator.
CREATE TABLE call_places (
  id           INTEGER PRIMARY KEY,
  rank         INTEGER NOT NULL REFERENCES ranks(rank),
  communicator INTEGER NOT NULL REFERENCES communicators(id),
  site         INTEGER DEFAULT NULL REFERENCES sites(id)
);

CREATE TABLE call_counts (
  id             INTEGER PRIMARY KEY, -- ((place * 4096 + region) * 2048 + procedure) * 128 + size_bin
  calls          INTEGER NOT NULL,
  bytes_sent     INTEGER NOT NULL,
  bytes_received INTEGER NOT NULL,
  ns             INTEGER NOT NULL,    -- nanoseconds
  min_ns         INTEGER NOT NULL,
  max_ns         INTEGER NOT NULL,
  unfinished     INTEGER NOT NULL
);

CREATE VIEW calls AS SELECT
  rank,                              -- of ranks
  communicator,                      -- of communicators
  call_counts.id >> 18 & 4095 AS region,
  call_counts.id >> 7 & 2047 AS procedure,
  call_counts.id & 127 AS size_bin,  -- 0 = no bytes, k = 2^(k-1) .. 2^k - 1 bytes, 127 = other, and calls that never returned
  calls,
  bytes_sent,                        -- point-to-point, one-sided: really sent; collective: this process's contribution; file: written
  bytes_received,                    -- point-to-point, one-sided: really received; collective: 0; file: read
  ns / 1e9 AS seconds,
  min_ns / 1e9 AS min,               -- shortest and longest single call, seconds
  max_ns / 1e9 AS max,
  unfinished                         -- calls that never returned: not in `calls`; in `seconds` up to the end of the rank
  , site                             -- of sites: where the call was made; NULL = not known
FROM call_counts JOIN call_places ON call_places.id = call_counts.id >> 30;

-- Sums of `calls` and `messages`, kept so that no reader has to go through all rows for them.
CREATE TABLE rank_sums (
  rank           INTEGER PRIMARY KEY,
  calls          INTEGER NOT NULL,
  bytes_sent     INTEGER NOT NULL,
  bytes_received INTEGER NOT NULL,
  calls_between  INTEGER NOT NULL,   -- of the calls, those between MPI_Init and MPI_Finalize
  top            INTEGER NOT NULL    -- of these, the procedure with the most time; 0 = there are none
);

CREATE TABLE procedure_sums (
  procedure INTEGER PRIMARY KEY,
  ranks     INTEGER NOT NULL,        -- that called it
  min       REAL NOT NULL,
  max       REAL NOT NULL
);

CREATE TABLE family_sums (
  family         TEXT NOT NULL,      -- of communicators
  region         INTEGER NOT NULL,
  procedure      INTEGER NOT NULL,
  size_bin       INTEGER NOT NULL,
  calls          INTEGER NOT NULL,
  bytes_sent     INTEGER NOT NULL,
  bytes_received INTEGER NOT NULL,
  seconds        REAL NOT NULL,
  unfinished     INTEGER NOT NULL,
  PRIMARY KEY (family, region, procedure, size_bin)
) WITHOUT ROWID;

CREATE TABLE communicator_sums (
  communicator   INTEGER NOT NULL,
  procedure      INTEGER NOT NULL,
  ranks          INTEGER NOT NULL,   -- that called it
  with_data      INTEGER NOT NULL,   -- 1 = not only with size 0
  calls          INTEGER NOT NULL,
  bytes_sent     INTEGER NOT NULL,
  bytes_received INTEGER NOT NULL,
  seconds        REAL NOT NULL,
  unfinished     INTEGER NOT NULL,
  least_calls    INTEGER NOT NULL,   -- of one of these ranks
  most_calls     INTEGER NOT NULL,
  least_seconds  REAL NOT NULL,
  most_seconds   REAL NOT NULL,
  PRIMARY KEY (communicator, procedure)
) WITHOUT ROWID;

-- How the ranks share the time: of calls between MPI_Init and MPI_Finalize, each rank's seconds added up first.
CREATE TABLE procedure_spreads (
  procedure     INTEGER PRIMARY KEY,
  ranks         INTEGER NOT NULL,    -- that called it
  seconds       REAL NOT NULL,
  least_seconds REAL NOT NULL,       -- of one of these ranks
  least_rank    INTEGER NOT NULL,    -- the lowest rank with it
  most_seconds  REAL NOT NULL,
  most_rank     INTEGER NOT NULL,
  callers       TEXT NOT NULL        -- these ranks, in any order, compact as communicators.members
);

CREATE TABLE communicator_spreads (
  communicator  INTEGER PRIMARY KEY,
  ranks         INTEGER NOT NULL,
  seconds       REAL NOT NULL,
  least_seconds REAL NOT NULL,
  least_rank    INTEGER NOT NULL,
  most_seconds  REAL NOT NULL,
  most_rank     INTEGER NOT NULL,
  callers       TEXT NOT NULL
);

CREATE TABLE family_spreads (
  family        TEXT PRIMARY KEY,    -- of communicators
  ranks         INTEGER NOT NULL,
  seconds       REAL NOT NULL,
  least_seconds REAL NOT NULL,
  least_rank    INTEGER NOT NULL,
  most_seconds  REAL NOT NULL,
  most_rank     INTEGER NOT NULL,
  callers       TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE call_spreads (
  communicator  INTEGER NOT NULL,
  procedure     INTEGER NOT NULL,
  ranks         INTEGER NOT NULL,
  seconds       REAL NOT NULL,
  least_seconds REAL NOT NULL,
  least_rank    INTEGER NOT NULL,
  most_seconds  REAL NOT NULL,
  most_rank     INTEGER NOT NULL,
  callers       TEXT NOT NULL,
  PRIMARY KEY (communicator, procedure)
) WITHOUT ROWID;

CREATE TABLE host_sums (
  host           TEXT,               -- of the sender; NULL = not known
  kind           TEXT NOT NULL,      -- of messages
  messages       INTEGER NOT NULL,
  bytes_on_node  INTEGER NOT NULL,   -- to ranks of the same host
  bytes_off_node INTEGER NOT NULL,   -- to ranks of other hosts
  bytes_unplaced INTEGER NOT NULL    -- where the host of one end is not known
);

CREATE TABLE messages (
  source       INTEGER NOT NULL,     -- world rank, where the data comes from; -1, -2 as below
  destination  INTEGER NOT NULL,     -- world rank; -1 = not in MPI_COMM_WORLD or not known, -2 = other (no room for a row)
  communicator INTEGER NOT NULL REFERENCES communicators(id),
  kind         TEXT NOT NULL,        -- point-to-point, in-collective, one-sided
  procedure    INTEGER NOT NULL REFERENCES procedures(id),
  messages     INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,
  PRIMARY KEY (source, destination, communicator, kind, procedure)
) WITHOUT ROWID;

CREATE TABLE files (                 -- a file as one communicator opened it in one mode; empty = no MPI-IO
  id           INTEGER PRIMARY KEY,  -- 0 = other: files without a record
  name         TEXT NOT NULL,        -- as given to MPI_File_open; a long one without its beginning, after an ellipsis
  communicator INTEGER NOT NULL REFERENCES communicators(id),
  mode         TEXT NOT NULL,        -- create, rdonly, wronly, rdwr, append, ..., separated by blanks
  opens        INTEGER NOT NULL,     -- summed over the ranks
  name_hash    TEXT NOT NULL,        -- of the whole name: tells apart what was cut to the same name
  named        INTEGER DEFAULT NULL REFERENCES communicators(id) -- its own row there, e.g. W_f1; NULL = it has none
);

CREATE TABLE file_accesses (         -- calls on files; the same calls are in `calls`
  rank          INTEGER NOT NULL REFERENCES ranks(rank),
  file          INTEGER NOT NULL REFERENCES files(id),
  procedure     INTEGER NOT NULL REFERENCES procedures(id),
  accesses      INTEGER NOT NULL,    -- calls of the procedure
  bytes_read    INTEGER NOT NULL,    -- really read and written
  bytes_written INTEGER NOT NULL,
  seconds       REAL NOT NULL,       -- inside these calls
  PRIMARY KEY (rank, file, procedure)
) WITHOUT ROWID;

CREATE TABLE patterns (              -- a collective of one shape; its messages are kept for one call
  id           INTEGER PRIMARY KEY,
  communicator INTEGER NOT NULL REFERENCES communicators(id),
  procedure    INTEGER NOT NULL REFERENCES procedures(id),
  root         INTEGER,              -- rank in the communicator; NULL = none
  size         INTEGER,              -- of the message, bytes, as in size bins; NULL = differs by process
  calls        INTEGER NOT NULL,     -- of one process; of the process with the most
  kept_call    INTEGER NOT NULL,     -- which call's messages are in pattern_messages, from 1: the latest that all kept; 0 = none
  complete     INTEGER NOT NULL      -- 1 = they are all that this call sent as far as the hook sees: no process is missing
);

CREATE TABLE pattern_messages (
  pattern      INTEGER NOT NULL REFERENCES patterns(id),
  source       INTEGER NOT NULL,     -- rank in the communicator
  destination  INTEGER NOT NULL,     -- rank in the communicator
  messages     INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,
  PRIMARY KEY (pattern, source, destination)
) WITHOUT ROWID;

CREATE TABLE waits (                 -- calls that waited for messages, or for something else by MPI_Wait and its kin: a sample
  id           INTEGER PRIMARY KEY,
  rank         INTEGER NOT NULL REFERENCES ranks(rank),
  communicator INTEGER NOT NULL REFERENCES communicators(id),
  region       INTEGER NOT NULL REFERENCES regions(id),
  procedure    INTEGER NOT NULL REFERENCES procedures(id),
  began        REAL NOT NULL,        -- seconds after run.started, by the clock of rank 0's node
  ended        REAL NOT NULL,
  messages     INTEGER NOT NULL,     -- that it completed; 0 = it waited for no message
  sampled      INTEGER NOT NULL,     -- of them, in the sample by number; 1 = a call that waited for no message is
  known        INTEGER NOT NULL,     -- 1 = which messages they were is certain, and both sides kept their times
  stretch      INTEGER DEFAULT NULL  -- number of the stretch of the sample by time in which it began; NULL = not in it
);

CREATE TABLE wait_messages (         -- the messages of the waits that are known
  wait            INTEGER NOT NULL REFERENCES waits(id),
  source          INTEGER NOT NULL,  -- world rank
  destination     INTEGER NOT NULL,  -- world rank
  communicator    INTEGER NOT NULL REFERENCES communicators(id),
  tag             INTEGER NOT NULL,
  number          INTEGER NOT NULL,  -- among the messages with these ends on this communicator with this tag, from 0
  bytes           INTEGER NOT NULL,
  sends           INTEGER NOT NULL,  -- 1 = the waiting rank is the source
  procedure       INTEGER NOT NULL REFERENCES procedures(id), -- that posted the waiting rank's send or receive
  posted          REAL NOT NULL,     -- when, seconds after run.started; of MPI_Probe and MPI_Mprobe: the probe
  other_procedure INTEGER NOT NULL REFERENCES procedures(id), -- the same of the other rank
  other_posted    REAL NOT NULL
);
CREATE TABLE open_messages (         -- of a partial run: messages that only one side has asked for when it ended
  source       INTEGER NOT NULL,     -- world rank; -1 = any: not all that the destination has received is known
  destination  INTEGER NOT NULL,     -- world rank; -1 = any: not all that the source has sent is known
  communicator INTEGER REFERENCES communicators(id), -- NULL with -1
  tag          INTEGER,              -- NULL with -1
  sent         INTEGER,              -- how many with these ends on this communicator with this tag; NULL = not known
  received     INTEGER               -- likewise; also receives that wait for theirs
);

CREATE TABLE arrivals (              -- collectives: when each member came and left, a sample of the instances, and the longest
  communicator INTEGER NOT NULL REFERENCES communicators(id),
  procedure    INTEGER NOT NULL REFERENCES procedures(id),
  instance     INTEGER NOT NULL,     -- which call of this procedure on this communicator, from 1; all members are there
  rank         INTEGER NOT NULL REFERENCES ranks(rank),
  root         INTEGER,              -- world rank; NULL = none
  region       INTEGER NOT NULL REFERENCES regions(id),
  bytes        INTEGER NOT NULL,     -- of the message, as in size bins
  arrival      REAL NOT NULL,        -- seconds after run.started, by the clock of rank 0's node
  departure    REAL NOT NULL,
  since        REAL,                 -- seconds from the rank's departure from its collective before on this communicator; NULL = none
  since_in_mpi REAL,                 -- of these, in MPI
  before       INTEGER REFERENCES procedures(id), -- the rank's latest call before; NULL = none
  before_communicator INTEGER REFERENCES communicators(id),
  in_sample    INTEGER NOT NULL DEFAULT 1, -- 1 = the instance is in the sample; 0 = kept beside it, as one of the longest
  entered      REAL DEFAULT NULL,    -- of a collective that was only posted: when the call began that completed it, or the first that asked for it; NULL = arrival
  asked        REAL DEFAULT NULL,    -- likewise, seconds: of the time from entered to departure, in these calls for it; NULL = all
  PRIMARY KEY (communicator, procedure, instance, rank)
) WITHOUT ROWID;

CREATE TABLE starts (                -- persistent collectives: how often each member has started one
  communicator INTEGER NOT NULL REFERENCES communicators(id),
  procedure    INTEGER NOT NULL REFERENCES procedures(id), -- that initialised them
  starts       INTEGER NOT NULL,
  PRIMARY KEY (communicator, procedure)
) WITHOUT ROWID;

CREATE TABLE neighbours (            -- graphs with collectives among neighbours: who sends to whom; no rows = not known
  communicator INTEGER NOT NULL REFERENCES communicators(id),
  source       INTEGER NOT NULL,     -- world rank
  destination  INTEGER NOT NULL,     -- likewise
  PRIMARY KEY (communicator, source, destination)
) WITHOUT ROWID;

CREATE TABLE collective_traits (     -- blocking collectives: what any call has had, on any member; no row = not known
  communicator    INTEGER NOT NULL REFERENCES communicators(id),
  procedure       INTEGER NOT NULL REFERENCES procedures(id),
  not_commutative INTEGER NOT NULL,  -- 1 = an operation that is not commutative
  rounds          INTEGER NOT NULL,  -- 1 = an operation whose result may depend on the order of the operands
  in_place        INTEGER NOT NULL,  -- 1 = MPI_IN_PLACE
  PRIMARY KEY (communicator, procedure)
) WITHOUT ROWID;

CREATE TABLE time_axis (             -- one row, or none: the intervals of all ranks
  begin     REAL NOT NULL,           -- of interval 0: seconds after run.started, by the clock of rank 0's node
  width     REAL NOT NULL,           -- of each, seconds
  intervals INTEGER NOT NULL         -- how many
);

CREATE TABLE time_lines (            -- ranks of which it is known what they did when
  rank  INTEGER PRIMARY KEY REFERENCES ranks(rank),
  begin REAL NOT NULL,               -- MPI_Init returned; seconds after run.started, by the clock of rank 0's node
  end   REAL NOT NULL                -- MPI_Finalize called, or the rank's end, as far as it is known
);

CREATE TABLE intervals (             -- what ranks did in each interval, MPI_Init and MPI_Finalize not included; none of zero
  rank           INTEGER NOT NULL REFERENCES time_lines(rank),
  interval       INTEGER NOT NULL,   -- from 0; it begins at time_axis.begin + interval * time_axis.width
  seconds        REAL NOT NULL,      -- in MPI
  bytes_sent     INTEGER NOT NULL,   -- as in calls, of the calls that ended in it
  bytes_received INTEGER NOT NULL,
  messages       INTEGER NOT NULL,   -- point-to-point and one-sided, begun by this rank
  calls          INTEGER NOT NULL,
  PRIMARY KEY (rank, interval)
) WITHOUT ROWID;

CREATE TABLE node_shapes (           -- what each node is like inside
  host  TEXT PRIMARY KEY,
  shape INTEGER NOT NULL             -- the same number = alike
);

CREATE TABLE shape_processors (      -- processors that are online, as the kernel numbers them; NULL = not known
  shape     INTEGER NOT NULL,
  processor INTEGER NOT NULL,
  package   INTEGER,                 -- socket
  numa      INTEGER,                 -- domain of memory
  l3        INTEGER,                 -- cache: the lowest processor that shares it
  core      INTEGER,                 -- the lowest processor in it
  l3_bytes  INTEGER,
  kind      TEXT NOT NULL,           -- of the core: any, performance, efficiency
  PRIMARY KEY (shape, processor)
) WITHOUT ROWID;

CREATE TABLE shape_devices (
  shape INTEGER NOT NULL,
  kind  TEXT NOT NULL,               -- network, gpu
  name  TEXT NOT NULL,               -- of the kernel: mlx5_0, eth0, card0
  numa  INTEGER                      -- domain of memory that it is near to; NULL = not known
);

CREATE TABLE kernels (               -- nodes whose kernel is known
  host    TEXT PRIMARY KEY,
  release TEXT NOT NULL              -- of Linux, as `uname -r` prints it
);

CREATE TABLE adapters (              -- ports of the network adapters of each node, as its kernel tells it
  host             TEXT NOT NULL,
  device           TEXT NOT NULL,    -- of the kernel: mlx5_0, hfi1_0
  port             INTEGER NOT NULL, -- number on the adapter, from 1
  node_guid        TEXT,             -- of the adapter, 0x and 16 hexadecimal digits; NULL = not known, as in all that follow
  node_description TEXT NOT NULL,    -- by which fabrics know the adapter: node01 mlx5_0
  port_guid        TEXT NOT NULL,    -- likewise
  subnet_prefix    TEXT,             -- likewise
  lid              INTEGER,          -- the lowest one of the port; NULL = it has none
  lid_mask_count   INTEGER,          -- it has 2 to the power of this many LIDs
  sm_lid           INTEGER,          -- of the subnet's manager; NULL = none
  state            TEXT NOT NULL,    -- down, init, armed, active, deferred, unknown
  rate             TEXT NOT NULL,    -- 100 Gb/sec (4X EDR)
  link_layer       TEXT NOT NULL,    -- InfiniBand, Ethernet
  PRIMARY KEY (host, device, port)
) WITHOUT ROWID;

CREATE TABLE rail_choices (          -- variables of the environment that choose adapters for the MPI library
  rank     INTEGER NOT NULL REFERENCES ranks(rank),
  variable TEXT NOT NULL,            -- UCX_NET_DEVICES, ...
  value    TEXT NOT NULL,
  PRIMARY KEY (rank, variable)
) WITHOUT ROWID;

CREATE TABLE network_ports (         -- what the kernel of each node counted, from its first sample to its last; empty = no samples
  id                INTEGER PRIMARY KEY, -- from 1
  host              TEXT NOT NULL,
  device            TEXT NOT NULL,   -- of the kernel: mlx5_0, eth0, cxi0; TCP of the node
  port              INTEGER,         -- number on the adapter, from 1; NULL = its ports have no numbers
  kind              TEXT NOT NULL,   -- infiniband (also Omni-Path and RoCE), ethernet, slingshot, tcp
  begin             REAL NOT NULL,   -- of the first sample: seconds after run.started, by the clock of rank 0's node
  end               REAL NOT NULL,   -- of the last sample
  sent_bytes        INTEGER,         -- with headers; NULL = not counted, or reset meanwhile, as in all that follow
  received_bytes    INTEGER,
  sent_packets      INTEGER,
  received_packets  INTEGER,
  wait_ticks        INTEGER,         -- while the port had data to send, and could not
  symbol_errors     INTEGER,
  receive_errors    INTEGER,
  send_errors       INTEGER,
  discards          INTEGER,
  link_downs        INTEGER,
  link_recoveries   INTEGER,
  retransmissions   INTEGER,
  congestion_marks  INTEGER
);

CREATE TABLE network_samples (       -- the same between two samples; none of zero
  port              INTEGER NOT NULL REFERENCES network_ports(id),
  begin             REAL NOT NULL,   -- seconds after run.started, by the clock of rank 0's node
  end               REAL NOT NULL,
  sent_bytes        INTEGER,
  received_bytes    INTEGER,
  sent_packets      INTEGER,
  received_packets  INTEGER,
  wait_ticks        INTEGER,
  PRIMARY KEY (port, begin)
) WITHOUT ROWID;

CREATE TABLE places (                -- where each rank ran in its node
  rank          INTEGER PRIMARY KEY REFERENCES ranks(rank),
  seen          TEXT NOT NULL,       -- processors that it was seen on, Linux list format
  looks         INTEGER NOT NULL,    -- how often that was asked
  moves         INTEGER NOT NULL,    -- of these, it was another one than the time before
  cpus_stop     TEXT,                -- processors that it might use at MPI_Finalize, Linux list format; NULL = not known
  omp_threads   INTEGER,             -- OMP_NUM_THREADS, of the outermost level; NULL = not set
  omp_proc_bind TEXT NOT NULL,       -- OMP_PROC_BIND, '' = not set
  omp_places    TEXT NOT NULL,       -- OMP_PLACES, '' = not set
  tasks         INTEGER,             -- threads of all kinds at MPI_Finalize; NULL = not known
  computing     INTEGER,             -- most threads that were seen to compute at a time, also such as had ended; NULL = not known
  run_queue_wait REAL                -- that its threads were ready between MPI_Init and MPI_Finalize and had no processor, summed; NULL = not known
);

CREATE TABLE node_use (              -- how busy the processors were that the ranks of a node may use; nodes where it is known
  host       TEXT PRIMARY KEY,
  processors INTEGER NOT NULL,       -- how many
  busy       REAL NOT NULL,          -- processor time that anything took of them, ranks and others
  seconds    REAL NOT NULL           -- in which it did: between MPI_Init and MPI_Finalize of one of the ranks
);

CREATE TABLE tasks (                 -- threads that there were at MPI_Finalize, at most 256 of a rank
  rank         INTEGER NOT NULL REFERENCES ranks(rank),
  tid          INTEGER NOT NULL,     -- kernel's thread id
  name         TEXT NOT NULL,        -- of the thread
  cpus_allowed TEXT NOT NULL,        -- Linux list format
  processor    INTEGER,              -- that it ran on last
  busy         REAL NOT NULL,        -- processor time, seconds
  PRIMARY KEY (rank, tid)
) WITHOUT ROWID;

CREATE TABLE system_counters (       -- between MPI_Init and MPI_Finalize, in all threads of a rank; NULL = was not counted
  rank                 INTEGER NOT NULL REFERENCES ranks(rank),
  region               INTEGER NOT NULL REFERENCES regions(id), -- what is in nested regions is in their rows alone
  voluntary_switches   INTEGER,      -- context switches: it waited
  involuntary_switches INTEGER,      -- context switches: another one was given its processor
  minor_faults         INTEGER,      -- page faults without a disk
  major_faults         INTEGER,      -- page faults that had to wait for a disk
  task_clock           REAL,         -- processor time
  migrations           INTEGER,      -- from one processor to another
  instructions         INTEGER,      -- of the program, not of the kernel, as the next two
  cycles               INTEGER,
  floating_point_operations INTEGER,
  scaled               INTEGER NOT NULL, -- 1 = some of them are extrapolated: they were not counted all the time
  PRIMARY KEY (rank, region)
) WITHOUT ROWID;

CREATE TABLE absent_counters (       -- columns of `system_counters` that were not counted
  counter TEXT NOT NULL,             -- the column
  reason  TEXT NOT NULL,
  ranks   TEXT NOT NULL              -- on which ranks, compact as communicators.members
);

CREATE TABLE dropped (               -- what could not be recorded; empty = nothing
  rank  INTEGER NOT NULL,
  what  TEXT NOT NULL,               -- names of enum rankwise_dropped, lower case
  count INTEGER NOT NULL,
  PRIMARY KEY (rank, what)
) WITHOUT ROWID;

CREATE TABLE warnings (              -- one sentence each: a file cut short, volumes that do not agree, ...
  id   INTEGER PRIMARY KEY,
  text TEXT NOT NULL
);

CREATE TABLE diagnosis (             -- what is concluded from all tables, so that large profiles open at once; none = not made
  rules TEXT NOT NULL,               -- version of the rules that made it; others make it anew
  content TEXT NOT NULL              -- JSON
);
