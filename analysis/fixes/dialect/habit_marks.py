"""Marks of Lua, Julia, Nim and Elixir: one regular expression per line."""

from __future__ import annotations

import re
from typing import Final

_TELLING: Final = {
    "lua": r"""
\blocal +(?:function\b|[a-z_]\w*)
\blocal +(?:function\b|[a-z_]\w*(?:, ?[a-z_]\w*){0,5} =)
\bi?pairs\(
~=
\btable\.(?:insert|remove|concat|sort|unpack)\(
(?<![\w"'#{])#[a-z_]\w*(?! )
\belseif\b[^\n]{1,80}\bthen\b
\bfor \w+ = [^\n,;]{1,60},[^\n;={]{1,60}(?:\bdo\b|\{$)
" ?\.\. ?[\w(]|[\w)\]] ?\.\. ?"
\bstring\.(?:format|sub|rep|len|byte|char|gsub|gmatch|find|upper|lower|reverse)\(
\w:(?:sub|upper|lower|rep|gsub|gmatch|find|len|byte|format|reverse|match)\(
\bto(?:string|number)\(
\bthen\b
""",
    "julia": r"""
\b(?:push|pop|append|popfirst|pushfirst|sort|reverse|insert|deleteat|filter|map|empty|delete)!\(
\[end\b|:end\]|\bend ?- ?\d\]
\bfor \w+ (?:in|=) [\w(]{1,20}:[^\n{]{1,40}$
\w::(?:Int|String|Float64|Vector|Bool|Dict)
^[ \t]*function \w+\([^\n{]{0,80}\)(?:::\w+)?$
\$\(
^\w+\([^)\n]{0,60}\) =[ ]
\blength\(
\bstring\("
[\w)\]] \.[-+*/^<>=]|\w\.\(
\bnothing\b
\b1:\w
\b(?:Vector|Dict)\{
\b(?:Int|String|Float64)\[\]
" \* \w|\w \* "
\b(?:isempty|haskey|findfirst|occursin|eachindex)\(
÷
^[ \t]*(?:if|while|for) [^\n{]{1,80}[^\n{:;]$
""",
    "nim": r"""
@\[[^\]\n]
@\[\]|@\["
^[ \t]*proc \w+\*?\([^\n]{0,80}\)(?:: ?[\w\[\]]+)? =
\b(?:init\w*Table|newSeq|initHashSet)\[\w
^[ \t]*for \w+ in [^\n]{1,40} \.\. ?[^\n]{1,40}:$
\bfor \w+ in [^\n]{1,40}\.\.<? ?[^\n]{1,40}:$
^[ \t]*of [^\n]{1,60}: *\w
^[ \t]*case [^\n{]{1,40}\n[ \t]*of\b
^[ \t]*(?:proc|func) \w+\*?\([^\n]{0,80}\)[^\n]{0,30}=$
\.\. ?<
@\[
\bseq\[
[\w")\]] & [\w"$(@]
\$\w+ &|& \$
[ ](?:mod|div)[ ]
\b(?:initTable|newSeq|initHashSet|initCountTable|initOrderedTable)\[
^[ \t]*of [^\n]{1,60}:
\becho[ ]
\b(?:inc|dec) \w
\bresult(?: =| \+=|\.add\b)
\w\.(?:map|filter|any|all)It\(
: int\b
\bcount(?:down|up)\(
\bnotin\b
= object$
toUpperAscii|toLowerAscii
""",
    "elixir": r"""
\bEnum\.[a-z]
\|> ?[A-Z]\w*\.
\bdefp?(?:module)?\b [^\n:=]{1,80}(?:\bdo$|, do:)
\bdefp\b|\bdefmodule\b
\bcond do\b
\bcase\b[^\n]{1,80}\bdo$
%\{|%[A-Z]\w*\{
\bfn\b[^\n(){]{1,40}->
&[a-zA-Z][\w.]*[?!]?/\d
&\(?&?1\b
, do:[ ]
[ ]<>[ ]
\{:(?:ok|error)\b
#\{
\bString\.[a-z_]+\??\(
\bwith \{[^\n]{1,60}<-
\b(?:Map|Integer|List)\.[a-z_]+[!?]?\(
\?[a-zA-Z]\b(?![:.?(])
""",
}
_NEEDED: Final = {
    "elixir": r"""
\bEnum\.[a-z]
\bdefp\b
\bdefmodule\b
\bcond do\b
\bcase\b[^\n]{1,80}\bdo$
&[a-zA-Z][\w.]*[?!]?/\d
\{:(?:ok|error)\b
, do:[ ]
""",
    "lua": r"""
\blocal\b
\bi?pairs\(
~=
\btable\.
\bfor \w+ = [^\n,;]{1,60},[^\n;={]{1,60}(?:\bdo\b|\{$)
(?<![\w"'#{])#[a-z_]\w*(?! )
""",
    "julia": r"""
\b\w+!\((?!")
\[end\b
:end\]
\b1:\w
\w::[A-Z]\w*+(?!::|\()
^[ \t]*(?:function|for|while|if) [^\n{]{1,80}[^\n{:;]$
\w \.[-+*/][ ]
""",
    "nim": r"""
\bfor \w+ in [^\n]{1,40}\.\.<? ?[^\n]{1,40}:$
\b(?:map|filter|any|all|count)It\(
= object$
@\[
\bseq\[
\$\w+ &
& \$
^[ \t]*proc \w+\*?\(
\bTable\[
^[ \t]*of [^\n]{1,60}:
[ ](?:mod|div)[ ]
""",
}
_NEVER: Final = {
    "lua": r"""
\b(?:def|puts|unless|elsif|elif)\b
\bdo \|
::<
\bvec!
\|>
""",
    "julia": r"""
\bdone\b|\bdo$|<-[ ]|\bin$
\b(?:def|puts|unless|elsif|elif|local|fn main\(\) \{$)\b
\bdo \|
::<
\bthen\b
\bvec!
\.iter\(
\blet mut \w+ = vec
""",
    "nim": r"""
::<
\bvec!
\bfunc \w+\([^\n]*\{$
\bend$
\(fun[ ]
\blet rec\b
\|>
""",
    "elixir": r"""
\blet rec\b
\bmodule [A-Z]\w* exposing
\bimport gleam
::<
\bputs\b
\.each\b
""",
}


def _lines(table: dict[str, str]) -> dict[str, tuple[re.Pattern[str], ...]]:
    return {name: tuple(re.compile(line, re.MULTILINE) for line in text.strip().split("\n")) for name, text in table.items()}


TELLING: Final = _lines(_TELLING)
"""Typical marks of each language, rare in others: two of them identify it."""
NEEDED: Final = _lines(_NEEDED)
"""Marks of which a program of the language has at least one."""
NEVER: Final = _lines(_NEVER)
"""Marks that exclude the language."""
LUA: Final = re.compile(
    r"\blocal (?:function )?[a-z_]\w*\b|\bi?pairs\(|~="
    r"|\bfor \w+ = [^\n,]{1,60},[^\n]{1,60}\bdo\b|\btable\.(?:insert|concat)\("
)
JULIA: Final = re.compile(r"\b\w+!\(|^[ \t]*end$|\w::[A-Z]|\b1:\w", re.MULTILINE)
NIM: Final = re.compile(r"@\[|\bseq\[|^[ \t]*proc \w+\*?\(|\bTable\[|\.\. ?<|[\w\")\]] & \$|\$\w+ & ", re.MULTILINE)
"""Marks of a language, required before the scanner reads a sign that is special to it."""
