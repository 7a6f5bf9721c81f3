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
  ///   - text: what the file holds.
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
    let keyFile = try KeyFile(text: text, file: file)
    let section = try keyFile.only(self.section)
    return try keyFile.locating(in: section) { () throws(ConfigurationError) in
      var settings = section.values
      if let path = settings["ca"] {
        do {
          settings["ca"] = try readCA(path)
        } catch {
          throw ConfigurationError(.unreadable("\(path): \(error)"), key: "ca")
        }
      }
      return try Provider(name: name, settings: settings)
    }
  }

  /// Reads a provider from the bytes of a file, whose path gives the name: `.../NAME.conf`.
  public static func parse(
    bytes: [UInt8],
    file: String,
    readCA: (String) throws -> String
  ) throws(ConfigurationError) -> Provider {
    let last = file.split(separator: "/").last.map(String.init) ?? file
    guard let name = providerName(fileName: last) else {
      throw ConfigurationError(.badName(what: "provider file's", text: last), file: file)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ConfigurationError(.badCharacter, file: file)
    }
    return try parse(text: text, name: name, file: file, readCA: readCA)
  }

  /// A provider as a file, with the settings that are not the default.
  ///
  /// - Parameters:
  ///   - provider: the provider.
  ///   - certificateFile: where the caller has put the provider's certificates; the text names it.
  /// - Throws: an error about `ca` for a provider with certificates and no file for them.
  /// - Returns: what `parse` reads back as the same provider.
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
