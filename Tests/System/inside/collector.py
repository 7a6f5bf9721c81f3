"""The machine that collects the journals finds the log that was cut."""
import glob

from scenarios import check, main, run, scenario

# As in the article Fleet: numbers that came with more than one head.
CUT = r"""journalctl --directory=/var/log/journal/remote --output=json --no-pager \
  _SYSTEMD_UNIT=thumblatchd.service MESSAGE_ID=7f5c9a0e2d6b4c1f8a3e51d0b96c4e27 |
  jq --raw-output '[._MACHINE_ID, .THUMBLATCH_VAULT, .THUMBLATCH_SEQUENCE, .THUMBLATCH_HEAD] | @tsv' |
  LC_ALL=C sort --unique | cut --fields=1-3 | uniq --repeated"""


@scenario
def theRecordsOfTheOtherMachineAreHere():
    check(glob.glob("/var/log/journal/remote/*.journal"), "nothing came")
    said = run("journalctl", "--directory=/var/log/journal/remote", "--no-pager", "--quiet",
               "--output=cat", "_SYSTEMD_UNIT=thumblatchd.service")
    check("audit: refresh done, user " in said, said[-2000:])


@scenario
def aNumberThatCameWithTwoHeadsIsFound():
    found = run("bash", "-c", CUT).splitlines()
    check(len(found) >= 2, f"found {found}")


main()
