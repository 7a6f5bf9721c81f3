internal import JSON
internal import SecretMemory
internal import System

// A login of oidc-agent, which encrypts its files: oidc-gen prints one, and import reads that.
extension ImportVerb {
  /// The login on standard input, and the encrypted file that has it.
  static func printed(_ session: Session) throws(CommandError) -> Found {
    let source = ImportSource.oidcAgent
    guard !session.arguments.has(clientSecret) else {
      throw .usage(
        "\(clientSecret) does not go with --from \(source.rawValue)",
        hint: "standard input has the login, with its client secret"
      )
    }
    // oidc-gen writes to a pipe after it has read its file.
    let printed: FileStamp
    do throws(SystemError) { printed = try FileStamp(ofDescriptor: session.standardInput) } catch {
      throw .usage("standard input cannot be read: \(error)")
    }
    let text = try StandardInput.password(
      interrupt: session.interrupt,
      from: session.standardInput,
      option: "--from \(source.rawValue)",
      called: "login",
      most: StandardInput.maximumSecret,
      isWhole: true,
      remedy: "oidc-gen --print NAME | thumblatch import --from oidc-agent"
    )
    let document: JSONValue
    do throws(JSONError) { document = try JSONReader.read(text.bytes, ToolLogins.rules) } catch {
      throw .usage("standard input is not the output of oidc-gen --print: \(error)")
    }
    // The name becomes that of a file that the move deletes.
    guard let entry = ToolLogins(source: source, document: document).entries.first,
      !entry.name.contains("/"), ![".", ".."].contains(entry.name)
    else { throw .usage("standard input is not the output of oidc-gen --print") }
    let named = session.arguments.value(file.name)
    let paths =
      if let named { [named] } else {
        try source.paths(session.environment).map { "\($0)/\(entry.name)" }
      }
    for path in paths {
      var file = try ForeignFile(path)
      guard let contents = try file.contents() else { continue }
      try file.hold(entry, in: contents, printed: printed)
      return Found(source: source, file: file, entry: entry)
    }
    throw CommandError(
      .notFound,
      "\(source.title) keeps no login in \(paths.joined(separator: " or "))",
      hint: "if it keeps its files in another directory: --file PATH"
    )
  }
}
