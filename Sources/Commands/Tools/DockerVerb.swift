internal import Configuration
internal import PlainText
internal import ToolProtocols
internal import VaultInterface

/// `docker-credential`: a credential helper of docker, podman, skopeo and others.
enum DockerVerb {
  static let verb = Verb(
    "docker-credential",
    [
      Verb.Operand(
        "ACTION",
        .one,
        offers: .words(["erase", "get", "list", "store", "version"])
      )
    ],
    summary: "act as docker's credential helper",
    details: """
      Docker runs it as docker-credential-thumblatch, after ~/.docker/config.json has: \
      {"credHelpers": {"registry.example.org": "thumblatch"}}. It gives a token for the hosts of \
      thumblatch host list. What docker login stores is kept like a secret of thumblatch store, \
      unless an account with a login serves the host. docker logout removes it; if the account \
      also serves other hosts, only its secret is erased. list names only the registries of docker \
      login. Errors are printed on standard output, as docker expects.
      """,
    isForTools: true
  ) { session throws(CommandError) in
    do throws(CommandError) {
      try answer(session)
    } catch {
      throw said(error, session.output)
    }
  }

  /// Says an error as docker expects it: on standard output, with exit status 1.
  ///
  /// - Returns: the error to end with.
  static func said(_ error: CommandError, _ output: Output) -> CommandError {
    let line = PlainText.line(output.commands.adapted(error).line, limit: 1200)
    do throws(CommandError) { try output.data(bytes: Array((line + "\n").utf8)) } catch {
      return error
    }
    return .answered(.bug)
  }

  private static func answer(_ session: Session) throws(CommandError) {
    let word = session.arguments.operands[0]
    guard let action = DockerCredential.Action(rawValue: word) else {
      throw .usage("unknown action; use get, store, erase, list or version")
    }
    switch action {
    case .version:
      try session.output.data(bytes: DockerCredential.version(thumblatchVersion))
    case .list:
      // podman logout --all erases each host of this list, and docker asks for each one's secret.
      // So the list has only hosts whose secret docker login stored.
      let entries = try HostAccounts(environment: session.environment).read().entries
      let hosts = entries.filter(\.isStoredByDocker).map {
        (host: $0.host.text, username: $0.username ?? DockerCredential.usualUsername)
      }
      try session.output.data(bytes: DockerCredential.list(hosts))
    case .get:
      let query = try ToolInput.request(session, ToolQuery.docker)
      guard let entry = try session.hostAccount(of: query),
        let answer = try session.answerIfKept(query, for: entry)
      else {
        throw .usage(DockerCredential.notFound)
      }
      try session.output.data(bytes: answer)
    case .store:
      let (server, secret) = try ToolInput.request(session, DockerCredential.stored)
      try session.keep(secret, for: try host(of: server, session), isOfDocker: true)
    case .erase:
      let server = try ToolInput.request(session, DockerCredential.server)
      guard let entry = try find(server, session), try !session.giveUp(entry) else { return }
      throw .usage(
        "\(entry.host) still gets tokens of \(entry.account)",
        hint: "to end that: thumblatch host remove \(entry.host)"
      )
    }
  }

  /// The host of a registry that a secret is stored for.
  private static func host(
    of server: String,
    _ session: Session
  ) throws(CommandError) -> TokenHost {
    guard !DockerCredential.isOfWebLogin(server) else {
      throw .usage(
        "the tokens of a web login at Docker Hub are not kept",
        hint: "use docker login -u NAME"
      )
    }
    if let entry = try find(server, session) { return entry.host }
    do throws(ConfigurationError) {
      return try TokenHost(ofURL: DockerCredential.urls(of: server)[0])
    } catch {
      throw .usage("the registry \(error)")
    }
  }

  private static func find(
    _ server: String,
    _ session: Session
  ) throws(CommandError) -> HostAccount? {
    guard !DockerCredential.isOfWebLogin(server) else { return nil }
    for url in DockerCredential.urls(of: server) {
      if let entry = try session.hostAccount(try? TokenHost(ofURL: url)) { return entry }
    }
    return nil
  }
}
