internal import JSON
internal import SecretMemory
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

/// `device-secret status`, `add`, `remove`, `test`.
enum DeviceSecretVerbs {
  static let all = [status, add, remove, test]

  /// How long the rekey of every vault may take, in seconds.
  static let limit: Int64 = 600
  /// The option that passes the recovery code to an administrator's script.
  private static let recoveryTo = "--recovery-to"

  private static let kinds: [(word: String, kind: SlotKind)] = [
    ("tpm", .tpm), ("fido2", .securityKey), ("recovery", .recovery),
  ]

  static let status = Verb(
    "device-secret status",
    summary: "show the slots of the machine key, and whether a copy of the directory opens the"
      + " vault",
    details: """
      A device secret in a file protects against other users, but a copy of the directory opens \
      the vault. With a machine key, the TPM of this machine, a security key or the recovery code \
      is needed too. A counter in the TPM detects an old copy of the whole directory. "old copies" \
      says whether the engine checked the counter at its last start.
      """
  ) { session throws(CommandError) in
    let reply = try session.call(within: Session.localLimit) { _ in DeviceSecretStatusCall() }
    try session.show(object(reply), text(reply, columns: session.output.columns))
  }

  static let add = Verb(
    "device-secret add",
    [Verb.Operand("KIND", .one, offers: .words(kinds.map(\.word)))],
    options: [
      Verb.Option(
        recoveryTo,
        "FD",
        "write a new recovery code to this descriptor and do not show it"
      )
    ],
    summary: "add a slot: the TPM, a security key or a recovery code",
    details: """
      KIND is tpm, fido2 or recovery. The first "add tpm" or "add fido2" makes the machine key. It \
      shows a recovery code once: write the code down and type it back. Then the TPM or the \
      security key seals the machine key, and every vault is re-encrypted. From then on, no vault \
      opens without one of the slots. If you lose all of them, the vault is lost. "add fido2" \
      works only for a private vault. Plug in one security key only. The command asks for two \
      touches, and for the key's PIN if it has one. A vault without a TPM slot then needs a touch \
      at each start of the engine. If the TPM has room, it also gets a counter, which detects an \
      old copy of the whole directory. You can safely interrupt this command and run it again. The \
      second run continues. It makes a recovery code only if there is no machine key yet. In the \
      service, only root may do this, for all users. For a private vault, the command asks for the \
      system password. To add the TPM, the user must be in the group tss.
      "add recovery" makes another code, if there is a machine key. Remove the old code \
      afterwards. With --recovery-to, a script can store the code in escrow. The code is then not \
      shown and need not be typed back. Give each run a new file: the shell empties an existing \
      one even if no code is made. Then test what was stored: "device-secret test --code-stdin".
      Earlier copies of the directory, such as in system backups, still open as before: delete them.
      """
  ) { session throws(CommandError) in
    let kind = try kind(session.arguments.operands[0])
    let descriptor = try descriptor(session)
    var adding = Adding(kind: kind)
    var reply: AddSlotReply
    do throws(CommandError) { reply = try adding.call(nil, session) } catch {
      if let descriptor { session.output.warn(nothingWritten(to: descriptor)) }
      throw error
    }
    if let descriptor, reply.code == nil {
      session.output.warn(nothingWritten(to: descriptor))
    }
    if let code = reply.code {
      if let descriptor {
        try session.output.write(code.bytes, toDescriptor: descriptor)
        reply = try adding.call(code, session)
      } else {
        reply = try typedBack(&adding, code, session)
      }
    }
    if let problem = reply.counterProblem { session.output.warn(warning(problem)) }
    try session.report(
      [
        "slots": .array(reply.slots.map { .object(object($0)) }),
        "vaults": .integer(Int64(reply.vaults)),
        "counter_problem": AccountText.optional(reply.counterProblem),
      ],
      sentence(kind, reply)
    )
  }

  static let remove = Verb(
    "device-secret remove",
    [Verb.Operand("SLOT", .one)],
    summary: "remove a slot of the machine key",
    details: """
      SLOT is the identifier that "device-secret status" shows. The last slot that the TPM or a \
      security key opens and the last recovery code cannot be removed. The machine key stays the \
      same. So the removed slot's file in an earlier copy of the directory also opens later \
      copies, together with its code, TPM or security key. Delete earlier copies of the directory. \
      If another person may have an earlier copy and also the code or the security key, replace \
      the machine key: write a backup, restore it into a new state directory, sign in to the \
      accounts that the backup cannot include, and add the slots there. In the service only root \
      may do this. A private vault needs the system password.
      """
  ) { session throws(CommandError) in
    let slot = session.arguments.operands[0]
    let reply = try session.call(within: Session.remoteLimit, again: .never) { prompt in
      RemoveSlotCall(slot: slot, prompt: prompt)
    }
    try session.report(
      ["slots": .array(reply.slots.map { .object(object($0)) })],
      "Removed slot \(slot). Earlier copies of the directory still have this slot. Delete those copies."
    )
  }

