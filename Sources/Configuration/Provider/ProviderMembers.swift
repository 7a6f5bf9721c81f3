// The endpoints of a password backend, and the members of a provider's JSON.
extension Provider {
  /// An endpoint of a password backend, each with its own path.
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

    /// The default path.
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

  /// A member of the JSON to and from a provider.
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
    /// The password of a sign-in, and of a registration unless that has its own member.
    case password
    case registerPassword = "register_password"
    /// The member for a repeated password in a registration.
    case registerPasswordRepeated = "register_password_repeated"
    /// The parts of a refusal for machines (`error`) and for people (`message`).
    case error
    case message

    /// The key in a provider file.
    public var key: String { rawValue + "_field" }

    /// The default name at a password backend.
    var defaultName: String? {
      switch self {
      case .registerPassword, .registerPasswordRepeated: nil
      default: rawValue
      }
    }

    /// The default name at an OAuth provider.
    ///
    /// RFC 6749, sections 5.1 and 5.2, names tokens and errors. OpenID Connect Core 1.0, section
    /// 5.1, names the facts about a person, which are not in an object of their own.
    var defaultNameOfOAuth: String? {
      switch self {
      case .user, .password, .registerPassword, .registerPasswordRepeated: nil
      case .id: "sub"
      case .message: "error_description"
      default: rawValue
      }
    }

    /// Whether only a password backend uses it.
    var isOfPasswords: Bool {
      switch self {
      case .password, .registerPassword, .registerPasswordRepeated: true
      default: false
      }
    }
  }
}
