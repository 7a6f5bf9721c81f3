package import SecretMemory

/// The sealed bytes of a TPM's slot: they are public, and only this TPM opens them.
package struct TPMSealedSecret: Sendable, Equatable {
  /// The name of the TPM's storage key (TPM 2.0 Library, part 1, section 16), 34 bytes.
  package let parentName: [UInt8]
  /// The sensitive part, encrypted by the TPM (`TPM2B_PRIVATE`, marshalled).
  package let privatePart: [UInt8]
  /// The public part (`TPM2B_PUBLIC`, marshalled).
  package let publicPart: [UInt8]

  /// Makes sealed bytes from their parts.
  package init(parentName: [UInt8], privatePart: [UInt8], publicPart: [UInt8]) {
    self.parentName = parentName
    self.privatePart = privatePart
    self.publicPart = publicPart
  }
}

/// The system's facts about its TPM.
package struct TPMFacts: Sendable, Equatable {
  /// The manufacturer's four letters, such as `INTC`, and its firmware's version.
  package let maker: String
  package let firmware: String

  /// Puts both together.
  package init(maker: String, firmware: String) {
    self.maker = maker
    self.firmware = firmware
  }
}

/// Why a TPM did not carry out a request.
package enum TPMFailure: Error, Sendable, Equatable {
  /// There is no device `/dev/tpmrm0`, or it is not a TPM.
  case absent
  /// This process's user may not open the device.
  case notPermitted
  /// The TPM is not the one that sealed the secret, or it was cleared, or a device on the bus
  /// answers in its place.
  case anotherTPM
  /// The owner's password is set, and there is no storage key at 0x81000001.
  ///
  /// Defining or removing a counter needs the password even if the storage key exists.
  case ownerPassword
  /// The authorization value is not the one with which the secret was sealed.
  case wrongAuthorization
  /// The sealed bytes are damaged.
  case damaged
  /// The TPM is busy, or limits its writes: try again later.
  case busy
  /// The TPM refuses authorizations, because too many were wrong.
  case lockedOut
  /// There is no counter at this index.
  case noCounter
  /// There is no room for a counter.
  case noRoom
  /// The index of a new counter is already used.
  case indexTaken
  /// The program that talks to the TPM could not be asked.
  case unreachable(String)
  /// Another response, with its code.
  case unexpected(String)
}

/// A monotonic counter of the TPM.
package struct TPMCounter: Sendable, Equatable {
  /// The indices that a counter may have: the owner's indices that no other program reserves (TCG
  /// registry of reserved TPM 2.0 handles, section 2.2.2).
  package static let indices: ClosedRange<UInt32> = 0x0180_0000...0x01bf_ffff

  /// Its NV index.
  package let index: UInt32
  package let value: UInt64

  /// Puts both together.
  package init(index: UInt32, value: UInt64) {
    self.index = index
    self.value = value
  }
}

/// Seals secrets with this machine's TPM, and opens them.
///
/// Each call blocks its thread: some milliseconds with a TPM that is not busy. It runs in a process
/// of its own, since the TPM's library keeps copies of what it has opened. An authorization has 32
/// bytes.
package protocol TPMSealing: Sendable {
  /// The same TPM, whose calls about counters fail with `anotherTPM` if it has another storage key.
  func bound(to parentName: [UInt8]) -> any TPMSealing
  /// The same TPM, for opening a key: the process that opens a secret then also reads the counter.
  ///
  /// It is for use on one thread. Its process ends with the last reference to it.
  func forOpening() -> any TPMSealing
  func facts() throws(TPMFailure) -> TPMFacts
  /// Seals 32 bytes.
  func seal(
    _ secret: SharedSecret,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMSealedSecret
  /// Opens what `seal` returned.
  func open(
    _ sealed: TPMSealedSecret,
    authorization: SharedSecret
  ) throws(TPMFailure) -> SharedSecret
  /// Defines a counter at this index, and increments it for the first time.
  ///
  /// - Throws: `indexTaken`.
  func defineCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter
  func readCounter(_ index: UInt32, authorization: SharedSecret) throws(TPMFailure) -> TPMCounter
  func incrementCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter
  /// Replaces the authorization value of a counter, and reads it.
  func confirmCounter(
    _ index: UInt32,
    authorization: SharedSecret,
    next: SharedSecret
  ) throws(TPMFailure) -> TPMCounter
  /// Removes the counter that has this authorization value; does nothing if there is none.
  ///
  /// - Throws: `wrongAuthorization` if it has another one; it then stays.
  func removeCounter(_ index: UInt32, authorization: SharedSecret) throws(TPMFailure)
}

extension TPMSealing {
  package func forOpening() -> any TPMSealing { self }
}
