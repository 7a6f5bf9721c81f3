internal import JSON
internal import SecretMemory

extension Fuzzer {
  /// Text by both sets of rules.
  ///
  /// The longest is a helper's message.
  static let json = Fuzzer("json", maximum: 96 * 1024, dictionary: "json") { input in
    let bytes = input.bytes()
    // One value at a time, so that the memory is that of one reader.
    let rules = JSONRules(
      secretMembers: ["password"],
      keepsRest: true,
      allowsRepeated: true,
      allowsFaultyText: true,
      longestMixedText: 1024
    )
    let isReadByRest = (try? JSONReader.read(bytes, rules)) != nil
    let text = try JSONWriter.writeSecret(JSONReader.read(bytes, secretMembers: ["password"]))
    demand(isReadByRest, "JSON is refused by the rules that keep the rest")
    demandSame(text, "JSON that was written is another when it is read again") {
      try JSONWriter.writeSecret(JSONReader.read(text, secretMembers: ["password"]))
    }
  }
}
