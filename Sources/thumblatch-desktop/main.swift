import DesktopApp
import Glibc

exit(DesktopProgram.run(Array(CommandLine.arguments.dropFirst())))
