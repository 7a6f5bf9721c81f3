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
    ]
  }

  static func line(_ reader: VaultReader) -> String {
    guard reader.available else {
      return "not available" + (reader.reason.map { ": \($0)" } ?? "")
    }
    let name = reader.name ?? "available"
    return reader.driver.map { "\(name) (\($0))" } ?? name
  }
}
