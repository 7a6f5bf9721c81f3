internal import Storage

/// The answer to a refresh, before it is judged, and the slot that it lies in.
struct RefreshAnswer: ~Copyable {
  let intent: IntentRow
  let image: [UInt8]
  let slot: SlotFile
  let evidence: Vault.Evidence
}
