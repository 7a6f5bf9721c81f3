import System
import Testing

/// How often each text occurs in the files of a directory: plain, in base64 at each of its three
/// offsets, in hexadecimal, and as JSON may write it.
func occurrences(of texts: [String], in directory: String) throws -> [Int] {
  let program = """
    import base64, json, os, sys
    def forms(text):
      raw = text.encode()
      yield raw
      yield raw.hex().encode()
      yield json.dumps(text)[1:-1].encode()
      yield json.dumps(text)[1:-1].replace("/", "\\\\/").encode()
      for shift in range(3):
        code = base64.b64encode(bytes(shift) + raw)
        yield code[4 if shift else 0:-4]
        yield base64.urlsafe_b64encode(bytes(shift) + raw)[4 if shift else 0:-4]
    data = b""
    for root, _, names in os.walk(sys.argv[1]):
      for name in names:
        path = os.path.join(root, name)
        if os.path.isfile(path): data += open(path, "rb").read() + b"\\0\\0\\0"
    for text in sys.argv[2:]:
      print(sum(data.count(form) for form in set(forms(text))))
    """
  let arguments = ["-c", program, directory] + texts
  return try numbers(try output(of: "/usr/bin/python3", arguments))
}

/// How often each text occurs in the memory of a process, read as root.
func occurrences(of texts: [String], inMemoryOf process: Int32) throws -> [Int] {
  let program = """
    import sys
    texts = [text.encode() for text in sys.argv[2:]]
    found = [0] * len(texts)
    with open(f"/proc/{sys.argv[1]}/maps") as maps, \\
        open(f"/proc/{sys.argv[1]}/mem", "rb", 0) as memory:
      for line in maps:
        span, access = line.split()[:2]
        if "r" not in access: continue
        begin, end = (int(part, 16) for part in span.split("-"))
        try:
          memory.seek(begin)
          data = memory.read(end - begin)
        except (OSError, OverflowError, ValueError):
          continue  # memfd_secret(2), vvar
        for index, text in enumerate(texts): found[index] += data.count(text)
    print("\\n".join(map(str, found)))
    """
  return try numbers(
    try output(of: "/usr/bin/python3", ["-c", program, "\(process)"] + texts)
  )
}

/// Writes a text in each of these forms, to prove that the search finds it.
func plant(_ text: String, in directory: String) throws {
  try shell("mkdir -p \(directory)")
  try python(
    """
    import base64, json, sys
    text = sys.argv[2]
    with open(sys.argv[1], "wb") as file:
      file.write(b"a" + text.encode() + b"\\n" + json.dumps({"x": text}).encode() + b"\\n")
      file.write(text.encode().hex().encode() + b"\\n")
      for shift in range(3): file.write(base64.b64encode(b"x" * shift + text.encode()) + b"\\n")
    """,
    directory + "/file",
    text
  )
}

func numbers(_ outcome: (text: String, end: ProcessEnd)) throws -> [Int] {
  try #require(outcome.end == .exited(0), "\(outcome.text)")
  return outcome.text.split(separator: "\n").compactMap { Int($0) }
}
