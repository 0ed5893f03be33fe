"""Random programs that compute for a while: loops in loops, recursion, numbers near the ends of 64 bits, growing lists and
texts, records that are changed in loops, functions as values. What the translator is meant to be fast at, it must be right at.
"""

from __future__ import annotations

from random import Random

HEAD = """\
type Body { x: Int, y: Int, name: String }
type Pair { y: Int, left: Body }
enum Op { Add(Int), Mul(Int), Neg, Say(String) }
fn apply(op: Op, acc: Int) -> Int {
  match op { Add(n) => acc + n, Mul(n) => acc * n % 1000003, Neg => 0 - acc, Say(s) => acc + __builtin_string_len(s) }
}
fn down(n: Int, acc: Int) -> Int { if n <= 0 { acc } else { down(n - 1, acc + n) } }
fn both(n: Int) -> Int { if n < 2 { n } else { both(n - 1) + both(n - 2) } }
fn even(n: Int) -> Bool { if n == 0 { true } else { odd(n - 1) } }
fn odd(n: Int) -> Bool { if n == 0 { false } else { even(n - 1) } }
fn twice(f: Fn(Int) -> Int, n: Int) -> Int { f(f(n)) }
fn add_one(n: Int) -> Int { n + 1 }
fn halve(n: Int) -> Int { n / 2 }
fn sum(xs: List<Int>) -> Int { let mut t = 0  for x in xs { t = t + x }  t }
fn find(xs: List<Int>, v: Int) -> Option<Int> {
  let mut i = 0
  while i < list_len(xs) { if list_get(xs, i) == v { return Some(i) }  i = i + 1 }
  None
}
fn filled(n: Int) -> Int {
  let mut m = map_new()
  let mut i = 0
  while i < n { m = __builtin_map_set(m, __builtin_int_to_string(i), i)  i = i + 1 }
  m
}
fn move(b: Body, by: Int) -> Body requires by < 5000 ensures result.x >= b.x - 5000 { Body { ..b, x: b.x + by } }
"""
_NUMBERS = ("0", "1", "2", "3", "7", "10", "97", "1000", "3037000499", "4611686018427387904", "9223372036854775807")
_HUGE = f"1{'0' * 308}.0"
_VARIABLES = ("a", "b", "c")


_EQUALS = ("table == before", "lots == before", "xs == ys", "[xs] == [ys]", "table != lots", "f == f", "op == Op::Neg")


