// Start and end of a session. Included inside the namespace of a build.

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session) {
  const auto next = library::next<decltype(&MPI_Session_init)>(Slot::MPI_Session_init);
  return environment::open(
      Procedure::MPI_Session_init, [&] { return next(info, errhandler, session); },
      [&] { return lifecycle::Opener{false, *session}; });
}

int MPI_Session_finalize(MPI_Session *session) {
  const auto next = library::next<decltype(&MPI_Session_finalize)>(Slot::MPI_Session_finalize);
  if (session == nullptr) return next(session);
  // The call overwrites the handle.
  return environment::close(Procedure::MPI_Session_finalize, {false, *session}, [&] { return next(session); });
}
