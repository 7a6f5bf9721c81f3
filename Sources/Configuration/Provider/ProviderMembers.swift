extension Provider {
  /// What a password backend is asked for, each at its own path.
  public enum Endpoint: String, Sendable, CaseIterable {
    case register
    case login
    case refresh
    case profile
    case profileFallback = "profile_fallback"
    case verify
    case logout

    /// The key in a provider file.
    public var key: String { rawValue + "_path" }

    /// The path where nothing is set.
    public var defaultPath: String {
      switch self {
      case .register: "/auth/register"
      case .login: "/auth/login"
      case .refresh: "/auth/refresh"
      case .profile: "/auth/me"
      case .profileFallback: "/user/profile"
      case .verify: "/auth/verify"
      case .logout: "/auth/logout"
      }
    }
  }

  /// A member of the JSON that goes to and comes from a provider.
  public enum Field: String, Sendable, CaseIterable {
    case accessToken = "access_token"
    case refreshToken = "refresh_token"
    case tokenType = "token_type"
    case expiresIn = "expires_in"
    case scope
    case user
    /// The members of `user`.
    case id
    case email
    case name
    case role
    case emailVerified = "email_verified"
    case createdAt = "created_at"
    /// The password of a login, and of a registration unless that has its own.
    case password
    case registerPassword = "register_password"
    /// Where a registration wants the password a second time.
    case registerPasswordRepeated = "register_password_repeated"
    /// What machines and what people read about a refusal.
    case error
    case message

    /// The key in a provider file.
    public var key: String { rawValue + "_field" }

    /// The name where nothing is set, at a password backend.
    var defaultName: String? {
      switch self {
      case .registerPassword, .registerPasswordRepeated: nil
      default: rawValue
      }
    }

    /// The name where nothing is set, at a provider of OAuth.
    ///
    /// Tokens and errors are named by RFC 6749, sections 5.1 and 5.2, what is known of a person by
    /// OpenID Connect Core 1.0, section 5.1; that stands in no object of its own.
    var defaultNameOfOAuth: String? {
      switch self {
      case .user, .password, .registerPassword, .registerPasswordRepeated: nil
      case .id: "sub"
      case .message: "error_description"
      default: rawValue
      }
    }

    /// Whether it is of use at a password backend alone.
    var isOfPasswords: Bool {
      switch self {
      case .password, .registerPassword, .registerPasswordRepeated: true
      default: false
      }
    }
  }
}
