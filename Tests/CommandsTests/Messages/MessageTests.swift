import System
import TestSupport
import Testing
import VaultClient
import VaultInterface

@testable import Commands

/// Every text that a person meets is in one list, which is read as a whole.
@Suite(.serialized)
struct MessageTests {
  private static let file = CheckedInFile(path: "Tests/CommandsTests/Messages/messages.txt") { _ in
    try MessageList.text()
  }

  @Test
  func theListHasTheTextsOfToday() throws {
    try Self.file.check()
  }

  @Test
  func everyVerbAndErrorIsInTheList() {
    let verbs = Set(Situation.all.compactMap { $0.verb?.name })
    // The findings of `doctor` depend on the machine, so its checks are listed separately.
    for verb in Program.verbs where verb.name != "doctor" {
      #expect(verbs.contains(verb.name), "\(verb.name)")
    }
    let errors = Set(VaultError.samples.map(\.listedCase))
    #expect(errors == Set(VaultErrorCase.allCases))
    let failures = Set(VaultClientError.samples.map(\.listedCase))
    #expect(failures == Set(VaultClientErrorCase.allCases))
  }

  /// A text that no situation shows would stay unread.
  @Test
  func everyTextOfTheSourceIsInTheListOrInTheHelp() throws {
    let list = String(decoding: try InterfaceFile.read(Self.file.path), as: UTF8.self)
    let help = Program.verbs.map { verb in
      ([verb.name, verb.summary, verb.details] + (verb.options + Verb.common).map(\.help))
        .joined(separator: "\n")
    }
    let overview = Help.overview(Program.verbs, columns: 10_000)
    let known = SourceTexts.flowing(([list, overview] + help).joined(separator: "\n")).lowercased()
    let unreachable = Set(Self.unreachable.values.joined())
    let parts = try Self.rooms.flatMap { try SourceTexts(of: "Sources/\($0)").parts }
    let engine = try StatedTexts.all.filter(\.isOfEngine).flatMap { try $0.parts }
    let missing = (parts + engine).filter { part in
      !SourceTexts.finds(part.text.lowercased(), in: known)
        && !unreachable.contains(part.text)
    }
    for part in missing { Issue.record("no situation shows: \(part.file): \(part.text)") }
  }

  /// The lists of a room have a situation for each text, or name it unreachable.
  @Test
  func everyTextOfARoomIsInItsList() throws {
    let stated = try StatedTexts.all
    for room in try RoomTexts.rooms {
      for part in try RoomTexts.missing(in: room, stated) {
        Issue.record("no situation in Rooms/\(room).txt: \(part.file): \(part.text)")
      }
    }
  }

  @Test
  func everyRoomIsRead() throws {
    let known = Set(Self.rooms + Self.unread.keys + (try RoomTexts.rooms))
    let all = try Directory(path: "\(BuiltPrograms.sourceDirectory)/Sources").names()
    for room in all where !known.contains(room) {
      let parts = try SourceTexts(of: "Sources/\(room)").parts
      #expect(parts.isEmpty, "no list has the texts of \(room)")
    }
  }

  /// A text that has left the source must leave the list.
  @Test
  func everyStatedTextIsInTheSource() throws {
    for stated in try StatedTexts.all {
      let parts = StatedTexts.sorted(try stated.parts)
      let lowercased = parts.map { $0.lowercased() }
      // The code around a call puts some words into its texts.
      let others =
        stated.call == nil
        ? [] : StatedTexts.sorted(try stated.folders.flatMap { try SourceTexts(of: $0).parts })
      for (_, text) in stated.entries {
        var rest = StatedTexts.rest(of: text, without: parts)
        let plain = text.lowercased()
        if !lowercased.contains(where: { SourceTexts.finds($0, in: plain) }) {
          Issue.record("not in \(stated.folders): \(text)")
        }
        if SourceTexts.isProse(rest) { rest = StatedTexts.rest(of: rest, without: others) }
        #expect(!SourceTexts.isProse(rest), "not in \(stated.folders), of \(text): \(rest)")
      }
      for (_, text) in stated.unreachable {
        #expect(parts.contains(text), "not in \(stated.folders): \(text)")
      }
    }
  }

