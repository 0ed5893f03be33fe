"""Policies: what a run may do, read from the argument of a tool or from a document (spec chapter 11, sections 5 to 7).

A document is checked in four passes, and the first failure ends it with a `PolicyError`: JSON, names of fields, types, meaning.
`fs_policy` and `db_policy` are ours; like `net_policy` they bound live handlers and change nothing in a mock run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from analysis.bytecode.module import CAPABILITIES, CAPABILITY_BY_SOURCE_NAME
from analysis.data_classes import dataclass, field
from analysis.semantics.tools.modules import CAPABILITY as TOOLS
from analysis.semantics.tools.modules import are_patterns
from boruna_ls.runtime.quoting import quoted
from boruna_ls.runtime.strict_json import JsonDefect, read_json
from boruna_ls.runtime.typed_json import Decoder, Shape, TypeDefect

METHODS: Final = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")
_NAMES: Final = frozenset(kind.name for kind in CAPABILITIES)
_ALLOW_ALL: Final = "allow-all"
_DENY_ALL: Final = "deny-all"


class PolicyError(Exception):
    """A policy cannot be used. `extra` are further fields of the answer: `path`, `found`, `hint`, `field`."""

    def __init__(self, kind: str, message: str, **extra: Any) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.extra = extra

    def as_dict(self) -> dict[str, Any]:
        """As an element of the list that `boruna_policy_validate` gives."""
        return {"error_kind": self.kind, "message": self.message, **self.extra}


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule for one capability; `budget: 0` means unlimited."""

    allow: bool
    budget: int = 0


@dataclass(frozen=True, slots=True)
class NetPolicy:
    """Bounds of a live `net.fetch`; an empty list means any."""

    allowed_domains: tuple[str, ...] = ()
    allowed_methods: tuple[str, ...] = ()
    max_response_bytes: int = 10_485_760
    timeout_ms: int = 30_000
    allow_redirects: bool = True


@dataclass(frozen=True, slots=True)
class FsPolicy:
    """Bounds of live `fs.read` and `fs.write`: folders that they stay below."""

    allowed_roots: tuple[str, ...] = ()
    max_bytes: int = 10_485_760


@dataclass(frozen=True, slots=True)
class DbPolicy:
    """Bounds of a live `db.query`: the one SQLite file."""

    path: str = ""
    read_only: bool = True


@dataclass(frozen=True, slots=True)
class Policy:
    """A valid policy."""

    default_allow: bool = False
    rules: Mapping[str, Rule] = field(default_factory=dict)
    net: NetPolicy | None = None
    fs: FsPolicy | None = None
    db: DbPolicy | None = None
    mcp: Mapping[str, tuple[str, ...]] | None = None
    """By name of an MCP server the patterns of tools that may be called (`*` stands for anything); None bounds nothing."""

    def rule(self, capability: str) -> Rule:
        """Rule for a capability by its canonical name."""
        return self.rules.get(capability) or Rule(self.default_allow)

    def names_targets(self, capability: str) -> bool:
        """True if the policy says which hosts, folders or database a live call may reach; for other capabilities always."""
        named = {"net.fetch": self.net, "fs.read": self.fs, "fs.write": self.fs, "db.query": self.db}
        return named.get(capability, self) is not None


ALLOW_ALL: Final = Policy(default_allow=True)
DENY_ALL: Final = Policy(default_allow=False)


def policy_of(value: Any) -> Policy:
    """The policy that an argument of a tool means. Raises PolicyError."""
    if value is None or value == _ALLOW_ALL:
        return ALLOW_ALL
    if value == _DENY_ALL:
        return DENY_ALL
    if isinstance(value, str):
        shown = value if len(value) <= 1000 else value[:1000] + "…"
        raise PolicyError(
            "invalid_policy",
            f"policy string must be 'allow-all' or 'deny-all' (got '{shown}'); pass an object for fine-grained policy",
        )
    if not isinstance(value, dict):
        kind = "boolean" if isinstance(value, bool) else "array" if isinstance(value, list) else "number"
        raise PolicyError("invalid_policy", f"policy must be a string ('allow-all'/'deny-all') or an object; got {kind}")
    return _checked(value)


def read_policy(text: str) -> Policy:
    """The policy that a document holds. Raises PolicyError."""
    try:
        document = read_json(text)
    except JsonDefect as defect:
        raise _error("policy.parse_error", str(defect)) from None
    return _checked(document)


def doubts(policy: Policy) -> list[str]:
    """Warnings about values that are valid but hardly intended, one sentence each."""
    domains = policy.net.allowed_domains if policy.net is not None else ()
    return [
        f"net_policy.allowed_domains: {quoted(domain)} is no host name, so it allows nothing"
        for domain in domains
        if not domain or set(domain) & set("/:@ \t")
    ]


# ---- the passes -----------------------------------------------------------------------------------------------------

_NET: Final = Shape(
    "struct NetPolicyFileV1",
    allowed_domains="strings",
    allowed_methods="strings",
    max_response_bytes="usize",
    timeout_ms="u64",
    allow_redirects="a boolean",
)
_FS: Final = Shape("struct FsPolicyFileV1", allowed_roots="strings", max_bytes="usize")
_DB: Final = Shape("struct DbPolicyFileV1", path="a string", read_only="a boolean")
_RULE: Final = Shape("struct PolicyRule", required=("allow", "budget"), allow="a boolean", budget="u64")
_DOCUMENT: Final = Shape(
    "struct PolicyFileV1",
    positional=4,
    schema_version="u64?",
    rules=("map", _RULE),
    default_allow="a boolean",
    net_policy=("optional", _NET),
    fs_policy=("optional", _FS),
    db_policy=("optional", _DB),
    mcp_policy="string lists",
)
_PARTS: Final = {"net_policy": _NET, "fs_policy": _FS, "db_policy": _DB}


