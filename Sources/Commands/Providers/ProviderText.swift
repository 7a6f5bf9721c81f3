internal import Configuration
internal import JSON
internal import Providers

/// How a provider is shown, as JSON and as text.
enum ProviderText {
  /// The settings, and what is shown in the place of a client secret.
  static func shownSettings(of provider: Provider) -> [String: String] {
    var settings = provider.settings
    if let algorithms = provider.oauth?.idTokenAlgorithms, !algorithms.isEmpty {
      settings["id_token_algorithms"] = algorithms.map(\.rawValue).joined(separator: ";")
    }
    if provider.oauth?.clientSecret != nil { settings[ClientSecret.key] = ClientSecret.shown }
    return settings
  }

  /// The value of a key for people: certificates by their size.
  static func shown(_ value: String, of key: String) -> String {
    switch key {
    case "ca": "\(value.utf8.count) bytes of certificates"
    default: value
    }
  }

  /// All settings but the secret, for programs.
  static func object(_ provider: Provider, _ source: ProviderFiles.Source) -> JSONObject {
    let settings = shownSettings(of: provider).sorted { $0.key < $1.key }
    return [
      "name": .string(provider.name.text),
      "source": .string(source.rawValue),
      "settings": .object(
        JSONObject(settings.map { ($0.key, .string($0.value)) })
      ),
    ]
  }

  /// A key whose value differs between two providers.
  struct Change: Equatable {
    let key: String
    /// What it was, as it is shown; `nil` if it was not there.
    let old: String?
    /// What it will be.
    let new: String?

    var object: JSONObject {
      [
        "key": .string(key), "old": AccountText.optional(old), "new": AccountText.optional(new),
      ]
    }

    /// In lines of the dialogue; long values stand in lines of their own, so that none is cut.
    var lines: [String] {
      let (old, new) = (old ?? "(none)", new ?? "(none)")
      guard old.utf8.count + new.utf8.count > 900 else { return ["\(key): \(old) → \(new)"] }
      return ["\(key), before: \(old)", "\(key), from now on: \(new)"]
    }
  }

  /// What changes from one provider to another, in the order of the keys; which of them the
  /// provider itself has told is no change.
  static func changes(from old: Provider, to new: Provider) -> [Change] {
    let (before, after) = (shownSettings(of: old), shownSettings(of: new))
    return new.keys(differingFrom: old).subtracting(["discovered"]).sorted()
      .map { key in
        let values = (before[key].map { shown($0, of: key) }, after[key].map { shown($0, of: key) })
        // What is not shown must not look the same either.
        let new = values.0 == values.1 ? values.1.map { "another: \($0)" } : values.1
        return Change(key: key, old: values.0, new: new)
      }
  }

  /// What is said of a provider without TLS.
  static let insecure =
    "\(plain); only the user whose program listens is looked at (loopback_users)"
  /// The same in few words.
  static let plain = "plain http on this machine"

  /// How its server is known.
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