class Writer:
    """Writes one program; every variable keeps its kind."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.counters = 0

    def program(self) -> str:
        """The text."""
        names = ("work", "more")[: self.random.randint(1, 2)]
        functions = [self._function(name, "more" if name == "work" and len(names) > 1 else "") for name in names]
        calls = " + ".join(f"work({self.random.randint(-3, 20)}, {self.number()})" for _ in range(self.random.randint(1, 3)))
        return (
            HEAD
            + "\n".join(reversed(functions))
            + f"\nfn main() -> Int {{\n  let k = {self.random.randint(0, 9)}\n  {calls} + k\n}}\n"
        )

    def _function(self, name: str, callee: str) -> str:
        self.callee = callee
        start = [
            f"  let mut a = {self.number()}",
            "  let mut b = n",
            "  let mut c = m",
            "  let mut xs: List<Int> = []",
            '  let mut s = ""',
            f'  let mut r = Body {{ x: {self.number()}, y: 2, name: "r" }}',
            "  let mut ok = n > 1",
            f"  let mut f = {self.random.choice(('1.5', '0.0', _HUGE))}",
            "  let mut op = Op::Neg",
            f"  let mut g = {self.random.choice(('add_one', 'halve'))}",
            "  let mut table = map_new()",
            "  let mut before = table",
            "  let mut ys = xs",
            "  let mut shelf = map_new()",
            "  let mut bag = []",
            "  let mut held = None",
            "  let mut lots = filled(12)" if self.random.random() < 0.3 else "  let mut lots = table",
        ]
        body = [self.statement(3, 1) for _ in range(self.random.randint(2, 6))]
        end = self.random.choice(("a", "a + b", "sum(xs) + a", "r.x + __builtin_string_len(s)", "if ok { a } else { c }"))
        return f"fn {name}(n: Int, m: Int) -> Int {{\n" + "\n".join([*start, *body, f"  {end}"]) + "\n}"

    def number(self) -> str:
        """A literal."""
        text = self.random.choice(_NUMBERS if self.random.random() < 0.3 else _NUMBERS[:8])
        return f"(0 - {text})" if self.random.random() < 0.2 else text

    def statement(self, depth: int, indent: int) -> str:
        """A statement."""
        random, pad = self.random, "  " * indent
        choice = random.random()
        if depth > 0 and choice < 0.2:
            return self._while(depth, indent)
        if depth > 0 and choice < 0.27:
            return f"{pad}for x in {random.choice(('xs', '[1, 2, n]', '[]'))} {self.block(depth - 1, indent, ('x',))}"
        if depth > 0 and choice < 0.37:
            other = f" else {self.block(depth - 1, indent)}" if random.random() < 0.6 else ""
            return f"{pad}if {self.condition(2)} {self.block(depth - 1, indent)}{other}"
        if depth > 0 and choice < 0.43:
            arms = (
                "Add(v) => { a = a + v  b = v }",
                f"Mul(_) => {self.block(depth - 1, indent)}",
                f"_ => {{ c = {self.number()} }}",
            )
            return f"{pad}match op {{ {', '.join(arms)} }}"
        if choice < 0.45:
            return f"{pad}if {self.condition(1)} {{ return {self.expression(1)} }}"
        changes = (
            f"{random.choice(_VARIABLES)} = {self.expression(3)}",
            f"{random.choice(_VARIABLES)} = {self.expression(2)}",
            f"xs = list_push(xs, {self.expression(1)})",
            f"s = s ++ __builtin_int_to_string({self.expression(1)}) ++ {random.choice(('s', chr(34) + 'é' + chr(34)))}",
            f"r = Body {{ ..r, x: {self.expression(2)} }}",
            f"r = move(r, {self.expression(1)})",
            f"ok = {self.condition(2)}",
            f"f = f {random.choice('+-*/')} {random.choice(('2.5', 'f', 'a', '0.1'))}",
            f"op = {random.choice(('Op::Add(a)', 'Op::Mul(3)', 'Op::Neg', 'Op::Say(s)'))}",
            f"emit ({self.expression(1)})",
            f"g = {random.choice(('add_one', 'halve', 'both'))}" if random.random() < 0.3 else "b = twice(add_one, b)",
            f"let p = Pair {{ y: a, left: r }}\n{pad}a = p.left.y + p.y",
            *self.collections(),
        )
        return pad + random.choice(changes)

    def collections(self) -> list[str]:
        """Changes of maps and lists of which other versions are still known."""
        pick, key = self.random.choice, self.key()
        one, other = pick(("table", "lots")), pick(("table", "lots", "lots", "before"))
        pieces = pick(("xs", "list_push(xs, 1)", "list_push(ys, a)", "__builtin_list_tail(xs)", "__builtin_list_concat(ys, xs)"))
        return [
            f"{one} = __builtin_map_set({other}, {key}, {self.expression(1)})",
            f"{one} = __builtin_map_remove({other}, {key})",
            f"before = {one}",
            f"a = (match __builtin_map_get({other}, {key}) {{ Some(v) => v, None => a }})",
            f"c = __builtin_map_len({one}) + list_len(__builtin_map_keys(before))",
            f"ys = {pieces}",
            f"s = __builtin_string_slice(s, {self.expression(0)}, {self.expression(0)})",
            "a = parse_int(s)",
            *self.holders(key),
        ]

    def holders(self, key: str) -> list[str]:
        """Records, variants and functions that are put into maps, lists and options, and taken out again."""
        thing = self.random.choice(
            ("r", "op", "g", "a", "Body { x: a, y: b, name: s }", "Pair { y: 1, left: r }", "xs", "Some(r)")
        )
        bodies = "Some(v) => v, None => r"
        return [
            f"shelf = __builtin_map_set(shelf, {key}, {self.random.choice(('r', 'r', 'r', thing))})",
            f"r = (match __builtin_map_get(shelf, {key}) {{ {bodies} }})",
            f"bag = list_push(bag, {self.random.choice(('op', 'op', 'op', thing))})",
            "op = (match __builtin_list_head(bag) { Some(v) => v, None => op })",
            f"held = {self.random.choice(('Some(g)', 'Some(halve)', f'Some({thing})', 'None'))}",
            "g = (match held { Some(v) => v, None => add_one })",
            "for one in bag { a = a + apply(one, 1) }",
            f"for one in __builtin_map_values(shelf) {{ b = b + one.{self.random.choice(('x', 'y'))} }}",
        ]

    def _while(self, depth: int, indent: int) -> str:
        self.counters += 1
        counter, pad = f"i{self.counters}", "  " * indent
        limit = self.random.choice(("3", "5", "n", "8", "list_len(xs)"))
        step = self.random.choice(("1", "1", "2", "3"))
        lines = [self.statement(depth - 1, indent + 1) for _ in range(self.random.randint(0, 3))]
        lines.append(f"{pad}  {counter} = {counter} + {step}")
        extra = self.random.choice(("", "", " && ok", f" && {counter} * {counter} <= a"))
        return f"{pad}let mut {counter} = 0\n{pad}while {counter} < {limit}{extra} {{\n" + "\n".join(lines) + f"\n{pad}}}"

    def block(self, depth: int, indent: int, names: tuple[str, ...] = ()) -> str:
        """A block."""
        lines = [self.statement(depth, indent + 1) for _ in range(self.random.randint(1, 2))]
        lines += [f"{'  ' * indent}  a = a + {name}" for name in names]
        return "{\n" + "\n".join(lines) + "\n" + "  " * indent + "}"

    def key(self) -> str:
        """A text."""
        return self.random.choice(('"k"', '"k"', '"1"', '"3"', "__builtin_int_to_string(a % 12)"))

    def condition(self, depth: int) -> str:
        """A Bool."""
        random = self.random
        if depth == 0 or random.random() < 0.3:
            return random.choice(
                ("ok", "n > 2", "a < b", "odd(n)", "f < 2.0", 's == "a"', "r == r", "find(xs, a) == None", *_EQUALS)
            )
        if random.random() < 0.3:
            return f"({self.condition(depth - 1)} {random.choice(('&&', '||'))} {self.condition(depth - 1)})"
        return f"{self.expression(depth - 1)} {random.choice(('<', '<=', '>', '>=', '==', '!='))} {self.expression(depth - 1)}"

    def expression(self, depth: int) -> str:
        """An Int."""
        random = self.random
        if depth == 0 or random.random() < 0.25:
            return random.choice((*_VARIABLES, "n", "m", "r.x", "r.y", self.number()))
        choice = random.random()
        if choice < 0.6:
            sign = random.choice(("+", "+", "-", "*", "%", "/"))
            right = self.expression(depth - 1) if sign not in "%/" or random.random() < 0.2 else random.choice(("7", "2", "97"))
            return f"({self.expression(depth - 1)} {sign} {right})"
        if choice < 0.7:
            return f"(if {self.condition(depth - 1)} {{ {self.expression(depth - 1)} }} else {{ {self.expression(depth - 1)} }})"
        inner = self.expression(depth - 1)
        calls = [f"apply(op, {inner})", "both(n % 9)", f"down(n, {inner})", f"g({inner})", f"twice(g, {inner})", "sum(xs)"]
        calls += [
            "list_len(xs)",
            "__builtin_string_len(s)",
            f"apply(Op::Add({inner}), a)",
            "(match find(xs, a) { Some(i) => i, None => 0 - 1 })",
        ]
        if self.callee:
            calls.append(f"{self.callee}(n - 1, {inner})")
        return random.choice(calls)


def busy_program(random: Random) -> str:
    """A random program."""
    return Writer(random).program()
