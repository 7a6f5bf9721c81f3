import System
import TestSupport
import Testing

/// Other readers in place of the virtual one that only verifies.
extension Someone {
  /// The directory of the programs that the engine's `thumblatch-presence` starts.
  private var replay: String { base + "/replay" }
  /// The file that names each claim, reset and deletion at the reader (`Tests/Readers/steps.c`).
  var readerLog: String { readerDirectory + "/log" }

  /// The events at the reader, in order.
  func readerEvents() throws -> [String] {
    try IntegrationTests.shell("cat \(readerLog)").split(separator: "\n").map(String.init)
  }

  /// Uses a recording of a real reader (`Tests/Readers`), replayed under the unmodified program.
  ///
  /// `script` runs at each start of the program.
  func plugInRecording(_ name: String, atStart script: String = "") throws {
    try replacePresence(
      """
      cp \(BuiltPrograms.sourceDirectory)/Tests/Readers/replay.py \(replay)
      cp -r "${control%/*}/\(name)" \(replay)/recording
      rm \(programs)/thumblatch-presence
      install -m 755 \(BuiltPrograms.path("thumblatch-presence")) \(replay)/thumblatch-presence
      steps=$(sed -n 's/^steps //p' $control/\(name).facts)
      """,
      """
      export READER_PRELOAD=\(replay)/steps.so READER_STEPS='$steps'
      \(script)
      exec /usr/bin/python3 \(replay)/replay.py \(replay)/recording \(replay)/thumblatch-presence
      """
    )
  }

  /// Enrolls the finger of the recording.
  func enrollRecordedFinger() throws {
    let terminal = try terminal("fingers", "enroll", "right-index", columns: 200)
    try terminal.expect("System password for")
    try terminal.enter(systemPassword)
    try terminal.expect("right-index is enrolled")
    try terminal.end()
  }

  /// Uses the virtual reader that stores prints, as long as its process runs.
  ///
  /// `script` runs at each start of the program.
  func plugInStoringReader(atStart script: String = "") throws {
    try replacePresence(
      """
      mv \(programs)/thumblatch-presence \(replay)
      echo FP_VIRTUAL_DEVICE_STORAGE=\(readerDirectory)/s >\(replay)/virtual-reader.conf
      """,
      """
      \(script)
      LD_PRELOAD=\(replay)/steps.so exec \(replay)/thumblatch-presence
      """
    )
  }

  /// Makes the engine start a shell script, `start`, as its `thumblatch-presence`.
  ///
  /// `prepare` is another one, which finds the results of the control run in `$control`.
  private func replacePresence(_ prepare: String, _ start: String) throws {
    let variables = ["HOME", "XDG_CACHE_HOME"].compactMap { name in
      ThisProcess.environment(name).map { "\(name)='\($0)'" }
    }
    let recordings = BuiltPrograms.sourceDirectory + "/Tests/Readers/recordings"
    try IntegrationTests.shell(
      """
      umask 022
      mkdir \(replay)
      control=$(\(variables.joined(separator: " ")) \(recordings))
      cp $control/steps.so \(replay)
      cp -r \(programs)/pam.d \(replay)
      \(prepare)
      chmod -R a+rX \(replay)
      cat >\(programs)/thumblatch-presence <<END
      #!/bin/sh
      export READER_LOG=\(readerLog)
      \(start)
      END
      chmod 755 \(programs)/thumblatch-presence
      touch \(readerLog)
      chown \(user.name) \(readerLog)
      """
    )
  }
}
