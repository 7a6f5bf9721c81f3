internal import CTSS
internal import MachineKey

extension TPMConnection {
  /// The handle at which a TPM keeps its storage key (TCG TPM v2.0 Provisioning Guidance, 7.8).
  private static let keptKey: UInt32 = 0x8100_0001

  /// The storage key with this name; without a name, the TPM's own.
  ///
  /// The name is compared before anything else: a session that is salted with an interposer's key
  /// would give away all of its messages.
  func parent(named wanted: [UInt8]?) throws(TPMFailure) -> TPMHandle {
    let refusal: TPMFailure
    switch madeParent() {
    case .success(let made):
      guard let wanted else { return TPMHandle(made, .loaded, of: self) }
      let parent = TPMHandle(made, .loaded, of: self)
      if try name(of: parent) == wanted { return parent }
      refusal = .anotherTPM
    case .failure(let response):
      refusal = response.failure
      guard response.failure == .ownerPassword else { throw refusal }
    }
    // The owner's password is set, or the secret was sealed while it was.
    guard let kept = try keptParent() else { throw refusal }
    if let wanted {
      guard try name(of: kept) == wanted else { throw refusal }
    } else {
      guard try isStorageKey(kept) else { throw refusal }
    }
    return kept
  }

  /// The key's name, computed from the public part that a session is salted with.
  func name(of key: borrowing TPMHandle) throws(TPMFailure) -> [UInt8] {
    var found: UnsafeMutablePointer<TPM2B_NAME>?
    try check(unsafe Esys_TR_GetName(context, key.number, &found), .parent)
    guard let name = unsafe found else { throw .absent }
    defer { unsafe Esys_Free(name) }
    return unsafe withUnsafeBytes(of: &name.pointee.name) { bytes in
      unsafe Array(bytes.prefix(Int(name.pointee.size)))
    }
  }

  /// Starts a session that is salted with a key, and encrypts the parameters that it can.
  func session(
    with key: borrowing TPMHandle,
    policy: Bool
  ) throws(TPMFailure) -> TPMHandle {
    var session: ESYS_TR = 0
    try check(unsafe ctss_start_session(context, key.number, policy ? 1 : 0, &session), .parent)
    return TPMHandle(session, .loaded, of: self)
  }

  /// Makes the key from the template.
  private func madeParent() -> Result<ESYS_TR, TPMResponse> {
    var template = TPM2B_PUBLIC()
    unsafe ctss_storage_key(&template)
    var sensitive = TPM2B_SENSITIVE_CREATE()
    var outside = TPM2B_DATA()
    var registers = TPML_PCR_SELECTION()
    var key: ESYS_TR = 0
    let code = unsafe Esys_CreatePrimary(
      context,
      ESYS_TR(ESYS_TR_RH_OWNER),
      ESYS_TR(ESYS_TR_PASSWORD),
      ESYS_TR(ESYS_TR_NONE),
      ESYS_TR(ESYS_TR_NONE),
      &sensitive,
      &template,
      &outside,
      &registers,
      &key,
      nil,
      nil,
      nil,
      nil
    )
    return TPMResponse(code, .parent).map(Result.failure) ?? .success(key)
  }

  /// The key that the TPM keeps; `nil` if there is none.
  private func keptParent() throws(TPMFailure) -> TPMHandle? {
    var key: ESYS_TR = 0
    let none = ESYS_TR(ESYS_TR_NONE)
    let code = unsafe Esys_TR_FromTPMPublic(context, Self.keptKey, none, none, none, &key)
    if let response = TPMResponse(code, .parent) {
      if response.isMissing { return nil }
      throw response.failure
    }
    return TPMHandle(key, .kept, of: self)
  }

  private func isStorageKey(_ key: borrowing TPMHandle) throws(TPMFailure) -> Bool {
    var found: UnsafeMutablePointer<TPM2B_PUBLIC>?
    let none = ESYS_TR(ESYS_TR_NONE)
    try check(
      unsafe Esys_ReadPublic(context, key.number, none, none, none, &found, nil, nil),
      .parent
    )
    guard let area = unsafe found else { return false }
    defer { unsafe Esys_Free(area) }
    return unsafe ctss_is_storage_key(area) != 0
  }
}
