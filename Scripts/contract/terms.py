"""The enumerations of presence, which Swift declares and the interface files repeat.

An interface file has a type of the same name. Its comments and values are written from the Swift
enumeration, so that a value is added in only one place.
"""

import re

from .language import Wrong

BEGIN = re.compile(r"public enum (\w+): String,.*\{")
CASE = re.compile(r'  case (\w+)(?: = "(\w+)")?')


def terms(folder):
    """The types of the enumerations in this folder, as an interface file has them, by name."""
    found = {}
    for path in sorted(folder.glob("*.swift")):
        comment, name = [], None
        for line in path.read_text(encoding="utf-8").splitlines():
            begin, case = BEGIN.fullmatch(line), CASE.fullmatch(line)
            if line.lstrip().startswith("///"):
                comment.append(line.lstrip().removeprefix("///").strip())
                continue
            if begin:
                name = begin[1]
                # The paragraphs below the first are for Swift.
                summary = comment[: comment.index("")] if "" in comment else comment
                found[name] = [*(f"# {text}" for text in summary), f"type {name} ("]
            elif name and case:
                found[name] += [f"  # {text}" for text in comment] + [f"  {case[2] or case[1]},"]
            elif name:
                # The last value has no comma.
                found[name] = [*found[name][:-1], found[name][-1].rstrip(","), ")"]
                name = None
            comment = []
    return {name: "\n".join(lines) + "\n" for name, lines in found.items()}


def filled(text, types):
    """The text of an interface file, with these types where it declares types of their names."""
    for name, block in types.items():
        declaration = re.compile(rf"(?:^#[^\n]*\n)*^type {name} \(\n.*?^\)\n", re.MULTILINE | re.DOTALL)
        if len(declaration.findall(text)) > 1:
            raise Wrong(f"{name} stands there twice")
        text = declaration.sub(lambda _: block, text)
    return text
