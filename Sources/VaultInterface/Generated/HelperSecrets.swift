// Written by Scripts/interface from io.thumblatch.Helper.varlink: change that file instead.
// swift-format-ignore-file

let helperCallSecrets: Set<String> = [
  "body",
  "credentials",
  "key",
  "print",
  "text",
]

let helperReplySecrets: Set<String> = [
  "body",
  "print",
]
