import Configuration
import Testing

private func policy(_ text: String) throws -> Policy {
  try Policy(bytes: Array(text.utf8), file: Policy.file)
}

@Suite
struct PolicyTests {
  @Test(arguments: ["", "\n", "# nothing yet\n", "[Policy]\n", "[Policy]\n; window = 1\n"])
  func whatSaysNothingIsTheDefaults(_ text: String) throws {
    let policy = try policy(text)
    #expect(policy == Policy())
    #expect(policy.remote == .password && policy.accounts == 1000 && policy.store == 64)
    #expect(policy.window == 10 && policy.windowLimit == 12)
  }

  @Test
  func eachKeyIsRead() throws {
    var wanted = Policy()
    wanted.remote = .deny
    wanted.notify = .all
    wanted.accounts = 7
    wanted.store = 8
    wanted.window = 3
    wanted.windowLimit = 1
    #expect(
      try policy(
        "[Policy]\nremote=deny\nnotify = all\naccounts = 7\nstore = 8\nwindow = 3\nwindow-limit = 1\n"
      ) == wanted
    )
    #expect(try policy("[Policy]\nwindow = 60\nwindow-limit = 12\n").window == 60)
  }

  @Test(arguments: [
    ("[Policy]\nremote = dney\n", 2, "remote: must be deny or password, not \"dney\""),
    ("[Policy]\nnotify = on\n", 2, "notify: must be off, release or all, not \"on\""),
    ("[Policy]\n\nwindows = 1\n", 1, "windows: unknown key"),
    ("[Policy]\nwindow = 0\n", 2, "window: must be a whole number from 1 to 60, not \"0\""),
    ("[Policy]\nwindow = 61\n", 2, "window: must be a whole number from 1 to 60, not \"61\""),
    ("[Policy]\nwindow = 010\n", 2, "window: must be"),
    ("[Policy]\nwindow = +5\n", 2, "window: must be"),
    ("[Policy]\nwindow =\n", 2, "window: must be"),
    ("[Policy]\nwindow = 10m\n", 2, "window: must be"),
    ("[Policy]\nwindow = 99999999999999999999\n", 2, "window: must be"),
    ("[Policy]\nwindow-limit = 13\n", 2, "window-limit: must be"),
    ("[Policy]\naccounts = 0\n", 2, "accounts: must be"),
    ("[Policy]\nstore = -1\n", 2, "store: must be"),
    ("[Policy]\nwindow = 1\nwindow = 60\n", 3, "window: is set a second time"),
    ("[Policy]\nwindow = 1\n[Policy]\n", 3, "section [Policy] occurs a second time"),
    ("[policy]\nwindow = 1\n", 1, "unknown section [policy]"),
    ("[Polic\u{FF}]\nwindow = 1\n", 1, #"unknown section [Polic\u{ff}]"#),
    ("[Policy]\nwindo\u{FF} = 1\nwindo\u{FF} = 2\n", 2, #"windo\u{ff}: unknown key"#),
    ("window = 1\n", 1, "a key = value stands before"),
  ])
  func whatIsWrongIsAnErrorWithFileAndLine(_ text: String, _ line: Int, _ words: String) throws {
    let error = try #require(throws: ConfigurationError.self) { try policy(text) }
    // An unknown key is reported with its own line, if that is known.
    let place = text.contains("windows") ? 3 : line
    #expect("\(error)".hasPrefix("/etc/thumblatch/thumblatch.conf:\(place): "))
    #expect("\(error)".contains(words))
  }

  @Test
  func bytesThatAreNoTextAndEndlessOnesAreErrors() {
    #expect(throws: ConfigurationError(.badCharacter, file: "f")) {
      try Policy(bytes: [0x5B, 0xFF, 0x5D], file: "f")
    }
    #expect(throws: ConfigurationError(.tooLarge(65_536), file: "f")) {
      try Policy(bytes: [UInt8](repeating: 0x23, count: 65_537), file: "f")
    }
  }
}
