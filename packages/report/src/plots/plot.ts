import { type PlotOptions, plot } from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import type { Shape } from '../data/shape.ts'
import { escaped } from '../html.ts'
import { type Color, drawLegend, type LegendEntry, palette } from './axes.ts'

/** A plot to draw: one panel, or several below each other. */
export interface Picture {
  /** The subject of the picture in a few words; its name for screen readers. */
  title: string
  /** The finding of the picture, in a sentence or two. */
  description: string
  legend?: readonly LegendEntry[]
  panels: readonly (PlotOptions & { height: number })[]
}

/** A kind of figure: the shape of its data, and the function that turns the data into a picture. */
export interface FigureKind<Figure> {
  shape: Shape
  picture: (figure: Figure, width: number) => Picture
}

/** The size of a plot. */
export interface PlotSize {
  /** The width in CSS pixels. Text keeps its size: a narrow plot is drawn narrow, not scaled. */
  width?: number | undefined
}

/** The font size in pixels. */
const FONT_SIZE = 12

/** Draws a figure as an `<svg>` element for a page that defines the palette's colors. */
export function draw<Figure>(
  { shape, picture }: FigureKind<Figure>,
  figure: Figure,
  { width = 540 }: PlotSize = {},
): string {
  shape(figure, 'figure')
  return drawPicture(picture(figure, width), width)
}

function drawPicture(picture: Picture, width: number): string {
  const { title, description, panels } = picture
  const legend = drawLegend(picture.legend ?? [], width)
  let height = legend.height
  const parts = panels.map((panel) => {
    const part = `<g transform="translate(0,${height})">${drawPanel(panel, width)}</g>`
    height += panel.height
    return part
  })
  const root = [
    'xmlns="http://www.w3.org/2000/svg" role="img"',
    `aria-label="${escaped(`${title}. ${description}`)}"`,
    `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    `font-family="system-ui, sans-serif" font-size="${FONT_SIZE}" text-anchor="middle"`,
    'fill="currentColor"',
  ].join(' ')
  const source = `<svg ${root}><title>${escaped(title)}</title>${legend.source}${parts.join('')}</svg>`
  // Characters that XML does not allow would make a standalone file unreadable.
  return source.replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
}

/**
 * Turns an `<svg>` element into a separate file. Colors become plain light colors, which every
 * program understands; a browser in dark mode shows dark colors.
 *
 * ```ts
 * writeFileSync('gains.svg', standaloneSvg(svg))
 * ```
 */
export function standaloneSvg(svg: string): string {
  const used = Object.entries(palette).filter(([name]) => svg.includes(`"var(--${name})"`))
  const dark = used.flatMap(([, { light, dark }]) =>
    ['fill', 'stroke'].map((name) => `[${name}="${light}"] { ${name}: ${dark} }`),
  )
  const root = (side: keyof Color) =>
    `:root { background: ${palette.ground[side]}; color: ${palette.ink[side]} }`
  const style = `${root('light')} @media (prefers-color-scheme: dark) { ${root('dark')} ${dark.join(' ')} }`
  const plain = used.reduce(
    (source, [name, { light }]) => source.replaceAll(`"var(--${name})"`, `"${light}"`),
    svg,
  )
  return `${plain.replace('>', ` color="${palette.ink.light}"><style>${style}</style>`)}\n`
}

function drawPanel(panel: Picture['panels'][number], width: number): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  const element = plot({
    marginLeft: 52,
    marginRight: 24,
    marginTop: 28,
    marginBottom: 46,
    ...panel,
    // The label is below the numbers, where it cannot overlap them.
    x: { labelAnchor: 'center', labelArrow: 'none', labelOffset: 38, ...panel.x },
    width,
    document,
    // Without a fixed class name, Plot generates a random one for its style sheet.
    className: 'plot',
  })
  element.querySelector('style')?.remove()
  for (const part of element.querySelectorAll('*')) roundCoordinates(part)
  return element.innerHTML
}

/** Rounds coordinates to hundredths of a pixel, which makes the file half as large. */
function roundCoordinates(element: Element): void {
  for (const attribute of element.attributes) {
    if (!/\.\d{3}/.test(attribute.value)) continue
    const round = (match: string) => String(Number(Number(match).toFixed(2)))
    attribute.value = attribute.value.replace(/-?\d+\.\d{3,}(?:e-?\d+)?/g, round)
  }
}
