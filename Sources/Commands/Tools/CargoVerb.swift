internal import Configuration
internal import ToolProtocols

/// `cargo-credential`: a credential provider of cargo.
enum CargoVerb {
  /// The front has greeted cargo and answered as many requests as it could.
  private static let continued = Verb.Option(
    "--continued",
    "DESCRIPTOR",
    "for internal use: the greeting was sent, and this descriptor has the input so far"
  )

  static let verb = Verb(
    "cargo-credential",
    options: [
      Verb.Option("--cargo-plugin", "cargo passes this option; it has no effect"), continued,
    ],
    summary: "act as cargo's credential provider",
    details: """
      Cargo runs it, after ~/.cargo/config.toml has, below [registries.NAME]: credential-provider \
      = "cargo-credential-thumblatch". It gives a token for the sparse indexes of the hosts of \
      thumblatch host list. The host of crates.io is crates.io. What cargo login stores is kept \
      like a secret of thumblatch store. Cargo sends "Bearer TOKEN", or a secret unchanged if it \
      contains a space, or only TOKEN with credential-provider = ["cargo-credential-thumblatch", \
      "--raw"].
      """,
    isForTools: true
  ) { session throws(CommandError) in
    // The front gives another descriptor than the standard ones. -1 cannot be read.
    let begun = session.arguments.value(continued.name).map { word in
      Int32(word).flatMap { $0 > 2 ? $0 : nil } ?? -1
    }
    let input = try ToolInput(session, begun: begun)
    if begun == nil { try session.output.data(bytes: CargoCredential.hello) }
    // Cargo closes the pipe when it needs no more.
    while let line = try input.line() {
      let request: CargoCredential
      do throws(ToolRequestError) { request = try CargoCredential(line) } catch {
        // The rest may not be a message at all.
        return try session.output.data(bytes: CargoCredential.answer(.other, error.description))
      }
      try session.output.data(bytes: answer(request, session))
    }
  }

  private static let noServer = CargoCredential.answer(
    .urlNotSupported,
    "Only a sparse index on https gets a token (sparse+https://...). The owner of a git index chooses"
      + " the servers that get the token."
  )

  private static func login(
    _ request: CargoCredential,
    for host: TokenHost,
    _ session: Session
  ) throws(CommandError) -> [UInt8] {
    guard let token = request.token else {
      return CargoCredential.answer(
        .other,
        "cargo gave no token: cargo login reads one from a pipe"
      )
    }
    if let entry = try session.keep(ToolSecret(token), for: host) {
      return CargoCredential.answer(
        .other,
        "\(host) gets tokens of the login of \(entry.account);"
          + " to store another one: thumblatch host remove \(host), then cargo login"
      )
    }
    return CargoCredential.done(.login)
  }

  private static func answer(_ request: CargoCredential, _ session: Session) -> [UInt8] {
    guard request.kind != nil else {
      return CargoCredential.answer(
        .operationNotSupported,
        "thumblatch answers the requests get, login and logout"
      )
    }
    do throws(CommandError) {
      let query = ToolQuery.cargo(request)
      guard let host = query.host else { return noServer }
      if request.kind == .login { return try login(request, for: host, session) }
      guard let entry = try session.hostAccount(of: query) else {
        // With `urlNotSupported`, cargo login would fail at a registry whose index needs a token.
        return CargoCredential.answer(
          .notFound,
          "this registry gets no token; to change that: thumblatch host add HOST ACCOUNT"
        )
      }
      if request.kind == .logout, try session.giveUp(entry) {
        return CargoCredential.done(.logout)
      }
      guard request.kind == .get else {
        return CargoCredential.answer(
          .other,
          "\(entry.host) gets tokens of \(entry.account), which cargo cannot remove;"
            + " to end that: thumblatch host remove \(entry.host)"
        )
      }
      return try session.answerIfKept(query, for: entry)
        ?? CargoCredential.answer(
          .notFound,
          "\(entry.account) keeps no secret now; to store one: cargo login"
        )
    } catch {
      return CargoCredential.answer(.other, session.output.commands.adapted(error).line)
    }
  }
}
