// Starting persistent requests. Included inside the namespace of a build.
//
// What a start sends is booked on the row of the procedure that initialised the operation, in the region of the start:
// MPI_Start tells neither sizes nor destinations, and one MPI_Startall may start operations of every kind.

class Starting {
 public:
  Starting(Call &call, int count, const MPI_Request *requests)
      : call_(call), count_(requests != nullptr && count > 0 ? count : 0), requests_(requests) {
    for (int i = 0; i < count_; ++i) {
      const requests::Request known = requests::table.look(abi::bits(requests_[i]));
      if (known.kind != requests::Kind::none) call_.also_on(known.communicator);
    }
  }

  void started() {
    for (int i = 0; i < count_; ++i) {
      book(requests::table.start(abi::bits(requests_[i]), regions::current, !process::paused));
    }
  }

 private:
  void book(const requests::Request &request) {
    const bool sends = request.kind == requests::Kind::send || request.kind == requests::Kind::collective;
    if (!sends || !request.recorded) return;
    booking::row(call_.thread(), request.key, 0).bytes_sent += request.bytes;
    if (request.addressed) {
      booking::add_message(call_.thread(), RANKWISE_MESSAGE_POINT_TO_POINT, keys::procedure(request.key),
                           request.communicator, request.peer, request.bytes);
    }
  }

  Call &call_;
  int count_;
  const MPI_Request *requests_;
};
