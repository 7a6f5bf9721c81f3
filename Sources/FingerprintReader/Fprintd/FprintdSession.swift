internal import CFprint

/// One session with fprintd, on the reader's thread.
///
/// It addresses fprintd by its unique name, so that no other process can answer in its place.
class FprintdSession: ReaderAttempt, @unchecked Sendable {
  private static let mostDevices = 8

  let bus = SystemBus()
  /// fprintd's unique name.
  private(set) var owner = ""
  private let address: String
  private var searchTimer = Timer()
  private(set) var isOver = false

  init(_ address: String) {
    self.address = address
  }

  // Customization points of a kind of session.

  /// How long the search for the readers may take, in milliseconds.
  var searchTime: guint { 5000 }
  /// Whether to start fprintd if it is not running.
  var startsService: Bool { true }
  /// Whether to ask for the user's fingers.
  var asksForFingers: Bool { true }
  /// Called if no fprintd is running; `canStart` says whether the bus could start one.
  func notRunning(canStart: Bool) { leave(.noReader) }
  /// Called with fprintd's readers.
  func found(_ devices: [Fprintd.Device]) {}
  /// Called at the end, with the reason of a failure.
  func ended(_ failure: ReaderError?) {}

  /// Ends the session for this reason and releases the reader.
  func stop(_ reason: ReaderError) { leave(reason) }

  /// Does nothing: fprintd gets each call at once.
  func hurry() {}

  /// Connects and looks for readers.
  func begin() {
    guard !isOver else { return }
    switch ReaderThread.shared.take(self, orLater: { [self] in begin() }) {
    case .taken: break
    case .later: return
    case .busy: return leave(.busy(nil))
    }
    searchTimer.start(searchTime) { [self] in stop(.fprintd("it does not answer")) }
    bus.lost = { [self] in leave(.fprintd("it went away")) }
    bus.connect(address) { [self] fault in
      if let fault { return leave(.failed(fault)) }
      guard startsService else { return findOwner() }
      bus.call(
        SystemBus.itself,
        "/",
        SystemBus.itself,
        "StartServiceByName",
        [.text(Fprintd.service), .number(0)],
        reply: "(u)"
      ) { [self] reply in
        if case .failure(let fault) = reply, fault.isTimeout {
          return leave(.fprintd("it does not answer"))
        }
        // If fprintd runs although the bus cannot start it, it has an owner anyway.
        findOwner()
      }
    }
  }

  /// Calls a method of a device.
  func call(
    _ path: String,
    _ method: String,
    _ arguments: [SystemBus.Argument] = [],
    reply type: String = "()",
    milliseconds: Int32 = 5000,
    then answer: @escaping SystemBus.Answer
  ) {
    bus.call(
      owner,
      path,
      Fprintd.device,
      method,
      arguments,
      reply: type,
      milliseconds: milliseconds,
      then: answer
    )
  }

  /// Asks for the fingers that the caller has enrolled on a device.
  ///
  /// The empty name means the caller, as the bus identifies the connection.
  func askFingers(
    of path: String,
    then answer: @escaping (Result<Set<Finger>, ReaderError>) -> Void
  ) {
    call(path, "ListEnrolledFingers", [.text("")], reply: "(as)") { reply in
      switch reply {
      case .success(let value):
        let names = value[0]?.members.map(\.string) ?? []
        let fingers = Set(names.compactMap(Finger.init(desktopName:)))
        // A finger without a name here could be added or removed without notice.
        answer(fingers.count == names.count ? .success(fingers) : .failure(.unsupported))
      case .failure(let fault):
        switch ReaderError(fprintd: fault) {
        case .notEnrolled: answer(.success([]))
        case let error: answer(.failure(error))
        }
      }
    }
  }

  private static let withoutOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"

  /// Leaves the bus; fprintd ends the claim of a client that has left.
  func leave(_ failure: ReaderError?) {
    guard !isOver else { return }
    isOver = true
    searchTimer.stop()
    bus.close()
    ReaderThread.shared.release(self)
    ended(failure)
  }

  private func findOwner() {
    ask("GetNameOwner", Fprintd.service, "(s)") { [self] reply in
      owner = reply[0]?.string ?? ""
      // Only root may own the name; a bus that lets another user own it is not trusted.
      ask("GetConnectionUnixUser", owner, "(u)") { [self] reply in
        guard reply[0]?.number == 0 else { return leave(.noReader) }
        bus.subscribe(
          SystemBus.itself,
          "/org/freedesktop/DBus",
          SystemBus.itself,
          "NameOwnerChanged",
          of: owner
        ) { [self] _ in leave(.fprintd("it went away")) }
        findDevices()
      }
    }
  }

  /// Calls the bus itself; if it knows no owner, no fprintd is running.
  private func ask(
    _ method: String,
    _ name: String,
    _ type: String,
    then answer: @escaping (BusValue) -> Void
  ) {
    bus.call(SystemBus.itself, "/", SystemBus.itself, method, [.text(name)], reply: type) {
      [self] reply in
      switch reply {
      case .success(let value): answer(value)
      case .failure(let fault) where fault.domain == Self.withoutOwner: askWhetherStartable()
      case .failure(let fault): leave(ReaderError(fprintd: fault))
      }
    }
  }

  private func askWhetherStartable() {
    bus.call(SystemBus.itself, "/", SystemBus.itself, "ListActivatableNames", reply: "(as)") {
      [self] reply in
      let names = (try? reply.get())?[0]?.members.map(\.string) ?? []
      notRunning(canStart: names.contains(Fprintd.service))
    }
  }

  private func findDevices() {
    bus.call(owner, Fprintd.managerPath, Fprintd.manager, "GetDevices", reply: "(ao)") {
      [self] reply in
      switch reply {
      case .success(let value):
        let paths = (value[0]?.members ?? []).prefix(Self.mostDevices).map(\.string)
        guard !paths.isEmpty else { return leave(.noReader) }
        list(paths[...], [])
      case .failure(let fault): leave(ReaderError(fprintd: fault))
      }
    }
  }

  private func list(_ paths: ArraySlice<String>, _ known: [Fprintd.Device]) {
    guard let path = paths.first else {
      searchTimer.stop()
      return found(known)
    }
    guard asksForFingers else {
      return list(paths.dropFirst(), known + [.init(path: path, fingers: [])])
    }
    askFingers(of: path) { [self] result in
      switch result {
      case .success(let fingers):
        list(paths.dropFirst(), known + [.init(path: path, fingers: fingers)])
      case .failure(let error): leave(error)
      }
    }
  }
}
