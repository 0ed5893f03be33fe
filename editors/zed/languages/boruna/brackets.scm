; Brackets of Boruna that belong together, for Zed.

("(" @open ")" @close)
("[" @open "]" @close)
("{" @open "}" @close)
("<" @open ">" @close)
(string "\"" @open "\"" @close)
