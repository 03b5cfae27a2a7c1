// The handle that a constructor makes. Included inside the namespace of a build.

// MPI writes it into a variable of ours, and what it has written is handed over to the program when the call is over.
//
// RATIONALE: MPICH returns MPI_SUCCESS for any error that a handler of the program's own has seen. The program's
// variable may hold anything then, and nobody may ask MPI about that. What ours holds beforehand is known, and it is no
// handle of any library. If it is still there the program's variable stays as it was, as without us.
template <class Handle>
class Made {
 public:
  explicit Made(Handle *given) : given_(given), handle_(unwritten()) {}

  Handle *place() { return given_ == nullptr ? nullptr : &handle_; }

  bool written() const { return handle_ != unwritten(); }

  bool hand_over() {
    if (written()) *given_ = handle_;
    return written();
  }

  Handle handle() const { return handle_; }

  // By one that we have made ourselves.
  void replace(Handle handle) { handle_ = handle; }

 private:
  // In MPICH and its kin the two highest bits of a handle tell what it is, and 0 is none; elsewhere handles are
  // addresses, and no address begins so.
  static Handle unwritten() {
    if constexpr (std::is_pointer_v<Handle>) {
      return reinterpret_cast<Handle>(0x2b2b2b2b2b2b2b2b);
    } else {
      return 0x2b2b2b2b;
    }
  }

  Handle *given_;
  Handle handle_;
};
