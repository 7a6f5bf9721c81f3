internal import PlainText
internal import SystemBus

// The methods of the service, of its collection and of items.
extension SecretService {
  func handleService(_ call: SecretCall) throws(SecretServiceError) -> SecretOutcome {
    switch (call.member, call.arguments) {
    case ("OpenSession", let arguments):
      guard case .text(let algorithm) = arguments[0], case .variant(let input) = arguments[1]
      else { throw .invalidArguments("there is no algorithm") }
      return .answer(try sessions.open(algorithm, input, for: call.sender))
    case ("SearchItems", let arguments):
      let found = try search(arguments[0])
      return .answer([
        Self.paths(found.filter { !$0.isLocked }), Self.paths(found.filter(\.isLocked)),
      ])
    case ("Unlock", let arguments): return .answer(try unlock(try Self.paths(arguments[0]), call))
    case ("Lock", let arguments):
      let paths = try Self.paths(arguments[0])
      let before = try? store.items()
      try store.lock()
      if let before, let after = try? store.items() { tellOfLocks(before, after) }
      return .answer([.array("o", paths.map { .path($0) }), .path(SecretObject.none)])
    case ("GetSecrets", let arguments): return .answer([try secrets(arguments, call)])
    case ("ReadAlias", let arguments):
      guard case .text(let alias) = arguments[0] else { throw .invalidArguments("no alias") }
      let isKnown = SecretObject.aliases.contains(alias)
      return .answer([.path(isKnown ? SecretObject.collection.path : SecretObject.none)])
    case ("CreateCollection", let arguments), ("SetAlias", let arguments):
      return .answer(try demandOneCollection(call.member, arguments))
    default: throw .unknownMethod
    }
  }

  /// There is only one collection, whose aliases are fixed.
  private func demandOneCollection(
    _ member: String,
    _ arguments: [BusValue]
  ) throws(SecretServiceError) -> [BusValue] {
    let collection = SecretObject.collection
    switch (arguments[0], arguments[1]) {
    case (.array, .text(let alias)) where SecretObject.aliases.contains(alias):
      return [.path(collection.path), .path(SecretObject.none)]
    case (.text(let alias), .path(let path))
    where SecretObject.aliases.contains(alias) && SecretObject(path: path) == collection:
      return []
    default:
      throw .notSupported("there is only one collection, with the aliases default and login")
    }
  }

  func handleCollection(_ call: SecretCall) throws(SecretServiceError) -> SecretOutcome {
    switch call.member {
    case "SearchItems": return .answer([Self.paths(try search(call.arguments[0]))])
    case "CreateItem": return .answer(try createItem(call))
    default: throw .notSupported("the collection cannot be deleted")
    }
  }

  func handleItem(
    _ call: SecretCall,
    _ id: String
  ) throws(SecretServiceError) -> SecretOutcome {
    let item = try item(id)
    switch (call.member, call.arguments.first) {
    case ("GetSecret", .path(let session)?):
      try sessions.demand(session, of: call.sender)
      return .answer([try secret(of: item, session, call)])
    case ("SetSecret", let structure?):
      guard !item.isLocked else { throw .isLocked }
      let content = try sessions.content(structure, of: call.sender)
      return .wait(try begin(.change(id, SecretChange(content: content)), call))
    case ("Delete", _):
      return .answer([.path(try prompts.add(.remove(id), for: call.sender))])
    default: throw .unknownMethod
    }
  }

  func item(_ id: String) throws(SecretServiceError) -> SecretItem {
    guard let item = try store.item(id) else { throw .noSuchObject }
    return item
  }

  private func search(_ attributes: BusValue) throws(SecretServiceError) -> [SecretItem] {
    let wanted = try Self.attributes(attributes)
    return try store.items().filter { $0.has(wanted) }
  }

