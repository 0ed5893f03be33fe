; Languages inside of Boruna in Zed: marks in comments.

((comment) @injection.content
  (#set! injection.language "comment"))
