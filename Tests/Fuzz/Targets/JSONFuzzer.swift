internal import JSON
internal import SecretMemory

extension Fuzzer {
  /// Text by both rules; the longest is a helper's message.
  static let json = Fuzzer("json", maximum: 96 * 1024, dictionary: "json") { input in
    let bytes = input.bytes()
    let rest = try? JSONReader.read(
      bytes,
      JSONRules(secretMembers: ["password"], keepsRest: true, longestMixedText: 1024)
    )
    let value = try JSONReader.read(bytes, secretMembers: ["password"])
    demand(rest != nil, "JSON is refused by the rules that keep the rest")
    let text = try JSONWriter.writeSecret(value)
    demandSame(text, "JSON that was written is another when it is read again") {
      try JSONWriter.writeSecret(JSONReader.read(text, secretMembers: ["password"]))
    }
  }
}
