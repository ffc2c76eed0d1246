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

/** The colors of the drawing, as the page's style has them now. */
export type Colors = Record<(typeof names)[number], string>

/** Reads the colors of the current theme; a canvas knows no custom properties. */
export function readColors(): Colors {
  const sample = document.body.appendChild(document.createElement('span'))
  const colors = {} as Colors
  for (const name of names) {
    sample.style.color = `var(--${name})`
    colors[name] = getComputedStyle(sample).color
  }
  sample.remove()
  return colors
}
