import SecretMemory
import System
import Testing

@testable import Storage

/// An attacker's replacement for a file.
enum Plant: CaseIterable {
  case symbolicLink
  case danglingLink
  case fifo
  case directory
  case socket
  case otherOwner
  case groupReadable
  case worldWritable
  case secondName

  /// Replaces the file at `path`, whose own bytes go to `outside`.
  func replace(_ path: String, outside: String) throws {
    switch self {
    case .symbolicLink:
      try Files.rename(path, outside)
      try Files.symlink(outside, path)
    case .danglingLink:
      try Files.unlink(path)
      try Files.symlink(outside, path)
    case .fifo:
      try Files.unlink(path)
      try Files.mkfifo(path, 0o600)
    case .directory:
      try Files.unlink(path)
      try Files.mkdir(path, 0o600)
    case .socket:
      try Files.unlink(path)
      try Files.makeSocket(path)
    case .otherOwner: try Files.chown(path, 1)
    case .groupReadable: try Files.chmod(path, 0o640)
    case .worldWritable: try Files.chmod(path, 0o602)
    case .secondName: try Files.link(path, outside)
    }
  }

  var flaw: FileFlaw {
    switch self {
    case .symbolicLink, .danglingLink: .symbolicLink
    case .fifo, .directory, .socket: .wrongType
    case .otherOwner: .wrongOwner(1)
    case .groupReadable: .wrongMode(0o640)
    case .worldWritable: .wrongMode(0o602)
    case .secondName: .wrongLinks(2)
    }
  }
}

/// A file of the vault, and how it is opened.
enum Target: CaseIterable {
  case store
  case log
  case journal
  case deviceSecret
  case counter
  case slot
  case token
  case defaultAccount

  var name: String {
    switch self {
    case .store: "vault.db"
    case .log: "vault.db-wal"
    case .journal: "vault.db-journal"
    case .deviceSecret: "device-secret"
    case .counter: "rollback-counter"
    case .slot: "slots/" + Hexadecimal.text(accountID)
    case .token: "tokens/me"
    case .defaultAccount: "tokens/@"
    }
  }

  func open(in directory: StateDirectory) throws {
    switch self {
    case .store, .log, .journal: _ = try Store(in: directory)
    case .deviceSecret:
      _ = try DeviceSecretFile.open(in: directory) { () throws(StorageError) in false }
    case .counter: _ = try RollbackCounterFile.read(in: directory)
    case .slot: _ = try SlotFile(in: directory, account: accountID)
    case .token: _ = try TokenFiles.read(account: "me", in: directory)
    case .defaultAccount: _ = try TokenFiles.defaultAccount(in: directory)
    }
  }

  func error(_ flaw: FileFlaw) -> StorageError {
    switch self {
    case .deviceSecret: .deviceSecret(.unsafeFile(flaw))
    default: .unsafeFile(String(name.split(separator: "/").last ?? ""), flaw)
    }
  }
}

@Suite(.timeLimit(.minutes(10)))
struct PlantedFileTests {
  @Test(arguments: Plant.allCases, Target.allCases)
  func aPlantedFileIsRefusedAndNotTouched(_ plant: Plant, _ target: Target) throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    do {
      let store = try Store(in: directory)
      try store.insert(sampleAccount())
    }
    _ = try DeviceSecretFile.open(in: directory) { () throws(StorageError) in false }
    try RollbackCounterFile.write(count: 1, code: counterCode, in: directory)
    try SlotFile.create(in: directory, account: accountID)
    try TokenFiles.write(try sampleToken(), account: "me", in: directory)
    try TokenFiles.setDefault(account: "me", in: directory)
    let path = scratch.path + "/" + target.name
    if !Files.exists(path) { try Files.put([], at: path) }
    let outside = scratch.base + "/outside"
    try target.open(in: directory)

    if !Files.exists(path) { try Files.put([], at: path) }
    try plant.replace(path, outside: outside)
    let before = Files.exists(outside) ? try Files.contents(outside) : nil
    #expect(throws: target.error(plant.flaw)) { try target.open(in: directory) }
    #expect((Files.exists(outside) ? try Files.contents(outside) : nil) == before)
    #expect(Files.exists(path))
  }

  @Test(arguments: Plant.allCases)
  func aTokenReplacesOrRemovesWhatStandsInItsPlace(_ plant: Plant) throws {
    guard plant != .directory else { return }
    let scratch = try Scratch()
    let directory = try scratch.open()
    let token = try sampleToken()
    let path = scratch.path + "/tokens/me"
    let outside = scratch.base + "/outside"
    try TokenFiles.write(token, account: "me", in: directory)
    try plant.replace(path, outside: outside)
    let before = Files.exists(outside) ? try Files.contents(outside) : nil
    #expect(try TokenFiles.remove(account: "me", in: directory))
    #expect(!Files.exists(path))
    #expect((Files.exists(outside) ? try Files.contents(outside) : nil) == before)

    try TokenFiles.write(token, account: "me", in: directory)
    if plant == .secondName || plant == .symbolicLink {
      try Files.unlink(outside)
    }
    try plant.replace(path, outside: outside)
    try TokenFiles.write(token, account: "me", in: directory)
    #expect(try TokenFiles.read(account: "me", in: directory) == token)
    #expect(
      (Files.exists(outside) ? try Files.contents(outside) : nil)
        == (Files.exists(outside) ? before : nil)
    )
  }
}
