import Commands
import Glibc

// The verbs, the terminal and the prompts: the front hands over to this program whatever is more
// than a valid access token from plain storage.
exit(Program.run(Array(CommandLine.arguments.dropFirst())))
