import KeyAgreement
import SecretMemory
import SystemBus
import Testing

@testable import SecretService

/// The Secret Service without a bus and without a vault.
struct SecretServiceTests {
  private let bench = ServiceBench()
  private let root = ServiceBench.root
  private let collection = ServiceBench.collection

  @Test
  func anItemIsLockedUntilItsPromptPasses() throws {
    let session = try bench.open()
    let (item, none) = try bench.create(session, "hunter2", ["user": "me"])
    #expect(item.hasPrefix(collection + "/") && none == "/")
    #expect(bench.takeSignals() == ["ItemCreated", "PropertiesChanged"])
    #expect(bench.refusal(item, "GetSecret", [.path(session)]) == "IsLocked")
    #expect(bench.refusal(item, "SetSecret", [try bench.secret(session, "x")]) == "IsLocked")
    let found = try bench.call(root, "SearchItems", [ServiceBench.attributes(["user": "me"])])
    #expect(try bench.paths(found[0]) == [] && bench.paths(found[1]) == [item])

    for passes in [false, true] {
      let answer = try bench.call(root, "Unlock", [.array("o", [.path(item), .path(item)])])
      #expect(try bench.paths(answer[0]) == [])
      let prompt = try bench.path(answer[1])
      try bench.call(prompt, "Prompt", [.text("")], passes: passes)
      #expect(bench.takeSignals().last == "Completed to :1.1")
      let completed = try #require(bench.signals.last)
      guard case .boolean(let isDismissed) = completed.values[0],
        case .variant(let result) = completed.values[1]
      else { throw SecretServiceError.failed("no result") }
      #expect(isDismissed == !passes)
      #expect(try bench.paths(result) == (passes ? [item] : []))
      #expect(bench.refusal(prompt, "Prompt", [.text("")]) == "NoSuchObject")
    }
    let secret = try bench.call(item, "GetSecret", [.path(session)])
    #expect(try bench.value(secret[0]).value == Array("hunter2".utf8))
    let all = try bench.call(root, "Unlock", [.array("o", [.path(item), .path(collection)])])
    #expect(try bench.paths(all[0]) == [item, collection] && bench.path(all[1]) == "/")
    _ = bench.takeSignals()
    try bench.call(root, "Lock", [.array("o", [.path(item)])])
    #expect(bench.takeSignals() == ["PropertiesChanged", "ItemChanged"])
    #expect(bench.refusal(item, "GetSecret", [.path(session)]) == "IsLocked")
  }

  /// A vault locks the items that the next prompt does not name.
  @Test
  func aPromptForSomeOfTheNamedItemsKeepsTheOthersUnlocked() throws {
    let session = try bench.open()
    let first = try bench.create(session, "one", ["a": "1"]).item
    let second = try bench.create(session, "two", ["a": "2"]).item
    func unlock(_ items: [String]) throws -> [String] {
      let answer = try bench.call(root, "Unlock", [.array("o", items.map { .path($0) })])
      let prompt = try bench.path(answer[1])
      if prompt != "/" { try bench.call(prompt, "Prompt", [.text("")]) }
      return try bench.paths(answer[0])
    }
    #expect(try unlock([first]) == [])
    #expect(try unlock([first, second]) == [first])
    for item in [first, second] {
      #expect(bench.refusal(item, "GetSecret", [.path(session)]) == nil)
    }
  }

  /// Libraries keep the property, and would read a locked item without a prompt.
  @Test
  func aProgramIsToldWhatTheNextPromptLocks() throws {
    let session = try bench.open()
    let items = try ["1", "2"].map { try bench.create(session, $0, ["a": $0]).item }
    for item in items {
      let answer = try bench.call(root, "Unlock", [.array("o", [.path(item)])])
      _ = bench.takeSignals()
      try bench.call(try bench.path(answer[1]), "Prompt", [.text("")])
    }
    let told = ["PropertiesChanged", "ItemChanged"]
    #expect(bench.takeSignals() == told + told + ["Completed to :1.1"])
    #expect(Array(bench.signals.map(\.path).prefix(3)) == [items[0], collection, items[1]])
  }

  @Test
  func aProgramIsToldOfTheEndOfAnUnlockWindow() throws {
    let session = try bench.open()
    let item = try bench.create(session, "1", ["a": "1"]).item
    let answer = try bench.call(root, "Unlock", [.array("o", [.path(item)])])
    try bench.call(try bench.path(answer[1]), "Prompt", [.text("")])
    let id = try #require(bench.service.itemToWatch())
    _ = bench.takeSignals()
    try bench.store.lock()
    bench.service.tell(of: .item(id))
    #expect(bench.takeSignals() == ["PropertiesChanged", "ItemChanged"])
    #expect(bench.signals.first?.path == item)
    // There is nothing more to wait for.
    #expect(bench.service.itemToWatch() == nil)
  }

