"""What other languages mean differently: a repair comes right, or it does not count as verified."""

from __future__ import annotations

import json

import pytest

from tests.repair.dialects import repaired, result_of
from tests.repair.test_dialects import is_same

PROGRAMS = {
    "a list that all objects of a class share": (
        "class A:\n    items = []\n    def add(self, x):\n        self.items.append(x)\n"
        "def main():\n    a = A()\n    b = A()\n    a.add(1)\n    b.add(2)\n    return [str(len(a.items))]\n",
        ["2"],
    ),
    "a default value that calls share": (
        "def add(x, acc=[]):\n    acc.append(x)\n    return len(acc)\ndef main():\n    add(1)\n    return [str(add(2))]\n",
        ["2"],
    ),
    "a counter of the class": (
        "class A:\n    count = 0\n    def __init__(self):\n        A.count += 1\n        self.id = A.count\n"
        'def main():\n    a = A()\n    b = A()\n    return [f"{b.id} {A.count}"]\n',
        ["2 2"],
    ),
    "objects that are equal and not the same": (
        "class P:\n    def __init__(self, x):\n        self.x = x\ndef main():\n    return [str(P(1) == P(1))]\n",
        ["False"],
    ),
    "lists that are equal and not the same": (
        "function main() {\n  const a = [1];\n  return [String(a === [1])];\n}\n",
        ["false"],
    ),
    "an object below two names": (
        "class C {\n  constructor() { this.n = 0; }\n  inc() { this.n++; return this; }\n}\n"
        "function main() {\n  const a = new C();\n  const b = a.inc();\n  b.inc();\n  a.inc();\n  return [`${a.n} ${b.n}`];\n}\n",
        ["3 3"],
    ),
    "a loop variable that is read behind its loop": (
        "def main():\n    n = 10\n    for n in [1, 2]:\n        pass\n    return n\n",
        2,
    ),
    "a list that grows while a loop goes through it": (
        "def main():\n    xs = [1, 2]\n    for x in xs:\n        if len(xs) < 5:\n            xs.append(x)\n    return len(xs)\n",
        5,
    ),
    "a value behind a truth": (
        'function main() {\n  const a = 12; const name = "x";\n  const c = a && name;\n  return `${c}`;\n}\n',
        "x",
    ),
    "a remainder of Python in a function of .ax": (
        "fn main() -> Int {\n    xs = [1, -5]\n    for x in sorted(xs):\n        print(str(len(xs)))\n"
        "    return xs[1] % 7 + 1\n}\n",
        -4,
    ),
    "a private method that no class below replaces": (
        'class A {\n    private String who() { return "A"; }\n    String call() { return who(); }\n}\n'
        'class B extends A {\n    private String who() { return "B"; }\n}\n'
        "List<String> main() {\n    A x = new B();\n    return List.of(x.call());\n}\n",
        ["A"],
    ),
    "a function of a class that another one hides": (
        'class A { static String name() { return "A"; } }\nclass B extends A { static String name() { return "B"; } }\n'
        "List<String> main() { return List.of(A.name()); }\n",
        ["A"],
    ),
    "a quotient of a field that may be negative": (
        "class V:\n    def __init__(self, n):\n        self.n = n\n    def half(self):\n        return self.n // 2\n"
        "def main():\n    return [str(V(-7).half())]\n",
        ["-4"],
    ),
    "a truth as C# shows it": (
        'string Main() {\n    var xs = new List<int> { 1 };\n    return $"{xs.Contains(1)}";\n}\n',
        "True",
    ),
    "signs that Ruby counts": ('def main\n  "banana split".count("an")\nend\n', 5),
    "an option whose case asks for a number": (
        "fn tally(xs: List<String>) -> Map<String, Int> {\n"
        "    xs |> List.fold(fun acc g -> Map.update(g, fun n -> Option.with_default(0, n) + 1, acc), Map.empty)\n}\n"
        'fn main() -> Int { Map.get("a", tally(["a", "a"])) |> Option.with_default(0) }\n',
        2,
    ),
    "an object that a method finds in a map": (
        "interface Account { balance: number }\nclass Bank {\n  private accounts: Map<string, Account> = new Map();\n"
        "  open(id: string, balance: number) { this.accounts.set(id, { balance }); }\n"
        "  find(id: string): Account { return this.accounts.get(id)!; }\n"
        "  pay(id: string) { const a = this.find(id); a.balance -= 1; }\n}\n"
        'function main(): number {\n  const bank = new Bank();\n  bank.open("a", 5);\n  bank.pay("a");\n'
        '  return bank.find("a").balance;\n}\n',
        4,
    ),
    "a pointer that a method gives": (
        "type A struct { n int }\ntype S struct { as map[string]*A }\nfunc (s *S) get(k string) *A { return s.as[k] }\n"
        'func main() int {\n\ts := &S{as: map[string]*A{"x": &A{n: 4}}}\n\ta := s.get("x")\n'
        '\ta.n += 5\n\treturn s.as["x"].n\n}\n',
        9,
    ),
    "a pointer under two names": (
        "type A struct { n int }\nfunc main() int {\n\ta := &A{n: 1}\n\tb := a\n\tb.n = 3\n\treturn a.n\n}\n",
        3,
    ),
    "a function that keeps its results": (
        "@lru_cache(maxsize=None)\ndef fib(n):\n    if n < 2:\n        return n\n    return fib(n - 1) + fib(n - 2)\n"
        "def main():\n    return fib(40)\n",
        102334155,
    ),
    "a whole number where others have a fraction": (
        "def mean(xs):\n    if not xs:\n        return 0\n    return sum(xs) / len(xs)\n"
        'def main():\n    return f"{mean([])} {mean([2, 3])}"\n',
        "0 2.5",
    ),
    "a whole number in a field for fractions": (
        "class Side:\n    def __init__(self, length: float):\n        self.length = length\n"
        'def main():\n    return f"{Side(5).length}"\n',
        "5",
    ),
    "a part of a text that counts bytes": (
        'func main() string {\n\ts := "h\u00e9llo"\n\treturn s[:3]\n}\n',
        "h\u00e9",
    ),
    "a quotient of TypeScript": (
        "function mean(xs: number[]): number {\n  if (xs.length === 0) return 0;\n  let t = 0;\n"
        "  for (const x of xs) t += x;\n  return t / xs.length;\n}\nfunction main(): number { return mean([2, 3]); }\n",
        2.5,
    ),
    "a share of TypeScript": (
        "function main(): string { const done = 1, all = 2; return `${(done / all) * 100}%`; }\n",
        "50%",
    ),
    "a remark behind a division": (
        "def half(n: int) -> int:\n    return n // 2  # rounded down\ndef main() -> int:\n    return half(7)\n",
        3,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_never_verified_and_wrong(name: str) -> None:
    source, expected = PROGRAMS[name]
    outcome = repaired(source)
    if outcome.verified:
        assert is_same(json.loads(json.dumps(expected)), result_of(outcome.text)), outcome.text


def test_what_would_mean_something_else_is_named() -> None:
    source, _ = PROGRAMS["a loop variable that is read behind its loop"]
    outcome = repaired(source)
    assert not outcome.verified
    assert [(row.line, row.message) for row in outcome.remaining] == [
        (3, "a loop whose variable is read behind it means something else in .ax")
    ]


def test_what_is_told_comes_right() -> None:
    told = ("a quotient of a field that may be negative", "a truth as C# shows it", "an option whose case asks for a number")
    for name in told:
        source, expected = PROGRAMS[name]
        outcome = repaired(source)
        assert (outcome.verified, result_of(outcome.text)) == (True, expected), name
