extension ThisProcess {
  /// The directory of the person's configuration: XDG_CONFIG_HOME if absolute, otherwise `.config`
  /// in HOME; `nil` if neither is set.
  ///
  /// (XDG Base Directory Specification)
  package static func configurationHome(
    _ environment: (String) -> String? = { ThisProcess.environment($0) }
  ) -> String? {
    if let chosen = environment("XDG_CONFIG_HOME"), chosen.hasPrefix("/") { return chosen }
    guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
    return home + "/.config"
  }
}
