import Configuration
import OAuth
import SecretMemory
import Testing

private let state = "kJ7-_aB3"

/// The meaning of a redirect, in a form that can be compared.
func parsed(_ redirect: String, provider: Provider? = nil, state: String = state) throws -> String {
  let redirect = try secret(redirect)
  let provider = try provider ?? openID()
  do throws(RedirectError) {
    switch try RedirectAnswer.parse(redirect, state: state, provider: provider) {
    case .code(let code): return "code \(text(code) ?? "-")"
    case .refused(let error, let message): return "refused \(error) \(message ?? "-")"
    }
  } catch {
    return error.description
  }
}

@Suite
struct RedirectAnswerTests {
  @Test
  func aCodeIsTakenOut() throws {
    for redirect in [
      "code=c-1&state=\(state)", "state=\(state)&code=c-1", "?code=c-1&state=\(state)",
      "code=c-1&state=\(state)&session_state=x&scope=a+b", "code=c%2D1&state=kJ7-_aB%33",
      "http://127.0.0.1:4711/callback?code=c-1&state=\(state)#_=_", "&code=c-1&&state=\(state)&",
      "%63ode=c-1&st%61te=\(state)", "code=c-1&state=\(state)&iss=https%3A%2F%2Fid.example.com",
    ] {
      #expect(try parsed(redirect) == "code c-1")
    }
    #expect(try parsed("code=a+b%2Bc%7E&state=\(state)") == "code a b+c~")
  }

  @Test(arguments: [
    "code=c", "code=c&state=", "code=c&state", "code=c&state=kJ7-_aB", "code=c&state=kJ7-_aB33",
    "code=c&state=kJ7-_aB3kJ7-_aB3", "code=c&state=KJ7-_aB3", "code=c&State=kJ7-_aB3", "", "?", "#",
    "error=access_denied", "error=access_denied&state=other", "code=c&state=%00kJ7-_aB3",
    "http://127.0.0.1/callback", "code=c#&state=kJ7-_aB3", "code=c&state=kJ7-_aB3%20",
    "code=c&state=+kJ7-_aB3",
  ])
  func nothingIsBelievedWithoutTheState(_ redirect: String) throws {
    #expect(try parsed(redirect) == RedirectError.wrongState.description)
  }

  @Test
  func anEmptyStateNeverFits() throws {
    #expect(try parsed("code=c&state=", state: "") == RedirectError.wrongState.description)
    #expect(try parsed("code=c", state: "") == RedirectError.wrongState.description)
  }

