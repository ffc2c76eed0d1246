const names = [
  'ground',
  'ink',
  'soft',
  'line',
  'edge',
  'gain',
  'loss',
  'violet',
  'relevant',
] as const

/** The colours of the drawing, as the page's style has them now. */
export type Colours = Record<(typeof names)[number], string>

/** Reads the colours of the current theme; a canvas knows no custom properties. */
export function readColours(): Colours {
  const sample = document.body.appendChild(document.createElement('span'))
  const colours = {} as Colours
  for (const name of names) {
    sample.style.color = `var(--${name})`
    colours[name] = getComputedStyle(sample).color
  }
  sample.remove()
  return colours
}
