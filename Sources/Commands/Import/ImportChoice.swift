internal import Configuration

// Which login is moved.
extension ImportVerb {
  /// An entry, and where it is.
  struct Found {
    let source: ImportSource
    let file: ForeignFile
    let entry: ForeignEntry
  }

  /// The login that the words name, or that the person chooses.
  static func found(_ session: Session) throws(CommandError) -> Found {
    guard let word = session.arguments.value(from.name) else {
      throw .usage("--from is missing", hint: "such as: thumblatch import --from claude")
    }
    guard let source = ImportSource(rawValue: word) else {
      let known = ImportSource.allCases.map(\.rawValue)
      throw .usage(
        "unknown program: \(word)",
        hint: Nearest.match(word, in: known).map { "did you mean: \($0)" }
          ?? "import supports \(known.joined(separator: ", "))"
      )
    }
    guard source != .oidcAgent else { return try choice(among: [printed(session)], session) }
    let paths =
      if let named = session.arguments.value(file.name) { [named] } else {
        try source.paths(session.environment)
      }
    var all: [Found] = []
    for path in paths {
      let file = try ForeignFile(path)
      guard let contents = try file.contents() else { continue }
      all += try file.entries(of: source, in: contents).map {
        Found(source: source, file: file, entry: $0)
      }
    }
    guard !all.isEmpty else {
      throw CommandError(
        .notFound,
        "\(source.title) keeps no login in \(paths.joined(separator: " or "))",
        hint: source.elsewhere
      )
    }
    return try choice(among: all, session)
  }

  private static func choice(
    among all: [Found],
    _ session: Session
  ) throws(CommandError) -> Found {
    let names = all.map(\.entry.name).joined(separator: ", ")
    if let word = session.arguments.value(entry.name) {
      let same = all.filter { $0.entry.name.utf8.elementsEqual(word.utf8) }
      guard let first = same.first else {
        throw CommandError(
          .notFound,
          "\(all[0].source.title) keeps no login named \(word)",
          hint: "it keeps: \(names)"
        )
      }
      return first
    }
    guard all.count > 1 else { return all[0] }
    _ = try session.terminal(for: "the choice of a login (\(names))", instead: "--entry NAME")
    let choices = all.map { Choice(name: $0.entry.name, meaning: $0.entry.meaning) }
    return all[try session.choose("Which login do you want to move?", among: choices)]
  }
}

extension ForeignEntry {
  /// Its description in a list.
  fileprivate var meaning: String {
    switch content {
    // The path of a URL may hold a key.
    case .login(let login):
      login.server.map { (try? RequestTarget($0).origin) ?? "an MCP server" } ?? "its own login"
    case .secret(let secret): "a password or token for \(secret.host)"
    case .unmovable(let why): "cannot be moved: \(why)"
    }
  }
}
