package import MachineKey
package import SecretMemory
internal import Synchronization
internal import System

// The counters, with the values of a TPM: a counter never falls below a value that one had before.
extension ScriptedTPM {
  struct Counter {
    var authorization: [UInt8]
    var value: UInt64
  }

  /// How many counters there are.
  package var counters: Int { (try? kept { $0.counters.count }) ?? 0 }

  /// Has room for this many counters.
  package func limitCounters(to room: Int) { state.withLock { $0.room = room } }

  /// All calls that read, increment or define a counter fail so until this is `nil`.
  package func failCounters(_ failure: TPMFailure?) {
    state.withLock { $0.counterFailure = failure }
  }

  /// The TPM does the next increment, and its reply is lost.
  package func loseNextReply() { state.withLock { $0.losesReply = true } }

  /// Removes all counters, as any program may that opens the device.
  package func deleteCounters() { state.withLock { $0.counters = [:] } }

  /// The same TPM, which answers only if its storage key has this name.
  package func bound(to parentName: [UInt8]) -> any TPMSealing {
    BoundTPM(tpm: self, parentName: parentName)
  }

  /// Defines a counter at this index.
  package func defineCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    _ = try seed()
    let bytes = bytes(authorization)
    return try kept { state throws(TPMFailure) in
      guard state.counters.count < state.room else { throw .noRoom }
      guard state.counters[index] == nil else { throw .indexTaken }
      state.highest += 1
      state.counters[index] = Counter(authorization: bytes, value: state.highest)
      return TPMCounter(index: index, value: state.highest)
    }
  }

  package func readCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter { try use(index, authorization) { _ in } }

  package func incrementCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    let counter = try use(index, authorization) { $0.value += 1 }
    let isLost = state.withLock { state in
      defer { state.losesReply = false }
      return state.losesReply
    }
    if isLost { throw .unreachable("the reply is lost") }
    return counter
  }

  package func confirmCounter(
    _ index: UInt32,
    authorization: SharedSecret,
    next: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    let next = bytes(next)
    return try use(index, authorization) { $0.authorization = next }
  }

  package func removeCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) {
    _ = try seed()
    let bytes = bytes(authorization)
    try kept { state throws(TPMFailure) in
      guard let counter = state.counters[index] else { return }
      guard counter.authorization == bytes else { throw .wrongAuthorization }
      state.counters[index] = nil
    }
  }

  private func use(
    _ index: UInt32,
    _ authorization: SharedSecret,
    _ step: (inout Counter) -> Void
  ) throws(TPMFailure) -> TPMCounter {
    _ = try seed()
    let bytes = bytes(authorization)
    return try kept { state throws(TPMFailure) in
      guard var counter = state.counters[index] else { throw .noCounter }
      guard counter.authorization == bytes else { throw .wrongAuthorization }
      step(&counter)
      state.highest = max(state.highest, counter.value)
      state.counters[index] = counter
      return TPMCounter(index: index, value: counter.value)
    }
  }

  /// Uses the counters, which other processes use too if they are kept in a directory.
  ///
  /// A process that is killed has changed all or nothing.
  private func kept<Value>(
    _ body: (inout State) throws(TPMFailure) -> Value
  ) throws(TPMFailure) -> Value {
    try state.withLock { state throws(TPMFailure) in
      guard let path else { return try body(&state) }
      do throws(SystemError) {
        let directory = try Directory(path: path)
        if try directory.contains("counters") {
          state.take(try directory.openForReading("counters").readAll(limit: 1 << 16))
        }
      } catch {
        throw .unreachable("\(error)")
      }
      let value = try body(&state)
      do throws(SystemError) {
        let directory = try Directory(path: path)
        try directory.unlink("counters.new")
        try directory.create("counters.new").write(state.kept)
        try directory.rename("counters.new", to: "counters")
      } catch {
        throw .unreachable("\(error)")
      }
      return value
    }
  }

  func demand(_ parentName: [UInt8]) throws(TPMFailure) {
    try state.withLock { state throws(TPMFailure) in
      if let failure = state.counterFailure { throw failure }
      guard state.seed == parentName.last else { throw .anotherTPM }
    }
  }
}

extension ScriptedTPM.State {
  /// The counters as a text: the highest value, then a line for each counter.
  fileprivate var kept: String {
    counters.reduce(into: "\(highest)\n") { text, counter in
      let authorization = counter.value.authorization.map(String.init).joined(separator: ".")
      text += "\(counter.key) \(counter.value.value) \(authorization)\n"
    }
  }

  fileprivate mutating func take(_ kept: [UInt8]) {
    let lines = String(decoding: kept, as: UTF8.self).split(separator: "\n")
    highest = lines.first.flatMap { UInt64($0) } ?? highest
    counters = [:]
    for line in lines.dropFirst() {
      let words = line.split(separator: " ")
      guard words.count == 3, let index = UInt32(words[0]), let value = UInt64(words[1]) else {
        continue
      }
      let authorization = words[2].split(separator: ".").compactMap { UInt8($0) }
      counters[index] = ScriptedTPM.Counter(authorization: authorization, value: value)
    }
  }
}

/// A TPM whose calls about counters expect the name of a storage key.
private struct BoundTPM: TPMSealing {
  let tpm: ScriptedTPM
  let parentName: [UInt8]

  func bound(to parentName: [UInt8]) -> any TPMSealing { tpm.bound(to: parentName) }

  func facts() throws(TPMFailure) -> TPMFacts { try tpm.facts() }

  func seal(
    _ secret: SharedSecret,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMSealedSecret { try tpm.seal(secret, authorization: authorization) }

  func open(
    _ sealed: TPMSealedSecret,
    authorization: SharedSecret
  ) throws(TPMFailure) -> SharedSecret { try tpm.open(sealed, authorization: authorization) }

  func defineCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    try tpm.demand(parentName)
    return try tpm.defineCounter(index, authorization: authorization)
  }

  func readCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    try tpm.demand(parentName)
    return try tpm.readCounter(index, authorization: authorization)
  }

  func incrementCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    try tpm.demand(parentName)
    return try tpm.incrementCounter(index, authorization: authorization)
  }

  func confirmCounter(
    _ index: UInt32,
    authorization: SharedSecret,
    next: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    try tpm.demand(parentName)
    return try tpm.confirmCounter(index, authorization: authorization, next: next)
  }

  func removeCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) {
    try tpm.demand(parentName)
    try tpm.removeCounter(index, authorization: authorization)
  }
}
