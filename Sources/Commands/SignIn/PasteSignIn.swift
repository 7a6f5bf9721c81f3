internal import Configuration
internal import Glibc
internal import LoopbackLogin
internal import SecretMemory
internal import System
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

/// A login in a browser of another machine, whose last address is pasted here.
///
/// The provider sends the browser to a port without a listener. The browser shows an error, with
/// the answer in its address.
struct PasteSignIn {
  /// The most bytes of a pasted line, which is the engine's limit.
  static let maximum = 16 * 1024
  /// The number of tries.
  private static let tries = 3

  let signIn: WebSignIn
  let redirect: LoopbackRedirect
  let terminal: Terminal

  private var session: Session { signIn.session }
  private var output: Output { session.output }

  func run() throws(CommandError) -> VaultAccount {
    var held = hold()
    let begun = try signIn.begin(
      .browser,
      redirect: redirect.url(port: redirect.port ?? held?.port ?? 49_152)
    )
    let deadline = signIn.deadline(begun, most: WebSignIn.browserLimit)
    output.announce("To sign in at \(signIn.providerName), open this address in a browser:")
    output.announce(lines: [try signIn.address(begun.url)])
    output.announce(
      "The browser ends at a page that does not load. Copy the whole address of that page."
    )
    let query = try answer(until: deadline)
    withExtendedLifetime(held) {}
    held = nil
    output.status("signing in")
    defer { output.clearStatus() }
    do throws(WebSignIn.Failure) {
      return try signIn.finish(begun.login, query)
    } catch {
      switch error {
      case .vault(let error): throw signIn.answered(error)
      case .other(let failure): throw failure
      }
    }
  }

  /// Keeps the port from other programs until the answer is here.
  ///
  /// If the browser is on this machine after all, another program would get the code.
  private func hold() -> LoopbackPort? {
    do throws(SystemError) {
      return try LoopbackPort(redirect, listening: false)
    } catch {
      guard error.code == EADDRINUSE else { return nil }
      output.announce(
        "Another program here has the port of \(redirect.text), and would get the answer of a "
          + "browser on this machine: use a browser on another machine."
      )
      return nil
    }
  }

  private func answer(until deadline: BootInstant) throws(CommandError) -> SharedSecret {
    for _ in 0..<Self.tries {
      guard let line = try pasted(until: deadline) else {
        guard BootInstant.now < deadline else { throw signIn.noRedirect }
        break
      }
      switch PastedAnswer(line.bytes) {
      case .query(let query): return query
      case .nothing: continue
      case .otherPage:
        output.announce(
          "That is not the address of the last page: it has no code in it. Sign in first."
        )
      }
    }
    throw CommandError(.loginRequired, "no address was pasted; nothing was changed")
  }

  private func pasted(until deadline: BootInstant) throws(CommandError) -> SharedSecret? {
    defer { output.endLine() }
    do throws(TerminalError) {
      return try terminal.readSecret(
        maximum: Self.maximum,
        interrupt: session.interrupt,
        deadline: deadline
      ) { output.ask("Paste it here (it is not shown): ") }
    } catch .tooLong(let maximum) {
      throw .usage("the pasted text is longer than \(maximum) bytes")
    } catch {
      throw CommandError(error)
    }
  }
}

/// The pasted text.
enum PastedAnswer {
  /// The query of the redirect, with or without the rest of the address.
  case query(SharedSecret)
  /// An address or another text without an answer.
  case otherPage
  case nothing

  /// Looks for the answer; the engine checks it.
  init(_ line: borrowing SecretBytes) {
    var bytes = line.withBytes { span in (0..<span.count).map { span[$0] } }
    let answer = Self.answer(in: bytes)
    self =
      switch answer {
      case nil: .nothing
      case let range? where range.isEmpty: .otherPage
      case let range?:
        if let query = Self.secret(bytes, range) { .query(query) } else { .otherPage }
      }
    for index in bytes.indices { bytes[index] = 0 }
  }

  /// The range of the query; empty for another page, `nil` if the text is empty.
  private static func answer(in bytes: [UInt8]) -> Range<Int>? {
    let around = Array(" \t\"'<>".utf8)
    guard let first = bytes.firstIndex(where: { !around.contains($0) }),
      let last = bytes.lastIndex(where: { !around.contains($0) })
    else { return nil }
    var query = bytes[first...last]
    if let mark = query.firstIndex(of: UInt8(ascii: "?")) { query = query[(mark + 1)...] }
    if let mark = query.firstIndex(of: UInt8(ascii: "#")) { query = query[..<mark] }
    return RedirectRequest.holdsAnswer(query) ? query.indices : 0..<0
  }

  private static func secret(_ bytes: [UInt8], _ range: Range<Int>) -> SharedSecret? {
    let secret = try? unsafe bytes.withUnsafeBytes { all in
      SharedSecret(try unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: all[range])))
    }
    return secret
  }
}
