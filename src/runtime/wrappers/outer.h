// With `rankwise run --place`, calls pass these functions first: they put the communicator in the new order in place of
// MPI_COMM_WORLD (world_order.h), and what the library hands to the program's functions back. The others follow from
// the table of procedures (generated/outer.inc). Included inside the namespace of a build.

// RATIONALE: not between the wrappers, whose pages every process needs.
#define RANKWISE_APART [[gnu::cold]]

namespace outer {

// What the function leads to: our wrapper, or the library's own function.
template <class Function>
Function inner(Slot slot) {
  return reinterpret_cast<Function>(
      __atomic_load_n(&dispatch::inner_functions[static_cast<int>(slot)], __ATOMIC_RELAXED));
}

inline MPI_Comm as_given(MPI_Comm comm) {
  return world::has_new_order() && comm == world::ordered ? world::plain : comm;
}

// --- Attributes ---

// MPI defines MPI_TAG_UB and others for MPI_COMM_WORLD, and not every library has them elsewhere.
template <class Get>
int get_attribute(Get get, MPI_Comm comm, int keyval, void *value, int *found) {
  const int rc = get(world::in_order(comm), keyval, value, found);
  if (rc != abi::success || *found != 0 || comm != world::plain || !world::has_new_order()) return rc;
  return get(world::plain, keyval, value, found);
}

int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *found) {
  using Get = int (*)(MPI_Comm, int, void *, int *);
  return get_attribute(inner<Get>(Slot::MPI_Comm_get_attr), comm, keyval, value, found);
}

int MPI_Attr_get(MPI_Comm comm, int keyval, void *value, int *found) {
  using Get = int (*)(MPI_Comm, int, void *, int *);
  return get_attribute(inner<Get>(Slot::MPI_Attr_get), comm, keyval, value, found);
}

// The program's functions of a key. Lives as long as the program: attributes may outlive the key.
struct Attribute {
  own::CopyAttribute *copy;
  own::DeleteAttribute *remove;
  void *extra;
};

inline int copy_attribute(MPI_Comm comm, int keyval, void *extra, void *from, void *to, int *copied) {
  const auto &attribute = *static_cast<Attribute *>(extra);
  return attribute.copy(as_given(comm), keyval, attribute.extra, from, to, copied);
}

inline int delete_attribute(MPI_Comm comm, int keyval, void *value, void *extra) {
  const auto &attribute = *static_cast<Attribute *>(extra);
  return attribute.remove(as_given(comm), keyval, value, attribute.extra);
}

// A constant of the library in place of a function.
template <class Function>
bool is_constant(Function *function) {
  return reinterpret_cast<std::uintptr_t>(function) < 4096;
}

template <class Create>
int create_keyval(Create create, own::CopyAttribute *copy, own::DeleteAttribute *remove, int *keyval, void *extra) {
  const bool copies = !is_constant(copy);
  const bool removes = !is_constant(remove);
  void *memory = copies || removes ? std::malloc(sizeof(Attribute)) : nullptr;
  if (memory == nullptr) return create(copy, remove, keyval, extra);
  auto *attribute = new (memory) Attribute{copy, remove, extra};
  return create(copies ? &copy_attribute : copy, removes ? &delete_attribute : remove, keyval, attribute);
}

using CreateKeyval = int (*)(own::CopyAttribute *, own::DeleteAttribute *, int *, void *);

int MPI_Comm_create_keyval(own::CopyAttribute *copy, own::DeleteAttribute *remove, int *keyval, void *extra) {
  return create_keyval(inner<CreateKeyval>(Slot::MPI_Comm_create_keyval), copy, remove, keyval, extra);
}

int MPI_Keyval_create(own::CopyAttribute *copy, own::DeleteAttribute *remove, int *keyval, void *extra) {
  return create_keyval(inner<CreateKeyval>(Slot::MPI_Keyval_create), copy, remove, keyval, extra);
}

// --- Error handlers ---

// The library also raises errors without a communicator on MPI_COMM_WORLD.
inline int set_errhandler(Slot slot, MPI_Comm comm, MPI_Errhandler errhandler) {
  const auto next = inner<int (*)(MPI_Comm, MPI_Errhandler)>(slot);
  if (comm == world::plain && world::has_new_order()) {
    const int rc = next(comm, errhandler);
    if (rc != abi::success) return rc;
  }
  return next(world::in_order(comm), errhandler);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  return set_errhandler(Slot::MPI_Comm_set_errhandler, comm, errhandler);
}

int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) {
  return set_errhandler(Slot::MPI_Errhandler_set, comm, errhandler);
}

using ErrorFunction = void(MPI_Comm *, int *, ...);

// RATIONALE: the library passes nothing that identifies the program's function, so we have a separate
// function for each. Any further ones get the communicator's real handle.
constexpr std::size_t most_error_functions = 32;
inline ErrorFunction *error_functions[most_error_functions] = {};

template <std::size_t i>
void handle_error(MPI_Comm *comm, int *code, ...) {
  MPI_Comm given = as_given(*comm);
  error_functions[i](&given, code);
}

template <std::size_t... i>
ErrorFunction *handler_at(std::size_t place, std::index_sequence<i...> /*all*/) {
  ErrorFunction *found = nullptr;
  static_cast<void>(((i == place && (found = &handle_error<i>, true)) || ...));
  return found;
}

inline ErrorFunction *error_function(ErrorFunction *given) {
  static Lock lock;
  const Guard guard(lock);
  std::size_t place = 0;
  while (place < most_error_functions && error_functions[place] != nullptr && error_functions[place] != given) ++place;
  if (place == most_error_functions || is_constant(given)) return given;
  error_functions[place] = given;
  return handler_at(place, std::make_index_sequence<most_error_functions>{});
}

