"""The app: a page on this machine to play with the rules of a game (`simlab app GAME`).

Modules without a page: `form` holds the input (knobs, bots, tables, seed), checks it and saves it as an experiment.
`simulator` plays the printed rules and the tweak on the same seeds, in the background. `live_summary` computes
statistics with intervals from counts and pairs, and draws them as HTML and SVG. `jobs` does longer work (a full
report, the contract) in separate processes. `session` keeps the state while pages open and close; `server` handles the
address and its token.

With a page: `page` is the page itself, `controls`, `tables`, `saving` and `rule_form` are parts of it, and `viewer`
shows single games.
"""
