internal import Configuration
internal import ToolProtocols

// Passwords and tokens without a login.
extension ImportVerb {
  static func move(
    _ secret: ForeignSecret,
    _ found: Found,
    _ session: Session
  ) throws(CommandError) {
    guard session.arguments.operands.isEmpty else {
      throw .usage(
        "NAME cannot be combined with --from \(found.source.rawValue)",
        hint: "the account is named after its host and its user"
      )
    }
    let folder = try found.file.lockedFolder(isForRemoval: !session.arguments.has(keep.name))
    let moved = ToolSecret(secret.text, username: secret.username)
    let name = try session.demandPlace(for: moved, at: secret.host)
    let facts = ["host: \(secret.host)"] + (secret.username.map { ["user: \($0)"] } ?? [])
    try agree(to: found, as: name, facts, session)
    try demandPresent(found)
    guard try session.keep(moved, for: secret.host, isMoved: true) == nil else {
      throw CommandError(.busy, "\(secret.host) has got a login since: nothing is moved")
    }
    do throws(CommandError) {
      try finish(found, name, server: nil, nil, folder, session)
    } catch {
      throw unfinished(error, name)
    }
  }
}
