#include "node_memory.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "clock.h"
#include "hash.h"
#include "keeper.h"
#include "kernel_files.h"
#include "report.h"
#include "write_signals.h"

namespace rankwise::node_memory {
namespace {

constexpr int longest_wait_ms = 2000;  // of the last process, for the keeper
constexpr int tries = 100;             // a millisecond apart, while a keeper removes saved counters
constexpr char default_save_every_ms[] = "10000";

char place[4096] = "";  // the directory; empty = none exists
char own_name[sizeof(rankwise_node_entry::name)] = "";
char own_host[64] = "";
rankwise_memory memory = RANKWISE_MEMORY_OWN;
bool has_started_keeper = false;
rankwise_control *control = nullptr;
// Without a directory, the keeper serves only this process.
int lonely_control = -1;
int lonely_file = -1;
int lonely_bell[2] = {-1, -1};

const char *run_directory = nullptr;

// Accepts only memory, or a disk of the node: no file systems that other nodes see, too.
bool is_of_this_node(const struct statfs &about) {
  static constexpr unsigned long kinds[] = {
      0x01021994,  // tmpfs
      0x858458F6,  // ramfs
      0xEF53,      // ext2, ext3, ext4
      0x58465342,  // xfs
      0x9123683E,  // btrfs
      0x2FC12FC1,  // zfs
      0xF2F52010,  // f2fs
      0x794C7630,  // overlay
  };
  for (const unsigned long kind : kinds) {
    if (static_cast<unsigned long>(about.f_type) == kind) return true;
  }
  return false;
}

// Whether counters would have room if they grow to their maximum. (A file system without a limit reports no size.)
bool has_room(const struct statfs &about) {
  return about.f_blocks == 0 || about.f_bavail * static_cast<unsigned long>(about.f_bsize) >= RANKWISE_MOST_BYTES;
}

bool about(int file, struct statfs *it) { return syscall(SYS_fstatfs, file, it) == 0; }

std::uint64_t pid_namespace() {
  char name[64] = "";
  unsigned long long inode = 0;
  const ssize_t length = readlink("/proc/self/ns/pid", name, sizeof name - 1);
  if (length <= 0 || sscanf(name, "pid:[%llu]", &inode) != 1) return 0;
  return inode;
}

// The number that `rankwise run` has drawn for this run: others have had, or will have, the same directory.
std::uint32_t run_number() {
  const char *number = std::getenv("RANKWISE_RUN");
  return number != nullptr ? static_cast<std::uint32_t>(std::strtoul(number, nullptr, 16)) : 0;
}

// The same for all processes of a run that see each other, and different from others'.
std::uint64_t key_of() {
  std::uint64_t key = chain(pid_namespace(), run_number());
  for (const char *c = run_directory; *c != '\0'; ++c) key = chain(key, static_cast<unsigned char>(*c));
  for (const char *c = own_host; *c != '\0'; ++c) key = chain(key, static_cast<unsigned char>(*c));
  return key;
}

// Opens our directory below `parent`, created if necessary; -1 if it can't be used.
int open_below(const char *parent, bool with_room) {
  const int parent_file = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent_file < 0) return -1;
  const auto user = static_cast<unsigned>(syscall(SYS_geteuid));
  char name[64];
  snprintf(name, sizeof name, "rankwise.%u.%016llx", user, static_cast<unsigned long long>(key_of()));
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int directory = openat(parent_file, name, flags);
  struct statfs its;
  if (directory < 0 && about(parent_file, &its) && is_of_this_node(its) && (!with_room || has_room(its))) {
    syscall(SYS_mkdirat, parent_file, name, 0700);
    directory = openat(parent_file, name, flags);
  }
  struct stat ours;
  if (directory >= 0 && (fstat(directory, &ours) != 0 || ours.st_uid != user || (ours.st_mode & 077U) != 0)) {
    close(directory);
    directory = -1;
  }
  close(parent_file);
  if (directory >= 0) snprintf(place, sizeof place, "%s/%s", parent, name);
  return directory;
}

int anonymous(const char *name) {
  return static_cast<int>(syscall(SYS_memfd_create, name, 1U));  // MFD_CLOEXEC
}

bool map_control(int file) {
  const WithoutWriteSignals quiet;
  // Reserved, so that a full /dev/shm can't kill the program.
  if (posix_fallocate(file, 0, sizeof(rankwise_control)) != 0) return false;
  void *page = mmap(nullptr, sizeof(rankwise_control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) return false;
  control = static_cast<rankwise_control *>(page);
  // All processes write the same.
  control->version = RANKWISE_NODE_VERSION;
  control->pids = pid_namespace();
  control->run = run_number();
  snprintf(control->host, sizeof control->host, "%s", own_host);
  snprintf(control->run_directory, sizeof control->run_directory, "%s", run_directory);
  memcpy(control->magic, "RANKCTRL", sizeof control->magic);
  return true;
}

void unmap_control() {
  if (control != nullptr) munmap(control, sizeof(rankwise_control));
  control = nullptr;
}

void nap() {
  const timespec millisecond = {0, 1'000'000};
  nanosleep(&millisecond, nullptr);
}

// The control page's file if it is not locked: then there is no keeper, and the process that starts one passes the lock
// on to it.
int lock_control() {
  char path[sizeof place + 16];
  snprintf(path, sizeof path, "%s/control", place);
  const int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0 || syscall(SYS_flock, file, LOCK_EX | LOCK_NB) == 0) return file;
  close(file);
  return -1;
}

// Counts us in. False if a keeper is about to remove the directory.
bool count_in() {
  const std::uint32_t before = __atomic_fetch_add(&control->open, 1, __ATOMIC_ACQ_REL);
  if ((before & RANKWISE_CLOSED) == 0) return true;
  __atomic_fetch_sub(&control->open, 1, __ATOMIC_ACQ_REL);
  const int file = lock_control();
  if (file < 0) return false;
  // The keeper was killed before that.
  __atomic_store_n(&control->open, 1, __ATOMIC_RELEASE);
  close(file);
  return true;
}

bool count_out() { return __atomic_sub_fetch(&control->open, 1, __ATOMIC_ACQ_REL) == 0; }

enum class Entered : std::uint8_t { yes, no_room, is_being_removed };

Entered enter_directory(int directory) {
  const int file = openat(directory, "control", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return errno == ENOENT ? Entered::is_being_removed : Entered::no_room;
  const bool mapped = map_control(file);
  close(file);
  if (!mapped) return Entered::no_room;  // for one page
  if (count_in()) return Entered::yes;
  unmap_control();
  return Entered::is_being_removed;
}

// Opens the directory, and enters it; -1 if no directory has room for a page.
int enter_place() {
  const char *own = std::getenv("TMPDIR");
  const struct {
    const char *parent;
    rankwise_memory memory;
  } choices[] = {{"/dev/shm", RANKWISE_MEMORY_SHM},
                 {own != nullptr && *own == '/' ? own : "/tmp", RANKWISE_MEMORY_TMPDIR}};
  bool again = true;
  for (int i = 0; i < tries && again; ++i) {
    if (i > 0) nap();
    again = false;
    for (int choice = 0; choice < 4 && !again; ++choice) {
      const auto &[parent, kind_of_memory] = choices[choice % 2];
      const int directory = open_below(parent, choice < 2);
      if (directory < 0) continue;
      const Entered entered = enter_directory(directory);
      memory = kind_of_memory;
      if (entered == Entered::yes) return directory;
      close(directory);
      again = entered == Entered::is_being_removed;
    }
  }
  place[0] = '\0';
  return -1;
}

// A link from the directory to an unnamed file, for processes that start before we are gone.
bool link_to(int file, int directory) {
  char target[64];
  snprintf(target, sizeof target, "/proc/%d/fd/%d", static_cast<int>(getpid()), file);
  return syscall(SYS_symlinkat, target, directory, own_name) == 0;
}

int new_anonymous(int directory) {
  const int file = anonymous(own_name);
  memory = RANKWISE_MEMORY_ANONYMOUS;
  if (file < 0 || directory < 0 || link_to(file, directory)) return file;
  close(file);
  return -1;
}

bool enter_alone() {
  lonely_control = anonymous("rankwise-control");
  if (lonely_control < 0 || !map_control(lonely_control) || pipe2(lonely_bell, O_CLOEXEC | O_NONBLOCK) != 0) {
    return false;
  }
  control->open = 1;
  return true;
}

// Whether the keeper samples the counters of the network.
bool counts_network() {
  const char *wish = std::getenv("RANKWISE_NETWORK");
  return wish == nullptr || strcmp(wish, "off") != 0;
}

bool start_keeper(int directory, int control_file) {
  const char *save_every = std::getenv("RANKWISE_SAVE_EVERY_MS");
  if (save_every == nullptr || *save_every == '\0') save_every = default_save_every_ms;
  const char *own_directory = std::getenv("RANKWISE_DIR");
  const char *make = own_directory == nullptr || *own_directory == '\0' ? "1" : "0";
  const bool alone = directory < 0;
  const kernel_files::Path kernel("%s", "");
  const char *const network = counts_network() ? kernel.text : "";
  const char *const arguments[] = {
      "rankwise-keeper",          run_directory, make, save_every, own_host, network, place,
      alone ? own_name : nullptr, nullptr};
  const int files[] = {alone ? lonely_bell[0] : directory, control_file, lonely_file};
  has_started_keeper = keeper::start(arguments, files, alone ? 3 : 2);
  return has_started_keeper;
}

// Wakes the keeper after a change, or starts one if none runs.
void call_keeper() {
  const WithoutWriteSignals quiet;  // it may be leaving
  if (place[0] == '\0') {
    [[maybe_unused]] const ssize_t rung = write(lonely_bell[1], "", 1);
    return;
  }
  char path[sizeof place + 16];
  snprintf(path, sizeof path, "%s/bell", place);
  const int bell = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  const bool rung = bell >= 0 && write(bell, "", 1) == 1;
  if (bell >= 0) close(bell);
  if (rung) return;
  const int control_file = lock_control();
  if (control_file < 0) return;  // it is starting, and will check
  const int directory = open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0 || !start_keeper(directory, control_file)) {
    say_once("what is counted on this node is not saved while the job runs: no keeper can be started: %s",
             strerror(errno));
  }
  if (directory >= 0) close(directory);
  close(control_file);
}

const char *reason(int trouble) {
  if (trouble == RANKWISE_TROUBLE_OWNER) return "it belongs to another user";
  if (trouble == RANKWISE_TROUBLE_WRITABLE) return "others may write to it";
  return strerror(trouble);
}

// Waits until the keeper has saved the counters of all processes.
void wait_for_keeper(std::uint32_t settled) {
  const std::int64_t end = clock::nanoseconds(CLOCK_MONOTONIC) + longest_wait_ms * 1'000'000LL;
  while (__atomic_load_n(&control->settled, __ATOMIC_ACQUIRE) == settled) {
    const std::int64_t left = end - clock::nanoseconds(CLOCK_MONOTONIC);
    if (left <= 0) return;
    const timespec most = {left / 1'000'000'000, left % 1'000'000'000};
    syscall(SYS_futex, &control->settled, FUTEX_WAIT, settled, &most, nullptr, 0);
  }
  const int trouble = control->trouble;
  if (trouble == 0) return;
  say("what was counted on this node could not be saved: can't write to %s: %s (is it on every node, and is there "
      "room?)",
      run_directory, reason(trouble));
}

}  // namespace

