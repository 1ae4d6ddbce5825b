"""examples.py -- the examples of a page, and whether they print what it says

An example is a line '    $ command', with more lines of it after a \\ at the
end of each, and the indented lines that follow: what it prints.  Times,
residuals and the machine's memory may differ, and '...' stands for any lines.
tests/docs_examples.sh and scripts/findings run them.
"""
import os
import re
import subprocess

MASKS = (r"M = \d+ words( \([^)]*\))?", r"(?<=residual )[\d.e+-]+",
         r"(?<=lambda x\| = )\S+", r"\b[\d.e+-]+ s\b", r"[\d.]+ GFLOP/s", r"[\d.]+ times as long",
         r"(?<=quickstart-)\d+T\d+Z", r"(?<=time )[\d.]+", r"\bhost \w+",
         r"\d+ of \d+(?= products)")


def plain(line, numbers=False):
    """A line without what may differ, nor spaces that align it."""
    line = re.sub(r"( +(machine busy|in cache))+$", "", line)
    for mask in MASKS:
        line = re.sub(mask, "#", line)
    if numbers: # only the form: what it measured differs from machine to machine
        line = re.sub(r"\d[\d.e+-]*", "#", line)
        line = re.sub(r"\b(slower|faster|equal within #%|not known yet)\b(?=  )", "#", line)
    return " ".join(line.split())


def examples(text):
    """A pair for each '$ command' in indented blocks: command, lines of output."""
    found, inside = [], False
    for line in text.split("\n"):
        if line.startswith("    $ "):
            found.append((line[6:], []))
            inside = True
        elif inside and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line[4:], [])
        elif inside and (line.startswith("    ") or not line):
            found[-1][1].append(line[4:])
        else:
            inside = False
    for command, lines in found:
        while lines and not lines[-1]:
            lines.pop()
    return found


def agrees(said, printed):
    """Are the parts of `said` between '...' in `printed`, in this order?"""
    parts, at = [[]], 0
    for x in said:
        if x == "...":
            parts.append([])
        else:
            parts[-1].append(x)
    for n, part in enumerate(parts):
        ends = [i for i in range(at, len(printed) - len(part) + 1)
                if printed[i:i + len(part)] == part]
        if n == 0:
            ends = [i for i in ends if i == 0]
        if n == len(parts) - 1:
            ends = [i for i in ends if i + len(part) == len(printed)]
        if not ends:
            return False
        at = ends[0] + len(part)
    return True


def run(command, cwd, aslant, seconds=300):
    """Exit code and lines of a command, in which build/aslant is `aslant`."""
    done = subprocess.run(["bash", "-c", command], cwd=cwd, text=True, timeout=seconds,
                          capture_output=True, env=dict(os.environ, ASLANT=aslant))
    lines = done.stdout.splitlines() # not what is said of this machine: aslant: note: ...
    lines += [x for x in done.stderr.splitlines() if not x.startswith("aslant: ")]
    while lines and not lines[-1]:
        lines.pop()
    return done.returncode, lines


def prints(said, printed, numbers=False):
    """Does a command print what a page says?"""
    return agrees([plain(x, numbers) for x in said], [plain(x, numbers) for x in printed])
