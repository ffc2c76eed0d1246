/** The few shapes that the pictures are made of, in the colors of docs/picture.svg. */
export const ink = '#3d4b5c'
export const good = '#0f7f5f'
export const bad = '#c2542d'
export const gray = '#b8c2cc'

const round = (value) => Number(value.toFixed(1))

/** A picture with a ground of its own, so that it reads on light and dark pages. */
export function picture(width, height, label, parts) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" role="img" aria-label="${label}">
<style>.letter{fill:#fff;font-size:13px;font-weight:600;text-anchor:middle}.note{fill:${ink};font-size:16px}</style>
<rect width="${width}" height="${height}" rx="12" fill="#f6f8fa"/>
${parts.join('\n')}
</svg>
`
}

/** A document. */
export function dot(x, y, color, letter, radius = 12) {
  const circle = `<circle cx="${round(x)}" cy="${round(y)}" r="${radius}" fill="${color}"/>`
  return letter ? circle + letterAt(x, y, letter) : circle
}

/** The query. */
export function square(x, y, letter) {
  return box(x - 13, y - 13, 26, 26, ink) + letterAt(x, y, letter)
}

/** A bar, or a cell. */
export function box(x, y, width, height, color) {
  const place = `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`
  return `<rect ${place} rx="${Math.min(5, round(width) / 2)}" fill="${color}"/>`
}

/** A line between neighbors; solid when it goes both ways. */
export function line([x1, y1], [x2, y2], mutual) {
  const ends = `x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"`
  const look = mutual
    ? `stroke="${ink}" stroke-width="2"`
    : `stroke="${bad}" stroke-width="2" stroke-dasharray="4 4" opacity="0.7"`
  return `<line ${ends} ${look}/>`
}

/** A remark. */
export function text(x, y, words, anchor = 'start') {
  return `<text x="${round(x)}" y="${round(y)}" class="note" text-anchor="${anchor}">${words}</text>`
}

function letterAt(x, y, letter) {
  return `<text x="${round(x)}" y="${round(y + 4.5)}" class="letter">${letter}</text>`
}
