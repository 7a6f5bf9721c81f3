public import SecretMemory

/// A file of `providers.d`: one section `[Provider]`; its name is the provider's.
public enum ProviderFile {
  private static let section = "Provider"
  private static let ending = ".conf"

  /// The file's name for a provider.
  public static func fileName(for name: ProviderName) -> String { name.text + ending }

  /// The provider that a file name stands for; nil for files that are none of ours.
  public static func providerName(fileName: String) -> ProviderName? {
    guard fileName.hasSuffix(ending) else { return nil }
    return try? ProviderName(String(fileName.dropLast(ending.count)))
  }

  /// Reads a provider.
  ///
  /// - Parameters:
  ///   - text: what the file holds; a client secret in it has been in ordinary memory.
  ///   - name: the provider's name, from the file's.
  ///   - file: how errors call the file.
  ///   - readCA: gives the contents of the file that the key `ca` names, as it stands there.
  /// - Throws: an error with file and line.
  /// - Returns: the provider, checked.
  public static func parse(
    text: String,
    name: ProviderName,
    file: String,
    readCA: (String) throws -> String
  ) throws(ConfigurationError) -> Provider {
    try parse(text: text, secret: nil, name: name, file: file, readCA: readCA)
  }

  /// Reads a provider whose client secret, if it has one, was lifted out of the text.
  private static func parse(
    text: String,
    secret: SharedSecret?,
    name: ProviderName,
    file: String,
    readCA: (String) throws -> String
  ) throws(ConfigurationError) -> Provider {
    let keyFile = try KeyFile(text: text, file: file)
    let section = try keyFile.only(self.section)
    return try keyFile.locating(in: section) { () throws(ConfigurationError) in
      var settings = section.values
      var clientSecret: ClientSecret?
      if let secret {
        settings[ClientSecret.key] = nil
        clientSecret = try ClientSecret(secret)
      }
      if let path = settings["ca"] {
        do {
          settings["ca"] = try readCA(path)
        } catch {
          throw ConfigurationError(.unreadable("\(path): \(error)"), key: "ca")
        }
      }
      return try Provider(name: name, settings: settings, clientSecret: clientSecret)
    }
  }

  /// Reads a provider from the bytes of a file, whose path gives the name: `.../NAME.conf`.
  ///
  /// No text is made of a client secret in it: it goes from these bytes into locked memory.
  public static func parse(
    bytes: borrowing SecretBytes,
    file: String,
    readCA: (String) throws -> String
  ) throws(ConfigurationError) -> Provider {
    let last = file.split(separator: "/").last.map(String.init) ?? file
    guard let name = providerName(fileName: last) else {
      throw ConfigurationError(.badName(what: "provider file's", text: last), file: file)
    }
    let (rest, secret) = try bytes.withBytes { bytes throws(ConfigurationError) in
      try LiftedSecret.separate(bytes)
    }
    guard let text = String(validating: rest, as: UTF8.self) else {
      throw ConfigurationError(.badCharacter, file: file)
    }
    return try parse(text: text, secret: secret, name: name, file: file, readCA: readCA)
  }

  /// Reads a provider from the bytes of a file that have been in ordinary memory.
  public static func parse(
    bytes: [UInt8],
    file: String,
    readCA: (String) throws -> String
  ) throws(ConfigurationError) -> Provider {
    guard bytes.count <= KeyFile.maximumCount else {
      throw ConfigurationError(.tooLarge(KeyFile.maximumCount), file: file)
    }
    let held = try ClientSecret.held { () throws(SecretMemoryError) in
      try SecretBytes(copying: bytes)
    }
    return try parse(bytes: held, file: file, readCA: readCA)
  }

  /// A provider as a file, with the settings that are not the default and its client secret.
  ///
  /// - Parameters:
  ///   - provider: the provider.
  ///   - certificateFile: where the caller has put the provider's certificates; the text names it.
  /// - Throws: an error about `ca` for a provider with certificates and no file for them.
  /// - Returns: what `parse` reads back as the same provider, in locked memory.
  public static func contents(
    for provider: Provider,
    certificateFile: String? = nil
  ) throws(ConfigurationError) -> SecretBytes {
    var text = Array(try self.text(for: provider, certificateFile: certificateFile).utf8)
    let secret = provider.oauth?.clientSecret?.secret
    if secret != nil { text += Array("\(ClientSecret.key) = ".utf8) }
    return try ClientSecret.held { () throws(SecretMemoryError) in
      let secretCount = secret?.bytes.count ?? 0
      let end = secret == nil ? [] : Array("\n".utf8)
      let count = text.count + secretCount + end.count
      return unsafe try SecretBytes(capacity: count) { room in
        unsafe room.copyBytes(from: text)
        unsafe secret?.bytes.withUnsafeBytes { bytes in
          unsafe UnsafeMutableRawBufferPointer(rebasing: room[text.count...])
            .copyMemory(from: bytes)
        }
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[(text.count + secretCount)...])
          .copyBytes(from: end)
        return count
      }
    }
  }

  /// A provider as a file, with the settings that are not the default, but without its client
  /// secret.
  ///
  /// - Parameters:
  ///   - provider: the provider.
  ///   - certificateFile: where the caller has put the provider's certificates; the text names it.
  /// - Throws: an error about `ca` for a provider with certificates and no file for them.
  /// - Returns: what `parse` reads back as the same provider, where that has no client secret.
  public static func text(
    for provider: Provider,
    certificateFile: String? = nil
  ) throws(ConfigurationError) -> String {
    let provider = provider.asWritten
    var smallest = ["kind": provider.kind.rawValue, "issuer": provider.issuer.text]
    if provider.oauth != nil { smallest["client_id"] = provider.clientID }
    let defaults = try Provider(name: provider.name, settings: smallest).settings
    var settings = provider.settings.filter {
      $0.value != defaults[$0.key] || $0.key == "client_id"
    }
    if settings["ca"] != nil {
      guard let certificateFile, !certificateFile.isEmpty,
        certificateFile.unicodeScalars.allSatisfy(KeyFile.isText)
      else {
        throw ConfigurationError(.badValue(text: certificateFile, rule: "a file's path"), key: "ca")
      }
      settings["ca"] = certificateFile
    }
    var text = "[\(section)]\nkind = \(provider.kind.rawValue)\nissuer = \(provider.issuer.text)\n"
    for (key, value) in settings.sorted(by: { $0.key < $1.key }) { text += "\(key) = \(value)\n" }
    return text
  }
}
