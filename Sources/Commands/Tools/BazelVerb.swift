internal import Configuration
internal import ToolProtocols

/// `bazel-credential`: a credential helper of Bazel and of tools that use its protocol.
enum BazelVerb {
  static let verb = Verb(
    "bazel-credential",
    [Verb.Operand("COMMAND", .one, offers: .words(["get"]))],
    summary: "answer Bazel as its credential helper",
    details: """
      Bazel runs it, after ~/.bazelrc has: common \
      --credential_helper=HOST=/usr/bin/bazel-credential-thumblatch. It gives a token for the hosts \
      of thumblatch host list.
      """,
    isForTools: true
  ) { session throws(CommandError) in
    guard session.arguments.operands[0] == "get" else {
      throw .usage("the only command is get")
    }
    let request = try ToolInput.request(session) { bytes throws(ToolRequestError) in
      try BazelCredential(bytes)
    }
    guard let entry = try session.hostAccount(try? TokenHost(ofURL: request.url)) else {
      throw CommandError(
        .notFound,
        "this host gets no token",
        hint: "to change that: thumblatch host add HOST ACCOUNT"
      )
    }
    let token = try session.toolToken(for: entry, tool: "Bazel")
    let basic = entry.isBasic ? entry.username : nil
    try session.output.data(bytes: request.answer(token, basic: basic))
  }
}
