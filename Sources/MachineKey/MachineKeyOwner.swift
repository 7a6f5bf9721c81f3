/// The owner of a machine key's directory.
package enum MachineKeyOwner: Sendable, Equatable {
  /// The user of a private vault.
  case user(UInt32)
  /// The machine, for the service: its system user may have another uid on another machine.
  case machine

  /// The four bytes in a slot.
  ///
  /// No user has the uid -1, which means "unchanged" in chown(2).
  var number: UInt32 {
    switch self {
    case .user(let user): user
    case .machine: .max
    }
  }
}
