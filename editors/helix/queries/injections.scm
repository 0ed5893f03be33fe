; Languages inside of Boruna in Helix: marks in comments.

((comment) @injection.content
  (#set! injection.language "comment"))
