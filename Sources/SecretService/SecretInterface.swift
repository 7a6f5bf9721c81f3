/// An interface of the Secret Service: the types of its methods, signals and properties.
struct SecretInterface {
  struct Method {
    let name: String
    let input: String
    let output: String
  }

  let name: String
  var methods: [Method] = []
  /// Name and types of each signal.
  var signals: [(String, String)] = []
  /// Name and type of each property.
  var properties: [(String, String)] = []
  /// The properties that can be set.
  var writable: Set<String> = []

  private static let prefix = "org.freedesktop.Secret."

  static let service = Self(
    name: prefix + "Service",
    methods: [
      Method(name: "OpenSession", input: "sv", output: "vo"),
      Method(name: "CreateCollection", input: "a{sv}s", output: "oo"),
      Method(name: "SearchItems", input: "a{ss}", output: "aoao"),
      Method(name: "Unlock", input: "ao", output: "aoo"),
      Method(name: "Lock", input: "ao", output: "aoo"),
      Method(name: "GetSecrets", input: "aoo", output: "a{o(oayays)}"),
      Method(name: "ReadAlias", input: "s", output: "o"),
      Method(name: "SetAlias", input: "so", output: ""),
    ],
    signals: [("CollectionCreated", "o"), ("CollectionDeleted", "o"), ("CollectionChanged", "o")],
    properties: [("Collections", "ao")]
  )

  static let collection = Self(
    name: prefix + "Collection",
    methods: [
      Method(name: "Delete", input: "", output: "o"),
      Method(name: "SearchItems", input: "a{ss}", output: "ao"),
      Method(name: "CreateItem", input: "a{sv}(oayays)b", output: "oo"),
    ],
    signals: [("ItemCreated", "o"), ("ItemDeleted", "o"), ("ItemChanged", "o")],
    properties: [
      ("Items", "ao"), ("Label", "s"), ("Locked", "b"), ("Created", "t"), ("Modified", "t"),
    ]
  )

  static let item = Self(
    name: prefix + "Item",
    methods: [
      Method(name: "Delete", input: "", output: "o"),
      Method(name: "GetSecret", input: "o", output: "(oayays)"),
      Method(name: "SetSecret", input: "(oayays)", output: ""),
    ],
    properties: [
      ("Locked", "b"), ("Attributes", "a{ss}"), ("Label", "s"), ("Type", "s"), ("Created", "t"),
      ("Modified", "t"),
    ],
    writable: ["Attributes", "Label"]
  )

  static let session = Self(
    name: prefix + "Session",
    methods: [Method(name: "Close", input: "", output: "")]
  )

  static let prompt = Self(
    name: prefix + "Prompt",
    methods: [
      Method(name: "Prompt", input: "s", output: ""),
      Method(name: "Dismiss", input: "", output: ""),
    ],
    signals: [("Completed", "bv")]
  )

  static let properties = Self(
    name: "org.freedesktop.DBus.Properties",
    methods: [
      Method(name: "Get", input: "ss", output: "v"),
      Method(name: "GetAll", input: "s", output: "a{sv}"),
      Method(name: "Set", input: "ssv", output: ""),
    ],
    signals: [("PropertiesChanged", "sa{sv}as")]
  )

  static let introspectable = Self(
    name: "org.freedesktop.DBus.Introspectable",
    methods: [Method(name: "Introspect", input: "", output: "s")]
  )

  /// The description of an object (D-Bus specification, "Introspection Data Format").
  static func description(of object: SecretObject, children: [String]) -> String {
    let interfaces = [object.interface, properties, introspectable].compactMap(\.self)
    return """
      <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
      "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
      <node>
      \(interfaces.map(\.element).joined())\
      \(children.map { "<node name=\"\($0)\"/>\n" }.joined())\
      </node>

      """
  }

  private var element: String {
    let methods = methods.map {
      """
      <method name="\($0.name)">\(Self.arguments($0.input, "direction=\"in\" "))\
      \(Self.arguments($0.output, "direction=\"out\" "))</method>

      """
    }
    let signals = signals.map {
      "<signal name=\"\($0.0)\">\(Self.arguments($0.1, ""))</signal>\n"
    }
    let properties = properties.map {
      """
      <property name="\($0.0)" type="\($0.1)" \
      access="\(writable.contains($0.0) ? "readwrite" : "read")"/>

      """
    }
    return "<interface name=\"\(name)\">\n"
      + (methods + signals + properties).joined() + "</interface>\n"
  }

  private static func arguments(_ types: String, _ direction: String) -> String {
    complete(types).map { "<arg \(direction)type=\"\($0)\"/>" }.joined()
  }

  /// The single types of a signature.
  static func complete(_ types: String) -> [String] {
    var found: [String] = []
    var depth = 0
    var isOpen = false
    for letter in types {
      if isOpen { found[found.count - 1].append(letter) } else { found.append(String(letter)) }
      if "({".contains(letter) { depth += 1 }
      if ")}".contains(letter) { depth -= 1 }
      isOpen = depth > 0 || letter == "a"
    }
    return found
  }
}
