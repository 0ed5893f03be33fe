// Reads a JSON list of texts, writes for each a list of [start, end, scopes]: what VS Code's own engine makes of the grammar.
const fs = require("node:fs");
const path = require("node:path");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

async function main() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm);
  const file = path.join(__dirname, "..", "syntaxes", "boruna.tmLanguage.json");
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => (scope === "source.boruna" ? textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file) : null),
  });
  const grammar = await registry.loadGrammar("source.boruna");
  const tokens = (text) => {
    let stack = textmate.INITIAL;
    let offset = 0;
    const found = [];
    for (const line of text.split("\n")) {
      const result = grammar.tokenizeLine(line, stack);
      stack = result.ruleStack;
      // The engine counts a line feed of its own at the end of each line.
      const ends = (token) => Math.min(token.endIndex, line.length);
      found.push(...result.tokens.map((token) => [offset + token.startIndex, offset + ends(token), token.scopes.join(" ")]));
      offset += line.length + 1;
    }
    return found.filter(([start, end]) => start < end);
  };
  process.stdout.write(JSON.stringify(JSON.parse(fs.readFileSync(0, "utf8")).map(tokens)));
}

main();
