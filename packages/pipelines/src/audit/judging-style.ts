/** The styles of the judging view, in the color variables of the surrounding page. */
export const judgingStyle = `
.judging { display: flex; flex-direction: column; gap: 0.9rem }
.judging .progress-line { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; color: var(--soft) }
.judging .progress-line strong { color: var(--ink) }
.judging .cards { display: flex; flex-direction: column; gap: 0.9rem }
.judging h2 { display: flex; flex-wrap: wrap; gap: 0 0.75rem; margin-bottom: 0.35rem }
.judging h2 .note { font-weight: 400 }
.judging .full-text { max-height: 16rem; overflow-y: auto }
.judging .candidate { border-color: var(--gain); box-shadow: inset 3px 0 var(--gain) }
.judging .candidate.accepted { border-color: var(--relevant); box-shadow: inset 3px 0 var(--relevant) }
.judging .candidate.rejected { border-color: var(--loss); box-shadow: inset 3px 0 var(--loss) }
.judging .candidate .full-text p:first-child { font-size: 1.0625rem }
.judging .decision.accepted, .judging .yes { color: var(--relevant) }
.judging .decision.rejected, .judging .no { color: var(--loss) }
.judging .yes { border-color: var(--relevant) }
.judging .no { border-color: var(--loss) }
.judging .bar { position: sticky; bottom: 0; display: flex; flex-wrap: wrap; gap: 0.5rem; padding: 0.75rem 0; background: var(--ground); border-top: 1px solid var(--line) }
.judging .bar button { padding: 0.3rem 0.6rem }
@media (max-width: 36rem) {
  /* One row: there are no keys to name, and two words of a button stand below each other. */
  .judging .bar { flex-wrap: nowrap; gap: 0.2rem }
  .judging .bar kbd { display: none }
  .judging .bar button { flex: 1 1 auto; min-height: 2.75rem; padding: 0.2rem; font-size: 0.75rem; line-height: 1.15; overflow-wrap: normal }
}
`

/** The other styles of a standalone page: colors, fonts and components, as in Kith Studio. */
export const pageStyle = `
:root { color-scheme: light dark; --ground: light-dark(#fdfdfb, #14171a); --raised: light-dark(#f5f5f1, #1c2024); --ink: light-dark(#1d2125, #e6e4de); --soft: light-dark(#5f6871, #9aa3ab); --line: light-dark(#dfdfd9, #333a40); --gain: light-dark(#1b6c88, #6cc1dc); --loss: light-dark(#b4471f, #f29b74); --relevant: light-dark(#2f7d46, #74c98e) }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 0.9375rem/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
main { max-width: 46rem; margin: 0 auto; padding: 1rem }
h1, h2, p { margin: 0 }
h1 { font: 500 1.75rem/1.2 ui-serif, Georgia, "Times New Roman", serif; letter-spacing: -0.01em; text-wrap: balance }
h2 { font-size: 0.8125rem; font-weight: 600; color: var(--soft) }
progress { width: 100%; height: 0.375rem; accent-color: var(--gain) }
button { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 0.375rem; cursor: pointer }
button:hover { background: var(--raised) }
:focus-visible { outline: 2px solid var(--gain); outline-offset: 2px }
kbd { font: 0.8125em ui-monospace, "SF Mono", Menlo, monospace; border: 1px solid var(--line); border-radius: 0.25rem; padding: 0 0.3em; color: var(--soft) }
.card { border: 1px solid var(--line); border-radius: 0.5rem; padding: 0.875rem 1.125rem }
.full-text .title { font-weight: 600 }
.note, .id { color: var(--soft); font-size: 0.8125rem }
`
