internal import Configuration

extension MCPLogin {
  /// The provider of a login, whose file is written if the login succeeds.
  struct Found {
    let provider: Provider
    /// The provider as the file of an earlier login has it; `nil` if there is none.
    let known: Provider?
    let files: ProviderFiles

    /// Writes the file if it changes.
    func write() throws(CommandError) {
      // A file cannot hold certificates. The account has its own copy of the settings.
      guard provider != known, provider.certificateAuthority == nil else { return }
      try files.put(provider, replacing: known != nil)
    }

    /// Writes a new file if a login has failed because the settings do not fit the provider.
    ///
    /// The error then says what to set in the file.
    func keep(after error: CommandError, _ session: Session) {
      guard error.reason == .misconfigured, known == nil, (try? write()) != nil else { return }
      session.output.talk(
        "the settings are kept as the provider \(provider.name); to forget them: thumblatch provider"
          + " remove \(provider.name)"
      )
    }
  }

  /// Asks before a server sends the person to another issuer than that of the earlier login.
  func confirmChange(of known: Issuer, to issuer: Issuer) throws(CommandError) {
    guard known != issuer, !session.arguments.has("--yes") else { return }
    session.findTerminal()
    session.output.announce("The earlier login of \(name) was at \(known).")
    session.output.announce("\(url) now names \(issuer).")
    try session.confirm(
      "Sign in there instead?",
      for: "a confirmation that \(name) signs in at \(issuer) instead of \(known)",
      otherwise: "\(name) stays at \(known)"
    )
  }
}