  @Test(arguments: ["code", "state", "iss", "error", "error_description"])
  func aParameterThatComesTwiceIsRefused(_ name: String) throws {
    let value = name == "state" ? state : "x"
    for other in [name, "%\(hex(name.utf8.first ?? 0))\(name.dropFirst())"] {
      #expect(
        try parsed("code=c&state=\(state)&\(name)=\(value)&\(other)=\(value)")
          == RedirectError.duplicate(name).description
      )
    }
    // An unknown parameter may be repeated.
    #expect(try parsed("code=c&state=\(state)&x=1&x=2") == "code c")
  }

  private func hex(_ byte: UInt8) -> String { String(byte, radix: 16) }

  /// RFC 9207: the answer of another provider, sent here by the same browser.
  @Test
  func anAnswerOfAnotherProviderIsRefused() throws {
    let redirect = "code=c&state=\(state)&iss="
    for issuer in [
      "https%3A%2F%2Fevil.example", "https://id.example.com/", "https://ID.example.com",
      "HTTPS://id.example.com", "https://id.example.com:443", "", "id.example.com",
      "https://id.example.com%00", "https://id.example.co%E2%84%AA",
    ] {
      #expect(try parsed(redirect + issuer) == RedirectError.wrongIssuer.description)
      #expect(
        try parsed("error=access_denied&state=\(state)&iss=" + issuer)
          == RedirectError.wrongIssuer.description
      )
    }
    let strict = try openID(["response_iss": "required"])
    #expect(
      try parsed("code=c&state=\(state)", provider: strict)
        == RedirectError.missingIssuer.description
    )
    #expect(try parsed(redirect + "https://id.example.com", provider: strict) == "code c")
    // Compared letter by letter, with the final slash that some issuers have.
    let slashed = try openID(["issuer": "https://id.example.com/"])
    #expect(try parsed(redirect + "https://id.example.com/", provider: slashed) == "code c")
    #expect(
      try parsed(redirect + "https://id.example.com", provider: slashed)
        == RedirectError.wrongIssuer.description
    )
  }

  @Test
  func aRefusalIsShownSafely() throws {
    #expect(
      try parsed("error=access_denied&state=\(state)&error_description=The+person%20said+no")
        == "refused access_denied The person said no"
    )
    #expect(try parsed("error=access_denied&state=\(state)") == "refused access_denied -")
    for trick in [
      "%1B%5B2J%1B%5D0%3Bx%07", "%0D%0AX", "%C2%9B2J", "%E2%80%AEgnp", "%E2%80%A8x", "%EF%BB%BFx",
      "%E2%81%A6x", "a%08%08%08", "%F3%A0%80%81x",
    ] {
      let shown = try parsed("error=e\(trick)&state=\(state)&error_description=d\(trick)")
      #expect(shown.hasPrefix("refused e") && isFitToBeShown(shown))
    }
    let long = String(repeating: "m", count: 2000)
    #expect(
      try parsed("error=e&state=\(state)&error_description=\(long)")
        == "refused e " + String(repeating: "m", count: 200)
    )
  }

  @Test(arguments: [
    "error=e&state=kJ7-_aB3&error_description=%FF", "error=%C3&state=kJ7-_aB3",
    "code=%&state=kJ7-_aB3",
    "code=%4&state=kJ7-_aB3", "code=%zz&state=kJ7-_aB3", "code=c&state=%", "co%dg=c&state=kJ7-_aB3",
    "code=c&state=kJ7-_aB3&iss=%C0%AF", "code=a b&state=kJ7-_aB3", "code=a\nb&state=kJ7-_aB3",
  ])
  func whatCannotBeReadIsRefused(_ redirect: String) throws {
    #expect(try parsed(redirect) == RedirectError.malformed.description)
  }

  @Test
  func anAnswerIsOneThing() throws {
    #expect(try parsed("state=\(state)") == RedirectError.noAnswer.description)
    for redirect in ["code=c&error=e", "code=", "code=%00", "code=%C3%A4", "code=%1B", "code"] {
      #expect(
        try parsed(redirect + "&state=\(state)") == RedirectError.contradictory.description
      )
    }
    #expect(try parsed("error=&state=\(state)") == "refused unknown -")
  }

  @Test
  func thereIsAnEndToIt() throws {
    let tail = "&state=\(state)"
    #expect(
      try parsed("code=" + String(repeating: "c", count: 8192) + tail)
        == "code " + String(repeating: "c", count: 8192)
    )
    #expect(
      try parsed("code=" + String(repeating: "c", count: 8193) + tail)
        == RedirectError.contradictory.description
    )
    #expect(
      try parsed("x=" + String(repeating: "c", count: 16_384)) == RedirectError.tooLong.description
    )
    #expect(
      try parsed(String(repeating: "x&", count: 33) + "code=c" + tail)
        == RedirectError.tooLong.description
    )
    #expect(
      try parsed("error=" + String(repeating: "e", count: 257) + tail)
        == RedirectError.tooLong.description
    )
  }

  @Test
  func errorsQuoteNothingOfTheRedirect() throws {
    for redirect in ["code=hunter2&state=wrong", "code=hunter2&state=\(state)&iss=hunter2"] {
      #expect(try !parsed(redirect).contains("hunter2"))
    }
  }
}
