import Configuration
import Testing

@Suite
struct PolicyFilesTests {
  private func files(_ texts: String...) throws -> PolicyFiles {
    var files = PolicyFiles()
    for (index, text) in texts.enumerated() {
      try files.add(PolicyFiles.Source(file: "\(index)", bytes: Array(text.utf8)))
    }
    return files
  }

  @Test
  func theLastValueOfAKeyCountsAndOtherKeysStay() throws {
    let files = try files(
      "[Policy]\nwindow = 5\nremote = deny\n",
      "[Policy]\nwindow = 7\n",
      "[Policy]\naccounts = 3\n\nwindow = 9\n"
    )
    let policy = try files.policy()
    #expect(policy.window == 9)
    #expect(policy.remote == .deny)
    #expect(policy.accounts == 3)
    #expect(files.location(of: .window)?.description == "2:4")
    #expect(files.location(of: .remote)?.description == "0:3")
    #expect(files.location(of: .store) == nil)
    #expect(files.replaced.map(\.location.description) == ["0:2", "1:2"])
    #expect(files.replaced.map(\.by.description) == ["1:2", "2:4"])
    #expect(files.replaced.map(\.key) == ["window", "window"])
  }

  @Test
  func rulesForCallersAddUpAndOneOfTheSameNameIsCompleted() throws {
    let policy = try files(
      "[Caller ci]\nunit = ci.service\nrate = 10\n[Caller boxes]\nsandbox = yes\n",
      "[Caller late]\nsocket = build\n[Caller ci]\nrate = 5\naccounts = work\n"
    ).policy()
    #expect(policy.callers.map(\.name) == ["ci", "boxes", "late"])
    #expect(policy.callers[0].match == .unit("ci.service"))
    #expect(policy.callers[0].rule.rates.map(\.number) == [5])
    #expect(policy.callers[0].rule.accounts == ["work"])
  }

  @Test
  func anErrorNamesTheFileOfItsKey() throws {
    let files = try files(
      "[Caller ci]\nunit = ci.service\n",
      "[Policy]\nwindow = 61\n",
      "[Caller ci]\nuser-unit = app.scope\n"
    )
    let error = try #require(throws: ConfigurationError.self) { try files.policy() }
    #expect(error.file == "0" && error.line == 2)
    #expect(
      files.errors().map { "\($0.file ?? "-"):\($0.line ?? 0):\($0.key ?? "-")" } == [
        "0:2:unit", "1:2:window",
      ]
    )
  }

  @Test
  func aReplacedValueIsNotLookedAt() throws {
    let files = try files("[Policy]\nwindow = 61\n", "[Policy]\nwindow = 60\n")
    #expect(try files.policy().window == 60)
    #expect(files.errors().isEmpty)
  }

  @Test
  func eachBadKeyIsAnErrorOfItsOwn() throws {
    let files = try files("[Policy]\nwindow = 61\nremte = deny\nstore = x\n[Caler a]\n[Caller A]\n")
    #expect(files.errors().compactMap(\.line).sorted() == [2, 3, 4, 5, 6])
  }

  @Test
  func onlyPlainNamesWithTheEndingAreDropIns() {
    #expect(PolicyFiles.isDropIn("10-fleet.conf"))
    for name in ["10-fleet.conf.dpkg-old", ".10.conf", ".#10.conf", "10-fleet", "README", "x.CONF"]
    {
      #expect(!PolicyFiles.isDropIn(name))
    }
  }
}
