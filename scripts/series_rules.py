# SPDX-License-Identifier: GPL-2.0
"""The rules that every patch of the series keeps, as data, and the code that applies them.

The tables come first: topics, mail headers, trailers, subject. Everything else
reads them. scripts/export-patches takes the topics and file names from here,
scripts/check-mail the rest; scripts/test_series_rules.py breaks each rule.
"""
import email
import email.policy
import hashlib
import re
import unicodedata

# First digit of a patch's file name: topic name, paths that its patches may touch, topics without which it does not apply
# (scripts/check applies each topic with these alone).
KERNEL = r"(?!tools/)|tools/testing/"
TOOLS = r"tools/(?!testing/)"
TOPICS = {
    0: ("base fixes", r"", ()),
    1: ("alternating sample period", KERNEL, ()),
    2: ("IBS privilege filter", KERNEL, (1,)),
    3: ("branch stack filters", KERNEL, (2,)),
    4: ("windows and branch filters in perf", TOOLS, (0,)),
    5: ("data types", TOOLS, (4,)),
    6: ("block ranges", TOOLS, (5,)),
    7: ("streams", TOOLS, (6,)),
    8: ("mem, c2c and other consumers", TOOLS, (7,)),
}

# Mail header: pattern of its value, what it must look like.
HEADERS = {
    "From": (r".+ <\S+@\S+>", "Name <address>"),
    "Date": (r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}",
             "an RFC 2822 date"),
    "Subject": (r"\[PATCH\] [a-z0-9][\w/.,+-]*( [\w/.,+-]+){0,3}: [A-Z\"'`].*[^.]",
                "[PATCH] subsystem: Verb the object, without a full stop"),
}
SUBJECT_MAX = 75  # without "[PATCH] ", as the kernel's submitting-patches asks

# Trailer: required?, pattern of its value, what it must look like.
TRAILERS = {
    "Patch-mainline": (True, r"(Never|Not yet), \S.*|No, own implementation of \S.*",
                       "'Never, WHY', 'Not yet, WHY' or 'No, own implementation of TITLE'"),
    "Described-in": (True, r"\S.*", "the public description the feature comes from, or 'none'"),
    "Feature": (True, "|".join(re.escape(f"{digit} ({name})") for digit, (name, *_) in TOPICS.items()),
                "'DIGIT (NAME)' of a topic, for example 'Feature: 5 (data types)'"),
    "Fixes": (False, r'[0-9a-f]{12,40} \(".+"\)', "'COMMIT (\"TITLE\")' of an upstream commit"),
    "Reported-by": (False, r".+ <\S+@\S+>", "Name <address>"),
    "Link": (False, r"https?://\S+", "an address"),
}
# Whoever applies the series signs it off (git am -s); nobody's agreement is invented.
FORBIDDEN_TRAILERS = ("Signed-off-by", "Acked-by", "Reviewed-by", "Tested-by", "Co-developed-by",
                      "Change-Id", "Cc")

SLUG_MAX = 64
FROM_LINE = re.compile(r"From 0{40} Mon Sep 17 00:00:00 2001\n")
TRAILER_LINE = re.compile(r"([A-Z][A-Za-z]*(?:-[A-Za-z]+)*): (.*)")


class RuleError(Exception):
    """A patch that breaks a rule so badly that the others cannot be looked at."""


def topic_of(message):
    """The topic digit that the Feature trailer of a commit message names."""
    found = [value for name, value in trailers_of(message) if name == "Feature"]
    if len(found) != 1:
        raise RuleError("there must be one 'Feature: DIGIT (NAME)' trailer, found "
                        + str(len(found)))
    _, pattern, meaning = TRAILERS["Feature"]
    if not re.fullmatch(pattern, found[0]):
        raise RuleError(f"Feature: {found[0]}: must be {meaning}")
    return int(found[0].split()[0])


def with_needs(topics):
    """These topics and those that they need, directly or not, in order."""
    found = set()
    left = list(topics)
    while left:
        topic = left.pop()
        if topic not in found:
            found.add(topic)
            left += TOPICS[topic][2]
    return sorted(found)


