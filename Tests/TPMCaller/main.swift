// Asks the TPM through `SecretHelper`, as the engine does, and reports one line for each call.

import Glibc
import HelperClient
import MachineKey
import SecretMemory
import System
import TPM

let tpm = SecretHelper(by: .children)

func report(_ name: String, _ call: () throws -> String) {
  do {
    print(name, try call())
  } catch {
    print(name, error)
  }
}

/// The processes that this one has started and that run.
func children() throws -> [pid_t] {
  let directory = try Directory(path: "/proc/self/task/\(getpid())")
  let text = String(
    decoding: try directory.openForReading("children").readAll(limit: 4096),
    as: UTF8.self
  )
  return text.split(separator: " ").compactMap { pid_t($0) }
}

/// Opens, and reads the counter in the same process.
func tellOpenings(_ sealed: TPMSealedSecret, _ authorization: SharedSecret, _ first: TPMCounter) {
  report("opening") {
    let opening = tpm.forOpening()
    _ = try opening.open(sealed, authorization: authorization)
    let kept = try children().count
    let now = try opening.bound(to: sealed.parentName)
      .readCounter(first.index, authorization: authorization)
    return "\(kept) \(now.value - first.value) \(try children().count)"
  }
  report("opening whose process ends") {
    let opening = tpm.forOpening()
    _ = try opening.open(sealed, authorization: authorization)
    for child in try children() { kill(child, SIGKILL) }
    let now = try opening.readCounter(first.index, authorization: authorization)
    return "\(now.value - first.value)"
  }
  report("opening without a counter") {
    _ = try tpm.forOpening().open(sealed, authorization: authorization)
    return "\(try children().count)"
  }
}

/// Seals, opens and counts.
func tellAll() throws {
  let secret = SharedSecret(try SecretBytes.random(count: 32))
  let authorization = SharedSecret(try SecretBytes.random(count: 32))
  let other = SharedSecret(try SecretBytes.random(count: 32))
  report("facts") {
    let facts = try tpm.facts()
    return "\(facts.maker) \(facts.firmware.split(separator: ".").count)"
  }
  var sealed: TPMSealedSecret?
  report("seal") {
    sealed = try tpm.seal(secret, authorization: authorization)
    return "\(sealed?.parentName.count ?? 0)"
  }
  guard let sealed else { return }
  report("open") {
    let opened = try tpm.open(sealed, authorization: authorization)
    return "\(SecretBytes.constantTimeEqual(opened.bytes, secret.bytes))"
  }
  report("other") {
    _ = try tpm.open(sealed, authorization: other)
    return "opened"
  }
  var first: TPMCounter?
  report("define") {
    first = try tpm.defineCounter(0x0180_0000, authorization: authorization)
    return "done"
  }
  guard let first else { return }
  report("increment") {
    let next = try tpm.incrementCounter(first.index, authorization: authorization)
    return "\(next.value - first.value)"
  }
  report("read") {
    let now = try tpm.readCounter(first.index, authorization: authorization)
    return "\(now.value - first.value)"
  }
  tellOpenings(sealed, authorization, first)
  report("another key") {
    let strict = SecretHelper(by: .children, parentName: sealed.parentName.reversed())
    _ = try strict.readCounter(first.index, authorization: authorization)
    return "read"
  }
  for name in ["remove", "remove again"] {
    report(name) {
      try tpm.removeCounter(first.index, authorization: authorization)
      return "done"
    }
  }
  report("gone") {
    _ = try tpm.readCounter(first.index, authorization: authorization)
    return "read"
  }
}

/// Milliseconds of the fastest of some calls, after one that is not counted.
func fastest(of count: Int, _ call: () throws -> Void) throws -> Double {
  try call()
  var best = Int64.max
  for _ in 0..<count {
    let start = BootInstant.now.nanoseconds
    try call()
    best = min(best, BootInstant.now.nanoseconds - start)
  }
  return Double(best / 10_000) / 100
}

/// The time that a separate process adds to the TPM's own time.
func measure() throws {
  let secret = SharedSecret(try SecretBytes.random(count: 32))
  let authorization = SharedSecret(try SecretBytes.random(count: 32))
  let sealed = try tpm.seal(secret, authorization: authorization)
  let chip = TPMDevice(path: TPMDevice.path)
  let own = try fastest(of: 100) { _ = try chip.open(sealed, authorization: authorization) }
  let whole = try fastest(of: 100) { _ = try tpm.open(sealed, authorization: authorization) }
  print("TPM \(own) ms, with the program \(whole) ms, ratio \(whole / own)")
}

switch CommandLine.arguments.dropFirst() {
case ["facts"]: report("facts") { "\(try tpm.facts())" }
case ["measure"]: try measure()
default: try tellAll()
}