  /// Only the literals of these calls are read.
  @Test
  func theTextsOfACallAreItsLiterals() throws {
    let refused = try SourceTexts(of: "Sources/TokenVault", in: "invalidArgument(").parts
    let texts = Set(refused.map(\.text))
    #expect(texts.contains("there are several accounts: name one"))
    #expect(!texts.contains("the vault cannot be opened:"))
  }

  @Test
  func everyCommandOfARemedyIsAVerb() throws {
    let list = String(decoding: try InterfaceFile.read(Self.file.path), as: UTF8.self)
    for line in list.split(separator: "\n")
    where line.hasPrefix("! hint: ") || line.contains("remedy: ") {
      // A path ends with the name as well.
      for match in line.matches(of: /[^\/]thumblatch(?: --private)?((?: [a-z][a-z-]*)+)/) {
        let words = match.output.1.split(separator: " ").map(String.init)
        #expect(Program.verbs.contains { words.starts(with: $0.words) }, "\(line)")
      }
    }
  }

  /// The rooms whose texts situations show; the others have a file in `Rooms`.
  private static let rooms = [
    "Commands", "Configuration", "DesktopPrompt", "Doctor", "HelperInterface", "PresenceTerms",
    "Providers", "TerminalIO", "VaultClient", "thumblatch",
  ]

  /// The rooms whose texts no list here has, each with the reason.
  private static let unread = [
    "Examples": "no package has these programs",
    "GTK": "only a bug of the desktop app shows its texts",
    "Installed": "its files are no Swift", "InstalledDesktop": "its files are no Swift",
    "LoopbackLogin": "`BrowserPages` lists its texts, which the source has with tags",
    "QRCode": "its callers show the text itself instead of its errors",
    "ThumblatchKitTesting": "tests of apps use it",
  ]

  /// Texts that no test can bring about, each with the fault that shows it.
  private static let unreachable: [String: Set<String>] = [
    "no locked memory is left": [
      "no locked memory for the answer:", "no locked memory for the",
      "no locked memory for the password:",
      "no locked memory for what was pasted:",
    ],
    "a user namespace hides the owner of root's files": [
      "run thumblatch doctor outside the sandbox"
    ],
    "the user is not in the user database": ["the home directory is not known"],
    "a helper's process is killed": ["the process that asks for the token was killed"],
    "a browser of another user": ["Refused a request from a program of another user"],
    "no loopback address is left": ["cannot be used:"],
    "a bug of a command": [
      "a password login needs no page", "a login without a client", "cannot be changed:",
      "a login without an issuer",
    ],
    "another program changes its file at the same time": [
      "has changed its login in the file, so the new login", "stays in",
      "changes all the time",
      "has got a login since: nothing is moved",
      "has the login: correct this, then repeat the command to finish the move",
      "since: nothing is moved",
    ],
    "a client of oidc-agent": ["keeps a secret, which is no access token"],
    "a line of a file of oidc-agent": ["Generated using version:"],
    "a provider's file of certificates": ["and its certificates,"],
    "a file system that makes no links, or fails": [
      "could not be kept:", "could not be kept: it cannot be copied", "could not be put back:",
    ],
    "a file of Gemini CLI": ["the tokens of", "are not from the token endpoint of the login"],
    "a file of another program that other users can write": [
      "belongs to another user, or other users can write it",
      "a login is moved only from your own file that no other user can write",
    ],
    "a broken engine": [
      "it needs",
      "MiB of memory, and", "MiB of stack, and", "its report was unexpected",
      "another engine holds the vault, but it does not listen",
    ],
    "a file of another user": [
      "belongs to user", ", not to root",
      "find out who made it; then: systemctl restart thumblatchd.socket",
      "find out who wrote to it; then, as root: chown",
      "find out whose it is; use one of your own: THUMBLATCH_STATE_DIR=...",
    ],
    "a directory of another user": [
      "it belongs to user", "use a directory of your own: THUMBLATCH_STATE_DIR=...",
      "this user may not enter it, or what leads to it",
      "cannot be made: this user may not write to",
      "find out whose it is; use a directory of your own: THUMBLATCH_STATE_DIR=...",
    ],
    "a backup: too little memory, or a disk that fails": [
      "free some memory, or raise the limit (ulimit -v)",
      "warning: the accounts are restored, but not the file of",
    ],
    "the end is told line by line before": ["not every login is ended"],
    "a template's scopes, which are no text": [
      "openid profile email", "openid profile email offline_access",
      "openid profile email offline_access User.Read",
    ],
  ]
}
