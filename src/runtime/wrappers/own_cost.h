// What recording costs, as the profile tells it. Included inside the namespace of a build.

// Measures what booking one call costs, on a row that is cleared afterwards. Before a session has made its first
// communicator, there is none to be looked up.
void measure_own_cost(bool world_is_open) {
  constexpr int batches = 8;
  constexpr int calls = 256;
  std::uint64_t best = ~0ULL;
  const rankwise_stamp first = clock::stamp();
  for (int b = 0; b < batches; ++b) {
    const std::uint64_t begin = clock::ticks();
    for (int i = 0; i < calls; ++i) {
      Call call(Procedure::none);
      if (call.nested()) return;
      if (world_is_open) call.on(abi::comm_world);
      call.made_at({});  // no site, found as fast as any
      call.start();
      call.stop(abi::success);
      call.contributed(1, 1);
      call.book();
    }
    const std::uint64_t ticks = clock::elapsed(begin, clock::ticks());
    if (ticks < best) best = ticks;
  }
  process::set_call_cost(best * 1000U / calls);
  const rankwise_stamp last = clock::stamp();
  const auto microseconds = static_cast<std::uint64_t>(last.monotonic_ns - first.monotonic_ns) / 1000;
  Polls::measured(best / calls, clock::elapsed(first.ticks, last.ticks) / std::max<std::uint64_t>(microseconds, 1));
  Thread *thread = threads::enter();
  communicators::Communicator *world =
      world_is_open ? communicators::table.find(thread->communicator_cache, abi::bits(abi::comm_world)) : nullptr;
  const std::uint64_t key = keys::calls(Procedure::none, world != nullptr ? world->index : 0, regions::current);
  rankwise_calls &row = booking::row(*thread, keys::with_bin(key, keys::bin(1)));
  row.calls = row.bytes_sent = row.ticks = row.min_ticks = row.max_ticks = 0;
  thread->inside = nullptr;
}
