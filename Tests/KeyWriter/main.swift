import Configuration
import Glibc
import MachineKey
import OAuth
import Presence
import PresenceTerms
import ScriptedTPM
import SecretMemory
import Storage
import Synchronization
import System
import TokenVault

// A process to be killed. It replaces the device secret in the vault of a state directory
// (`rekey`), applies another provider to the account `work` (`apply`), re-encrypts the vault under
// the machine key (`adopt`, and `adopt-by-key` with a security key), or restores the file `backup`
// beside that directory, whose key is 32 times 7 (`restore`), and reports the end. Arguments: the
// state directory, the command, and the directory with the counters of the TPM. All of it runs on
// one thread, because strace(1) counts the calls of each thread separately.

/// Runs every job on the thread that calls `run`.
final class OneThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  func run(until isDone: () -> Bool) {
    while !isDone() {
      guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        sched_yield()
        continue
      }
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// A PAM stack that accepts any password.
struct OpenDoor: PresenceChecker {
  struct Conversation: CheckConversation {
    func next() async -> CheckEvent { .matched }
    func respond(_ text: SharedSecret) async {}
    func cancel() {}
  }

  func prepare() async -> (any PreparedCheck)? { nil }

  func start(
    _ attempt: PresenceAttempt,
    of caller: Caller
  ) async throws(PresenceFailure) -> any CheckConversation {
    guard case .password = attempt else { throw .notAvailable("") }
    return Conversation()
  }

  func enroll(
    _ request: EnrollmentRequest
  ) async throws(PresenceFailure) -> any EnrollmentConversation { throw .notAvailable("") }

  func delete(_ print: LoadedPrint) async -> PrintDeletion { .gone }

  func reader() async -> ReaderFacts {
    ReaderFacts(available: false, name: nil, driver: nil, reason: nil)
  }

  func desktopFingers(of caller: Caller) async -> DesktopFingers? { nil }
  func desktopView(of caller: Caller) async -> DesktopView { .seen(nil) }
}

/// No network.
struct NoExchange: TokenExchange {
  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> ExchangeReply { .notSent(reason: "no network") }
}

func report(_ line: String) {
  try? Descriptor(owning: dup(1)).write(line + "\n")
}

/// Makes the machine key unless there is one, and brings the vault under it.
func adopt(_ vault: Vault, _ slots: MachineKeySlots, _ caller: Caller, byKey: Bool) async throws {
  if try slots.key() == nil {
    let code = "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-B9"
    let made = byKey ? try slots.makeKeySecret(pin: nil, SecurityKeyWait()) {} : nil
    try slots.make(recovery: try .typed(SecretBytes(copying: Array(code.utf8))), by: made)
  }
  try slots.list([caller.user])
  try await vault.adoptMachineKey(caller: caller)
  slots.finishCounter()
  report("done")
}

/// The command, called once without a prompt and once with it.
func act(_ vault: Vault, _ prompt: String?, _ caller: Caller) async throws {
  switch CommandLine.arguments[2] {
  case "rekey": _ = try await vault.rekey(prompt: prompt, caller: caller)
  case "restore":
    let state = CommandLine.arguments[1]
    let beside = state[..<(state.lastIndex(of: "/") ?? state.startIndex)]
    let file = try Directory(path: String(beside)).openForReading("backup").readAll(limit: 1 << 20)
    let secret = try SecretBytes(copying: [UInt8](repeating: 7, count: 32))
    try await vault.addToBackup(file, at: 0, caller: caller)
    _ = try await vault.restore(
      .key(SharedSecret(secret)),
      skipExisting: false,
      prompt: prompt,
      caller: caller
    )
  default:
    let provider = try Provider(
      name: ProviderName("dev"),
      settings: ["kind": "password-backend", "issuer": "https://later.example.com"]
    )
    _ = try await vault.applyProvider(provider, account: "work", prompt: prompt, caller: caller)
  }
}

func work() async {
  do {
    let directory = try StateDirectory(path: CommandLine.arguments[1])
    let slots = MachineKeySlots(
      try MachineKeyDirectory(in: directory.root),
      owner: .user(ThisProcess.user),
      tpm: ScriptedTPM(keptIn: CommandLine.arguments[3]),
      keys: ScriptedKey(),
      beside: { work in work() }
    )
    let vault = try Vault(
      directory: directory,
      owner: ThisProcess.user,
      exchange: NoExchange(),
      check: OpenDoor(),
      clock: try SystemClock(),
      machineKeySlots: slots
    )
    report("open")
    let caller = Caller(connection: 1, user: ThisProcess.user, requester: "a writer")
    let command = CommandLine.arguments[2]
    if command.hasPrefix("adopt") {
      return try await adopt(vault, slots, caller, byKey: command == "adopt-by-key")
    }
    do {
      try await act(vault, nil, caller)
    } catch VaultFailure.presenceNeeded(let need) {
      _ = try await vault.check(need.prompt, by: .password, caller: caller) { _ in }
      try await act(vault, need.prompt, caller)
      report("done")
    }
  } catch {
    report("error \(error)")
  }
}

let thread = OneThread()
let isDone = Atomic(false)
Task(executorPreference: thread) {
  await work()
  isDone.store(true, ordering: .releasing)
}
thread.run { isDone.load(ordering: .acquiring) }