def trailers_of(message):
    """The (name, value) pairs of the last paragraph, if all its lines are trailers."""
    paragraphs = message.rstrip().split("\n\n")
    lines = [TRAILER_LINE.fullmatch(line) for line in paragraphs[-1].split("\n")]
    return [match.groups() for match in lines] if len(paragraphs) > 1 and all(lines) else []


def file_name(topic, number, subject):
    """NNNN-subsystem-subject.patch: the topic, its number within it from 1, the subject."""
    if not 1 <= number <= 999:
        raise RuleError(f"topic {topic} has more than 999 patches")
    plain = unicodedata.normalize("NFKD", subject).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    if len(slug) > SLUG_MAX:
        slug = slug[:SLUG_MAX + 1].rpartition("-")[0]
    return f"{topic}{number:03d}-{slug}.patch"


def file_names(commits):
    """Names for (subject, message) pairs in order; the topics must not go backwards."""
    names, last, number = [], 0, 0
    for subject, message in commits:
        try:
            topic = topic_of(message)
        except RuleError as err:
            raise RuleError(f"{subject}: {err}") from None
        if topic < last:
            raise RuleError(f"{subject}: topic {topic} comes after topic {last}: "
                            "reorder the commits by topic (git rebase -i base)")
        number = number + 1 if topic == last else 1
        last = topic
        names.append(file_name(topic, number, subject))
    return names


def changes_id(data):
    """Hash of what a mail (bytes) does to a tree: paths, modes, lines and their context.

    Not of its words, of ids of blobs, nor of where its lines stand in their files.
    """
    _, _, diffs = data.partition(b"\n---\n")[2].partition(b"\ndiff --git ")
    diffs = re.sub(rb"^(index|@@) .*", rb"\1", diffs, flags=re.M)
    return hashlib.sha256(diffs).hexdigest()


class Patch:
    """A patch file taken apart: headers, subject, message, touched paths."""

    def __init__(self, name, text):
        self.name = name
        self.text = text
        head, mark, rest = text.partition("\n---\n")
        if not mark:
            raise RuleError("no '---' line between message and changes")
        self.mail = email.message_from_string(head.partition("\n")[2] + "\n",
                                              policy=email.policy.default)
        self.message = self.mail.get_content().strip("\n")
        self.subject = str(self.mail["Subject"] or "").removeprefix("[PATCH] ")
        self.diffs = re.split(r"^(?=diff --git )", rest, flags=re.M)[1:]
        self.paths = sorted({path for diff in self.diffs for path in
                             re.match(r"diff --git a/(\S+) b/(\S+)\n", diff).groups()})


def check_headers(patch):
    if not FROM_LINE.match(patch.text):
        yield "first line is not 'From 000... Mon Sep 17 00:00:00 2001': not exported by make patches"
    for name, (pattern, meaning) in HEADERS.items():
        values = [str(value) for value in patch.mail.get_all(name, [])]
        if len(values) != 1:
            yield f"header {name}: found {len(values)} times, must be there once"
        elif not re.fullmatch(pattern, values[0]):
            yield f"header {name}: '{values[0]}' must be {meaning}"
    if re.search(r"\n-- \n.*\s*\Z", patch.text):
        yield "ends in a mail signature: not exported by make patches"
    if len(patch.subject) > SUBJECT_MAX:
        yield f"subject has {len(patch.subject)} characters, at most {SUBJECT_MAX} are allowed"


def check_trailers(patch):
    found = trailers_of("\n\n" + patch.message)
    for name, value in found:
        if name in FORBIDDEN_TRAILERS:
            yield f"trailer {name} must not be there: nobody's agreement is invented"
        elif name not in TRAILERS:
            yield f"trailer {name} is not in the table (TRAILERS in series_rules.py)"
        elif not re.fullmatch(TRAILERS[name][1], value):
            yield f"trailer {name}: '{value}' must be {TRAILERS[name][2]}"
    for name, (required, _, meaning) in TRAILERS.items():
        count = sum(1 for other, _ in found if other == name)
        if required and count != 1:
            yield f"trailer {name}: found {count} times in the last paragraph, must be there once: {meaning}"
    for line in patch.message.split("\n"):
        match = TRAILER_LINE.fullmatch(line)
        if match and match[1] in FORBIDDEN_TRAILERS + tuple(TRAILERS) and match.groups() not in found:
            yield f"trailer {match[1]} stands outside the last paragraph"


