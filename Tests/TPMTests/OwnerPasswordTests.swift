import MachineKey
import TPM
import TestSupport
import Testing

/// A TPM whose owner has set a password.
struct OwnerPasswordTests {
  private static let password = "owner"
  private static let attributes =
    "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|decrypt"
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func setPassword() throws {
    try bench.chip.run("tpm2_changeauth", "--object-context=owner", Self.password)
  }

  private func removePassword() throws {
    try bench.chip.run(
      "tpm2_changeauth",
      "--object-context=owner",
      "--object-auth=\(Self.password)"
    )
  }

  /// Has the TPM keep a storage key where the guidance says.
  private func keepKey(_ attributes: String = Self.attributes) throws {
    let file = bench.chip.path("key")
    try bench.chip.run(
      "tpm2_createprimary",
      "--hierarchy=o",
      "--hierarchy-auth=\(Self.password)",
      "--key-algorithm=ecc",
      "--attributes=\(attributes)",
      "--key-context=\(file)"
    )
    try bench.chip.run(
      "tpm2_evictcontrol",
      "--hierarchy=o",
      "--auth=\(Self.password)",
      "--object-context=\(file)",
      "0x81000001"
    )
  }

  @Test
  func withoutAKeptKeyNothingIsSealedOrOpened() throws {
    let sealed = try bench.seal()
    try setPassword()
    #expect(try bench.failure(toOpen: sealed) == .ownerPassword)
    let failure = try bench.failure { () throws(TPMFailure) in
      try bench.tpm.seal(bench.secret, authorization: bench.authorization)
    }
    #expect(failure == .ownerPassword)
    try removePassword()
    #expect(try bench.opens(sealed))
  }

  @Test
  func aKeptKeyOfTheTemplateOpensWhatWasSealedBefore() throws {
    let sealed = try bench.seal()
    let counter = try bench.defineCounter()
    try setPassword()
    try keepKey()
    #expect(try bench.opens(sealed))
    #expect(try bench.opens(bench.seal()))
    let next = try bench.tpm.incrementCounter(counter.index, authorization: bench.authorization)
    #expect(next.value == counter.value + 1)
    // Only the owner makes and removes counters.
    let defining = try bench.failure { () throws(TPMFailure) in
      try bench.defineCounter()
    }
    let removing = try bench.failure { () throws(TPMFailure) in
      try bench.removeCounter(counter.index)
    }
    #expect(defining == .ownerPassword && removing == .ownerPassword)
  }

  @Test
  func aKeptKeyOfItsOwnOpensAfterThePasswordIsGone() throws {
    try setPassword()
    try keepKey(Self.attributes + "|adminwithpolicy")
    let sealed = try bench.seal()
    #expect(try bench.opens(sealed))
    try removePassword()
    #expect(try bench.opens(sealed))
    #expect(try bench.seal().parentName != sealed.parentName)
  }

  @Test
  func aKeptKeyThatIsNoStorageKeyIsNotUsed() throws {
    try setPassword()
    // Its maker may know it: not `fixedtpm`.
    try keepKey("sensitivedataorigin|userwithauth|noda|restricted|decrypt")
    let failure = try bench.failure { () throws(TPMFailure) in
      try bench.tpm.seal(bench.secret, authorization: bench.authorization)
    }
    #expect(failure == .ownerPassword)
  }

  /// An interposer refuses the TPM's own key, and gives a false answer about the stored one.
  @Test(arguments: ["key", "name"])
  func theNameOfTheKeptKeyIsComputed(_ lie: String) throws {
    let sealed = try bench.seal()
    try setPassword()
    try keepKey()
    let before = try bench.commands().count
    try bench.chip.command("answer \(Bench.Command.readPublic.rawValue) \(lie)")
    #expect(try bench.failure(toOpen: sealed) == .ownerPassword)
    let since = try bench.commands().dropFirst(before)
    #expect(!since.contains(Bench.Command.startSession.number))
  }
}