def _checked(document: Any) -> Policy:
    if isinstance(document, dict):
        document = _with_tools_apart(document)
        _check_names(document)
    try:
        values = Decoder(strict=(_NET, _FS, _DB)).read(document, _DOCUMENT)
    except TypeDefect as defect:
        raise _error("policy.parse_error", str(defect), path=defect.path) from None
    _check_meaning(values)
    parts = {name: values.get(name) for name in _PARTS}
    return Policy(
        default_allow=values.get("default_allow", False),
        rules={name: Rule(rule["allow"], rule["budget"]) for name, rule in values.get("rules", {}).items()},
        net=None if parts["net_policy"] is None else NetPolicy(**parts["net_policy"]),
        fs=None if parts["fs_policy"] is None else FsPolicy(**parts["fs_policy"]),
        db=None if parts["db_policy"] is None else DbPolicy(**parts["db_policy"]),
        mcp=values.get("mcp_policy"),
    )


def _with_tools_apart(document: dict[str, Any]) -> dict[str, Any]:
    """The rule `"mcp.call": {"github": ["search_*"]}` as what it stands for: it is allowed, `mcp_policy` bounds it."""
    rules = document.get("rules")
    if not isinstance(rules, dict) or not are_patterns(rules.get(TOOLS)):
        return document
    if "mcp_policy" in document:
        path = f"rules.{TOOLS}"
        raise _error("policy.parse_error", f"{path} names tools, and so does mcp_policy: give one of them", path=path)
    return {**document, "rules": {**rules, TOOLS: {"allow": True, "budget": 0}}, "mcp_policy": rules[TOOLS]}


def _check_names(document: Mapping[str, Any]) -> None:
    for name in _sorted(document):
        value = document[name]
        if name not in _DOCUMENT.fields:
            raise _unknown(name, name)
        if name in _PARTS and isinstance(value, dict):
            for inner in _sorted(value):
                if inner not in _PARTS[name].fields:
                    raise _unknown(inner, f"{name}.{inner}")
        elif name == "rules" and isinstance(value, dict):
            for capability in _sorted(value):
                rule = value[capability]
                for inner in _sorted(rule) if isinstance(rule, dict) else ():
                    if inner not in _RULE.fields:
                        raise _unknown(inner, f"rules.{capability}.{inner}")


def _check_meaning(values: Mapping[str, Any]) -> None:
    version = values.get("schema_version")
    if version is not None and version != 1:
        text = f"schema_version {version} not supported by this binary (expected 1)"
        raise _error("policy.unknown_schema_version", text, found=version)
    for name in _sorted(values.get("rules", {})):
        if name not in _NAMES:
            kind = CAPABILITY_BY_SOURCE_NAME.get(name)
            text = f"unknown capability {quoted(name)}"
            if kind is None:
                raise _error("policy.invalid_capability", text, found=name)
            text += f" — did you mean {quoted(kind.name)}?"
            raise _error("policy.invalid_capability", text, found=name, hint=kind.name)
    if (net := values.get("net_policy")) is not None:
        _check_net(net)


def _check_net(net: Mapping[str, Any]) -> None:
    for name in ("max_response_bytes", "timeout_ms"):
        if net.get(name) == 0:
            raise _invalid_net(name, "must be > 0")
    for method in net.get("allowed_methods", ()):
        if method in METHODS:
            continue
        upper = "".join(chr(ord(letter) - 32) if "a" <= letter <= "z" else letter for letter in method)
        if upper in METHODS:
            reason = f"method {quoted(method)} must be upper-case ({quoted(upper)})"
        else:
            reason = f"unknown HTTP method {quoted(method)}; allowed: {', '.join(METHODS)}"
        raise _invalid_net("allowed_methods", reason)


def _sorted(names: Mapping[str, Any]) -> list[str]:
    return sorted(names, key=lambda name: name.encode("utf-8", "surrogatepass"))


def _error(kind: str, detail: str, **extra: Any) -> PolicyError:
    return PolicyError(kind, f"{kind}: {detail}", **extra)


def _unknown(name: str, path: str) -> PolicyError:
    return _error("policy.unknown_field", f"unknown field {quoted(name)} at {path}", path=path)


def _invalid_net(name: str, reason: str) -> PolicyError:
    return _error("policy.invalid_net_policy", f"net_policy.{name}: {reason}", field=name)


def policy_text(policy: Policy) -> str:
    """A policy as one line of JSON, as a document that reads back to it."""
    document: dict[str, Any] = {
        "schema_version": 1,
        "default_allow": policy.default_allow,
        "rules": {name: {"allow": rule.allow, "budget": rule.budget} for name, rule in policy.rules.items()},
    }
    for name, part in (("net_policy", policy.net), ("fs_policy", policy.fs), ("db_policy", policy.db)):
        if part is not None:
            document[name] = {key: getattr(part, key) for key in _PARTS[name].fields}
    if policy.mcp is not None:
        document["mcp_policy"] = {name: list(tools) for name, tools in policy.mcp.items()}
    return json.dumps(document, sort_keys=True, separators=(",", ":"))
