import System
import TestSupport
import Testing

/// Programs of the session that send anything to `agent --secret-service`.
@Suite(.serialized)
struct HostileSecretClientTests {
  private let person: Person
  private let secrets: SecretServiceDesk
  private let agent: Run

  init() throws {
    person = try Person()
    try person.enrollFinger()
    secrets = SecretServiceDesk(person: person, desk: try Desk(of: person))
    agent = try secrets.startAgent()
  }

  /// Begins a Python program with a client of the bus.
  private static let client = """
    import os, sys
    from gi.repository import Gio, GLib
    NAME, ROOT = "org.freedesktop.secrets", "/org/freedesktop/secrets"
    LOGIN = ROOT + "/collection/login"
    def connect():
        kinds = Gio.DBusConnectionFlags
        return Gio.DBusConnection.new_for_address_sync(os.environ["DBUS_SESSION_BUS_ADDRESS"],
            kinds.AUTHENTICATION_CLIENT | kinds.MESSAGE_BUS_CONNECTION, None, None)
    def call(bus, path, interface, method, kinds, *values):
        return bus.call_sync(NAME, path, interface, method, GLib.Variant(kinds, values) if kinds else None,
                             None, Gio.DBusCallFlags.NONE, 60000, None).unpack()
    def refused(*arguments):
        try:
            call(*arguments)
        except GLib.Error as error:
            return Gio.DBusError.get_remote_error(error).split(".")[-1]
    def secret(*name): return "org.freedesktop.Secret." + ".".join(name)
    def open_session(bus):
        return call(bus, ROOT, secret("Service"), "OpenSession", "(sv)", "plain", GLib.Variant("s", ""))[1]
    def store(bus, session, attributes, value=b"x", label="label"):
        properties = {secret("Item", "Label"): GLib.Variant("s", label),
                      secret("Item", "Attributes"): GLib.Variant("a{ss}", attributes)}
        return call(bus, LOGIN, secret("Collection"), "CreateItem", "(a{sv}(oayays)b)", properties,
                    (session, b"", value, "text/plain"), False)
    def refused_to_store(*arguments, **words):
        try:
            store(*arguments, **words)
        except GLib.Error as error:
            return Gio.DBusError.get_remote_error(error).split(".")[-1]
    bus, other = connect(), connect()
    """

  private func python(_ program: String) -> String {
    "exec /usr/bin/python3 - <<'END'\n\(Self.client)\n\(program)\nEND"
  }

  @Test
  func floodsAndForeignPathsGetErrors() throws {
    try secrets.run(
      python(
        """
        # Ten thousand sessions: some are opened, and the others are refused.
        opened = 0
        for number in range(10000):
            if number % 100 == 0:
                flood = connect()
            try:
                open_session(flood)
                opened += 1
            except GLib.Error as error:
                assert "LimitsExceeded" in error.message, error
            if number % 1000 == 999:
                flood.close_sync(None)
        assert opened >= 1024, opened
        session = open_session(bus)
        item = store(bus, session, {"a": "1"})[0]
        # Objects of one program do not exist for another.
        mine = call(bus, item, secret("Item"), "Delete", None)[0]
        for method, kinds, values in [("Prompt", "(s)", [""]), ("Dismiss", None, [])]:
            assert refused(other, mine, secret("Prompt"), method, kinds, *values) == "NoSuchObject"
        assert refused(other, session, secret("Session"), "Close", None) == "NoSession"
        assert refused(other, item, secret("Item"), "GetSecret", "(o)", session) == "NoSession"
        assert refused(bus, item, secret("Item"), "GetSecret", "(o)", session) == "IsLocked"
        # Huge attributes, labels and values.
        assert refused_to_store(bus, session, {"a": "x" * 5000}) == "Failed"
        assert refused_to_store(bus, session, {"a": "x" * 70000}) == "LimitsExceeded"
        assert refused_to_store(bus, session, {"a" * n: "" for n in range(1, 70)}) == "LimitsExceeded"
        assert refused_to_store(bus, session, {}, label="x" * 300) == "LimitsExceeded"
        assert refused_to_store(bus, session, {}, value=b"x" * 30000) == "LimitsExceeded"
        assert refused_to_store(bus, session, {}, value=b"x" * 1000000) == "LimitsExceeded"
        """
      )
    )
    try secrets.stop(agent)
  }