  @Test
  func theEndOfTheEngineLocksAllItems() throws {
    let session = try bench.open()
    let items = try ["1", "2"].map { try bench.create(session, $0, ["a": $0]).item }
    let answer = try bench.call(root, "Unlock", [.array("o", items.map { .path($0) })])
    try bench.call(try bench.path(answer[1]), "Prompt", [.text("")])
    _ = bench.takeSignals()
    bench.service.tell(of: .all)
    let told = bench.takeSignals()
    #expect(told.count { $0 == "PropertiesChanged" } == 2, "\(told)")
    #expect(bench.service.itemToWatch() == nil)
  }

  @Test
  func attributesAreComparedByTheirBytes() throws {
    let session = try bench.open()
    let item = try bench.create(session, "one", ["user": "\u{e9}"]).item
    for (user, found) in [("\u{e9}", [item]), ("e\u{301}", [])] {
      let answer = try bench.call(
        collection,
        "SearchItems",
        [ServiceBench.attributes(["user": user])]
      )
      #expect(try bench.paths(answer[0]) == found)
    }
    let other = try bench.create(session, "two", ["user": "e\u{301}"], replaces: true)
    #expect(other.prompt == "/" && other.item != item)
  }

  /// A person may give the account of an item a name that no path can have.
  @Test(arguments: ["mail-imap", "a.b_c", "/mail", "_61", "é"])
  func anItemWithAnyNameHasAPath(_ name: String) throws {
    let session = try bench.open()
    _ = try bench.create(session, "hunter2", ["user": "me"])
    bench.store.rename("i1", to: name)
    bench.store.isLocked = false
    let found = try bench.call(root, "SearchItems", [ServiceBench.attributes(["user": "me"])])
    let path = try #require(bench.paths(found[0]).first)
    let part = path.dropFirst(collection.count + 1)
    #expect(part.utf8.allSatisfy { $0 == UInt8(ascii: "_") || isLetterOrDigit($0) }, "\(path)")
    let secret = try bench.call(path, "GetSecret", [.path(session)])
    #expect(try bench.value(secret[0]).value == Array("hunter2".utf8))
    guard case .text(let text) = try bench.call(collection, "Introspect")[0] else {
      throw SecretServiceError.failed("no text")
    }
    #expect(text.contains("<node name=\"\(part)\"/>"))
    // An object has one path.
    for other in ["_zz", "_6", "_61", "_5F"] where other != part {
      let refusal = bench.refusal(collection + "/" + other, "GetSecret", [.path(session)])
      #expect(refusal == "NoSuchObject" || refusal == "UnknownObject")
    }
  }

