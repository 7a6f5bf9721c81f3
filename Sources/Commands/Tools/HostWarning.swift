internal import Configuration

extension Session {
  /// Says which account's tokens a host gets, if they are not those of a given account.
  ///
  /// - Parameters:
  ///   - host: the host.
  ///   - file: the file as it is now. Another command may have changed it.
  ///   - account: the account.
  ///   - again: what to do after the removal of the host; `nil` to add it with the account.
  func warnOfOtherAccount(
    at host: TokenHost,
    in file: HostFile,
    than account: String,
    _ again: String? = nil
  ) {
    let adding = "thumblatch host add \(host) \(account)"
    guard let entry = file[host] else {
      return output.talk("\(host) gets no token; to change that: \(adding)")
    }
    guard entry.account.text != account else { return }
    output.talk(
      "git, docker and other tools still get tokens of \(entry.account) for \(host);"
        + " to change that: thumblatch host remove \(host), then \(again ?? adding)"
    )
  }
}
