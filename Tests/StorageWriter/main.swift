import SecretMemory
import Storage
import System
import TokenFile

// A process to be killed. It changes a vault step by step, and reports each step when it is done.
// Arguments: the state directory, and `fresh` or `change`.

let output = Descriptor(owning: 1)
let account = [UInt8](repeating: 0x11, count: 16)
let code = [UInt8](repeating: 0x22, count: 32)

func report(_ step: String) throws {
  try output.write(step + "\n")
}

func token(_ generation: Int64) throws -> CachedToken? {
  CachedToken(
    token: Array("access-\(generation)".utf8),
    wallExpiry: WallTime(seconds: 4_000_000_000),
    boot: try BootIdentifier.current(),
    bootExpiry: BootInstant(nanoseconds: 1 << 60)
  )
}

func makeFresh(_ directory: StateDirectory) throws {
  let store = try Store(in: directory)
  try report("store")
  _ = try DeviceSecretFile.open(in: directory) { () throws(StorageError) in
    try store.hasSealedBoxes()
  }
  try report("secret")
  try SlotFile.create(in: directory, account: account)
  try report("slot")
  try store.transaction {
    try store.insert(
      AccountRow(
        id: account,
        name: "me",
        owner: 0,
        provider: "dev",
        providerSettings: [1],
        binding: [UInt8](repeating: 2, count: 32),
        createdAt: 1
      )
    )
  }
  try report("account")
  try RollbackCounterFile.write(count: 1, code: code, in: directory)
  try report("rollback-counter")
}

func change(_ directory: StateDirectory) throws {
  let store = try Store(in: directory)
  guard var row = try store.account(id: account) else { throw StorageError.noSuchRow }
  row.generation += 1
  row.sealedRefreshToken = [UInt8](repeating: UInt8(row.generation), count: 3_000)
  let changed = row
  try store.transaction {
    try store.update(changed)
    try store.put(
      AccessTokenRow(
        account: account,
        token: "access-\(changed.generation)",
        expiresAt: nil,
        storedAt: 1
      )
    )
  }
  try report("changed")
  try RollbackCounterFile.write(count: UInt64(row.generation), code: code, in: directory)
  try report("rollback-counter")
  if let cached = try token(row.generation) {
    try TokenFiles.write(cached, account: "me", in: directory)
  }
  try report("token")
  let slot = try SlotFile(in: directory, account: account)
  guard try slot.lock() else { throw StorageError.inUse }
  try slot.zero()
  try report("zeroed")
  try store.checkpoint()
  try report("checkpoint")
}

do {
  let directory = try StateDirectory(path: CommandLine.arguments[1])
  try report("open")
  if CommandLine.arguments[2] == "fresh" {
    try makeFresh(directory)
  } else {
    try change(directory)
  }
} catch {
  try report("error \(error)")
  // An abnormal end that differs from any signal.
  try ThisProcess.replace(path: "/bin/false", arguments: ["false"], environment: [])
}
