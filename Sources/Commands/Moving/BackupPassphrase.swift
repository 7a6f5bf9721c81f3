internal import BackupFormat
internal import SecretMemory
internal import Sodium
internal import TerminalIO

/// The secret of a backup, as the engine takes it.
struct BackupKey {
  var key: SharedSecret?
  var code: SharedSecret?
}

/// A passphrase or a recovery code, which a person types or a script hands over.
enum BackupPassphrase {
  static let descriptor = Verb.Option(
    "--passphrase-fd",
    "FD",
    "read the passphrase from a line of this descriptor"
  )
  /// The fewest bytes of a new passphrase.
  private static let fewest = 12

  /// The header and the secret of a new backup.
  static func new(_ session: Session) throws(CommandError) -> (BackupHeader, BackupKey) {
    let salt = (0..<BackupHeader.saltCount).map { _ in UInt8.random(in: 0...255) }
    let usesCode =
      session.arguments.has(RecoveryCodeInput.ask.name)
      || session.arguments.has(RecoveryCodeInput.standardInput.name)
    guard usesCode else {
      let header = BackupHeader(.passphrase(.standard), salt: salt)
      return (header, BackupKey(key: try key(of: try newPassphrase(session), header, session)))
    }
    guard !session.arguments.has(descriptor.name) else {
      throw .usage("a backup has either a passphrase or a recovery code, not both")
    }
    return (
      BackupHeader(.recoveryCode, salt: salt),
      BackupKey(code: try RecoveryCodeInput.given(session))
    )
  }

  /// The secret of a backup that is there.
  static func known(_ header: BackupHeader, _ session: Session) throws(CommandError) -> BackupKey {
    switch header.lock {
    case .recoveryCode:
      guard !session.arguments.has(descriptor.name) else {
        throw .usage("this backup needs the recovery code, not a passphrase")
      }
      if let code = try RecoveryCodeInput.given(session) { return BackupKey(code: code) }
      return BackupKey(code: try RecoveryCodeInput.asked("Recovery code: ", session))
    case .passphrase:
      guard !session.arguments.has(RecoveryCodeInput.standardInput.name) else {
        throw .usage("this backup needs its passphrase, not a recovery code")
      }
      let passphrase: SharedSecret
      if let given = try given(session) {
        passphrase = given
      } else {
        passphrase = try session.hidden("Passphrase of the backup: ", try terminal(session))
      }
      return BackupKey(key: try key(of: passphrase, header, session))
    }
  }

  // MARK: - Parts

  private static func terminal(_ session: Session) throws(CommandError) -> Terminal {
    try session.terminal(
      for: "the passphrase of the backup",
      instead: "\(descriptor.name) reads it from a descriptor"
    )
  }

  private static func newPassphrase(_ session: Session) throws(CommandError) -> SharedSecret {
    if let given = try given(session) {
      guard given.bytes.count >= fewest else { throw .usage(tooShort) }
      return given
    }
    let terminal = try terminal(session)
    for _ in 0..<3 {
      let first = try session.hidden("New passphrase of the backup: ", terminal)
      guard first.bytes.count >= fewest else {
        session.output.say("\(tooShort). Type a longer one.")
        continue
      }
      let second = try session.hidden("Passphrase again: ", terminal)
      if SecretBytes.constantTimeEqual(first.bytes, second.bytes) { return first }
      session.output.say("The passphrases differ. Type them again.")
    }
    throw CommandError(.presence, "no passphrase was typed")
  }

  private static let tooShort = "the passphrase of a backup must have at least \(fewest) bytes"

  private static func given(_ session: Session) throws(CommandError) -> SharedSecret? {
    guard let text = session.arguments.value(descriptor.name) else { return nil }
    guard let number = Int32(text), number == 0 || number > 2 else {
      throw .usage(
        "\(descriptor.name) must be an open descriptor, 0 or above 2, not \"\(text)\"",
        hint: "for example: thumblatch backup FILE --passphrase-fd 3 3<passphrase-file"
      )
    }
    return try StandardInput.password(
      interrupt: session.interrupt,
      from: number == 0 ? session.standardInput : number,
      option: descriptor.name,
      called: "passphrase"
    )
  }

  /// Makes a passphrase into a key, which takes about a second and the memory that the header says.
  private static func key(
    of passphrase: SharedSecret,
    _ header: BackupHeader,
    _ session: Session
  ) throws(CommandError) -> SharedSecret {
    guard case .passphrase(let cost) = header.lock else {
      throw CommandError(.bug, "a recovery code needs no key")
    }
    session.output.status("making the passphrase into a key")
    defer { session.output.clearStatus() }
    do throws(PasswordHash.Failure) {
      return SharedSecret(
        try PasswordHash.key(
          from: passphrase.bytes,
          salt: header.salt,
          passes: cost.passes,
          kibibytes: cost.kibibytes
        )
      )
    } catch {
      guard error == .noMemory else {
        throw CommandError(.bug, "the passphrase cannot be made into a key: \(error)")
      }
      throw .usage(
        "too little memory to make the passphrase into a key: it takes \(cost.kibibytes >> 10) MiB",
        hint: "free some memory, or raise the limit (ulimit -v)"
      )
    }
  }
}
