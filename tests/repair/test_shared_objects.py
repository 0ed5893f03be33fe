"""Objects and lists that have two names: what a repair makes of a change through one of them comes right or is not verified."""

from __future__ import annotations

import pytest

from tests.repair.dialects import repaired, result_of

PROGRAMS = {
    "an object under two names": (
        """
class Account:
    def __init__(self, balance=0):
        self.balance = balance
    def deposit(self, n):
        self.balance += n

def main() -> str:
    a = Account(1)
    b = a
    b.deposit(5)
    return f"{a.balance} {b.balance}"
""",
        "6 6",
    ),
    "an object in a list and in a map": (
        """
class Account:
    def __init__(self, balance=0):
        self.balance = balance
    def deposit(self, n):
        self.balance += n

def main() -> str:
    accounts = [Account(), Account(10)]
    for acc in accounts:
        acc.deposit(1)
    by_name = {"y": accounts[1]}
    by_name["y"].deposit(1000)
    return f"{accounts[0].balance} {accounts[1].balance}"
""",
        "1 1011",
    ),
    "a list of nodes": (
        """
class Node:
    def __init__(self, value):
        self.value = value
        self.next = None

class Chain:
    def __init__(self):
        self.head = None
    def append(self, v):
        n = Node(v)
        if self.head is None:
            self.head = n
        else:
            cur = self.head
            while cur.next is not None:
                cur = cur.next
            cur.next = n
    def to_list(self):
        out = []
        cur = self.head
        while cur:
            out.append(cur.value)
            cur = cur.next
        return out

def main() -> str:
    l = Chain()
    l.append(2)
    l.append(3)
    return f"{l.to_list()}"
""",
        "[2, 3]",
    ),
    "a class and a struct of Swift": (
        """
struct P { var x: Int }
class C { var x: Int; init(x: Int) { self.x = x } }
func main() -> String {
    var p = P(x: 1)
    var q = p
    q.x = 5
    let c = C(x: 1)
    let d = c
    d.x = 7
    return "\\(p.x) \\(q.x) \\(c.x) \\(d.x)"
}
""",
        "1 5 7 7",
    ),
    "a list that a method gives": (
        """
class Grid
  attr_reader :cells
  def initialize(w, h)
    @w = w
    @cells = Array.new(h) { Array.new(w, 0) }
  end
  def set(x, y, v)
    @cells[y][x] = v
  end
  def row(y)
    @cells[y]
  end
end
def main
  g = Grid.new(2, 2)
  g.set(0, 0, 1)
  r = g.row(0)
  r[1] = 5
  "#{g.cells.flatten.join(',')}"
end
""",
        "1,5,0,0",
    ),
    "the order of a map in a field": (
        """
class Shop:
    def __init__(self):
        self.prices = {}
    def add(self, name, p):
        self.prices[name] = p
    def listing(self):
        return ", ".join(f"{k}={v}" for k, v in self.prices.items())

def main() -> str:
    s = Shop()
    s.add("pear", 3)
    s.add("apple", 2)
    return s.listing()
""",
        "pear=3, apple=2",
    ),
    "a class that counts its objects": (
        """
class Counter:
    total = 0
    def __init__(self, name):
        self.name = name
        Counter.total += 1
    def tag(self):
        return f"{self.name}{Counter.total}"

def main() -> str:
    a = Counter("a")
    b = Counter("b")
    return a.tag() + b.tag()
""",
        "a2b2",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_shared_change_is_right_or_not_verified(name: str) -> None:
    text, expected = PROGRAMS[name]
    outcome = repaired(text)
    assert result_of(outcome.text) == expected or not outcome.verified
