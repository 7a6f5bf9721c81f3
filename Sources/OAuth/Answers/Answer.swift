internal import JSON
internal import SecretMemory

/// A parsed body.
enum Answer {
  case empty
  case unreadable
  case object(JSONObject)

  /// Reads a body; with `mayHoldTokens`, faults beside the tokens do not matter.
  init(_ body: borrowing SecretBytes, secretMembers: Set<String>, mayHoldTokens: Bool = false) {
    guard body.count > 0 else {
      self = .empty
      return
    }
    do throws(JSONError) {
      let rules = JSONRules(
        secretMembers: secretMembers,
        keepsRest: true,
        allowsRepeated: mayHoldTokens,
        allowsFaultyText: mayHoldTokens
      )
      if case .object(let object) = try JSONReader.read(body, rules) {
        self = .object(object)
      } else {
        self = .unreadable
      }
    } catch {
      self = .unreadable
    }
  }

  var object: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }
}
