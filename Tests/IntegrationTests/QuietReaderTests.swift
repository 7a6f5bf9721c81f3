import System
import TestSupport
import Testing

/// The programs with a recording of a real reader (`Tests/Readers`), replayed under the unmodified
/// `thumblatch-presence`.
struct QuietReaderTests {
  /// Replaces the virtual reader by the program and a recording.
  ///
  /// - Returns: the file that names each reset, claim and deletion.
  private func plugIn(for someone: Someone) throws -> String {
    let readers = BuiltPrograms.sourceDirectory + "/Tests/Readers"
    let directory = someone.base + "/replay"
    let log = someone.readerDirectory + "/log"
    let variables = ["HOME", "XDG_CACHE_HOME"].compactMap { name in
      ThisProcess.environment(name).map { "\(name)='\($0)'" }
    }
    try shell(
      """
      umask 022
      mkdir \(directory)
      control=$(\(variables.joined(separator: " ")) \(readers)/recordings)
      facts=$(grep -l '^steps ' $control/*.facts | xargs grep -L '^finger ' | head -n 1)
      name=$(basename "$facts" .facts)
      cp \(readers)/replay.py $control/steps.so \(directory)
      cp -r "${control%/*}/$name" \(directory)/recording
      install -m 755 \(BuiltPrograms.path("thumblatch-presence")) \(directory)/thumblatch-presence
      cp -r \(someone.programs)/pam.d \(directory)/pam.d
      chmod -R a+rX \(directory)
      rm \(someone.programs)/thumblatch-presence
      cat >\(someone.programs)/thumblatch-presence <<'END'
      #!/bin/sh
      export READER_PRELOAD=\(directory)/steps.so READER_LOG=\(log) READER_STEPS='STEPS'
      exec /usr/bin/python3 \(directory)/replay.py \(directory)/recording \
        \(directory)/thumblatch-presence
      END
      sed -i "s/STEPS'$/$(sed -n 's/^steps //p' "$facts")'/" \(someone.programs)/thumblatch-presence
      chmod 755 \(someone.programs)/thumblatch-presence
      touch \(log)
      chown \(someone.user.name) \(log)
      """
    )
    return log
  }

  /// A claim or a reset would disturb the lock screen, which may be using the reader.
  @Test
  func whatShowsTheReaderNeitherClaimsNorResetsIt() throws {
    let someone = try Someone()
    let log = try plugIn(for: someone)
    func events() throws -> String { try shell("cat \(log)") }

    let status = try someone.run("status").text
    #expect(status.contains("moc)") || status.contains("synaptics)"), "\(status)")
    #expect(try someone.run("fingers", "list").succeeded().contains("no finger is enrolled"))
    _ = try someone.run("doctor")
    #expect(try someone.run("fingers", "delete", "left-thumb").end == .exited(9))
    #expect(try events() == "")

    // The same reader, once it is used.
    let terminal = try someone.terminal("fingers", "enroll", "right-index", columns: 200)
    try terminal.expect("System password for")
    try terminal.enter(someone.systemPassword)
    try terminal.expect("right-index is enrolled")
    try terminal.end()
    let used = try events()
    #expect(used.contains("claim"), "\(used)")
    #expect(!used.contains("delete"), "\(used)")

    #expect(try someone.run("fingers", "list").succeeded().contains("right-index"))
    _ = try someone.run("status").succeeded()
    _ = try someone.run("doctor")
    #expect(try events() == used)
  }
}