  /// Returns those that are already unlocked, and a prompt for the others.
  ///
  /// The prompt is for both, because the newly unlocked items replace those that were unlocked
  /// before.
  private func unlock(
    _ paths: [String],
    _ call: SecretCall
  ) throws(SecretServiceError) -> [BusValue] {
    let items = try store.items()
    var unlocked: [BusValue] = []
    var named: [String] = []
    var asks = false
    for path in paths {
      switch SecretObject(path: path) {
      case .collection?: unlocked.append(.path(path))
      case .item(let id)?:
        guard let item = items.first(where: { $0.id == id }) else { continue }
        if !item.isLocked { unlocked.append(.path(path)) }
        guard !named.contains(id) else { continue }
        named.append(id)
        asks = asks || item.isLocked
      default: continue
      }
    }
    guard !asks || named.count <= Self.mostUnlocked else {
      throw .limitsExceeded("a prompt unlocks at most \(Self.mostUnlocked) items")
    }
    let prompt =
      asks ? try prompts.add(.unlock(named), for: call.sender) : SecretObject.none
    return [.array("o", unlocked), .path(prompt)]
  }

  /// Returns the secrets of the items that are not locked.
  private func secrets(
    _ arguments: [BusValue],
    _ call: SecretCall
  ) throws(SecretServiceError) -> BusValue {
    guard case .path(let session) = arguments[1] else { throw .noSession }
    try sessions.demand(session, of: call.sender)
    var entries: [BusValue] = []
    for path in try Self.paths(arguments[0]) {
      guard case .item(let id)? = SecretObject(path: path), let item = try store.item(id),
        !item.isLocked
      else { continue }
      do throws(SecretServiceError) {
        entries.append(.entry(.path(path), try secret(of: item, session, call)))
      } catch {
        guard error == .isLocked else { throw error }
      }
    }
    return .array("{o(oayays)}", entries)
  }

  private func secret(
    of item: SecretItem,
    _ session: String,
    _ call: SecretCall
  ) throws(SecretServiceError) -> BusValue {
    guard !item.isLocked else { throw .isLocked }
    let secret = try store.secret(of: item.id, requester: call.requester)
    let content = SecretContent(secret: secret, type: item.contentType)
    return try sessions.structure(content, session: session, of: call.sender)
  }

  /// Stores a new item.
  ///
  /// An item with the same attributes is replaced after a prompt.
  private func createItem(_ call: SecretCall) throws(SecretServiceError) -> [BusValue] {
    var change = SecretChange(content: try sessions.content(call.arguments[1], of: call.sender))
    guard case .array(_, let properties) = call.arguments[0],
      case .boolean(let replaces) = call.arguments[2]
    else { throw .invalidArguments("there are no properties") }
    let prefix = SecretInterface.item.name + "."
    for case .entry(.text(let key), .variant(let value)) in properties {
      switch key {
      case prefix + "Label": change.label = try Self.label(value)
      case prefix + "Attributes": change.attributes = try Self.attributes(value)
      default: continue
      }
    }
    if replaces, let wanted = change.attributes,
      let present = try store.items().first(where: { $0.hasOnly(wanted) })
    {
      let prompt = try prompts.add(.change(present.id, change), for: call.sender)
      return [.path(SecretObject.none), .path(prompt)]
    }
    let id = try store.add(change)
    tellOfNew(id)
    return [.path(SecretObject.item(id).path), .path(SecretObject.none)]
  }

  // MARK: Values

  private static func paths(_ value: BusValue) throws(SecretServiceError) -> [String] {
    guard case .array("o", let values) = value else { throw .invalidArguments("no paths") }
    guard values.count <= mostNamed else { throw .limitsExceeded("too many items") }
    return values.compactMap { if case .path(let path) = $0 { path } else { nil } }
  }

  static func label(_ value: BusValue) throws(SecretServiceError) -> String {
    guard case .text(let label) = value else { throw .invalidArguments("the label is not text") }
    guard label.utf8.count <= longestText else { throw .limitsExceeded("the label is too long") }
    try demandUsable(label)
    return label
  }

  static func attributes(_ value: BusValue) throws(SecretServiceError) -> [String: String] {
    guard case .array("{ss}", let entries) = value else {
      throw .invalidArguments("the attributes are not text")
    }
    guard entries.count <= mostAttributes else {
      throw .limitsExceeded("there are more than \(mostAttributes) attributes")
    }
    var attributes: [String: String] = [:]
    for case .entry(.text(let key), .text(let value)) in entries {
      try demandUsable(key)
      try demandUsable(value)
      attributes[key] = value
    }
    return attributes
  }

  /// Refuses a text that could not be read back from the vault.
  static func demandUsable(_ text: String) throws(SecretServiceError) {
    guard text.isStreamSafe else {
      throw .invalidArguments("a text has too many combining marks in a row")
    }
  }
}
