internal import Configuration
internal import MachineFiles

/// Whether the administrator allows vaults beside the service (thumblatch.conf(5), `private`).
///
/// The clients of this package ask before they use or start a private engine. A user's own program can
/// do without: the rule keeps habits in order, and is no wall.
enum PrivateRule {
  /// - Throws: `privateForbidden`, also if the rule cannot be read: it may forbid this.
  static func demandAllowed(
    by machine: MachineDirectory = MachineDirectory()
  ) throws(VaultClientError) {
    let reason: String?
    do throws(ConfigurationError) {
      reason = try refusal(by: machine)
    } catch {
      throw .privateForbidden(
        reason: "whether a vault of your own is allowed cannot be read: \(error)"
      )
    }
    if let reason { throw .privateForbidden(reason: reason) }
  }

  private static func refusal(by machine: MachineDirectory) throws(ConfigurationError) -> String? {
    let files = try machine.policyFiles()
    guard try files.policy().privateVaults == .never else { return nil }
    let key = Policy.Key.privateVaults
    let location = files.location(of: key).map { " in \($0)" } ?? ""
    return "a vault of your own beside the service is not allowed (\(key.rawValue)\(location))"
  }
}
