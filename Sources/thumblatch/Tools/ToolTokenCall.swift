/// A call of `AccessToken` for a tool, whose person would see no prompt.
///
/// Its message is written without the types of JSON objects: making them would take longer than the
/// engine takes to answer.
struct ToolTokenCall {
  let account: String
  /// In seconds.
  var minimumLifetime: Int?
  var scope: String?
  var audience: String?
  let reason: String
  /// Whether the tool runs its helper again after a 401.
  var isHelper = false
  /// Whether the engine must also say that the token may go to any host.
  let isForHost: Bool

  /// The messages of the calls; `nil` if a text needs escaping.
  var message: [UInt8]? {
    var text = CallText()
    if isForHost {
      text.add(#"{"method":"io.thumblatch.Vault.RequestTerms","parameters":{"account":""#)
      text.add(text: account)
      text.add("\"}}\0")
    }
    text.add(#"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":""#)
    text.add(text: account)
    text.add("\"")
    if let minimumLifetime {
      text.add(#","minimum_lifetime":"#)
      text.add(number: UInt64(minimumLifetime))
    }
    if let scope {
      text.add(#","scope":""#)
      text.add(text: scope)
      text.add("\"")
    }
    if let audience {
      text.add(#","audience":""#)
      text.add(text: audience)
      text.add("\"")
    }
    text.add(#","ask":false,"reason":""#)
    text.add(text: reason)
    text.add("\"")
    if isHelper { text.add(#","helper":true"#) }
    text.add("}}\0")
    return text.isPlain ? text.bytes : nil
  }
}

/// The text of a call.
private struct CallText {
  private(set) var bytes: [UInt8] = []
  /// Whether no text needed escaping.
  private(set) var isPlain = true

  init() { bytes.reserveCapacity(1024) }

  mutating func add(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount { unsafe bytes.append(text.utf8Start[index]) }
  }

  mutating func add(text: String) {
    for byte in text.utf8 {
      isPlain = isPlain && byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      bytes.append(byte)
    }
  }

  mutating func add(number: UInt64) {
    Decimal.write(number) { bytes.append($0) }
  }
}
