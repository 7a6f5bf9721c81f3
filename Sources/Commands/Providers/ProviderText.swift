internal import Configuration
internal import JSON
internal import Providers

/// Shows a provider, as JSON and as text.
enum ProviderText {
  /// The settings, with a placeholder for a client secret.
  static func shownSettings(of provider: Provider) -> [String: String] {
    var settings = provider.settings
    if let algorithms = provider.oauth?.idTokenAlgorithms, !algorithms.isEmpty {
      settings["id_token_algorithms"] = algorithms.map(\.rawValue).joined(separator: ";")
    }
    if provider.oauth?.clientSecret != nil { settings[ClientSecret.key] = ClientSecret.shown }
    return settings
  }

  /// The value of a key as shown to a person: certificates by their size.
  static func shown(_ value: String, of key: String) -> String {
    switch key {
    case "ca": "\(value.utf8.count) bytes of certificates"
    default: value
    }
  }

  /// All settings except the secret, for programs.
  static func object(_ provider: Provider, _ source: ProviderFiles.Source) -> JSONObject {
    let settings = shownSettings(of: provider).sorted { $0.key < $1.key }
    return [
      "name": .string(provider.name.text),
      "source": .string(source.rawValue),
      "settings": .object(JSONObject(settings.map { ($0.key, .string($0.value)) })),
    ]
  }

  /// A key whose value differs between two providers.
  struct Change: Equatable {
    let key: String
    /// The old value, as it is shown; `nil` if there was none.
    let old: String?
    /// The new value, as it is shown; `nil` if there will be none.
    let new: String?

    var object: JSONObject {
      ["key": .string(key), "old": AccountText.optional(old), "new": AccountText.optional(new)]
    }

    /// The lines of the dialogue; long values get lines of their own, so that none is cut.
    var lines: [String] {
      let (old, new) = (old ?? "(none)", new ?? "(none)")
      guard old.utf8.count + new.utf8.count > 900 else { return ["\(key): \(old) → \(new)"] }
      return ["\(key), before: \(old)", "\(key), after: \(new)"]
    }
  }

  /// The changes from one provider to another, in the order of the keys.
  ///
  /// The list of the keys that come from the provider's own metadata does not count.
  static func changes(from old: Provider, to new: Provider) -> [Change] {
    let (before, after) = (shownSettings(of: old), shownSettings(of: new))
    return new.keys(differingFrom: old).subtracting(["discovered"]).sorted()
      .map { key in
        let values = (before[key].map { shown($0, of: key) }, after[key].map { shown($0, of: key) })
        // Different values that are shown alike must not look the same.
        let new = values.0 == values.1 ? values.1.map { "another: \($0)" } : values.1
        return Change(key: key, old: values.0, new: new)
      }
  }

  /// The warning for a provider without TLS.
  static let insecure =
    "\(plain); only the user of the listening program is checked (loopback_users)"
  /// The same in few words.
  static let plain = "plain http on this machine"

  /// The text that says how its server is authenticated.
  static func trust(_ provider: Provider) -> String {
    if provider.issuer.isPlain { return "insecure: \(insecure)" }
    var text =
      provider.certificateAuthority == nil
      ? "the system's certificates" : "its own certificates (ca) instead of the system's"
    switch provider.pins.count {
    case 0: break
    case 1: text += ", 1 pinned key"
    case let count: text += ", one of \(count) pinned keys"
    }
    return text
  }
}
