import Glibc
import Varlink
import VarlinkMethods
import VaultInterface

// Searches for the message that costs its reader most. Exits with 1 if 64 KiB of one cost more than
// `Gauge.limit` times what `PlainReader` takes. Build it as released:
//   swift build --configuration release --static-swift-stdlib --product MessageCost
// `Scripts/test` does so.

/// Whether a slow reader is found: one that hashes the text as `String`.
func findsWhatIsSlow() -> Bool {
  let gauge = Gauge(patience: 0)
  for filler in Filler.all where filler.isText {
    let text = String(decoding: filler.value(16_384), as: UTF8.self)
    gauge.measure(filler.name, bytes: 65_536) { _ = Set([text]).contains(text) }
  }
  gauge.report("a reader that hashes a text of 16 KiB as String")
  return gauge.isExceeded
}

/// The broken promises.
struct Findings {
  private(set) var count: Int32 = 0

  mutating func promise(_ kept: Bool, _ what: String) {
    guard !kept else { return }
    print("message-cost: not so: \(what)")
    count += 1
  }
}

func measure(_ interface: VarlinkInterface, _ findings: inout Findings) throws {
  let gauge = Gauge()
  let messages = try Messages(interface, gauge)
  messages.calls { name, message in
    gauge.measure(name, bytes: message.count) { Readers.readCall(message, on: interface) }
    guard interface === VarlinkInterface.vault, let given = Readers.provider(in: message)
    else { return }
    gauge.measure("settings of \(name)", bytes: message.count) { Readers.readSettings(of: given) }
  }
  for method in messages.methods {
    messages.replies(to: method) { name, message in
      gauge.measure(name, bytes: message.count) {
        Readers.readReply(message, to: method, on: interface)
      }
    }
  }
  messages.errors { name, message in
    gauge.measure(name, bytes: message.count) {
      Readers.readReply(message, to: messages.methods[0], on: interface)
    }
  }
  gauge.report(interface.name)
  let missing = Readers.missing(of: messages)
  findings.promise(missing.isEmpty, "the replies to \(missing) are read")
  findings.promise(
    !gauge.isExceeded,
    "a message of \(interface.name) costs at most \(Gauge.limit) times a plain reader"
  )
}

var findings = Findings()
findings.promise(findsWhatIsSlow(), "a reader whose time is quadratic is found")
for interface in VarlinkMethods.interfaces { try measure(interface, &findings) }
let gauge = Gauge()
try Documents().measure(gauge)
try Resources.measure(gauge)
gauge.report("documents of a provider")
findings.promise(
  !gauge.isExceeded,
  "a provider's document costs at most \(Gauge.limit) times a plain reader"
)
exit(findings.count == 0 ? 0 : 1)
