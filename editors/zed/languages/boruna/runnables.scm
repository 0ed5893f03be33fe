; `main` of a Boruna program has a button in Zed that runs it: see tasks.json.

((function
  name: (identifier) @run
  (#eq? @run "main"))
  (#set! tag boruna-main))
