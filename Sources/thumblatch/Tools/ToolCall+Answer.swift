internal import Configuration
internal import Glibc
internal import Providers
internal import System
internal import ToolProtocols

extension ToolCall {
  /// Answers the tool if a valid token is at hand.
  ///
  /// The command-line program makes the same checks.
  func answer(_ input: inout ToolInput) -> TokenRequest.Outcome {
    // The command-line program must not find an open file in the place of a closed descriptor.
    guard fcntl(0, F_GETFD) >= 0, fcntl(1, F_GETFD) >= 0,
      // The token becomes a string here, which no other process may read.
      (try? ThisProcess.hideMemory()) != nil,
      // The command-line program finds the directory of a user without HOME.
      let home = ThisProcess.environment("HOME"), home.hasPrefix("/"),
      let vault = FrontVault.chosen()
    else { return .notKnown }
    switch tool {
    case .kubernetes(let account): return Self.write(kubernetes(account, vault))
    case .cargo: return converse(&input, vault)
    case .git, .docker, .bazel, .terraform:
      guard let query = query(&input) else { return .notKnown }
      return Self.write(Self.answer(query, vault))
    }
  }

  /// The answer with the token of the host that a tool asks for.
  static func answer(_ query: ToolQuery, _ vault: FrontVault) -> [UInt8]? {
    guard query.hasHost, let entry = entry(of: query),
      let token = vault.token(for: entry, reason: query.reason(for: entry))
    else { return nil }
    return query.answer(token, for: entry)
  }

  static func write(_ answer: [UInt8]?) -> TokenRequest.Outcome {
    guard let answer else { return .notKnown }
    return unsafe answer.withUnsafeBytes { unsafe StandardOutput.write($0) } ? .written : .lost
  }

  private func query(_ input: inout ToolInput) -> ToolQuery? {
    if case .terraform(let host) = tool { return .terraform(host: host) }
    let isGit = if case .git = tool { true } else { false }
    guard input.readAll(upToEmptyLine: isGit) else { return nil }
    return switch tool {
    case .git: try? .git(input.bytes)
    case .docker: try? .docker(input.bytes)
    case .bazel: try? .bazel(input.bytes)
    case .cargo, .terraform, .kubernetes: nil
    }
  }

  /// The entry of the host in the user's `hosts.conf`.
  private static func entry(of query: ToolQuery) -> HostAccount? {
    guard let directories = try? ProviderDirectories(environment: { ThisProcess.environment($0) }),
      let bytes = try? directories.hostFile(),
      let file = try? HostFile(bytes: bytes, file: directories.hosts)
    else { return nil }
    return query.entry(in: file)
  }

  /// The credential for kubectl.
  ///
  /// It is for requests in another notation than kubectl's, which `TokenRequest` reads. Only an
  /// engine can recognize a repeat after a 401, so no file answers it.
  private func kubernetes(_ account: String, _ vault: FrontVault) -> [UInt8]? {
    let variable = ThisProcess.environment(KubeCredential.variable)
    guard let credential = try? KubeCredential(variable),
      credential.server.map({ (try? TokenHost(ofURL: $0)) != nil }) != false,
      let token = vault.engineToken(
        ToolTokenCall(
          account: account,
          reason: KubeCredential.reason,
          isHelper: true,
          isForHost: credential.server != nil
        )
      )
    else { return nil }
    return credential.answer(token)
  }

  /// Answers each request of cargo, up to the first one that needs the command-line program.
  private func converse(_ input: inout ToolInput, _ vault: FrontVault) -> TokenRequest.Outcome {
    guard isatty(0) == 0 else { return .notKnown }
    guard Self.write(CargoCredential.hello) == .written else { return .lost }
    while let line = input.line() {
      guard let request = try? CargoCredential(line), request.kind == .get,
        let answer = Self.answer(.cargo(request), vault)
      else { return .begun }
      guard Self.write(answer) == .written else { return .lost }
      input.forgetLine()
    }
    return input.isAtEnd ? .written : .begun
  }
}
