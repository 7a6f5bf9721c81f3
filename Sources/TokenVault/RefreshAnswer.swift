internal import Storage

/// The answer to a refresh, before it is judged, and the slot that it lies in.
struct RefreshAnswer: ~Copyable {
  let intent: IntentRow
  let image: [UInt8]
  let slot: SlotFile
  /// The courier that brought it, which ends with this: what is written meanwhile does not wait for that.
  let courier: any ReadyCourier
  let evidence: Vault.Evidence
}
