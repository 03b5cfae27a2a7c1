// The cost of recording for the profile. Included inside the namespace of a build.

inline namespace RANKWISE_WAY {

// The cost of booking one call in this way, in ticks / 1000, measured on a row that is cleared afterwards. Before a
// session has made its first communicator, no communicator can be looked up.
inline std::uint64_t own_cost(bool world_is_open) {
  constexpr int batches = 8;
  constexpr int calls = 128;
  std::uint64_t best = ~0ULL;
  for (int b = 0; b < batches; ++b) {
    const std::uint64_t begin = clock::ticks();
    for (int i = 0; i < calls; ++i) {
      Call call(Procedure::none);
      if (call.nested()) return 0;
      if (world_is_open) call.on(world::communicator());
      call.made_at({});  // no site, found as fast as any
      call.start();
      call.stop(abi::success);
      call.contributed(1, 1);
      call.book({});
    }
    const std::uint64_t ticks = clock::elapsed(begin, clock::ticks());
    if (ticks < best) best = ticks;
  }
  Thread *thread = threads::enter();
  communicators::Communicator *world =
      world_is_open ? communicators::table.find(thread->communicator_cache, abi::bits(world::communicator())) : nullptr;
  const std::uint64_t key = keys::calls(Procedure::none, world != nullptr ? world->index : 0, regions::current);
  rankwise_calls &row = booking::row(*thread, keys::with_bin(key, keys::bin(1)));
  row.calls = row.bytes_sent = row.ticks = row.min_ticks = row.max_ticks = 0;
  thread->inside = nullptr;
  return best * 1000U / calls;
}

}  // namespace RANKWISE_WAY
