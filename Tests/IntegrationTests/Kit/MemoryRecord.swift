import Glibc
import JSON
import System
import TestSupport
import Testing

/// Records what the programs of a test hold in memory, moment by moment.
///
/// The search comes at the end, when the test knows every secret.
///
/// The search is `Tests/System/inside/memory.py`, the same that runs beside a real systemd. It
/// needs root, and stops a process while it reads.
final class MemoryRecord {
  private static let program = BuiltPrograms.sourceDirectory + "/Tests/System/inside/memory.py"

  private let directory: String
  private var files: [String] = []

  init() throws {
    directory = try makeTemporaryDirectory()
  }

  deinit {
    removeTemporaryDirectory(directory)
  }

  /// Records what each running program of a person holds now.
  ///
  /// The named programs must be among them.
  ///
  /// The front is not among them: it has become the CLI before the first question.
  func keep(
    _ moment: String,
    of someone: Someone,
    running names: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for name in names {
      let processes = processes(in: someone.programs, named: name)
      try #require(!processes.isEmpty, "no \(name) runs", sourceLocation: sourceLocation)
      for process in processes { try keep(moment, name, process) }
    }
  }

  /// Records what a process holds now.
  func keep(_ moment: String, _ name: String, _ process: Int32) throws {
    let file = "\(moment), \(name), \(files.count)"
    let (text, end) = try Self.run(["keep", directory + "/" + file, "\(process)"])
    // The search leaves nothing out if the kernel has memfd_secret(2).
    try #require(end == .exited(0) && text == "", "\(text)")
    files.append(file)
  }

  /// Where these secrets were found, each as `moment, program: secret`.
  ///
  /// Throws if the search would not find them in a process that holds them unprotected.
  func places(of secrets: [String: String]) throws -> [String] {
    let named = directory + "/secrets.json"
    let object = JSONObject(secrets.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    let text = String(decoding: try JSONWriter.write(.object(object)), as: UTF8.self)
    try python("import sys; open(sys.argv[1], 'w').write(sys.argv[2])", named, text)
    try Self.run("prove", named).succeed()
    let all = files.map { directory + "/" + $0 }
    let (answer, end) = try Self.run(["look", named] + all)
    try #require(end == .exited(0) || end == .exited(1), "\(answer)")
    let lines = answer.split(separator: "\n").map(String.init)
    try #require(lines.count == files.count * secrets.count, "\(answer)")
    return lines.filter { !$0.hasSuffix(" 0") }.map(Self.place)
  }

  /// `moment, program, number: secret count (...)` without the numbers.
  ///
  /// The rest is for the log.
  private static func place(_ line: String) -> String {
    if ThisProcess.environment("SHOW_PLACES") != nil { print(line) }
    let parts = line.split(separator: ": ", maxSplits: 1)
    let source = parts[0].split(separator: ", ").dropLast().joined(separator: ", ")
    let found = parts[1].split(separator: " (")[0].split(separator: " ").dropLast()
    return source + ": " + found.joined(separator: " ")
  }

  /// Runs the search.
  static func run(_ arguments: [String]) throws -> (text: String, end: ProcessEnd) {
    try output(of: "/usr/bin/python3", ["-B", program] + arguments)
  }

  private static func run(_ arguments: String...) throws -> Answer {
    let (text, end) = try run(arguments)
    return Answer(text: text, end: end)
  }

  private struct Answer {
    let text: String
    let end: ProcessEnd

    func succeed() throws { try #require(end == .exited(0), "\(text)") }
  }
}

/// The keys that seal a state directory: the device secret, the keys that are always derived from
/// it, the key of each open exchange, and the key of each box
/// (`Cryptography/Boxes/SealingKey.swift`).
func keys(of state: String, _ name: String = "") throws -> [String: String] {
  let text = try python(
    """
    import hashlib, hmac, json, os, shutil, sqlite3, sys, tempfile
    state, prefix = sys.argv[1:]
    def derive(info, salt=bytes(32)):
      extracted = hmac.digest(salt, secret, "sha256")
      return hmac.digest(extracted, info + b"\\1", "sha256")
    def counted(part): return len(part).to_bytes(4, "little") + part
    def purpose(name, context=b""):
      return derive(counted(b"thumblatch 1 derived key") + counted(name) + counted(context))
    with open(state + "/device-secret", "rb") as file: secret = file.read()
    found = {"device secret": secret}
    for name in ("rollback counter", "audit chain", "audit ends", "enrolled fingers"):
      found["key of " + name] = purpose(name.encode())
    with tempfile.TemporaryDirectory() as copy:
      for name in ("vault.db", "vault.db-wal"):
        if os.path.exists(state + "/" + name): shutil.copy(state + "/" + name, copy)
      store = sqlite3.connect(copy + "/vault.db")
      for number, (intent,) in enumerate(store.execute("SELECT intent FROM intents")):
        found[f"one-use key {number}"] = purpose(b"answer", intent)
      places = ("sealed_refresh_token FROM accounts", "sealed_client_secret FROM accounts",
        "sealed FROM prints")
      boxes = [row for table in places for row in store.execute("SELECT " + table)]
      for number, (box,) in enumerate(boxes):
        if not box: continue
        assert box[:4] == b"TLBX"
        info = counted(b"thumblatch 1 box key") + counted(box[4:90])
        found[f"key of box {number}"] = derive(info, box[100:132])
    print(json.dumps({prefix + name: "hex:" + key.hex() for name, key in found.items()}))
    """,
    state,
    name
  )
  return Dictionary(
    uniqueKeysWithValues: try object(text).members.map { member in
      guard case .string(let key) = member.value else { throw SystemError("keys", code: EBADMSG) }
      return (member.name, key)
    }
  )
}
