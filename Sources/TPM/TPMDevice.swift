internal import CTSS
package import MachineKey
package import SecretMemory

/// The TPM behind a device of the kernel, for one conversation of this process.
///
/// A sealed secret is bound to the TPM and to an authorization value of 32 bytes. It is not bound
/// to PCRs, because firmware updates change these.
package struct TPMDevice: TPMSealing {
  /// The device of the kernel's resource manager, which frees the objects of an ended process.
  package static let path = "/dev/tpmrm0"
  /// The bytes of a secret and of an authorization value.
  package static let secretCount = 32

  private let path: String
  /// The expected name of the storage key, for calls about counters.
  private let parentName: [UInt8]?

  /// Makes a TPM, whose device is opened for each call.
  package init(path: String, parentName: [UInt8]? = nil) {
    self.path = path
    self.parentName = parentName
  }

  /// The same TPM with the name of its storage key; see `TPMSealing`.
  package func bound(to parentName: [UInt8]) -> any TPMSealing {
    TPMDevice(path: path, parentName: parentName)
  }

  /// Maker and firmware; see `TPMSealing`.
  package func facts() throws(TPMFailure) -> TPMFacts {
    let connection = try TPMConnection(path)
    var found: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?
    try check(unsafe ctss_properties(connection.context, &found), .parent)
    guard let data = unsafe found else { throw .absent }
    defer { unsafe Esys_Free(data) }
    func property(_ number: some BinaryInteger) -> UInt32 {
      unsafe ctss_property(data, UInt32(number))
    }
    let maker = property(ctss_maker)
    let letters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: maker >> $0) }
    let first = property(ctss_firmware_version_1)
    let second = property(ctss_firmware_version_2)
    return TPMFacts(
      maker: String(decoding: letters.filter { $0 > 0x20 && $0 < 0x7f }, as: UTF8.self),
      firmware: "\(first >> 16).\(first & 0xffff).\(second >> 16).\(second & 0xffff)"
    )
  }

  /// Seals 32 bytes; see `TPMSealing`.
  package func seal(
    _ secret: SharedSecret,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMSealedSecret {
    let connection = try TPMConnection(path)
    let parent = try connection.parent(named: nil)
    let parentName = try connection.name(of: parent)
    let session = try connection.session(with: parent, policy: false)
    let (privatePart, publicPart) = try connection.create(
      secret,
      authorization: authorization,
      below: parent,
      session
    )
    return TPMSealedSecret(
      parentName: parentName,
      privatePart: privatePart,
      publicPart: publicPart
    )
  }

  /// Opens what `seal` returned; see `TPMSealing`.
  package func open(
    _ sealed: TPMSealedSecret,
    authorization: SharedSecret
  ) throws(TPMFailure) -> SharedSecret {
    let privatePart = try TPM2B_PRIVATE(marshalled: sealed.privatePart)
    let publicPart = try TPM2B_PUBLIC(marshalledSealed: sealed.publicPart)
    let connection = try TPMConnection(path)
    let parent = try connection.parent(named: sealed.parentName)
    let object = try connection.load(privatePart, publicPart, below: parent)
    try connection.setAuthorization(authorization, of: object)
    let session = try connection.session(with: parent, policy: true)
    return try connection.unseal(object, session)
  }

  /// Defines a counter; see `TPMSealing`.
  package func defineCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    let connection = try TPMConnection(path)
    let parent = try connection.parent(named: parentName)
    let session = try connection.session(with: parent, policy: false)
    let counter = try connection.define(index, authorization, session)
    return try begin(counter, index, authorization, connection, session)
  }

  /// Increments a defined counter for the first time.
  private func begin(
    _ counter: consuming TPMHandle,
    _ index: UInt32,
    _ authorization: SharedSecret,
    _ connection: TPMConnection,
    _ session: borrowing TPMHandle
  ) throws(TPMFailure) -> TPMCounter {
    do throws(TPMFailure) {
      try connection.setAuthorization(authorization, of: counter)
      try connection.increment(counter, session)
      return TPMCounter(index: index, value: try connection.read(counter, session))
    } catch {
      // The caller has no counter after an error.
      try? connection.undefine(counter)
      throw error
    }
  }

  /// Reads a counter; see `TPMSealing`.
  package func readCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    try useCounter(index, authorization) { _, _, _ in }
  }

  /// Increments a counter; see `TPMSealing`.
  package func incrementCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    try incrementCounter(index, authorization: authorization) { true }
  }

  /// Increments a counter, if `mayGoOn` returns true when the TPM is ready.
  ///
  /// - Throws: `unreachable` if it returns false; the counter is unchanged.
  package func incrementCounter(
    _ index: UInt32,
    authorization: SharedSecret,
    ifStill mayGoOn: () -> Bool
  ) throws(TPMFailure) -> TPMCounter {
    try useCounter(index, authorization) { connection, counter, session throws(TPMFailure) in
      guard mayGoOn() else { throw .engineGone }
      try connection.increment(counter, session)
    }
  }

  /// Replaces the authorization value of a counter; see `TPMSealing`.
  package func confirmCounter(
    _ index: UInt32,
    authorization: SharedSecret,
    next: SharedSecret
  ) throws(TPMFailure) -> TPMCounter {
    try confirmCounter(index, authorization: authorization, next: next) { true }
  }

  /// Replaces the authorization value of a counter, if `mayGoOn` returns true when the TPM is
  /// ready.
  ///
  /// - Throws: `unreachable` if it returns false; the counter is unchanged.
  package func confirmCounter(
    _ index: UInt32,
    authorization: SharedSecret,
    next: SharedSecret,
    ifStill mayGoOn: () -> Bool
  ) throws(TPMFailure) -> TPMCounter {
    let connection = try TPMConnection(path)
    let parent = try connection.parent(named: parentName)
    guard let counter = try connection.counter(index) else { throw .noCounter }
    try connection.setAuthorization(authorization, of: counter)
    let change = try connection.session(with: parent, policy: true)
    guard mayGoOn() else { throw .engineGone }
    try connection.changeAuthorization(of: counter, to: next, change)
    try connection.setAuthorization(next, of: counter)
    let session = try connection.session(with: parent, policy: false)
    return TPMCounter(index: index, value: try connection.read(counter, session))
  }

  /// Runs a step with a counter and a session, and then reads the counter.
  private func useCounter(
    _ index: UInt32,
    _ authorization: SharedSecret,
    _ step: (TPMConnection, borrowing TPMHandle, borrowing TPMHandle) throws(TPMFailure) -> Void
  ) throws(TPMFailure) -> TPMCounter {
    let connection = try TPMConnection(path)
    let parent = try connection.parent(named: parentName)
    guard let counter = try connection.counter(index) else { throw .noCounter }
    try connection.setAuthorization(authorization, of: counter)
    let session = try connection.session(with: parent, policy: false)
    try step(connection, counter, session)
    return TPMCounter(index: index, value: try connection.read(counter, session))
  }

  /// Removes a counter; see `TPMSealing`.
  package func removeCounter(
    _ index: UInt32,
    authorization: SharedSecret
  ) throws(TPMFailure) {
    let connection = try TPMConnection(path)
    let parent = try connection.parent(named: parentName)
    guard let counter = try connection.counter(index) else { return }
    try connection.setAuthorization(authorization, of: counter)
    let session = try connection.session(with: parent, policy: false)
    do throws(TPMFailure) {
      _ = try connection.read(counter, session)
    } catch .noCounter {
      // The value is right. The engine was killed before the first increment
      // (TPM_RC_NV_UNINITIALIZED).
    }
    try connection.undefine(counter)
  }
}

extension TPMFailure {
  /// The counter of an engine that has ended or no longer waits must not change.
  package static var engineGone: TPMFailure { .unreachable("the engine no longer waits") }
}
