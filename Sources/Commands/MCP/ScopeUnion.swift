internal import Configuration
internal import VaultInterface

/// The scopes of a login for one resource, which only grow.
enum ScopeUnion {
  /// Scopes together with those of an option, separated by spaces.
  static func of(_ scopes: [String], _ asked: String?) throws(CommandError) -> [String] {
    let text = (scopes + [asked ?? ""]).joined(separator: " ")
    guard let union = ScopeList.scopes(in: text) else {
      throw .usage(
        "the scopes cannot be asked for: at most \(ScopeList.maximumCount), without quotes and"
          + " backslashes"
      )
    }
    return union
  }

  /// The scopes that a login asks for; `nil` for those of the provider.
  ///
  /// For a provider of one resource they are those of the provider, of the account, and of
  /// `--scope`. For any other provider they are those of `--scope`.
  static func asked(
    _ session: Session,
    of target: VaultProvider,
    _ known: VaultAccount?
  ) throws(CommandError) -> String? {
    let asked = session.arguments.value("--scope")
    guard target.settings["resource_only"] == "true" else { return asked }
    let own = try of([target.settings["scope"] ?? ""], nil)
    let granted = known?.provider == target.name ? known?.scope : nil
    let union = try of(own + [granted ?? ""], asked)
    return union == own ? nil : union.joined(separator: " ")
  }
}