int enter(const char *directory_name, const char *host, const char *name) {
  run_directory = directory_name;
  snprintf(own_host, sizeof own_host, "%s", host);
  snprintf(own_name, sizeof own_name, "%s", name);
  const int directory = enter_place();
  int file = -1;
  struct statfs its;
  if (directory >= 0 && about(directory, &its) && has_room(its)) {
    file = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  }
  if (file < 0 && (directory >= 0 || enter_alone())) file = new_anonymous(directory);
  if (directory < 0) lonely_file = file;
  if (directory >= 0) close(directory);
  if (file < 0 && control != nullptr) withdraw();
  return file;
}

rankwise_memory kind() { return memory; }

bool is_first() { return has_started_keeper; }

void entered(rankwise_header *head) {
  head->memory = memory;
  if (place[0] != '\0') {
    call_keeper();
  } else if (!start_keeper(-1, lonely_control)) {
    say_once("this process runs unrecorded: no memory of the node can be used, and no keeper be started: %s",
             strerror(errno));
  }
}

void withdraw() {
  count_out();
  unmap_control();
}

void leave(rankwise_header *head) {
  if (control == nullptr) return;
  const std::uint32_t settled = __atomic_load_n(&control->settled, __ATOMIC_ACQUIRE);
  if (__atomic_exchange_n(&head->has_left, 1, __ATOMIC_ACQ_REL) != 0) return;
  if (!count_out()) return;
  call_keeper();
  wait_for_keeper(settled);
}

void enter_again(rankwise_header *head, int file) {
  if (control == nullptr) return;
  __atomic_store_n(&head->has_left, 0, __ATOMIC_RELEASE);
  if (!count_in()) {
    // The keeper has saved and removed everything, and no other process knows the counters any more.
    unmap_control();
    const int directory = enter_place();
    if (directory < 0) return;
    link_to(file, directory);
    close(directory);
  }
  call_keeper();
}

void keep_apart() { control = nullptr; }

}  // namespace rankwise::node_memory
