// The wall of this room: no other one uses virtual readers, and it is never installed.
//
// thumblatch-presence for tests and demonstrations. It uses the PAM stack beside it. In a directory
// where it has the other program's name, it completes a set of programs without hardware.

import FingerprintReader
import Glibc
import PresenceProgram
import SecurityKey
import System

LibraryEnvironment.clear()

guard let users = ServedUsers(arguments: Array(CommandLine.arguments.dropFirst())) else { exit(2) }

let directory = (try? ThisProcess.programDirectory()) ?? "/"

// The engine gives its helpers a fixed environment, so a file names the readers, with lines such as
// FP_VIRTUAL_DEVICE=/path/of/socket. The file can also name the bus
// (BUS=unix:path=/path/of/socket), the directory of fprintd's prints (FPRINTD_DIRECTORY=/path), and
// the nodes of security keys (KEY=/path, once for each). Without these lines there are none.
let names = ["FP_VIRTUAL_DEVICE", "FP_VIRTUAL_DEVICE_STORAGE", "FP_VIRTUAL_IMAGE"]
var bus: String?
var fprintdDirectory: String?
var keys: [String] = []
if let file = try? Directory(path: directory).openForReading("virtual-reader.conf"),
  let bytes = try? file.readAll(limit: 4096)
{
  for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
    let parts = line.split(separator: "=", maxSplits: 1)
    guard parts.count == 2 else { continue }
    let (name, value) = (String(parts[0]), String(parts[1]))
    if name == "BUS" { bus = value }
    if name == "FPRINTD_DIRECTORY" { fprintdDirectory = value }
    if name == "KEY" { keys.append(value) }
    if names.contains(name) { unsafe setenv(name, value, 1) }
  }
}

PresenceProgram(
  drivers: .virtual,
  bus: bus,
  fprintdDirectory: fprintdDirectory,
  keys: .paths(keys),
  stack: PresenceProgram.ownStack(beside: directory),
  users: users
).run()
