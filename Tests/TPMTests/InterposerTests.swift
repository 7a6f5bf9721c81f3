import MachineKey
import SecretMemory
import TPM
import TestSupport
import Testing

/// A program between this one and the TPM, such as on the bus of the chip.
struct InterposerTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// Whether a message holds these bytes.
  private func holds(_ message: [UInt8], _ bytes: [UInt8]) -> Bool {
    message.count >= bytes.count
      && (0...(message.count - bytes.count)).contains { message[$0...].starts(with: bytes) }
  }

  private func bytes(_ secret: SharedSecret) -> [UInt8] {
    secret.bytes.withBytes { span in span.indices.map { span[$0] } }
  }

  @Test
  func aTapSeesNeitherSecretNorAuthorization() throws {
    let sealed = try bench.seal()
    #expect(try bench.opens(sealed))
    let tpm = TPMDevice(path: bench.chip.device, parentName: sealed.parentName)
    let counter = try bench.defineCounter(by: tpm)
    _ = try tpm.incrementCounter(counter.index, authorization: bench.authorization)
    _ = try tpm.readCounter(counter.index, authorization: bench.authorization)
    let next = try Bench.random()
    _ = try tpm.confirmCounter(counter.index, authorization: bench.authorization, next: next)
    try tpm.removeCounter(counter.index, authorization: next)
    let messages = try bench.chip.messages()
    #expect(messages.count > 40)
    // It sees loaded objects. The answer to the seal is encrypted.
    #expect(messages.count { holds($0, sealed.privatePart) } == 1)
    for secret in [bench.secret, bench.authorization, next] {
      let bytes = bytes(secret)
      #expect(!messages.contains { holds($0, bytes) })
      #expect(!messages.contains { holds($0, Array(bytes.prefix(8))) })
    }
  }

  /// The key of something between, with the key's own name or the TPM's.
  @Test(arguments: ["key", "name"])
  func anotherKeyIsRefusedBeforeASession(_ lie: String) throws {
    let sealed = try bench.seal()
    let before = try bench.commands().count
    try bench.chip.command("answer \(Bench.Command.createPrimary.rawValue) \(lie)")
    #expect(throws: TPMFailure.anotherTPM) { try bench.opens(sealed) }
    // A counter's authorization is not sent to it either.
    let tpm = TPMDevice(path: bench.chip.device, parentName: sealed.parentName)
    try bench.chip.command("answer \(Bench.Command.createPrimary.rawValue) \(lie)")
    #expect(throws: TPMFailure.anotherTPM) {
      try bench.defineCounter(by: tpm)
    }
    let since = try bench.commands().dropFirst(before)
    #expect(!since.contains(Bench.Command.startSession.number))
    #expect(try bench.opens(sealed))
  }

  @Test
  func aChangedAnswerIsRefused() throws {
    let sealed = try bench.seal()
    try bench.chip.command("answer \(Bench.Command.unseal.rawValue) flip")
    #expect(throws: TPMFailure.anotherTPM) { try bench.opens(sealed) }
    let counter = try bench.defineCounter()
    try bench.chip.command("answer \(Bench.Command.changeAuthorization.rawValue) flip")
    #expect(throws: TPMFailure.anotherTPM) {
      try bench.tpm.confirmCounter(
        counter.index,
        authorization: bench.authorization,
        next: bench.authorization
      )
    }
    for command in [Bench.Command.increment, .read] {
      try bench.chip.command("answer \(command.rawValue) flip")
      #expect(throws: TPMFailure.anotherTPM) {
        try bench.tpm.incrementCounter(counter.index, authorization: bench.authorization)
      }
    }
  }
}
