internal import JSON
internal import VaultInterface

/// How the fingerprint reader is shown.
enum ReaderText {
  static func object(_ reader: VaultReader) -> JSONObject {
    [
      "available": .boolean(reader.available),
      "name": AccountText.optional(reader.name),
      "driver": AccountText.optional(reader.driver),
      "reason": AccountText.optional(reader.reason),
      "in_use": reader.inUse.map { .boolean($0) } ?? .null,
      "known": AccountText.optional(reader.known?.rawValue),
    ]
  }

  static func line(_ reader: VaultReader) -> String {
    if reader.known == .notLooked { return reader.reason ?? "not checked" }
    guard reader.available else { return "not available" + (reader.reason.map { ": \($0)" } ?? "") }
    let name = reader.name ?? "available"
    let use = reader.inUse == true ? ", in use by a program" : nil
    let note = use ?? (reader.known == .lastUsed ? ", last used" : "")
    return (reader.driver.map { "\(name) (\($0))" } ?? name) + note
  }
}
