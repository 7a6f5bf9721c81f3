// The wall of this room: the front links none of its verbs.

import Commands
import Glibc

// The verbs, the terminal and the prompts. The front leaves everything to this program except a
// valid access token from plain storage.
exit(
  Program.run(
    Array(CommandLine.arguments.dropFirst()),
    calledAs: CommandLine.arguments.first ?? ""
  )
)
