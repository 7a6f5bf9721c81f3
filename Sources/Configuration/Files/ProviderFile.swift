package import SecretMemory

/// A file in `providers.d` with one section `[Provider]`, named after the provider.
package enum ProviderFile {
  private static let section = "Provider"
  private static let ending = ".conf"

  package static func fileName(for name: ProviderName) -> String { name.text + ending }

  /// The provider of a file name; `nil` if the file is not a provider file.
  package static func providerName(fileName: String) -> ProviderName? {
    guard fileName.hasSuffix(ending) else { return nil }
    return try? ProviderName(String(fileName.dropLast(ending.count)))
  }

  /// Reads a provider.
  ///
  /// - Parameters:
  ///   - text: the file's content; a client secret in it has been in ordinary memory.
  ///   - name: the provider's name, taken from the file name.
  ///   - file: the name of the file in errors.
  ///   - readCA: returns the content of the file that the key `ca` names.
  /// - Throws: an error with file and line.
  /// - Returns: the checked provider.
  package static func parse(
    text: String,
    name: ProviderName,
    file: String,
    readCA: (String) throws -> String
  ) throws(ConfigurationError) -> Provider {
    try parse(text: text, secret: nil, name: name, file: file, readCA: readCA)
  }

  /// Reads a provider whose client secret, if any, was extracted from the text.
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
  /// The client secret never becomes a `String`: it is moved from these bytes into locked memory.
  package static func parse(
    bytes: borrowing SecretBytes,
    file: String,
    readCA: (String) throws -> String
  ) throws(ConfigurationError) -> Provider {
    let last = file.split(separator: "/").last.map(String.init) ?? file
    guard let name = providerName(fileName: last) else {
      throw ConfigurationError(.badName(what: "provider file's", text: last), file: file)
    }
    let (rest, secret) = try bytes.withBytes { bytes throws(ConfigurationError) in
      try ClientSecretExtraction.separate(bytes)
    }
    guard let text = String(validating: rest, as: UTF8.self) else {
      throw ConfigurationError(.badCharacter, file: file)
    }
    return try parse(text: text, secret: secret, name: name, file: file, readCA: readCA)
  }

  /// Reads a provider from bytes that have been in ordinary memory.
  package static func parse(
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

  /// The name of the file for a provider's own certificates, beside the provider's file.
  package static func certificateFileName(for name: ProviderName) -> String { "\(name).pem" }

  /// Writes a provider as a file, with its client secret and the settings that are not the default.
  ///
  /// - Parameters:
  ///   - provider: the provider.
  ///   - certificateFile: the file with the provider's certificates; the text names it.
  /// - Throws: an error about `ca` for a provider with certificates and no file for them.
  /// - Returns: a text in locked memory that `parse` reads back as the same provider.
  package static func contents(
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

  /// Writes a provider as a file, with the settings that are not the default but without its client
  /// secret.
  ///
  /// - Parameters:
  ///   - provider: the provider.
  ///   - certificateFile: the file with the provider's certificates; the text names it.
  /// - Throws: an error about `ca` for a provider with certificates and no file for them.
  /// - Returns: a text that `parse` reads back as the same provider, apart from a client secret.
  package static func text(
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
