internal import BackupClient
internal import BackupFormat
internal import Glibc
internal import SecretMemory
internal import TerminalIO

/// The secret of a backup, in the form that the engine accepts.
struct BackupKey {
  var key: SharedSecret?
  var code: SharedSecret?
}

/// A passphrase or a recovery code, which a person types or a script hands over.
enum BackupSecretInput {
  static let descriptor = Verb.Option(
    "--passphrase-fd",
    "FD",
    "read the passphrase from a line of this descriptor"
  )

  /// The header and the secret of a new backup.
  static func new(_ session: Session) throws(CommandError) -> (BackupHeader, BackupKey) {
    let usesCode =
      session.arguments.has(RecoveryCodeInput.ask.name)
      || session.arguments.has(RecoveryCodeInput.standardInput.name)
    guard usesCode else {
      let header = BackupPassphrase.newHeader(.passphrase(.standard))
      return (header, BackupKey(key: try key(of: try newPassphrase(session), header, session)))
    }
    guard !session.arguments.has(descriptor.name) else {
      throw .usage("a backup has either a passphrase or a recovery code, not both")
    }
    return (
      BackupPassphrase.newHeader(.recoveryCode),
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
      guard !BackupPassphrase.isTooShort(given.bytes) else {
        throw .usage(BackupPassphrase.tooShort)
      }
      return given
    }
    let terminal = try terminal(session)
    for _ in 0..<3 {
      let first = try session.hidden("New passphrase of the backup: ", terminal)
      guard !BackupPassphrase.isTooShort(first.bytes) else {
        session.output.say("\(Help.sentence(BackupPassphrase.tooShort)) Type a longer one.")
        continue
      }
      let second = try session.hidden("Passphrase again: ", terminal)
      if SecretBytes.constantTimeEqual(first.bytes, second.bytes) { return first }
      session.output.say("The passphrases differ. Type them again.")
    }
    throw CommandError(.presence, "no passphrase was typed")
  }

  private static func given(_ session: Session) throws(CommandError) -> SharedSecret? {
    guard let text = session.arguments.value(descriptor.name) else { return nil }
    guard let number = Int32(text),
      number == 0 || number > 2 && fcntl(number, F_GETFD) != -1
    else {
      throw .usage(
        "\(descriptor.name) must be an open descriptor, 0 or above 2, not \"\(text)\"",
        hint: "for example: thumblatch backup FILE --passphrase-fd 3 3<passphrase-file"
      )
    }
    return try StandardInput.password(
      interrupt: session.interrupt,
      from: number == 0 ? session.standardInput : number,
      option: descriptor.name,
      called: "passphrase",
      isText: false
    )
  }

  /// Makes a passphrase into a key, which takes about a second.
  private static func key(
    of passphrase: SharedSecret,
    _ header: BackupHeader,
    _ session: Session
  ) throws(CommandError) -> SharedSecret {
    session.output.status("deriving the key from the passphrase")
    defer { session.output.clearStatus() }
    do throws(BackupPassphrase.Failure) {
      return try BackupPassphrase.key(of: passphrase.bytes, header)
    } catch {
      guard case .noMemory = error else { throw CommandError(.bug, "\(error)") }
      throw .usage("\(error)", hint: "free some memory, or raise the limit (ulimit -v)")
    }
  }
}
