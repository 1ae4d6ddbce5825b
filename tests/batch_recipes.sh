#!/bin/bash
# batch_recipes.sh -- the test for ReFrame, the recipes for Spack, and for images
#
# Neither ReFrame nor Spack is in Debian: a few lines stand for the names of theirs
# that are used.  Images are configured from the files that they take, not built.
# ASLANT is the command.
set -eu

scripts=$(realpath "$(dirname "$0")/../scripts")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1

python3 - "$scripts" "$work" "${ASLANT:?}" <<'PYTHON'
import csv, os, runpy, subprocess, sys, types

scripts, work, aslant = sys.argv[1:]

def module(name, **names):
    sys.modules[name] = made = types.ModuleType(name)
    made.__dict__.update(names)
    return made

# ---- ReFrame ----

registered = []

def simple_test(cls):
    registered.append(cls)
    return cls

def assert_eq(a, b):
    if a != b:
        raise AssertionError(f"{a} is not {b}")
    return True

def mark(what):
    def decorate(f):
        setattr(f, "is_" + what, True)
        return f
    return decorate

class Meta(type):
    """Gives class bodies the names that ReFrame gives them."""
    @classmethod
    def __prepare__(cls, name, bases):
        return {"parameter": lambda values: ("parameter", values),
                "variable": lambda kind, value: kind(value),
                "run_before": mark,
                "sanity_function": mark("sanity"),
                "performance_function": lambda unit: mark("performance")}

class RunOnly(metaclass=Meta):
    pass

sanity = module("reframe.utility.sanity", all=all, assert_eq=assert_eq)
utility = module("reframe.utility", sanity=sanity)
module("reframe", simple_test=simple_test, RunOnlyRegressionTest=RunOnly,
       utility=utility)
runpy.run_path(scripts + "/reframe/aslant.py")
(test,) = registered

def marked(mark):
    return [f for f in vars(test).values() if hasattr(f, "is_" + mark)]

def stage(case):
    self = test()
    self.case, self.stagedir = case, work
    self.repetitions = 2
    for f in marked("run"):
        f(self)
    return self

kind, cases = test.case
assert kind == "parameter" and len(cases) == 5, test.case
all_cases = os.environ.get("ASLANT_TEST_CASES") == "all"
for case in cases if all_cases else cases[::3]:
    subprocess.run(["rm", "-rf", work + "/result"], check=True)
    self = stage(case)
    small = self.executable_opts + ["--memory", "16m"]
    if "2048" in small:
        small[small.index("2048")] = "128"
    done = subprocess.run(["mpiexec.mpich", "-n", str(self.num_tasks), aslant,
                           *small], cwd=work, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done
    for f in marked("sanity"):
        assert f(self), f
    figures = {f.__name__: f(self) for f in marked("performance")}
    assert len(figures) == 4 and all(x > 0 for x in figures.values()), figures

# A wrong product, or a row too few, is noticed.
path = work + "/result/runs.csv"
rows = list(csv.reader(open(path)))
wrong = [list(row) for row in rows]
wrong[2][rows[0].index("verified")] = "0"
for bad in (rows[:2], wrong):
    csv.writer(open(path, "w", newline="")).writerows(bad)
    try:
        (f,) = marked("sanity")
        f(self)
    except AssertionError:
        continue
    sys.exit("wrong rows pass")

# ---- Spack ----

asked = {}

class Package:
    @staticmethod
    def define_from_variant(name, variant):
        return f"-D{name}:BOOL=OFF"

names = {name: (lambda what: lambda *a, **b: asked.setdefault(what, []).append(a))
         (name) for name in ("version", "variant", "depends_on", "license")}
pinned = {}
names["version"] = lambda name, **where: pinned.update({name: where})
names.update(CMakePackage=Package, AutotoolsPackage=Package,
             join_path=lambda *parts: "/".join(parts))
module("spack")
module("spack.package", **names)
aslant = runpy.run_path(scripts + "/spack/packages/aslant/package.py")["Aslant"]
libcsv = runpy.run_path(scripts + "/spack/packages/libcsv/package.py")["Libcsv"]
assert aslant.git == "file://" + os.path.dirname(scripts), aslant.git
assert libcsv.url.endswith("/libcsv-3.0.3.tar.gz"), libcsv.url
assert len(pinned["3.0.3"]["sha256"]) == 64, pinned # nothing that moves
for name in ("pmdk", "libfabric", "mpich", "hwloc@2:", "jansson", "libcsv"):
    assert (name,) in asked["depends_on"], (name, asked)
(option,) = aslant().cmake_args()
assert option == "-DASLANT_LIKWID:BOOL=OFF"
with open(scripts + "/../lib/CMakeLists.txt") as f:
    assert "option(ASLANT_LIKWID " in f.read()

class Environment(dict):
    set = dict.__setitem__

self, env = aslant(), Environment()
self.spec = {"mpich": types.SimpleNamespace(
    prefix=types.SimpleNamespace(bin="/opt/mpich/bin"))}
self.setup_run_environment(env)
assert env == {"ASLANT_LAUNCH": "/opt/mpich/bin/mpiexec -n"}, env
print("cases as ReFrame runs them, 2 recipes")
PYTHON

# ---- Images ----

images=$scripts/containers
root=$(dirname "$scripts")
sed -n 's/^COPY //p' "$images/Dockerfile" |
	awk '{ for (i = 1; i < NF; i++) print $i }' | sort >"$work/docker"
awk '/^%/ { on = $1 == "%files" } on && NF == 2 { print $1 }' "$images/aslant.def" |
	sort >"$work/apptainer"
diff "$work/docker" "$work/apptainer"
mkdir "$work/image"
(cd "$root" && xargs tar -c --exclude=./build <"$work/docker") | tar -xC "$work/image"
grep -q 'RUN scripts/containers/install$' "$images/Dockerfile"
grep -q '/scripts/containers/install$' "$images/aslant.def"
"$root/scripts/install-deps" --no-tests --dry-run 2>&1 | grep -vqE 'slurm|cmocka'
cmake -S "$work/image" -B "$work/image/build" -DBUILD_TESTING=OFF >"$work/log" 2>&1 ||
	{ tail -5 "$work/log"; exit 1; }
echo "images of $(wc -l <"$work/docker") files and folders"
