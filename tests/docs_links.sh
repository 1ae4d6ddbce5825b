#!/bin/bash
# docs_links.sh -- links, headings and files that pages name are there
set -u

cd "$(dirname "$0")/.." || exit

python3 - <<'PYTHON'
import glob, os, re, sys

def documents():
    for folder, folders, names in os.walk("."):
        folders[:] = [x for x in folders
                      if not x.startswith((".", "build")) and x != "results"]
        yield from (os.path.join(folder, x) for x in names if x.endswith(".md"))
    yield "./results/README.md"
    yield "./results/FINDINGS.md"

def prose(path):
    """The text without code, in which brackets mean something else."""
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"^(    |\t).*$", "", f.read(), flags=re.M)
    return text

def anchors(path):
    found = set()
    for title in re.findall(r"^#+ (.*)$", prose(path), re.M):
        title = re.sub(r"[^\w\- ]", "", title.replace("`", "").lower())
        found.add(title.replace(" ", "-"))
    return found

wrong, links = [], 0
files = {x for _, _, names in os.walk(".") for x in names}
for path in documents():
    for text, target in re.findall(r"\[([^\]]+)\]\(([^)\s]+)\)", prose(path)):
        if "://" in target:
            continue
        links += 1
        name, _, heading = target.partition("#")
        name = os.path.join(os.path.dirname(path), name) if name else path
        if not os.path.exists(name):
            wrong.append(f"{path}: [{text}]: there is no {name}")
        elif heading and heading not in anchors(name):
            wrong.append(f"{path}: [{text}]: {name} has no heading #{heading}")

# README.md is short, and leads to every other page.
with open("README.md", encoding="utf-8") as f:
    text = f.read()
if text.count("\n") > 250:
    wrong.append("README.md has more than 250 lines")
for path in documents():
    if path != "./README.md" and f"({path[2:]}" not in text:
        wrong.append(f"README.md: no link to {path}")

# Files that pages name are there: from the root, or beside the page.
for path in documents():
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if path == "./CHANGELOG.md": # which tells of files that are gone
        continue
    for name in re.findall(r"(?<![\w/.-])((?:scripts|bench|tests|lib|net|nvm)/[\w./*-]*[\w*])", text):
        if not glob.glob(name):
            wrong.append(f"{path}: there is no {name}")
    for name in re.findall(r"`([\w-]+\.[chx])`", text):
        if name not in files:
            wrong.append(f"{path}: there is no {name}")
print("\n".join(wrong) or f"{links} links, and all of them lead somewhere")
sys.exit(len(wrong) > 0)
PYTHON
