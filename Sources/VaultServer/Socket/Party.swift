/// The party that a connection counts for.
///
/// Limits apply to people, not to uids.
enum Party: Hashable, Sendable {
  /// A person of this machine, by uid.
  case person(UInt32)
  /// All other uids together: those without a name, and those that another user can act under.
  case strangers
}
