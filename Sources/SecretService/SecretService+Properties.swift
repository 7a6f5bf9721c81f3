internal import SystemBus

// The properties of objects, and their description.
extension SecretService {
  func handleProperties(
    _ call: SecretCall,
    _ object: SecretObject
  ) throws(SecretServiceError) -> SecretOutcome {
    guard case .text(let interface)? = call.arguments.first else {
      throw .invalidArguments("there is no interface")
    }
    let isOwn = interface.isEmpty || interface == object.interface?.name
    if call.member == "GetAll" {
      return .answer([.dictionary(isOwn ? try properties(of: object, for: call.sender) : [])])
    }
    guard isOwn, case .text(let name) = call.arguments[1],
      object.interface?.properties.contains(where: { $0.0 == name }) == true
    else { throw .unknownProperty }
    if call.member == "Get" {
      let found = try properties(of: object, for: call.sender).first { $0.0 == name }
      guard let found else { throw .unknownProperty }
      return .answer([.variant(found.1)])
    }
    guard case .item(let id) = object, SecretInterface.item.writable.contains(name),
      case .variant(let value) = call.arguments[2]
    else { throw .isReadOnly }
    guard try !item(id).isLocked else { throw .isLocked }
    let change =
      name == "Label"
      ? SecretChange(label: try Self.label(value))
      : SecretChange(attributes: try Self.attributes(value))
    return .wait(try begin(.change(id, change), call))
  }

  private func properties(
    of object: SecretObject,
    for sender: String
  ) throws(SecretServiceError) -> [(String, BusValue)] {
    switch object {
    case .service:
      return [("Collections", .array("o", [.path(SecretObject.collection.path)]))]
    case .collection:
      let items = try store.items()
      return [
        ("Items", Self.paths(items)), ("Label", .text("Thumblatch")),
        // Its items are locked individually.
        ("Locked", .boolean(false)), ("Created", .wide(items.map(\.created).min() ?? 0)),
        ("Modified", .wide(items.map(\.modified).max() ?? 0)),
      ]
    case .item(let id): return try item(id).properties
    case .session, .prompt:
      try demand(object, for: sender)
      return []
    case .folder: return []
    }
  }

  /// Checks that an object exists for a program.
  private func demand(
    _ object: SecretObject,
    for sender: String
  ) throws(SecretServiceError) {
    switch object {
    case .session: try sessions.demand(object.path, of: sender)
    case .prompt(let id): _ = try prompts.prompt(id, of: sender)
    case .item(let id): _ = try item(id)
    case .service, .collection, .folder: return
    }
  }

  func description(
    of object: SecretObject,
    for sender: String
  ) throws(SecretServiceError) -> String {
    try demand(object, for: sender)
    let children: [String] =
      switch object {
      case .service: ["collection", "aliases"]
      case .collection: try store.items().map(\.pathPart)
      case .item, .session, .prompt, .folder: []
      }
    return SecretInterface.description(of: object, children: children)
  }
}
