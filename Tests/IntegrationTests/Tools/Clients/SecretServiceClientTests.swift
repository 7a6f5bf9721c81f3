import Glibc
import System
import TestSupport
import Testing

/// `agent --secret-service` at a private vault, with real clients: secret-tool, and Python's
/// SecretStorage and keyring.
@Suite(.serialized)
struct SecretServiceClientTests {
  private let person: Person
  private let secrets: SecretServiceDesk
  private var desk: Desk { secrets.desk }

  init() throws {
    person = try Person()
    try person.enrollFinger()
    secrets = SecretServiceDesk(person: person, desk: try Desk(of: person))
  }

  @Test
  func secretToolStoresFindsReplacesAndDeletes() throws {
    let agent = try secrets.startAgent()
    try secrets.store("hunter2")
    let lookUp = "secret-tool lookup mail ada"
    #expect(try secrets.touching(SecretServiceDesk.unlocking, lookUp) == "hunter2")
    // The unlock window counts, until it is closed.
    #expect(try secrets.run(lookUp) == "hunter2")
    let found = try secrets.run("secret-tool search --all mail ada")
    #expect(found.contains("label = The <b>mail</b>\nsecret = hunter2\n"), "\(found)")
    #expect(found.contains("attribute.mail = ada"), "\(found)")
    let accounts = try person.run("account", "list", "--json").succeeded()
    #expect(accounts.contains("secret-service") && !accounts.contains("hunter2"), "\(accounts)")
    // A replacement needs a check of its own.
    let shown = try desk.count()
    let replacing = try secrets.start(
      "printf %s 'pass \u{e9}\u{1}' | secret-tool store --label=new mail ada"
    )
    try desk.sees("to replace the login of account 'secret-", above: shown)
    try person.touch()
    _ = try secrets.output(of: replacing)
    try secrets.lock()
    #expect(try secrets.touching(SecretServiceDesk.unlocking, lookUp) == "pass \u{e9}\u{1}")
    let removed = try secrets.touching("to remove account 'secret-", "secret-tool clear mail ada")
    #expect(removed == "")
    #expect(try secrets.run("\(lookUp) || echo none") == "none\n")
    #expect(try !person.run("account", "list").text.contains("secret-"))
    try secrets.stop(agent)
  }

  @Test
  func whatAProgramStoresIsInNoFile() throws {
    let agent = try secrets.startAgent()
    let secret = "the secret of an item, which is long enough to search for"
    try secrets.store(secret)
    #expect(try occurrences(of: [secret], in: person.home) == [0])
    let lookUp = "secret-tool lookup mail ada"
    #expect(try secrets.touching(SecretServiceDesk.unlocking, lookUp) == secret)
    #expect(try occurrences(of: [secret], in: person.home) == [0])
    try secrets.stop(agent)
  }

  /// The agent waits for the end of the unlock window, and says so on the bus.
  @Test
  func aProgramIsToldThatAnItemIsLockedAgain() throws {
    let agent = try secrets.startAgent()
    try secrets.store("hunter2")
    let wait = "timeout 60 sh -c 'until grep -q \"$0\" ~/signals; do sleep 0.1; done'"
    let text = try secrets.touching(
      SecretServiceDesk.unlocking,
      """
      gdbus monitor --session --dest org.freedesktop.secrets >~/signals &
      \(wait) 'is owned by'
      secret-tool lookup mail ada
      \(wait) "'Locked': <false>" && \(person.programs)/thumblatch lock
      \(wait) "'Locked': <true>" && echo && echo told
      kill $!
      """
    )
    #expect(text.hasPrefix("hunter2") && text.hasSuffix("\ntold\n"), "\(text)")
    try secrets.stop(agent)
  }

  @Test
  func aDismissedPromptGivesNothing() throws {
    let agent = try secrets.startAgent()
    try secrets.store("hunter2")
    // secret-tool deletes only unlocked items.
    let lookUp = "secret-tool lookup mail ada"
    for script in [lookUp, "secret-tool clear mail ada"] {
      let shown = try desk.count()
      let run = try secrets.start(script)
      try desk.sees("secret-", above: shown)
      try desk.run("desk.click('Deny')")
      #expect(try !run.text().contains("hunter2"))
      _ = try run.child.wait()
      if script == lookUp {
        #expect(try secrets.touching(SecretServiceDesk.unlocking, lookUp) == "hunter2")
      }
    }
    #expect(try secrets.run(lookUp) == "hunter2")
    try secrets.stop(agent, "the presence check was cancelled")
  }

