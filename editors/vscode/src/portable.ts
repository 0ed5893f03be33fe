// Turns the portability hints on or off in the text of a boruna.toml; everything else of it stays as it is.

const TABLE = /^[ \t]*\[[ \t]*check[ \t]*\][ \t]*(#.*)?$/;
const ANY_TABLE = /^[ \t]*\[/;
const SETTING = /^([ \t]*portable[ \t]*=[ \t]*)(true|false)\b(.*)$/;

export interface Toggled {
  text: string;
  on: boolean;
}

/** The text with `portable` of the table `check` the other way round; what is not written is off. */
export function toggled(text: string): Toggled {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  const table = lines.findIndex((line) => TABLE.test(line));
  if (table < 0) {
    const gap = text === "" || text.endsWith("\n") ? "" : end;
    return { text: `${text}${gap}${text.trim() === "" ? "" : end}[check]${end}portable = true${end}`, on: true };
  }
  for (const [index, line] of lines.entries()) {
    if (index <= table) {
      continue;
    }
    if (ANY_TABLE.test(line)) {
      break;
    }
    const found = SETTING.exec(line);
    if (found !== null) {
      const on = found[2] === "false";
      lines[index] = `${found[1]}${on}${found[3]}`;
      return { text: lines.join(end), on };
    }
  }
  lines.splice(table + 1, 0, "portable = true");
  return { text: lines.join(end), on: true };
}
