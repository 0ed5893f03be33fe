"""Writes calls, output, checks, capabilities: operations that do something besides giving a value."""

from __future__ import annotations

from analysis.bytecode.module import Op
from boruna_ls.runtime.translator.block import BlockState
from boruna_ls.runtime.translator.facts import FUNCTION
from boruna_ls.runtime.translator.lines import BETWEEN, CALL, EFFECT, REDO, Site
from boruna_ls.runtime.translator.walk import Entry


class Effects(BlockState):
    """The operations that may not be executed twice."""

    def call(self, op: Op, args: list[Entry], site: Site) -> None:
        """A direct call."""
        entry = self.pushed(self.index, op, args)
        callee = op[1]
        texts = [arg.text for arg in args]
        expected = self.unit.parameters(callee)
        texts = texts[:expected] + ["None"] * (expected - len(texts))
        if callee in self.unit.deep:
            texts.append("d + 1")
        site = site._replace(kind=CALL, args=len(args))
        need = self.plan.leaf_after_call(self.block, self.index)
        if need is not None:
            self.add(f"if left < {need}: more({need})", site._replace(kind=BETWEEN))
        if self.unit.takes(callee, len(args)):
            self.result(entry, f"f{callee}({', '.join(texts)})", site, at_once=True)
        else:
            self.add("raise Slow", site._replace(kind=REDO))
            self.result(entry, "None")

    def call_indirect(self, op: Op, args: list[Entry], site: Site) -> None:
        """A call of a function reference."""
        entry = self.pushed(self.index, op, args)
        callee = self.keep(args[-1], site)
        if args[-1].fact.kinds != FUNCTION:
            self.fail_if(f"type({callee}) is not FnRef", site)
        name = self.lines.temporary()
        self.add(f"{name} = callable{op[1]}(({callee}).index)", site)
        self.fail_if(f"{name} is None", site)
        self.unit.indirect.add(op[1])
        texts = [*(arg.text for arg in args[:-1]), "d + 1"]
        self.result(entry, f"{name}({', '.join(texts)})", site._replace(kind=CALL, args=len(args)), at_once=True)

    def effect_call(self, op: Op, args: list[Entry], site: Site) -> None:
        """Output, actors, debug texts: helpers that do what the interpreter does."""
        site = site._replace(kind=EFFECT)
        texts = ", ".join(arg.text for arg in args)
        match op[0]:
            case "EmitUi":
                self.add(f"emit(machine, {texts})", site)
            case "SendMsg":
                self.add(f"send(machine, {texts})", site)
            case "SpawnActor":
                self.result(self.pushed(self.index, op, args), f"spawn(machine, {op[1]})", site, at_once=True)
            case "ReceiveMsg":
                self.result(self.pushed(self.index, op, args), "None")
            case "LoadGlobal":
                self.result(self.pushed(self.index, op, args), f"machine.globals[{op[1]}]", site, at_once=True)
            case "StoreGlobal":
                self.add(f"machine.globals[{op[1]}] = {texts}", site)
            case "Debug":
                self.add(f"debug(machine, {self.keep(args[0])})", site)
                self.result(self.pushed(self.index, op, args), args[0].text)
            case "DebugMsg":
                self.add(f"debug_message(machine, {args[0].text}, {self.keep(args[1])})", site)
                self.result(self.pushed(self.index, op, args), args[1].text)

    def assertion(self, op: Op, args: list[Entry], site: Site) -> None:
        """`Assert`: what fails without a log is found out by the interpreter, which knows the message."""
        if not self.unit.logged:
            self.fail_unless(f"({self.condition(args[0])})", site)
            return
        cells = ", ".join(f"l{cell}" for cell in range(min(self.graph.function.arity, len(self.locals))))
        call = f"contract(machine, functions[{self.number}], {op!r}, {args[0].text}, [{cells}])"
        self.add(call, site._replace(kind=EFFECT))

    def seal(self, op: Op, args: list[Entry], site: Site) -> None:
        """`GuardSeal`."""
        entry = self.pushed(self.index, op, args)
        if self.unit.logged:
            self.keep(args[0])
            self.add(f"guard(machine, {args[1].text}, {args[2].text})", site._replace(kind=EFFECT))
        else:
            self.fail_unless(f"({self.condition(args[1])})", site)
        self.result(entry, args[0].text)

    def capability(self, op: Op, args: list[Entry], site: Site) -> None:
        """`CapCall`: what comes from outside must not look like the program's own records."""
        entry = self.pushed(self.index, op, args)
        texts = ", ".join(arg.text for arg in args)
        call = f"capability_call(machine, {op[1]}, [{texts}], functions[{self.number}])"
        self.result(entry, call, site._replace(kind=EFFECT), at_once=True)
        if not self.world.is_open:
            self.fail_if(f"is_foreign({entry.text})", self.site(index=self.index + 1))
