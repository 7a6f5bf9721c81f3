internal import ToolProtocols

/// `bazel-credential`: a credential helper of Bazel and of tools that use its protocol.
enum BazelVerb {
  static let verb = Verb(
    "bazel-credential",
    [Verb.Operand("COMMAND", .one, offers: .words(["get"]))],
    summary: "act as Bazel's credential helper",
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
    let query = try ToolInput.request(session, ToolQuery.bazel)
    guard let entry = try session.hostAccount(of: query) else {
      throw CommandError(
        .notFound,
        "this host gets no token",
        hint: "to change that: thumblatch host add HOST ACCOUNT"
      )
    }
    try session.output.data(bytes: try session.answer(query, for: entry))
  }
}
