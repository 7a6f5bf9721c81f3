internal import CTSS
internal import MachineKey
internal import SecretMemory

extension TPMConnection {
  /// Defines a counter (TPM2_NV_DefineSpace).
  ///
  /// - Throws: `indexTaken`.
  func define(
    _ index: UInt32,
    _ authorization: SharedSecret,
    _ session: borrowing TPMHandle
  ) throws(TPMFailure) -> TPMHandle {
    guard TPMCounter.indices.contains(index) else { throw .noCounter }
    let session = session.number
    let none = ESYS_TR(ESYS_TR_NONE)
    var area = TPM2B_NV_PUBLIC()
    unsafe ctss_counter(&area, index)
    var counter: ESYS_TR = 0
    let code = unsafe try withAuthorization(authorization) { value throws(TPMFailure) in
      unsafe Esys_NV_DefineSpace(
        context,
        ESYS_TR(ESYS_TR_RH_OWNER),
        session,
        none,
        none,
        value,
        &area,
        &counter
      )
    }
    if let response = TPMResponse(code, .parent) {
      if response.isDefined { throw .indexTaken }
      throw response.failure
    }
    return TPMHandle(counter, .kept, of: self)
  }

  /// The counter at an index; `nil` if there is none of this kind.
  func counter(_ index: UInt32) throws(TPMFailure) -> TPMHandle? {
    guard TPMCounter.indices.contains(index) else { return nil }
    var number: ESYS_TR = 0
    let none = ESYS_TR(ESYS_TR_NONE)
    let code = unsafe Esys_TR_FromTPMPublic(context, index, none, none, none, &number)
    if let response = TPMResponse(code, .counter) {
      if response.isMissing { return nil }
      throw response.failure
    }
    let counter = TPMHandle(number, .kept, of: self)
    var found: UnsafeMutablePointer<TPM2B_NV_PUBLIC>?
    try check(
      unsafe Esys_NV_ReadPublic(context, number, none, none, none, &found, nil),
      .counter
    )
    guard let area = unsafe found else { return nil }
    defer { unsafe Esys_Free(area) }
    return unsafe ctss_is_counter(area) != 0 ? consume counter : nil
  }

  /// Increments a counter (TPM2_NV_Increment).
  func increment(
    _ counter: borrowing TPMHandle,
    _ session: borrowing TPMHandle
  ) throws(TPMFailure) {
    let (number, none) = (counter.number, ESYS_TR(ESYS_TR_NONE))
    try check(
      unsafe Esys_NV_Increment(context, number, number, session.number, none, none),
      .counter
    )
  }

  /// Replaces the authorization value of a counter (TPM2_NV_ChangeAuth).
  ///
  /// The counter's policy needs the present value.
  func changeAuthorization(
    of counter: borrowing TPMHandle,
    to next: SharedSecret,
    _ session: borrowing TPMHandle
  ) throws(TPMFailure) {
    let (number, session) = (counter.number, session.number)
    let none = ESYS_TR(ESYS_TR_NONE)
    try check(unsafe ctss_change_policy(context, session), .counter)
    let code = unsafe try withAuthorization(next) { value throws(TPMFailure) in
      unsafe Esys_NV_ChangeAuth(context, number, session, none, none, value)
    }
    try check(code, .counter)
  }

  /// Reads a counter (TPM2_NV_Read).
  func read(
    _ counter: borrowing TPMHandle,
    _ session: borrowing TPMHandle
  ) throws(TPMFailure) -> UInt64 {
    var found: UnsafeMutablePointer<TPM2B_MAX_NV_BUFFER>?
    let (number, none) = (counter.number, ESYS_TR(ESYS_TR_NONE))
    let code = unsafe Esys_NV_Read(
      context,
      number,
      number,
      session.number,
      none,
      none,
      8,
      0,
      &found
    )
    try check(code, .counter)
    guard let data = unsafe found else { throw .absent }
    defer { unsafe Esys_Free(data) }
    guard unsafe data.pointee.size == 8 else { throw .noCounter }
    return unsafe withUnsafeBytes(of: &data.pointee.buffer) { bytes in
      unsafe bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// Removes a counter, which the owner authorizes (TPM2_NV_UndefineSpace).
  func undefine(_ counter: borrowing TPMHandle) throws(TPMFailure) {
    let none = ESYS_TR(ESYS_TR_NONE)
    let code = unsafe Esys_NV_UndefineSpace(
      context,
      ESYS_TR(ESYS_TR_RH_OWNER),
      counter.number,
      ESYS_TR(ESYS_TR_PASSWORD),
      none,
      none
    )
    try check(code, .parent)
  }
}
