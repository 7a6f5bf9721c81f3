"""The language of the interface files: https://varlink.org/Interface-Definition."""

import re
from dataclasses import dataclass, field

# What [... if absent] says, in Swift.
ABSENT = {"true": "true", "false": "false", "empty": "[]"}


class Wrong(Exception):
    """The error of a file that cannot be translated."""


@dataclass
class Member:
    name: str
    kind: object  # a plain name, or ("list" | "map", kind)
    optional: bool
    comment: list
    secret: bool = False
    secret_key: str = ""
    base64: bool = False
    absent: str = ""  # the value in Swift
    sent: bool = False
    word: str = ""
    other: str = ""
    variant: bool = False
    of: dict = field(default_factory=dict)  # value of the variant: whether it may be absent

    def shape(self):
        return (self.name, self.kind, self.optional, self.secret, self.base64, self.absent, self.word)


@dataclass
class Value:
    name: str
    comment: list


@dataclass
class Interface:
    name: str = ""
    comment: list = field(default_factory=list)
    text: str = ""
    types: dict = field(default_factory=dict)  # name: (comment, members or values)
    methods: dict = field(default_factory=dict)  # name: (comment, parameters, reply)
    errors: dict = field(default_factory=dict)  # name: (comment, members)

    @property
    def short(self):
        short = self.name.rsplit(".", 1)[1]
        return short[0].upper() + short[1:]


class Parser:
    """Reads the grammar of https://varlink.org/Interface-Definition, and the marks in comments."""

    TOKEN = re.compile(
        r"(?P<space>\s+)|#(?P<comment>[^\n]*)|(?P<sign>->|\[string\]|\[\]|[(),:?])|(?P<word>[A-Za-z][\w.]*)"
    )

    def __init__(self, text):
        self.tokens = []
        comment, place = [], 0
        while place < len(text):
            found = self.TOKEN.match(text, place)
            if not found:
                raise Wrong(f"line {text.count(chr(10), 0, place) + 1}: {text[place:place + 20]!r}")
            place = found.end()
            if found["comment"] is not None:
                comment.append(found["comment"].strip())
            elif found["space"] is None:
                # A comment belongs to the word below it. A mark elsewhere would be lost.
                if comment and found["sign"]:
                    raise Wrong(f"the comment {comment[0]!r} stands above no word")
                self.tokens.append((found["sign"] or found["word"], comment))
                comment = []
            elif found["space"].count("\n") > 1:
                comment = []
        self.next = 0

    def peek(self):
        return self.tokens[self.next][0] if self.next < len(self.tokens) else ""

    def take(self, wanted=None):
        token, comment = self.tokens[self.next] if self.next < len(self.tokens) else ("the end", [])
        if wanted is not None and token != wanted:
            raise Wrong(f"wanted {wanted!r}, found {token!r}")
        self.next += 1
        return token, comment

    def accept(self, token):
        found = self.peek() == token
        self.next += found
        return found

    def interface(self):
        result = Interface()
        _, result.comment = self.take("interface")
        result.name = self.take()[0]
        while self.peek():
            word, comment = self.take()
            name = self.take()[0]
            if name in {**result.types, **result.methods, **result.errors}:
                raise Wrong(f"{name} stands there twice")
            if not comment:
                raise Wrong(f"{name} has no comment")
            if word == "type":
                result.types[name] = (comment, self.parts(name))
            elif word == "error":
                result.errors[name] = (comment, self.parts(name))
            elif word == "method":
                parameters = self.parts(name)
                self.take("->")
                result.methods[name] = (comment, parameters, self.parts(name))
            else:
                raise Wrong(f"{word!r} begins nothing")
        return result

    def parts(self, place):
        self.take("(")
        found = []
        while not self.accept(")"):
            name, comment = self.take()
            if self.accept(":"):
                optional = self.accept("?")
                found.append(self.marked(Member(name, self.kind(place), optional, comment), place))
            else:
                found.append(Value(name, comment))
            if self.peek() != ")":
                self.take(",")
        names = [part.name for part in found]
        if len(set(names)) < len(names):
            raise Wrong(f"{place} has a member twice")
        if len({type(part) for part in found}) > 1:
            raise Wrong(f"{place} is neither a record nor an enumeration")
        members = [part for part in found if isinstance(part, Member)]
        if any(member.of for member in members) and not any(member.variant for member in members):
            raise Wrong(f"{place} has no member that is marked [variant]")
        return found

    def kind(self, place):
        if self.accept("[]"):
            return ("list", self.kind(place))
        if self.accept("[string]"):
            return ("map", self.kind(place))
        word = self.take()[0]
        if word == "(":
            raise Wrong(f"{place}: give the enumeration a name, by a type of its own")
        return word

    def marked(self, member, place):
        texts = []
        for line in member.comment:
            if not line.startswith("["):
                texts.append(line)
                continue
            for mark in line.strip("[]").split(", "):
                words = mark.split()
                if mark == "secret":
                    member.secret = True
                elif words[0] == "secret" and len(words) == 2:
                    member.secret_key = words[1]
                elif mark in ("base64", "variant"):
                    setattr(member, mark, True)
                elif words[1:] == ["if", "absent"] and words[0] in ABSENT:
                    member.absent = ABSENT[words[0]]
                elif mark == "always sent":
                    member.sent = True
                elif words[:2] == ["word", "of"] and len(words) == 3:
                    member.word = words[2]
                elif words[:2] == ["word", "of"] and words[3:4] == ["or"] and len(words) == 5:
                    member.word, member.other = words[2], words[4]
                elif words[0] == "of" and len(words) == 2:
                    member.of[words[1]] = False
                elif words[:2] == ["maybe", "of"] and len(words) == 3:
                    member.of[words[2]] = True
                else:
                    raise Wrong(f"{place}.{member.name}: no mark is called [{mark}]")
        member.comment = texts
        return member