using CreateHandler = int (*)(ErrorFunction *, MPI_Errhandler *);

int MPI_Comm_create_errhandler(ErrorFunction *function, MPI_Errhandler *errhandler) {
  return inner<CreateHandler>(Slot::MPI_Comm_create_errhandler)(error_function(function), errhandler);
}

int MPI_Errhandler_create(ErrorFunction *function, MPI_Errhandler *errhandler) {
  return inner<CreateHandler>(Slot::MPI_Errhandler_create)(error_function(function), errhandler);
}

// --- Sessions ---

// mpi://WORLD has the same order as MPI_COMM_WORLD.
int MPI_Group_from_session_pset(MPI_Session session, const char *name, MPI_Group *made) {
  using FromPset = int (*)(MPI_Session, const char *, MPI_Group *);
  using Include = int (*)(MPI_Group, int, const int *, MPI_Group *);
  const int rc = inner<FromPset>(Slot::MPI_Group_from_session_pset)(session, name, made);
  if (rc != abi::success || !world::has_new_order() || strcmp(name, "mpi://WORLD") != 0) return rc;
  const Group ordered(world::ordered, Group::Side::local);
  int *ranks = ordered.ranks_in(*made, ordered.size());
  MPI_Group in_order{};
  if (ranks != nullptr && own::ask<Include>("PMPI_Group_incl", *made, ordered.size(), ranks, &in_order)) {
    queries.Group_free(made);
    *made = in_order;
  }
  std::free(ranks);
  return rc;
}

// --- Fortran bindings that do not call the C functions ---

// Open MPI's turn the program's handle into the library's first.
inline thread_local bool wants_plain = false;

inline MPI_Comm from_fortran(int comm) {
  static const auto convert = reinterpret_cast<MPI_Comm (*)(int)>(library::function("PMPI_Comm_f2c"));
  const MPI_Comm found = convert(comm);
  return wants_plain ? found : world::in_order(found);
}

// MPICH's pass the number of a type beside the attribute.
inline int get_attribute_of_mpich(MPI_Comm comm, int keyval, void *value, int *found, int type) {
  using Get = int (*)(MPI_Comm, int, void *, int *, int);
  static const auto get = reinterpret_cast<Get>(library::function("MPII_Comm_get_attr"));
  const auto of_type = [&](MPI_Comm c, int k, void *v, int *f) { return get(c, k, v, f, type); };
  return get_attribute(of_type, comm, keyval, value, found);
}

inline int set_attribute_of_mpich(MPI_Comm comm, int keyval, void *value, int type) {
  using Set = int (*)(MPI_Comm, int, void *, int);
  static const auto set = reinterpret_cast<Set>(library::function("MPII_Comm_set_attr"));
  return set(world::in_order(comm), keyval, value, type);
}

struct Spelling {
  const char *name;
  void (*binding)(int *, int *, void *, int *, int *) = nullptr;
};

// Open MPI's, which look up an attribute themselves.
#define RANKWISE_SPELLINGS(lower, upper) \
  {lower}, {lower "_"}, {lower "__"}, { upper }
inline Spelling spellings[] = {
    RANKWISE_SPELLINGS("mpi_comm_get_attr", "MPI_COMM_GET_ATTR"),
    RANKWISE_SPELLINGS("mpi_attr_get", "MPI_ATTR_GET"),
    {"pmpi_comm_get_attr_"},  // what mpi_f08 calls
    {"ompi_comm_get_attr_f"},
};
#undef RANKWISE_SPELLINGS

template <std::size_t i>
void get_attribute_of_openmpi(int *comm, int *keyval, void *value, int *found, int *rc) {
  Spelling &spelling = spellings[i];
  if (spelling.binding == nullptr) {
    spelling.binding = reinterpret_cast<decltype(spelling.binding)>(dlsym(RTLD_DEFAULT, spelling.name));
  }
  spelling.binding(comm, keyval, value, found, rc);
  if (*rc != abi::success || *found != 0 || !world::has_new_order() || from_fortran(*comm) != world::ordered) return;
  wants_plain = true;
  spelling.binding(comm, keyval, value, found, rc);
  wants_plain = false;
}

template <std::size_t... i>
void *spelling_named(const char *name, std::index_sequence<i...> /*all*/) {
  void *found = nullptr;
  static_cast<void>(((strcmp(spellings[i].name, name) == 0 &&
                      (found = reinterpret_cast<void *>(&get_attribute_of_openmpi<i>), true)) ||
                     ...));
  return found;
}

#include "../generated/outer.inc"

}  // namespace outer
#undef RANKWISE_APART

void write_outer(void **table) { outer::write(table); }

// RATIONALE: which functions there are follows from the ABI: Open MPI's handles are addresses, MPICH's numbers.
void *fortran_stand_in(const char *name, bool is_binding) {
  if constexpr (std::is_pointer_v<MPI_Comm>) {
    if (is_binding && strcmp(name, "PMPI_Comm_f2c") == 0) return reinterpret_cast<void *>(&outer::from_fortran);
    return outer::spelling_named(name, std::make_index_sequence<std::size(outer::spellings)>{});
  } else {
    if (!is_binding) return nullptr;
    if (strcmp(name, "MPII_Comm_get_attr") == 0) return reinterpret_cast<void *>(&outer::get_attribute_of_mpich);
    if (strcmp(name, "MPII_Comm_set_attr") == 0) return reinterpret_cast<void *>(&outer::set_attribute_of_mpich);
    return nullptr;
  }
}