  private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }

  @Test
  func secretsOfAnEncryptedSessionAreEncrypted() throws {
    // The program's side: the private key is 1, so its public key is 2 and the shared secret is the
    // service's public key.
    let algorithm = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
    let program = try AgreedKey(with: [9])
    let answer = try bench.call(
      root,
      "OpenSession",
      [.text(algorithm), .variant(try bench.bytes(program.publicKey))]
    )
    guard case .variant(.bytes(let publicKey)) = answer[0] else {
      throw SecretServiceError.failed("no key")
    }
    #expect(bench.text(publicKey).count == 128)
    let session = try bench.path(answer[1])
    // A secret that is not encrypted for this session is refused.
    for value in ["", "plain", String(repeating: "x", count: 32)] {
      let structure = BusValue.structure([
        .path(session), try bench.bytes(Array(repeating: 0, count: value.isEmpty ? 16 : 3)),
        try bench.bytes(Array(value.utf8)), .text(""),
      ])
      let arguments = [ServiceBench.properties("l", [:]), structure, .boolean(false)]
      #expect(bench.refusal(collection, "CreateItem", arguments) == "InvalidArgs")
    }
    let (item, _) = try bench.create(try bench.open(), "hunter2", [:])
    bench.store.isLocked = false
    let value = try bench.value(try bench.call(item, "GetSecret", [.path(session)])[0])
    #expect(value.parameters.count == 16 && value.value.count == 16)
    #expect(value.value != Array("hunter2".utf8))
  }

  @Test
  func anItemOfTheSameAttributesIsReplacedAfterAPrompt() throws {
    let session = try bench.open()
    let (item, _) = try bench.create(session, "one", ["a": "1"])
    let second = try bench.create(session, "two", ["a": "1"]).item
    #expect(second != item)
    let other = try bench.create(session, "three", ["a": "1", "b": "2"], replaces: true)
    #expect(other.prompt == "/")
    let (none, prompt) = try bench.create(session, "four", ["a": "1"], replaces: true)
    #expect(none == "/" && prompt != "/")
    bench.store.isLocked = false
    #expect(
      try bench.value(try bench.call(item, "GetSecret", [.path(session)])[0]).value
        == Array("one".utf8)
    )
    try bench.call(prompt, "Prompt", [.text("")])
    #expect(
      try bench.value(try bench.call(item, "GetSecret", [.path(session)])[0]).value
        == Array("four".utf8)
    )
    #expect(bench.store.kept.count == 3)
  }

  @Test
  func anItemIsDeletedAndChangedByItsOwnCalls() throws {
    let session = try bench.open()
    let (item, _) = try bench.create(session, "one", ["a": "1"])
    let interface = "org.freedesktop.Secret.Item"
    func property(_ name: String) throws -> BusValue {
      let answer = try bench.call(item, "Get", [.text(interface), .text(name)])
      guard case .variant(let value) = answer[0] else { throw SecretServiceError.failed("none") }
      return value
    }
    let label = [BusValue.text(interface), .text("Label"), .variant(.text("new"))]
    #expect(bench.refusal(item, "Set", label) == "IsLocked")
    bench.store.isLocked = false
    try bench.call(item, "Set", label)
    guard case .text("new") = try property("Label") else { throw SecretServiceError.failed("old") }
    try bench.call(item, "SetSecret", [try bench.secret(session, "two")])
    #expect(
      try bench.value(try bench.call(item, "GetSecret", [.path(session)])[0]).value
        == Array("two".utf8)
    )
    let locked = [BusValue.text(interface), .text("Locked"), .variant(.boolean(false))]
    #expect(bench.refusal(item, "Set", locked) == "PropertyReadOnly")
    let prompt = try bench.path(try bench.call(item, "Delete")[0])
    try bench.call(prompt, "Dismiss")
    #expect(bench.store.kept.count == 1)
    let next = try bench.path(try bench.call(item, "Delete")[0])
    _ = bench.takeSignals()
    try bench.call(next, "Prompt", [.text("")])
    #expect(bench.takeSignals() == ["ItemDeleted", "PropertiesChanged", "Completed to :1.1"])
    #expect(bench.refusal(item, "GetAll", [.text(interface)]) == "NoSuchObject")
  }

  @Test
  func thereIsOneCollection() throws {
    for (alias, path) in [("default", collection), ("login", collection), ("session", "/")] {
      #expect(try bench.path(try bench.call(root, "ReadAlias", [.text(alias)])[0]) == path)
    }
    let none = BusValue.array("{sv}", [])
    #expect(
      try bench.path(bench.call(root, "CreateCollection", [none, .text("default")])[0])
        == collection
    )
    #expect(bench.refusal(root, "CreateCollection", [none, .text("")]) == "NotSupported")
    #expect(
      bench.refusal(root, "SetAlias", [.text("mine"), .path(collection)]) == "NotSupported"
    )
    #expect(bench.refusal(collection, "Delete") == "NotSupported")
    let alias = root + "/aliases/default"
    let session = try bench.open()
    let answer = try bench.call(
      alias,
      "CreateItem",
      [ServiceBench.properties("l", [:]), try bench.secret(session, "x"), .boolean(false)]
    )
    #expect(try bench.path(answer[0]).hasPrefix(collection + "/"))
  }

  @Test
  func objectsDescribeThemselves() throws {
    let session = try bench.open()
    let (item, _) = try bench.create(session, "one", ["a": "1"])
    for path in ["/", "/org", "/org/freedesktop", root, collection, item, session] {
      guard case .text(let text) = try bench.call(path, "Introspect")[0] else {
        throw SecretServiceError.failed("no text")
      }
      #expect(text.contains("<node>") && text.contains("org.freedesktop.DBus.Properties"))
    }
    guard case .text(let text) = try bench.call(collection, "Introspect")[0] else {
      throw SecretServiceError.failed("no text")
    }
    #expect(text.contains("<arg direction=\"in\" type=\"a{sv}\"/>"))
    #expect(text.contains("<arg direction=\"in\" type=\"(oayays)\"/>"))
    #expect(text.contains(String(item.split(separator: "/").last ?? "")))
    #expect(
      SecretInterface.complete("a{o(oayays)}saoaayv") == ["a{o(oayays)}", "s", "ao", "aay", "v"]
    )
  }
}
