internal import BackupFormat
internal import Cryptography
internal import JSON
internal import SecretMemory
internal import Synchronization
internal import System

/// The boxes behind the header of a backup file.
///
/// Each is preceded by its length in four bytes, little endian. The first box holds the manifest,
/// which says how many follow. Every box is bound to the header and to its number. So a backup in
/// which a box was changed, dropped, added or moved does not open.
struct BackupBoxes: ~Copyable {
  private static let lengthCount = 4

  private let key: SealingKey
  private let header: BackupHeader
  private let binding: [UInt8]

  /// Takes the secret that the passphrase or the recovery code gives, 32 bytes.
  init(_ secret: borrowing SecretBytes, _ header: BackupHeader) throws(CryptographyError) {
    let copy: SecretBytes
    do throws(SecretMemoryError) {
      copy = try secret.copy()
    } catch {
      throw .memory(error)
    }
    let digest = try sha256(header.encoded)
    let root = try SealingKey(copy)
    let derived = try root.derived(for: "backup", context: header.encoded)
    key = derived
    binding = digest
    self.header = header
  }

  /// A box with its length.
  func seal(_ object: JSONObject, number: Int) throws -> [UInt8] {
    let text = try JSONWriter.writeSecret(.object(object))
    let box = try SealedBox.sealVerified(text, using: key, context: try context(number)).bytes
    return littleEndian(UInt32(box.count)) + box
  }

  /// Opens a box.
  func open(_ box: [UInt8], number: Int) throws -> JSONObject {
    let text = try SealedBox(parsing: box).open(using: key, context: try context(number))
    guard
      case .object(let object) = try JSONReader.read(text, secretMembers: BackupRecord.secrets)
    else { throw CryptographyError.malformed }
    return object
  }

  /// Whether a box was sealed under this key.
  func fits(_ box: [UInt8]) throws(CryptographyError) -> Bool {
    try SealedBox(parsing: box).keyIdentifier == key.identifier
  }

  private func context(_ number: Int) throws(CryptographyError) -> BoxContext {
    try BoxContext(
      kind: .backup,
      vault: header.salt,
      owner: 0,
      account: [UInt8](repeating: 0, count: 16),
      protection: .none,
      generation: UInt64(number),
      binding: binding
    )
  }

  /// Cuts a file into its boxes, at most `most` of them; `nil` if the lengths do not fit.
  ///
  /// A file of a few megabytes may have a million boxes, which need much more memory than the file.
  static func boxes(of file: [UInt8], most: Int) -> [[UInt8]]? {
    var boxes: [[UInt8]] = []
    var rest = file.dropFirst(BackupHeader.count)
    while !rest.isEmpty, boxes.count < most {
      guard rest.count >= lengthCount else { return nil }
      let length: UInt32 = integer(littleEndian: rest.prefix(lengthCount))
      rest = rest.dropFirst(lengthCount)
      guard length <= rest.count else { return nil }
      boxes.append(Array(rest.prefix(Int(length))))
      rest = rest.dropFirst(Int(length))
    }
    return boxes
  }
}

/// The backup that a client sends in parts to restore it.
struct BackupUpload {
  private var connection: UInt64?
  private(set) var bytes: [UInt8] = []
  private var room = UploadRoom()
  private var latest = BootInstant(nanoseconds: 0)

  var isEmpty: Bool { connection == nil }

  /// Adds a part; the first one replaces the backup of another connection.
  mutating func add(
    _ part: [UInt8],
    at offset: Int,
    from sender: UInt64,
    now: BootInstant
  ) throws(VaultFailure) {
    if offset == 0 {
      self = BackupUpload()
      connection = sender
    }
    guard connection == sender, offset == bytes.count else { throw .invalidArgument(Self.again) }
    guard part.count <= BackupHeader.mostFile - bytes.count else {
      forget(connection: sender)
      throw .invalidArgument("a backup has at most \(BackupHeader.mostFile >> 20) MiB")
    }
    guard room.take(part.count) else {
      forget(connection: sender)
      throw .busy("other backups are restored now")
    }
    bytes += part
    latest = now
  }

  /// Drops a backup of which no part has come for five minutes, which is longer than a prompt
  /// lasts.
  mutating func expire(at now: BootInstant) {
    if now.seconds(since: latest) >= 300 { self = BackupUpload() }
  }

  /// The whole backup of a connection.
  func whole(of sender: UInt64) throws(VaultFailure) -> [UInt8] {
    guard connection == sender else { throw .invalidArgument(Self.again) }
    return bytes
  }

  mutating func forget(connection sender: UInt64) {
    if connection == sender { self = BackupUpload() }
  }

  private static let again = "the backup was not sent as a whole: restore it again"
}

/// The memory of an upload, of which all vaults of an engine have 16 MiB together.
private final class UploadRoom: Sendable {
  private static let most = 16 << 20
  private static let taken = Mutex(0)

  private let count = Mutex(0)

  deinit {
    let count = count.withLock(\.self)
    Self.taken.withLock { $0 -= count }
  }

  /// Takes some bytes; false if too many are taken.
  func take(_ more: Int) -> Bool {
    let fits = Self.taken.withLock { taken in
      guard taken + more <= Self.most else { return false }
      taken += more
      return true
    }
    if fits { count.withLock { $0 += more } }
    return fits
  }
}
