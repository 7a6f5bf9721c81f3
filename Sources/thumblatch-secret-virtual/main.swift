// The wall of this room: no other one opens a key that is not plugged in, and it is never
// installed.
//
// thumblatch-secret for tests. In a directory where it has the other program's name, it uses the
// keys that the file virtual-reader.conf names (KEY=/path, once for each).

import SecretProgram
import SecurityKey
import System

var keys: [String] = []
if let directory = try? ThisProcess.programDirectory(),
  let file = try? Directory(path: directory).openForReading("virtual-reader.conf"),
  let bytes = try? file.readAll(limit: 4096)
{
  for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace) {
    let parts = line.split(separator: "=", maxSplits: 1)
    if parts.count == 2, parts[0] == "KEY" { keys.append(String(parts[1])) }
  }
}
SecretProgram.run(keys: .paths(keys))
