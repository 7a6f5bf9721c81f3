import LoopbackLogin

/// The texts of the page that a browser shows at the end of a sign-in, without their tags.
enum BrowserPages {
  private typealias Page = (what: String, result: ResultPage.Result, origin: ResultPage.Origin)

  private static let pages: [Page] = [
    (
      "a sign-in",
      .signedIn(person: "Ada Lovelace", also: "ada@example.org", account: "work", provider: "dev"),
      .terminal
    ),
    (
      "a sign-in in the app",
      .signedIn(person: nil, also: nil, account: "me", provider: "dev"),
      .app
    ),
    ("a refusal of the provider", .refused(provider: "dev", reason: "access_denied"), .terminal),
    ("an answer without a sign-in", .wrongState, .terminal),
    ("an answer of another sign-in", .otherSignIn, .terminal),
    ("an answer that comes too late", .expired, .app),
    ("a browser of another user", .otherUser, .terminal),
    ("a sign-in that the person has interrupted", .interrupted, .terminal),
    ("any other failure", .failed(reason: "the provider answered 503"), .app),
  ]

  static var entries: [String] {
    pages.map { page in
      (["[\(page.what)]"] + lines(of: ResultPage(page.result, for: page.origin)))
        .joined(separator: "\n") + "\n"
    }
  }

  /// The lines of a page, from its body on.
  private static func lines(of page: ResultPage) -> [String] {
    let answer = String(decoding: page.answer, as: UTF8.self)
    let body = answer.split(separator: "<body>").last.map(String.init) ?? answer
    let broken = body.replacing(/<br>|<\/dt>/, with: " ").replacing(/<[^>]*>/, with: "")
    return broken.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }.map { "| \($0)" }
  }
}
