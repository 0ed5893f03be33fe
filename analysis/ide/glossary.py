"""One line of explanation for what no file declares: keywords, types of the language, capabilities."""

from __future__ import annotations

from typing import Final


def _table(text: str) -> dict[str, str]:
    return {name.strip(): meaning.strip() for name, meaning in (line.split("|") for line in text.strip().split("\n"))}


KEYWORDS: Final = _table("""
fn | declares a function
let | names a value; visible until the block ends
mut | lets a name be assigned again
if | chooses a block by a condition; its value is that of the block
else | the block for a condition that does not hold
match | chooses the first arm whose pattern fits the value
return | ends the function with a value
type | declares a record
enum | declares a type with variants
module | names the program; only at the beginning of a file
import | makes the definitions of a library visible
export | marks a definition as one for other programs
true | the Bool that holds
false | the Bool that does not hold
None | the Option without a value
Some | the Option with a value
Ok | the Result of a success
Err | the Result of a failure
requires | a condition that must hold when the function is called
ensures | a condition on `result` that must hold when the function returns
intent | says what the function is for
spawn | starts an actor that runs a function; the operand is one word or stands in parentheses
send | sends a message to an actor
receive | the next message of this actor
emit | hands a value to the host; the operand is one word or stands in parentheses
while | repeats a block as long as a condition holds
for | runs a block for each item of a list
in | stands between the name and the list of a `for`
""")

TYPES: Final = _table("""
Int | whole numbers of 64 bits; a result that does not fit is a run-time error
Float | numbers of 64 bits with a fraction
String | text; its length is counted in UTF-8 bytes
Bool | `true` or `false`
Unit | the type of what has no value
Option | `Some(value)` or `None`
Result | `Ok(value)` or `Err(error)`
List | values in order, counted from 0
Map | values by text keys
Fn | functions as values
McpResult | the answer of a tool of another server
""")

CAPABILITIES: Final = _table("""
net.fetch | asks servers in the network
fs.read | reads files
fs.write | writes files
db.query | asks a database
ui.render | shows a user interface
time.now | reads the clock
random | draws random numbers
llm.call | asks a language model
actor.spawn | starts actors
actor.send | sends messages to actors
step.input | reads the inputs of a workflow's step
mcp.call | calls tools of other MCP servers
""")

ALIASES: Final = {
    "net": "net.fetch", "db": "db.query", "ui": "ui.render", "time": "time.now", "llm": "llm.call",
    "actor_spawn": "actor.spawn", "actor_send": "actor.send", "step_input": "step.input",
}  # fmt: skip
"""Other spellings of capabilities."""