def check_body(patch):
    paragraphs = patch.message.split("\n\n")
    if len(paragraphs) < 2 or not paragraphs[0].strip():
        yield "no message before the trailers: say first what problem a user meets, then what changes"


def check_name(patch):
    try:
        topic = topic_of("\n\n" + patch.message)
    except RuleError:
        return  # check_trailers has said it
    match = re.match(r"(\d)(\d{3})-", patch.name)
    if not match or int(match[1]) != topic:
        yield f"file name does not begin with topic {topic} and a number of three digits"
        return
    want = file_name(topic, int(match[2]), patch.subject)
    if patch.name != want:
        yield f"file name must be {want}"
    wrong = [path for path in patch.paths if not re.match(TOPICS[topic][1], path)]
    if wrong:
        yield f"topic {topic} ({TOPICS[topic][0]}) must not touch {wrong[0]}"


def check_diff(patch):
    if not patch.diffs:
        yield "empty: it changes no file"
    for diff in patch.diffs:
        if not re.search(r"^(@@ |GIT binary patch|new file mode|deleted file mode|old mode)", diff, re.M):
            yield "empty change of " + diff.partition("\n")[0].rpartition(" b/")[2]
        if re.search(r"^(GIT binary patch|Binary files)", diff, re.M):
            yield "binary change of " + diff.partition("\n")[0].rpartition(" b/")[2]
        script = re.match(r"diff --git a/\S+ b/(tools/perf/tests/shell/[^/\s]+\.sh)\nnew file mode 100644$", diff, re.M)
        if script:
            yield f"{script[1]} is not executable, so perf test does not run it: chmod +x"


def check_uapi(patch):
    """A header and the copy of it under tools/ may not change in one patch."""
    for path in patch.paths:
        if not path.startswith("tools/") and re.search(r"(^|/)include/|^arch/", path):
            copies = [other for other in patch.paths
                      if other.startswith("tools/") and other.endswith("/" + path)]
            if copies:
                yield f"{path} and its copy {copies[0]} must change in two patches"


CHECKS = (check_headers, check_trailers, check_body, check_name, check_diff, check_uapi)


def check(name, text):
    """All complaints about one patch file, as a list of sentences."""
    try:
        patch = Patch(name, text)
        return [complaint for rule in CHECKS for complaint in rule(patch)]
    except RuleError as err:
        return [str(err)]


def check_authors(texts):
    """Complaints about (name, text) of patch files that come from somebody else than the first does."""
    first = None
    for name, text in texts:
        found = re.search(r"^From: (.*(?:\n .*)*)", text, re.M)
        author = " ".join(found[1].split()) if found else None  # check_headers tells that none is there
        first = first or author
        if author and author != first:
            yield f"{name}: comes from {author}, the mails before it from {first}: one identity for all"


def check_series(series, present):
    """Complaints about the series file's lines against the files of the directory."""
    listed = [line.split("#")[0].strip() for line in series.splitlines()]
    listed = [line for line in listed if line]
    out = [f"series names {name} twice" for name in sorted({n for n in listed if listed.count(n) > 1})]
    out += [f"series names {name}, which is not in patches/" for name in listed if name not in present]
    out += [f"{name} is in patches/ but not in series" for name in sorted(present) if name not in listed]
    if not out and listed != sorted(listed):
        out.append("series is not in the order of the file names")
    numbers = [name[:4] for name in listed]
    for name, before in zip(numbers[1:], numbers):
        if name[0] == before[0] and name[1:].isdigit() and before[1:].isdigit() \
                and int(name[1:]) != int(before[1:]) + 1:
            out.append(f"number {name} follows {before}: numbers count up by one within a topic")
    return out
