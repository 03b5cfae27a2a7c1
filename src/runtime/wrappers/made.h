// The handle that a constructor makes. Included inside the namespace of a build.

// MPI writes it into our variable, and after the call the result is passed to the program.
//
// RATIONALE: MPICH returns MPI_SUCCESS for any error that an error handler of the program has seen. The program's
// variable is then undefined, and must not be passed to MPI. Our variable starts with a known value that is no handle
// of any library. If the value is unchanged, the program's variable stays as it was, as without us.
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

  // Replaces it by an object that we have made.
  void replace(Handle handle) { handle_ = handle; }

 private:
  // In MPICH and its derivatives the two highest bits of a handle are its kind, and 0 is none; elsewhere handles are
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
