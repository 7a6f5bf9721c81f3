import Glibc
import HelperClient
import System
import VaultServer

guard CommandLine.arguments.dropFirst() == ["--private"] else {
  try? Descriptor(owning: 2).write(
    "thumblatchd: this program is started by thumblatch; it is not called by hand\n"
  )
  exit(2)
}
exit(
  PrivateEngine.run(
    directory: Descriptor(owning: 3),
    report: Descriptor(owning: 4),
    exchange: CourierExchange(),
    check: HelperPresence()
  )
)