  static let test = Verb(
    "device-secret test",
    options: [RecoveryCodeInput.ask, RecoveryCodeInput.standardInput],
    summary: "test whether the slots open",
    details: """
      Opens each TPM slot. A security key slot would need a touch and is not tried. With --code or \
      --code-stdin, also tests a recovery code. Lists the result for each slot. The exit status is \
      6 if a slot does not open, and 5 if the TPM is busy. Nothing is changed. In the service, \
      only root may do this.
      """
  ) { session throws(CommandError) in
    let code = try RecoveryCodeInput.given(session)
    let reply = try session.call(within: Session.localLimit) { _ in TestSlotsCall(code: code) }
    let facts: JSONObject = ["tests": .array(reply.tests.map { .object(object($0)) })]
    // With --json the error has all results. Without it, they are shown before the error.
    if !session.output.json {
      try session.output.data(text(reply, columns: session.output.columns))
    }
    if let bad = reply.tests.first(where: { $0.opens == false }) {
      throw CommandError(
        .unsafeVault,
        "slot \(bad.slot.id) does not open" + (bad.detail.map { ": \($0)" } ?? ""),
        hint: "thumblatch device-secret status",
        facts: facts
      )
    }
    if let open = reply.tests.first(where: { $0.opens == nil && $0.slot.kind == .tpm }) {
      throw CommandError(
        .unavailable,
        "slot \(open.slot.id) could not be tested" + (open.detail.map { ": \($0)" } ?? ""),
        facts: facts
      )
    }
    if session.output.json { try session.output.data(facts) }
  }

  // MARK: - The recovery code

  private static func nothingWritten(to descriptor: Int32) -> String {
    "note: nothing was written to descriptor \(descriptor); if the shell emptied a file that held a"
      + " code, make another code: thumblatch device-secret add recovery"
  }

  /// Has a new code written down and typed back; only this function shows one.
  private static func typedBack(
    _ adding: inout Adding,
    _ code: SharedSecret,
    _ session: Session
  ) throws(CommandError) -> AddSlotReply {
    let terminal = try session.terminal(
      whose: "the recovery code must be typed back",
      instead: "\(recoveryTo) writes it to a descriptor"
    )
    session.output.say("The recovery code, which is shown only now:")
    terminal.show(code.bytes)
    session.output.say(
      "Write it down, and keep it away from this machine. It opens every vault here together with a"
        + " copy of the directory."
    )
    for _ in 0..<2 {
      let typed = try RecoveryCodeInput.asked("The recovery code again: ", session)
      do throws(CommandError) {
        return try adding.call(typed, session)
      } catch {
        // Any failure but a typing error would be the same again.
        guard error.code == .usage, !RecoveryCodeText.isSame(typed, code) else { throw error }
        session.output.say("\(error.message). Type it again.")
      }
    }
    return try adding.call(
      try RecoveryCodeInput.asked("The recovery code again: ", session),
      session
    )
  }

  /// The calls that add one slot, with the PIN of the security key once it was asked for.
  private struct Adding {
    let kind: SlotKind
    var pin = KeyPIN()

    /// Adds the slot; `code` is the recovery code that was shown, or `nil` at first.
    mutating func call(
      _ code: SharedSecret?,
      _ session: Session
    ) throws(CommandError) -> AddSlotReply {
      let kind = kind
      // Another engine does not know the code.
      return try session.callByKey(
        within: limit,
        again: code == nil ? .untilPrompted : .never,
        pin: &pin
      ) { prompt, pin in
        AddSlotCall(kind: kind, recovery: code, pin: pin, prompt: prompt)
      } isTouch: { reply in
        reply.touch
      }
    }
  }

  private static func kind(_ word: String) throws(CommandError) -> SlotKind {
    guard let known = kinds.first(where: { $0.word == word }) else {
      throw .usage("KIND must be tpm, fido2 or recovery, not \"\(word)\"")
    }
    return known.kind
  }

  private static func descriptor(_ session: Session) throws(CommandError) -> Int32? {
    guard let text = session.arguments.value(recoveryTo) else { return nil }
    guard let number = Int32(text), number > 2 else {
      throw .usage(
        "\(recoveryTo) must be an open descriptor, 3 or higher, not \"\(text)\"",
        hint: "for example: thumblatch device-secret add tpm --recovery-to 3 3> >(escrow-program)"
      )
    }
    return number
  }
}