  @Test
  func pythonsLibrariesStoreAndFind() throws {
    try person.copySecretClients()
    let agent = try secrets.startAgent()
    let keyring = "/usr/bin/python3 -c 'import keyring, sys; k = keyring.get_keyring();"
    try secrets.run("\(keyring) k.set_password(\"app\", \"ada\", \"geheim \u{fc}\")'")
    let get = "\(keyring) print(type(k).__module__, k.get_password(\"app\", \"ada\"))'"
    #expect(
      try secrets.touching(SecretServiceDesk.unlocking, get)
        == "keyring.backends.SecretService geheim \u{fc}\n"
    )
    try secrets.lock()
    let program = """
      /usr/bin/python3 - <<'END'
      import secretstorage
      bus = secretstorage.dbus_init()
      collection = secretstorage.get_default_collection(bus)
      assert not collection.is_locked() and collection.get_label() == "Thumblatch"
      item = next(collection.search_items({"service": "app"}))
      assert item.is_locked() and item.get_attributes()["username"] == "ada"
      try:
          item.get_secret()
          raise SystemExit("not locked")
      except secretstorage.exceptions.LockedException:
          pass
      assert not item.unlock() and not item.is_locked()
      assert item.get_secret().decode() == "geheim \u{fc}"
      for value in (b"", bytes(range(256)), b"x" * 24576):
          made = collection.create_item("bytes", {"n": str(len(value))}, value, content_type="a/b")
          assert made.is_locked() and made.get_created() == made.get_modified() > 1700000000
      for size in (24577, 65000):
          try:
              collection.create_item("long", {}, b"x" * size)
              raise SystemExit("stored")
          except secretstorage.exceptions.SecretStorageException as error:
              pass
          except Exception as error:
              assert "24576" in str(error) or "too long" in str(error), error
      print(len(list(collection.get_all_items())))
      END
      """
    #expect(try secrets.touching(SecretServiceDesk.unlocking, program) == "4\n")
    let bytes = """
      /usr/bin/python3 - <<'END'
      import secretstorage.util
      bus = secretstorage.dbus_init()
      collection = secretstorage.get_default_collection(bus)
      items = list(collection.search_items({}))
      assert all(item.is_locked() for item in items)
      assert not secretstorage.util.unlock_objects(bus, [item.item_path for item in items])
      kept = {item.get_attributes().get("n"): item for item in items}
      assert kept["0"].get_secret() == b"" and kept["256"].get_secret() == bytes(range(256))
      assert kept["24576"].get_secret() == b"x" * 24576
      assert kept["256"].get_secret_content_type() == "a/b"
      print("same")
      END
      """
    try secrets.lock()
    #expect(try secrets.touching(SecretServiceDesk.unlocking, bytes) == "same\n")
    try secrets.stop(agent)
  }

  /// uv runs the program keyring, and has no protocol of its own for helpers.
  @Test
  func uvGetsThePasswordOfAnIndexByKeyring() throws {
    try person.copySecretClients()
    let server = try ToolServer(as: person)
    let index = "\(server.host)/simple"
    let agent = try secrets.startAgent()
    try secrets.run(
      """
      mkdir ~/bin
      printf '#!/bin/sh\\nexec /usr/bin/python3 -m keyring "$@"\\n' >~/bin/keyring
      chmod 755 ~/bin/keyring
      echo at_index | ~/bin/keyring set https://\(index) ada
      """
    )
    let text = try secrets.touching(
      SecretServiceDesk.unlocking,
      """
      export PATH=$HOME/bin:$PATH SSL_CERT_FILE=\(server.authority)
      export UV_KEYRING_PROVIDER=subprocess UV_NO_CACHE=1 UV_PYTHON_DOWNLOADS=never
      cd ~
      \(person.base)/uv pip install --python /usr/bin/python3 --target installed \
        --index-url https://ada@\(index) app
      ls installed
      """
    )
    #expect(text.contains("app.py") && !text.contains("at_index"), "\(text)")
    #expect(try server.log().contains("200 Basic ada /simple/app/"))
    try secrets.stop(agent)
  }

  @Test
  func anotherServiceOfTheNameIsNotTouched() throws {
    let first = try secrets.startAgent()
    let second = try person.start(["agent", "--secret-service"], variables: desk.variables)
    let text = try second.text()
    #expect(try second.child.wait() == .exited(10))
    #expect(
      text.contains("thumblatch-cli, PID")
        && text.contains("already provides the Secret Service"),
      "\(text)"
    )
    try secrets.store("hunter2")
    try secrets.stop(first)
    let none = try person.start(
      ["agent", "--secret-service"],
      variables: ["DBUS_SESSION_BUS_ADDRESS=unix:path=/none"]
    )
    #expect(try none.text().contains("the session bus cannot be used"))
    #expect(try none.child.wait() == .exited(5))
  }

  @Test
  func theRecipeIsCarriedOut() throws {
    let recipe = try ToolRecipe("SECRET-TOOL, KEYRING", host: "", programs: person.programs)
    let script = """
      set -eu; cd ~
      systemctl() {
        unit=~/.config/systemd/user/$4.service
        $(sed -n "s|^ExecStart=||p" $unit) >/dev/null 2>&1 &
        timeout 60 sh -c "until gdbus wait --session --timeout 60 org.freedesktop.secrets; do :; done"
      }
      \(recipe.script)
      kill $!
      """
    let text = try secrets.touching(SecretServiceDesk.unlocking, script)
    #expect(text.hasSuffix("hunter2"), "\(text)")
  }
}
