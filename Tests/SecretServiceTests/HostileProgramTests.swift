import SecretMemory
import SystemBus
import Testing

@testable import SecretService

/// Programs that send anything.
struct HostileProgramTests {
  private let bench = ServiceBench()
  private let root = ServiceBench.root
  private let collection = ServiceBench.collection

  @Test
  func objectsOfOneProgramDoNotExistForAnother() throws {
    let session = try bench.open()
    let (item, _) = try bench.create(session, "one", [:])
    let prompt = try bench.path(try bench.call(item, "Delete")[0])
    let other = ":1.2"
    #expect(bench.refusal(session, "Close", from: other) == "NoSession")
    #expect(bench.refusal(session, "Introspect", from: other) == "NoSession")
    #expect(bench.refusal(prompt, "Prompt", [.text("")], from: other) == "NoSuchObject")
    #expect(bench.refusal(prompt, "Dismiss", from: other) == "NoSuchObject")
    bench.store.isLocked = false
    #expect(bench.refusal(item, "GetSecret", [.path(session)], from: other) == "NoSession")
    #expect(
      bench.refusal(
        root,
        "GetSecrets",
        [.array("o", [.path(item)]), .path(session)],
        from: other
      ) == "NoSession"
    )
    let secret = try bench.secret(session, "x")
    #expect(bench.refusal(item, "SetSecret", [secret], from: other) == "NoSession")
    #expect(bench.store.kept.count == 1)
    try bench.call(session, "Close")
    #expect(bench.refusal(session, "Close") == "NoSession")
  }

  /// Otherwise an answer would name the session by a path that its program was never given.
  @Test
  func anObjectHasOneSpelling() throws {
    let session = try bench.open()
    let (item, _) = try bench.create(session, "one", [:])
    bench.store.isLocked = false
    for path in [session.replacing("/session", with: "//session"), session + "/"] {
      #expect(bench.refusal(item, "GetSecret", [.path(path)]) == "NoSession")
      #expect(
        bench.refusal(root, "GetSecrets", [.array("o", [.path(item)]), .path(path)]) == "NoSession"
      )
    }
    #expect(bench.refusal(root + "/", "OpenSession", [.text("plain"), .variant(.text(""))]) != nil)
    #expect(try bench.call(item, "GetSecret", [.path(session)]).count == 1)
  }

  /// Shows a prompt as its program does.
  private func beginWork(of prompt: String) throws -> SecretWork {
    let call = SecretCall(
      sender: ":1.1",
      requester: "",
      path: prompt,
      interface: "",
      member: "Prompt",
      arguments: [.text("")]
    )
    guard case .begin(let work) = try bench.service.handle(call) else {
      throw SecretServiceError.failed("no work")
    }
    return work
  }

  @Test
  func whatAProgramLeavesBehindEndsWithIt() throws {
    let session = try bench.open()
    let (item, _) = try bench.create(session, "one", [:])
    let answer = try bench.call(root, "Unlock", [.array("o", [.path(item)])])
    let prompt = try bench.path(answer[1])
    let work = try beginWork(of: prompt)
    #expect(bench.refusal(prompt, "Prompt", [.text("")]) == "Failed")
    bench.service.forget(":1.2")
    #expect(bench.service.takeCancelled() == [])
    bench.service.forget(":1.1")
    #expect(bench.service.takeCancelled() == [work.number])
    _ = bench.takeSignals()
    bench.service.finish(work.number, isDone: false)
    #expect(bench.takeSignals() == [])
    #expect(bench.refusal(session, "Close") == "NoSession")
    #expect(bench.refusal(prompt, "Dismiss") == "NoSuchObject")
  }

  /// libsecret deletes all items that it has found at once.
  @Test
  func allPromptsOfAProgramAreShownAtOnce() throws {
    let (item, _) = try bench.create(try bench.open(), "one", [:])
    let work = try (0..<SecretPrompts.mostOfOne).map { _ in
      let answer = try bench.call(item, "Delete")
      return try beginWork(of: bench.path(answer[0])).number
    }
    #expect(Set(work).count == SecretPrompts.mostOfOne)
  }

  /// A program may have many connections to the bus, and each job needs a thread.
  @Test
  func manyProgramsBeginOnlySoMuchWork() throws {
    let (item, _) = try bench.create(try bench.open(), "one", [:])
    var refusals: [String?] = []
    for program in 0..<10 {
      for _ in 0..<SecretPrompts.mostOfOne {
        let prompt = try bench.path(bench.call(item, "Delete", from: ":2.\(program)")[0])
        refusals.append(begins(prompt, from: ":2.\(program)") ? nil : "refused")
      }
    }
    #expect(refusals.count(where: { $0 == nil }) == SecretService.mostWorkOfAll)
    // The end of a program makes room when its work has ended.
    bench.service.forget(":2.0")
    let prompt = try bench.path(bench.call(item, "Delete", from: ":3.0")[0])
    #expect(!begins(prompt, from: ":3.0"))
    for number in bench.service.takeCancelled() { bench.service.finish(number, isDone: false) }
    #expect(begins(prompt, from: ":3.0"))
  }

  private func begins(_ prompt: String, from sender: String) -> Bool {
    let call = SecretCall(
      sender: sender,
      requester: "",
      path: prompt,
      interface: "",
      member: "Prompt",
      arguments: [.text("")]
    )
    guard case .begin? = try? bench.service.handle(call) else { return false }
    return true
  }

  @Test
  func aPromptThatIsShownIsDismissed() throws {
    let (item, _) = try bench.create(try bench.open(), "one", [:])
    let prompt = try bench.path(try bench.call(item, "Delete")[0])
    let work = try beginWork(of: prompt)
    try bench.call(prompt, "Dismiss")
    #expect(bench.service.takeCancelled() == [work.number])
    bench.service.finish(work.number, isDone: false)
    #expect(bench.takeSignals().last == "Completed to :1.1")
    // A work ends once.
    bench.service.finish(work.number, isDone: true)
    #expect(bench.takeSignals() == [])
  }

  @Test
  func numbersAreBounded() throws {
    var refusals: [String?] = []
    for program in 0..<200 {
      for _ in 0..<50 {
        let arguments = [BusValue.text("plain"), .variant(.text(""))]
        refusals.append(bench.refusal(root, "OpenSession", arguments, from: ":2.\(program)"))
      }
    }
    #expect(refusals.count(where: { $0 == nil }) == SecretSessions.most)
    #expect(refusals.allSatisfy { $0 == nil || $0 == "LimitsExceeded" })
    for program in 0..<200 { bench.service.forget(":2.\(program)") }
    let session = try bench.open()
    let (item, _) = try bench.create(session, "one", [:])
    for count in 0...SecretPrompts.mostOfOne {
      let isOver = count == SecretPrompts.mostOfOne
      #expect(bench.refusal(item, "Delete") == (isOver ? "LimitsExceeded" : nil))
    }
    for program in 0..<20 {
      for _ in 0..<20 { _ = bench.refusal(item, "Delete", from: ":3.\(program)") }
    }
    #expect(bench.refusal(item, "Delete", from: ":4.1") == "LimitsExceeded")
  }

  /// A program that runs for days may open a session for each item that it reads.
  @Test
  func aProgramThatClosesNoSessionLosesItsOldestOne() throws {
    let first = try bench.open()
    let other = try bench.open(from: ":1.2")
    let sessions = try (0..<SecretSessions.mostOfOne).map { _ in try bench.open() }
    #expect(bench.refusal(first, "Close") == "NoSession")
    #expect(bench.refusal(sessions[0], "Close") == nil)
    #expect(bench.refusal(other, "Close", from: ":1.2") == nil)
  }

  @Test
  func longTextsAreRefused() throws {
    let session = try bench.open()
    func create(
      _ label: String,
      _ attributes: [String: String],
      type: String = ""
    ) throws
      -> String?
    {
      let secret = BusValue.structure([
        .path(session), try bench.bytes([]), try bench.bytes([1]), .text(type),
      ])
      let properties = ServiceBench.properties(label, attributes)
      return bench.refusal(collection, "CreateItem", [properties, secret, .boolean(false)])
    }
    let long = String(repeating: "x", count: 257)
    let many = Dictionary(uniqueKeysWithValues: (0..<65).map { ("key\($0)", "") })
    let marks = "a" + String(repeating: "\u{301}", count: 100)
    #expect(try create(long, [:]) == "LimitsExceeded")
    #expect(try create("", [:], type: long) == "LimitsExceeded")
    #expect(try create("", many) == "LimitsExceeded")
    #expect(try create(marks, [:]) == "InvalidArgs")
    #expect(try create("", [marks: ""]) == "InvalidArgs")
    #expect(try create("", ["": marks]) == "InvalidArgs")
    #expect(try create("", [:], type: marks) == "InvalidArgs")
    #expect(bench.refusal(root, "SearchItems", [ServiceBench.attributes(many)]) == "LimitsExceeded")
    let paths = BusValue.array("o", Array(repeating: .path(collection), count: 1025))
    #expect(bench.refusal(root, "Unlock", [paths]) == "LimitsExceeded")
    #expect(try create("", ["": ""]) == nil)
  }

  @Test
  func otherTypesAndPathsAreRefused() throws {
    let session = try bench.open()
    let (item, _) = try bench.create(session, "one", [:])
    let wrong: [[BusValue]] = [
      [], [.number(7)], [.text("plain")], [.variant(.text("")), .text("plain")],
      [.text("plain"), .variant(.text("")), .text("")], [.array("s", [])], [.structure([])],
      [.array("{sv}", [])], [.array("o", [])],
    ]
    let paths = [
      "/", root, collection, item, session, root + "/collection/other", root + "/x", "/a",
    ]
    let members = [
      "OpenSession", "CreateCollection", "SearchItems", "Unlock", "Lock", "GetSecrets",
      "SetAlias", "CreateItem", "GetSecret", "SetSecret", "Prompt", "Get", "Set", "Other",
      "",
    ]
    for path in paths {
      for member in members {
        for arguments in wrong
        where !(member == "Lock" || member == "Unlock" || member == "SearchItems") {
          #expect(bench.refusal(path, member, arguments) != nil, "\(path) \(member) \(arguments)")
        }
      }
    }
    for (algorithm, input) in [
      ("plain", BusValue.number(1)), ("rot13", .text("")),
      ("dh-ietf1024-sha256-aes128-cbc-pkcs7", .text("")),
      ("dh-ietf1024-sha256-aes128-cbc-pkcs7", try bench.bytes([1])),
      ("dh-ietf1024-sha256-aes128-cbc-pkcs7", try bench.bytes(Array(repeating: 255, count: 4096))),
    ] {
      let arguments = [BusValue.text(algorithm), .variant(input)]
      #expect(bench.refusal(root, "OpenSession", arguments) != nil, "\(algorithm)")
    }
    #expect(bench.refusal(root, "Get", [.text("x"), .text("Collections")]) == "UnknownProperty")
    #expect(bench.refusal(item, "GetSecret", [.path("/")]) == "NoSession")
    #expect(bench.refusal(item, "GetSecret", [.path(item)]) == "NoSession")
    #expect(bench.store.kept.count == 1)
  }
}
