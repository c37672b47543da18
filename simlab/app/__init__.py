"""The app: a page on this machine to play with the rules of a game (`simlab app GAME`).

Modules without a page: `asked` is what is asked (knobs, bots, tables, seed; checked, saved as an experiment), `played`
the games of the printed rules and of the tweak on the same seeds, in the background (`compiling` what they need first),
`told` their figures with intervals, out of counts and pairs, `drawn` the same as HTML and SVG, `jobs` longer work in a
process of its own: a full report, the contract. `session` keeps all of it, whatever pages come and go; `server` has the
address and its token.

With a page: `page` what one sees, `controls`, `tables` and `saving` parts of it, `viewer` single games.
"""
