package import MachineKey
package import SecretMemory
internal import Synchronization

// The counters, with the values of a TPM: a counter never falls below a value that one had before.
extension ScriptedTPM {
  struct Counter {
    let authorization: [UInt8]
    var value: UInt64
  }

  /// How many counters there are.
  package var counters: Int { state.withLock { $0.counters.count } }

  /// Has room for this many counters.
  package func limitCounters(to room: Int) { state.withLock { $0.room = room } }

  /// The TPM does the next increment, and its reply is lost.
  package func loseNextReply() { state.withLock { $0.losesReply = true } }

  /// Removes all counters, as any program may that opens the device.
  package func deleteCounters() { state.withLock { $0.counters = [:] } }

  /// The same TPM, which answers only if its storage key has this name.
  package func bound(to parentName: [UInt8]) -> any TPMSealing {
    BoundTPM(tpm: self, parentName: parentName)
  }

  /// Defines a counter at a free index.
  package func defineCounter(authorization: SharedSecret) throws(TPMFailure) -> TPMCounter {
    _ = try seed()
    let bytes = bytes(authorization)
    return try state.withLock { state throws(TPMFailure) in
      guard state.counters.count < state.room else { throw .unexpected("no room") }
      state.highest += 1
      let index = 0x0180_0000 + UInt32(state.highest)
      state.counters[index] = Counter(authorization: bytes, value: state.highest)
      return TPMCounter(index: index, value: state.highest)
    }
  }

  package func readCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter { try use(index, authorization, adding: 0) }

  package func incrementCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    let counter = try use(index, authorization, adding: 1)
    let isLost = state.withLock { state in
      defer { state.losesReply = false }
      return state.losesReply
    }
    if isLost { throw .unreachable("the reply is lost") }
    return counter
  }

  package func removeCounter(_ index: UInt32) throws(TPMFailure) {
    _ = try seed()
    state.withLock { $0.counters[index] = nil }
  }

  private func use(
    _ index: UInt32,
    _ authorization: SharedSecret,
    adding step: UInt64
  ) throws(TPMFailure) -> TPMCounter {
    _ = try seed()
    let bytes = bytes(authorization)
    return try state.withLock { state throws(TPMFailure) in
      guard var counter = state.counters[index] else { throw .noCounter }
      guard counter.authorization == bytes else { throw .wrongAuthorization }
      counter.value += step
      state.highest = max(state.highest, counter.value)
      state.counters[index] = counter
      return TPMCounter(index: index, value: counter.value)
    }
  }

  func demand(_ parentName: [UInt8]) throws(TPMFailure) {
    guard state.withLock({ $0.seed }) == parentName.last else { throw .anotherTPM }
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

  func defineCounter(authorization: SharedSecret) throws(TPMFailure) -> TPMCounter {
    try tpm.demand(parentName)
    return try tpm.defineCounter(authorization: authorization)
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

  func removeCounter(_ index: UInt32) throws(TPMFailure) { try tpm.removeCounter(index) }
}
