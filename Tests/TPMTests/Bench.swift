import MachineKey
import SecretMemory
import TPM
import TestSupport
import Testing

/// A software TPM with its device, a secret and an authorization value.
struct Bench {
  /// Command codes (TPM 2.0 Library, part 2, section 6.5.2), in the bridge's form.
  enum Command: String, CaseIterable {
    case undefineSpace = "122"
    case defineSpace = "12a"
    case createPrimary = "131"
    case increment = "134"
    case changeAuthorization = "13b"
    case read = "14e"
    case create = "153"
    case load = "157"
    case unseal = "15e"
    case readPublicOfIndex = "169"
    case policyAuthValue = "16b"
    case readPublic = "173"
    case startSession = "176"

    var number: UInt32 { UInt32(rawValue, radix: 16) ?? 0 }
  }

  let chip: SoftwareTPM
  let secret: SharedSecret
  let authorization: SharedSecret
  var tpm: TPMDevice { TPMDevice(path: chip.device) }

  init() throws {
    chip = try SoftwareTPM()
    secret = try Self.random()
    authorization = try Self.random()
  }

  static func random() throws -> SharedSecret {
    SharedSecret(try SecretBytes.random(count: 32))
  }

  /// Defines a counter at a free index.
  func defineCounter(by tpm: TPMDevice? = nil) throws(TPMFailure) -> TPMCounter {
    try (tpm ?? self.tpm).defineCounter(
      .random(in: TPMCounter.indices),
      authorization: authorization
    )
  }

  func removeCounter(_ index: UInt32) throws(TPMFailure) {
    try tpm.removeCounter(index, authorization: authorization)
  }

  func seal() throws -> TPMSealedSecret {
    try tpm.seal(secret, authorization: authorization)
  }

  /// Whether a sealed secret opens to the secret.
  func opens(_ sealed: TPMSealedSecret) throws -> Bool {
    let opened = try tpm.open(sealed, authorization: authorization)
    return SecretBytes.constantTimeEqual(opened.bytes, secret.bytes)
  }

  /// The failure of a call; `nil` if it succeeds.
  ///
  /// Nothing may be left loaded after either.
  func failure<Value>(
    sourceLocation: SourceLocation = #_sourceLocation,
    of call: () throws(TPMFailure) -> Value
  ) throws -> TPMFailure? {
    var failure: TPMFailure?
    do throws(TPMFailure) { _ = try call() } catch { failure = error }
    let left = try chip.command("left")
    #expect(left == "nothing", sourceLocation: sourceLocation)
    return failure
  }

  /// The failure to open a sealed secret.
  func failure(
    toOpen sealed: TPMSealedSecret,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> TPMFailure? {
    try failure(sourceLocation: sourceLocation) { () throws(TPMFailure) in
      try tpm.open(sealed, authorization: authorization)
    }
  }

  /// The command codes of all messages to the TPM so far.
  func commands() throws -> [UInt32] {
    try chip.messages().filter { $0.count >= 10 }.map { message in
      message[6..<10].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}

extension TPMSealedSecret {
  /// The secret with one bit of one byte changed.
  func changed(_ part: Part, at index: Int) -> TPMSealedSecret {
    func bytes(_ own: Part, _ bytes: [UInt8]) -> [UInt8] {
      var bytes = bytes
      if own == part { bytes[index] ^= 1 << UInt8(index % 8) }
      return bytes
    }
    return TPMSealedSecret(
      parentName: bytes(.parentName, parentName),
      privatePart: bytes(.privatePart, privatePart),
      publicPart: bytes(.publicPart, publicPart)
    )
  }

  enum Part: CaseIterable {
    case parentName
    case privatePart
    case publicPart
  }

  func count(of part: Part) -> Int {
    switch part {
    case .parentName: parentName.count
    case .privatePart: privatePart.count
    case .publicPart: publicPart.count
    }
  }
}
