import type { Neighborhood } from './explore.ts'

/** Everything that the drawing shows; rows count from the query, which is 0. */
export interface Scene {
  /** x and y of each row, in pixels of the page. */
  places: Float32Array
  neighborhood: Neighborhood
  /** The place of each row in the new ranking; −1 for the query. */
  ranks: Int32Array
  relevant: boolean[]
  labels: string[]
  width: number
  height: number
  /** The size of the page's letters in pixels. */
  em: number
}

/** Lines that are stroked at a time: one path of ten thousand takes far longer than many short ones. */
const TOGETHER = 256
/** Documents that are named in the picture. */
const NAMED = 8

/** Draws the parts that change only with query and settings: edges and documents. */
export function drawGraph(ctx: CanvasRenderingContext2D, scene: Scene, colors: Colors): void {
  ctx.clearRect(0, 0, scene.width, scene.height)
  const crowded = scene.ranks.length > 300
  ctx.strokeStyle = colors.edge
  ctx.lineWidth = scene.em / 16
  ctx.globalAlpha = crowded ? 0.1 : 0.22
  strokePairs(ctx, scene.places, scene.neighborhood.oneWay)
  ctx.globalAlpha = crowded ? 0.35 : 0.7
  strokePairs(ctx, scene.places, scene.neighborhood.mutual)
  ctx.globalAlpha = 1
  // Documents with the best ranks lie on top.
  const rows = [...scene.ranks.keys()].sort((a, b) => scene.ranks[b]! - scene.ranks[a]!)
  for (const row of rows) drawRow(ctx, scene, colors, row)
}

/**
 * Draws the parts that follow the pointer: the document under the pointer or else the probe, and
 * its neighbors; above all, names.
 */
export function drawFocus(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  colors: Colors,
  { probe, looked }: { probe: number; looked: number | undefined },
): void {
  ctx.clearRect(0, 0, scene.width, scene.height)
  const focus = looked ?? probe
  const { reciprocal, extended } = scene.neighborhood
  const pairs = (rows: readonly number[]): [number, number][] => rows.map((row) => [focus, row])
  ctx.strokeStyle = colors.violet
  ctx.lineWidth = scene.em / 11
  ctx.setLineDash([scene.em / 5, scene.em / 4])
  strokePairs(ctx, scene.places, pairs(extended[focus]!))
  ctx.setLineDash([])
  ctx.lineWidth = scene.em / 8
  strokePairs(ctx, scene.places, pairs(reciprocal[focus]!))
  for (const row of [...extended[focus]!, ...reciprocal[focus]!]) {
    drawRow(ctx, scene, colors, row)
    ring(ctx, scene, row, { gap: 1 / 8, color: colors.violet, width: 1 / 11 })
  }
  drawRow(ctx, scene, colors, probe)
  ring(ctx, scene, probe, { gap: 1 / 4, color: colors.ink, width: 1 / 8 })
  drawNames(ctx, scene, colors)
  if (looked === undefined) return
  drawRow(ctx, scene, colors, looked)
  ring(ctx, scene, looked, { gap: 1 / 4, color: colors.violet, width: 1 / 6 })
  drawName(ctx, scene, colors, looked)
}

/** The row under a point, undefined if none is near. */
export function rowAt({ places, em }: Scene, x: number, y: number): number | undefined {
  let best: number | undefined
  let nearest = (1.25 * em) ** 2
  for (let row = 0; row < places.length / 2; row++) {
    const distance = (places[2 * row]! - x) ** 2 + (places[2 * row + 1]! - y) ** 2
    if (distance >= nearest) continue
    nearest = distance
    best = row
  }
  return best
}

function strokePairs(
  ctx: CanvasRenderingContext2D,
  places: Float32Array,
  pairs: readonly (readonly [number, number])[],
): void {
  for (let from = 0; from < pairs.length; from += TOGETHER) {
    ctx.beginPath()
    for (const [a, b] of pairs.slice(from, from + TOGETHER)) {
      ctx.moveTo(places[2 * a]!, places[2 * a + 1]!)
      ctx.lineTo(places[2 * b]!, places[2 * b + 1]!)
    }
    ctx.stroke()
  }
}

