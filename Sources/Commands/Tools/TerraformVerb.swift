internal import Configuration
internal import ToolProtocols

/// `terraform-credential`: a credentials helper of Terraform and OpenTofu.
enum TerraformVerb {
  static let verb = Verb(
    "terraform-credential",
    [
      Verb.Operand("ACTION", .one, offers: .words(["forget", "get", "store"])),
      Verb.Operand("HOST", .one),
    ],
    summary: "act as Terraform's credentials helper",
    details: """
      Terraform runs it, after ~/.terraformrc has: credentials_helper "thumblatch" {}, and \
      ~/.terraform.d/plugins a link to terraform-credentials-thumblatch. It gives a token for the \
      hosts of thumblatch host list. What terraform login stores is kept like a secret of \
      thumblatch store. terraform logout removes it; if the account also serves other hosts, only \
      its secret is erased.
      """,
    isForTools: true
  ) { session throws(CommandError) in
    let arguments = session.arguments
    guard let action = TerraformCredential.Action(rawValue: arguments.operands[0]) else {
      throw .usage("unknown action; use get, store or forget")
    }
    let host = try? TokenHost("https://" + arguments.operands[1])
    let query = ToolQuery.terraform(host: arguments.operands[1])
    let entry = try session.hostAccount(of: query)
    switch (action, entry) {
    case (.get, let entry?):
      let answer = try session.answerIfKept(query, for: entry)
      try session.output.data(bytes: answer ?? TerraformCredential.answer(nil))
    case (.get, nil): try session.output.data(bytes: TerraformCredential.answer(nil))
    case (.forget, nil): break
    case (.store, _):
      let secret = try ToolInput.request(session, TerraformCredential.stored)
      guard let host else { throw .usage("HOST must be a host, optionally with a port") }
      if let entry = try session.keep(secret, for: host) { throw serving(entry) }
    case (.forget, let entry?): guard try session.giveUp(entry) else { throw serving(entry) }
    }
  }

  private static func serving(_ entry: HostAccount) -> CommandError {
    .usage(
      "\(entry.host) gets tokens of \(entry.account)",
      hint: "to end that: thumblatch host remove \(entry.host)"
    )
  }
}