  @Test
  func otherTypesGetErrorsAndStopNoCaller() throws {
    try secrets.run(
      python(
        """
        session = open_session(bus)
        item = store(bus, session, {"refresh_token": "1", "password": "2"}, label="two\\nlines")[0]
        def get(name):
            return call(bus, item, "org.freedesktop.DBus.Properties", "Get", "(ss)", secret("Item"), name)[0]
        assert get("Attributes") == {"refresh_token": "1", "password": "2"}, get("Attributes")
        assert get("Label") == "two\\nlines" and get("Locked") is True
        wrong = [(None, []), ("(i)", [1]), ("(s)", ["x"]), ("(o)", ["/"]), ("(v)", [GLib.Variant("s", "")]),
                 ("(ay)", [b"x"]), ("(a{sv})", [{}]), ("((oayays))", [("/", b"", b"", "")]), ("(x)", [1]),
                 ("(d)", [0.5]), ("(aaaas)", [[[[["x"]]]]]), ("(g)", ["a{sv}"]), ("(sss)", ["", "", ""])]
        methods = ["OpenSession", "CreateCollection", "SearchItems", "Unlock", "Lock", "GetSecrets",
                   "ReadAlias", "SetAlias", "CreateItem", "GetSecret", "SetSecret", "Get", "Set", "Nothing"]
        for path in [ROOT, LOGIN, item, session, ROOT + "/prompt/p1", ROOT + "/none", "/", LOGIN + "/none"]:
            for interface in [secret("Service"), secret("Collection"), secret("Item"), secret("Prompt"),
                              "org.freedesktop.DBus.Properties", "io.example.Other"]:
                for method in methods:
                    for kinds, values in wrong:
                        if path == ROOT and (method, kinds) == ("ReadAlias", "(s)"):
                            continue
                        assert refused(bus, path, interface, method, kinds, *values), (path, method, kinds)
        text = call(bus, LOGIN, "org.freedesktop.DBus.Introspectable", "Introspect", None)[0]
        assert Gio.DBusNodeInfo.new_for_xml(text).lookup_interface(secret("Collection"))
        call(bus, ROOT, "org.freedesktop.DBus.Peer", "Ping", None)
        """
      )
    )
    try secrets.stop(agent)
  }

  @Test
  func aProgramThatLeavesTakesItsPromptAway() throws {
    let run = try secrets.start(
      python(
        """
        session = open_session(bus)
        item = store(bus, session, {"a": "1"})[0]
        prompt = call(bus, ROOT, secret("Service"), "Unlock", "(ao)", [item])[1]
        call(bus, prompt, secret("Prompt"), "Prompt", "(s)", "")
        GLib.MainLoop().run()
        """
      )
    )
    let number = try secrets.desk.sees(SecretServiceDesk.unlocking)
    #expect(eventually { person.readerIsOpen })
    run.child.kill()
    _ = try run.child.wait()
    try secrets.desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
    #expect(eventually { !person.readerIsOpen })
    try secrets.stop(agent, "a client of the Secret Service was refused")
  }

  @Test
  func theLogNamesTheProgram() throws {
    try secrets.store("hunter2")
    #expect(
      try secrets.touching(SecretServiceDesk.unlocking, "secret-tool lookup mail ada") == "hunter2"
    )
    let log = try person.run("audit", "--json").succeeded()
    #expect(log.contains("a client of the Secret Service: secret-tool, PID "), "\(log)")
    #expect(!log.contains("hunter2"))
    try secrets.stop(agent)
  }
}
