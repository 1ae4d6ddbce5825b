#!/bin/bash
# docs_links.sh -- what documents point to is there: files, headings, commands
set -u

cd "$(dirname "$0")/.." || exit

python3 - <<'PYTHON'
import os, re, sys

def documents():
    for folder, folders, names in os.walk("."):
        folders[:] = [x for x in folders
                      if not x.startswith((".", "build")) and x != "results"]
        yield from (os.path.join(folder, x) for x in names if x.endswith(".md"))
    yield "./results/README.md"

def prose(path):
    """Without code, in which brackets mean something else."""
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

# The first screen leads to every part of it.
with open("README.md", encoding="utf-8") as f:
    contents = f.read().partition("\n## ")[0]
for title in anchors("README.md") - {"aslant"}:
    if f"(#{title})" not in contents:
        wrong.append(f"README.md: the list of contents has no #{title}")

# Scripts of ours that are named as commands.
with open("README.md", encoding="utf-8") as f:
    text = f.read()
for name in re.findall(r"\b((?:scripts|bench|tests|lib|net|nvm)/[\w./-]*\w)", text):
    if not os.path.exists(name):
        wrong.append(f"README.md: there is no {name}")
print("\n".join(wrong) or f"{links} links, and all of them lead somewhere")
sys.exit(len(wrong) > 0)
PYTHON
