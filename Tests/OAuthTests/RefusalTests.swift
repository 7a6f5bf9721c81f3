import Configuration
import OAuth
import SecretMemory
import Testing

/// The meaning of a backend's refusal of an e-mail address and a password.
struct RefusalTests {
  /// Reason, message and fields in a form that can be compared.
  private func judged(
    _ status: Int,
    _ body: String,
    _ purpose: TokenPurpose,
    sent: String = "hunter2",
    settings: [String: String] = [:]
  ) throws -> String {
    let judgement = try client(settings).judge(
      status: status,
      retryAfter: nil,
      body: secret(body),
      for: purpose,
      sent: shared(sent)
    )
    guard case .refused(let found, let message, let details) = judgement, found == status else {
      return "\(judgement)"
    }
    let fields = details.fields.map { " \($0.field)=\($0.message)" }.joined()
    return "\(details.reason?.rawValue ?? "-") \(message)\(fields)"
  }

  @Test(arguments: [
    (401, #"{"error":"invalid_credentials","message":"Wrong"}"#, "wrong_credentials Wrong"),
    (401, "", "- the provider gave no reason"),
    (401, "{}", "wrong_credentials the provider gave no reason"),
    (400, #"{"detail":"No active account"}"#, "wrong_credentials No active account"),
    // dj-rest-auth.
    (
      400, #"{"non_field_errors":["Unable to log in with provided credentials."]}"#,
      "wrong_credentials Unable to log in with provided credentials."
    ),
    (400, #"{"non_field_errors":["E-mail is not verified."]}"#, "- E-mail is not verified."),
    (400, #"{"non_field_errors":["User account is disabled."]}"#, "- User account is disabled."),
    (
      400, #"{"email":["Enter a valid email address."]}"#,
      "invalid_input email: Enter a valid email address. email=Enter a valid email address."
    ),
    // NestJS, Laravel, FastAPI.
    (
      400, #"{"statusCode":400,"message":["email must be an email"],"error":"Bad Request"}"#,
      "invalid_input email must be an email"
    ),
    (
      401, #"{"statusCode":401,"message":["Unauthorized"]}"#, "wrong_credentials Unauthorized"
    ),
    (400, #"{"statusCode":400,"message":"Wrong"}"#, "wrong_credentials Wrong"),
    (400, #"{"message":[]}"#, "wrong_credentials the provider gave no reason"),
    (
      422, #"{"message":"Failed.","errors":{"password":["The password field is required."]}}"#,
      "invalid_input Failed. password=The password field is required."
    ),
    (
      422, #"{"detail":[{"loc":["body","password"],"msg":"field required","type":"missing"}]}"#,
      "invalid_input password: field required password=field required"
    ),
    (403, #"{"message":"Blocked"}"#, "- Blocked"), (451, #"{"message":"x"}"#, "- x"),
    (400, #"{"error":"invalid_request","message":"No body"}"#, "- No body"),
  ])
  func aLogin(_ status: Int, _ body: String, _ expected: String) throws {
    #expect(try judged(status, body, .login) == expected)
  }

  @Test(arguments: [
    (409, #"{"error":"email_taken","message":"Taken"}"#, "address_taken Taken"),
    (409, "{}", "address_taken the provider gave no reason"),
    (409, #"{"errors":{"name":"in use"}}"#, "invalid_input name: in use name=in use"),
    (409, #"{"errors":{"email":"x"}}"#, "address_taken email: x email=x"),
    // dj-rest-auth.
    (
      400, #"{"email":["A user is already registered with this e-mail address."]}"#,
      "address_taken email: A user is already registered with this e-mail address."
        + " email=A user is already registered with this e-mail address."
    ),
    (
      400, #"{"password1":["This password is too short."],"email":["Enter a valid one."]}"#,
      "invalid_input password: This password is too short.; email: Enter a valid one."
        + " password=This password is too short. email=Enter a valid one."
    ),
    (
      422, #"{"message":"Invalid.","errors":{"email":["The email has already been taken."]}}"#,
      "address_taken Invalid. email=The email has already been taken."
    ),
    (
      422, #"{"errors":[{"detail":"is taken","source":{"pointer":"/data/attributes/email"}}]}"#,
      "address_taken email: is taken email=is taken"
    ),
    (
      400, #"{"invalid-params":[{"name":"age","reason":"must be positive"}]}"#,
      "invalid_input age: must be positive age=must be positive"
    ),
    (422, #"{"error":"user_exists"}"#, "address_taken user_exists"),
    (400, #"{"message":["name must be shorter"]}"#, "invalid_input name must be shorter"),
    (400, #"{"message":["email already exists"]}"#, "address_taken email already exists"),
    (400, #"{"message":"Registration is closed"}"#, "- Registration is closed"),
    (403, #"{"message":"already"}"#, "- already"),
  ])
  func aRegistration(_ status: Int, _ body: String, _ expected: String) throws {
    let settings = [
      "register_password_field": "password1", "register_password_repeated_field": "password2",
    ]
    #expect(try judged(status, body, .register, settings: settings) == expected)
  }

  @Test
  func theFieldsHaveOurNames() throws {
    let settings = ["email_field": "login", "password_field": "pw"]
    let body = #"{"errors":{"login":"is taken","pw":["short"],"email":"not a field of ours"}}"#
    let found = try judged(422, body, .register, settings: settings)
    #expect(found.hasSuffix(" email=is taken password=short"))
  }

  @Test
  func aMessageThatQuotesThePasswordIsNotShown() throws {
    for body in [
      #"{"password":["hunter2 is too common"]}"#, #"{"errors":[{"field":"x","msg":"hunter2"}]}"#,
      #"{"non_field_errors":["hunter2"]}"#, #"{"message":["no hunter2"]}"#,
    ] {
      #expect(try !judged(400, body, .register).contains("hunter2"), "\(body)")
    }
  }

  @Test
  func whatIsHostileIsBounded() throws {
    let long = String(repeating: "x", count: 9999)
    let many = (0..<200).map { #""f\#($0)":["m"]"# }.joined(separator: ",")
    let found = try judged(400, "{\(many)}", .register)
    #expect(found.split(separator: "=").count == 17)
    #expect(found.utf8.count < 600)
    let wide = try judged(400, #"{"email":["\#(long)"],"\#(long)":["x"]}"#, .register)
    #expect(wide.utf8.count < 500)
    let lines = try judged(400, #"{"a b":["x"],"email":["a\u001b[2Jb\u202ec"]}"#, .register)
    #expect(lines == "invalid_input email: a [2Jb c email=a [2Jb c")
    let deep = String(repeating: #"{"errors":"#, count: 20)
    let end = String(repeating: "}", count: 20)
    #expect(try judged(400, deep + #"{"email":"x"}"# + end, .register).hasPrefix("- "))
  }

  @Test
  func theGrantOfAPasswordAtAProviderOfOAuthIsTheCredentials() throws {
    let provider = try plainOAuth(["password_grant": "true"])
    for (purpose, reason) in [(TokenPurpose.login, "wrong_credentials"), (.code, "-")] {
      let judgement = ProviderClient(provider: provider).judge(
        status: 400,
        retryAfter: nil,
        body: try secret(#"{"error":"invalid_grant","error_description":"no"}"#),
        for: purpose,
        sent: nil
      )
      guard case .refused(400, "no", let details) = judgement else {
        Issue.record("\(judgement)")
        continue
      }
      #expect((details.reason?.rawValue ?? "-") == reason)
    }
  }
}