/** A document: the higher it ranks, the larger its disc; filled if it is judged relevant. */
function drawRow(ctx: CanvasRenderingContext2D, scene: Scene, colors: Colors, row: number): void {
  ctx.beginPath()
  tracePath(ctx, scene, row, 0)
  if (row === 0) ctx.fillStyle = colors.ink
  else ctx.fillStyle = scene.relevant[row] ? colors.relevant : colors.ground
  ctx.fill()
  ctx.strokeStyle = row === 0 ? colors.ink : scene.relevant[row] ? colors.relevant : colors.soft
  ctx.lineWidth = scene.em / 11
  ctx.stroke()
}

/** A ring around a document; its measures are parts of a letter's size. */
function ring(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  row: number,
  { gap, color, width }: { gap: number; color: string; width: number },
): void {
  ctx.beginPath()
  tracePath(ctx, scene, row, gap)
  ctx.strokeStyle = color
  ctx.lineWidth = width * scene.em
  ctx.stroke()
}

function radiusOf({ ranks, em }: Scene, row: number): number {
  const count = ranks.length
  if (row === 0) return 0.55 * em
  const share = 1 - ranks[row]! / count
  return (count > 300 ? 0.14 + 0.26 * share ** 6 : 0.22 + 0.26 * share ** 3) * em
}

/** A disc, or the query's diamond, larger by a part of a letter's size. */
function tracePath(ctx: CanvasRenderingContext2D, scene: Scene, row: number, gap: number): void {
  const [x, y] = [scene.places[2 * row]!, scene.places[2 * row + 1]!]
  const radius = radiusOf(scene, row) + gap * scene.em
  if (row > 0) {
    ctx.arc(x, y, radius, 0, 2 * Math.PI)
    return
  }
  ctx.moveTo(x, y - radius)
  ctx.lineTo(x + radius, y)
  ctx.lineTo(x, y + radius)
  ctx.lineTo(x - radius, y)
  ctx.closePath()
}

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** Names of the query and the first documents, if they do not cover one another. */
function drawNames(ctx: CanvasRenderingContext2D, scene: Scene, colors: Colors): void {
  const rows = [...scene.ranks.keys()]
    .filter((row) => scene.ranks[row]! < NAMED)
    .sort((a, b) => scene.ranks[a]! - scene.ranks[b]!)
  const taken: Box[] = []
  for (const row of rows) {
    const box = boxOf(ctx, scene, row)
    const leaves = box.left < 0 || box.right > scene.width
    const covers = taken.some(
      (other) =>
        box.left < other.right &&
        box.right > other.left &&
        box.top < other.bottom &&
        box.bottom > other.top,
    )
    if (leaves || covers) continue
    taken.push(box)
    drawName(ctx, scene, colors, row)
  }
}

/** Right of the disc, or left of it if the picture ends. */
function boxOf(ctx: CanvasRenderingContext2D, scene: Scene, row: number): Box {
  const { em, places, labels, width } = scene
  ctx.font = fontOf(em, row)
  const [x, y] = [places[2 * row]!, places[2 * row + 1]!]
  const gap = radiusOf(scene, row) + 0.4 * em
  const length = ctx.measureText(labels[row]!).width
  const left = x + gap + length < width || x < width / 2 ? x + gap : x - gap - length
  return { left, top: y - 0.6 * em, right: left + length, bottom: y + 0.6 * em }
}

function drawName(ctx: CanvasRenderingContext2D, scene: Scene, colors: Colors, row: number): void {
  const { left, top, bottom } = boxOf(ctx, scene, row)
  ctx.textBaseline = 'middle'
  ctx.lineJoin = 'round'
  ctx.strokeStyle = colors.ground
  ctx.lineWidth = 0.3 * scene.em
  ctx.strokeText(scene.labels[row]!, left, (top + bottom) / 2)
  ctx.fillStyle = colors.ink
  ctx.fillText(scene.labels[row]!, left, (top + bottom) / 2)
}

function fontOf(em: number, row: number): string {
  return `${row === 0 ? 600 : 400} ${0.8125 * em}px system-ui, sans-serif`
}

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
type Colors = Record<(typeof names)[number], string>

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
