internal import CTSS
internal import Glibc
internal import MachineKey
internal import SecretMemory

extension TPMConnection {
  private typealias Parts = (privatePart: [UInt8], publicPart: [UInt8])

  /// Seals a secret below a key (TPM2_Create).
  func create(
    _ secret: SharedSecret,
    authorization: SharedSecret,
    below parent: borrowing TPMHandle,
    _ session: borrowing TPMHandle
  ) throws(TPMFailure) -> (privatePart: [UInt8], publicPart: [UInt8]) {
    let (key, session) = (parent.number, session.number)
    return unsafe try withStructure(of: TPM2B_SENSITIVE_CREATE.self) {
      sensitive throws(TPMFailure) -> Parts in
      unsafe sensitive.pointee.sensitive.data.size = UInt16(secret.bytes.count)
      unsafe sensitive.pointee.sensitive.userAuth.size = UInt16(authorization.bytes.count)
      unsafe try copy(secret, to: &sensitive.pointee.sensitive.data.buffer)
      unsafe try copy(authorization, to: &sensitive.pointee.sensitive.userAuth.buffer)
      return unsafe try create(sensitive, below: key, session)
    }
  }

  private func create(
    _ sensitive: UnsafeMutablePointer<TPM2B_SENSITIVE_CREATE>,
    below parent: ESYS_TR,
    _ session: ESYS_TR
  ) throws(TPMFailure) -> Parts {
    var template = TPM2B_PUBLIC()
    unsafe ctss_sealed(&template)
    var outside = TPM2B_DATA()
    var registers = TPML_PCR_SELECTION()
    var privatePart: UnsafeMutablePointer<TPM2B_PRIVATE>?
    var publicPart: UnsafeMutablePointer<TPM2B_PUBLIC>?
    let none = ESYS_TR(ESYS_TR_NONE)
    let code = unsafe Esys_Create(
      context,
      parent,
      session,
      none,
      none,
      sensitive,
      &template,
      &outside,
      &registers,
      &privatePart,
      &publicPart,
      nil,
      nil,
      nil
    )
    defer {
      unsafe Esys_Free(privatePart)
      unsafe Esys_Free(publicPart)
    }
    try check(code, .parent)
    guard let privatePart = unsafe privatePart, let publicPart = unsafe publicPart,
      let marshalled = unsafe publicPart.pointee.marshalledSealed
    else { throw .anotherTPM }
    return unsafe (privatePart.pointee.marshalled, marshalled)
  }

  /// Loads a sealed secret (TPM2_Load).
  func load(
    _ privatePart: TPM2B_PRIVATE,
    _ publicPart: TPM2B_PUBLIC,
    below parent: borrowing TPMHandle
  ) throws(TPMFailure) -> TPMHandle {
    var (privatePart, publicPart) = (privatePart, publicPart)
    var object: ESYS_TR = 0
    let none = ESYS_TR(ESYS_TR_NONE)
    let code = unsafe Esys_Load(
      context,
      parent.number,
      ESYS_TR(ESYS_TR_PASSWORD),
      none,
      none,
      &privatePart,
      &publicPart,
      &object
    )
    try check(code, .load)
    return TPMHandle(object, .loaded, of: self)
  }

  /// Opens a loaded secret with a policy session (TPM2_PolicyAuthValue, TPM2_Unseal).
  func unseal(
    _ object: borrowing TPMHandle,
    _ session: borrowing TPMHandle
  ) throws(TPMFailure) -> SharedSecret {
    let none = ESYS_TR(ESYS_TR_NONE)
    try check(unsafe Esys_PolicyAuthValue(context, session.number, none, none, none), .use)
    var found: UnsafeMutablePointer<TPM2B_SENSITIVE_DATA>?
    let code = unsafe Esys_Unseal(context, object.number, session.number, none, none, &found)
    try check(code, .use)
    guard let data = unsafe found else { throw .absent }
    defer {
      unsafe explicit_bzero(data, MemoryLayout<TPM2B_SENSITIVE_DATA>.size)
      unsafe Esys_Free(data)
    }
    guard unsafe Int(data.pointee.size) == TPMDevice.secretCount else { throw .damaged }
    let copy = unsafe withUnsafeBytes(of: &data.pointee.buffer) { bytes in
      let part = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(TPMDevice.secretCount))
      return Result { () throws(SecretMemoryError) in
        SharedSecret(unsafe try SecretBytes(copying: part))
      }
    }
    guard case .success(let secret) = copy else { throw .unexpected("no memory for secrets") }
    return secret
  }

  /// Gives the authorization value of an object or a counter to the library (Esys_TR_SetAuth(3)).
  func setAuthorization(
    _ authorization: SharedSecret,
    of handle: borrowing TPMHandle
  ) throws(TPMFailure) {
    let number = handle.number
    unsafe try withAuthorization(authorization) { value throws(TPMFailure) in
      try check(unsafe Esys_TR_SetAuth(context, number, value), .use)
    }
  }

  /// Lends an authorization value in locked memory.
  func withAuthorization<Value>(
    _ authorization: SharedSecret,
    _ body: (UnsafeMutablePointer<TPM2B_AUTH>) throws(TPMFailure) -> Value
  ) throws(TPMFailure) -> Value {
    unsafe try withStructure(of: TPM2B_AUTH.self) { value throws(TPMFailure) in
      unsafe value.pointee.size = UInt16(authorization.bytes.count)
      unsafe try copy(authorization, to: &value.pointee.buffer)
      return unsafe try body(value)
    }
  }

  /// Lends a structure of the library in locked memory, all zero.
  private func withStructure<Structure, Value>(
    of type: Structure.Type,
    _ body: (UnsafeMutablePointer<Structure>) throws(TPMFailure) -> Value
  ) throws(TPMFailure) -> Value {
    let room: SecretBuffer
    do throws(SecretMemoryError) {
      room = try SecretBuffer(capacity: MemoryLayout<Structure>.size)
    } catch {
      throw .unexpected("no memory for secrets")
    }
    return unsafe try room.withUnsafeMutableBytes { bytes throws(TPMFailure) in
      guard let base = bytes.baseAddress else { throw .unexpected("no memory for secrets") }
      return unsafe try body(base.assumingMemoryBound(to: Structure.self))
    }
  }

  /// Copies a secret of 32 bytes into an array of the library.
  private func copy<Bytes>(_ secret: SharedSecret, to bytes: inout Bytes) throws(TPMFailure) {
    guard secret.bytes.count == TPMDevice.secretCount,
      secret.bytes.count <= MemoryLayout<Bytes>.size
    else { throw .unexpected("a secret of \(secret.bytes.count) bytes") }
    unsafe withUnsafeMutableBytes(of: &bytes) { room in
      unsafe secret.bytes.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
    }
  }
}
