import { DOMParser } from 'linkedom'
import { describe, expect, test } from 'vitest'
import { type Figure, gainsPlot, standaloneSvg } from '../src/index.ts'
import { palette } from '../src/plots/axes.ts'
import { drawFigure, formatFigures, parseFigures } from '../src/plots/figure.ts'
import { contextSizePlot, settingPlot } from '../src/plots/measure-plots.ts'
import { quantilesPerRank } from '../src/plots/spread-plots.ts'
import { timePlot } from '../src/plots/time-plot.ts'
import { trainingCurves } from '../src/plots/training-curves.ts'
import { figures } from './support.ts'

const parse = (svg: string) => new DOMParser().parseFromString(svg, 'image/svg+xml')

describe.each(figures.map(({ figure, marks }) => [figure.kind, figure, marks] as const))(
  'the figure %s',
  (_, figure, marks) => {
    test('has a mark for each value', () => {
      const svg = parse(drawFigure(figure))
      for (const [selector, count] of Object.entries(marks)) {
        expect([selector, svg.querySelectorAll(selector).length]).toEqual([selector, count])
      }
    })

    test('is drawn the same each time, without generated names', () => {
      const svg = drawFigure(figure)
      expect(drawFigure(structuredClone(figure))).toBe(svg)
      expect(svg).not.toMatch(/ (?:id|class|style)=|url\(|NaN|Infinity|undefined/)
    })

    test('has a name and a description for screen readers', () => {
      const root = parse(drawFigure(figure)).querySelector('svg')!
      expect(root.getAttribute('role')).toBe('img')
      const title = root.querySelector('title')!.textContent!
      expect(title.length).toBeGreaterThan(5)
      expect(root.getAttribute('aria-label')).toMatch(/^.{20,}\.$/)
    })

    test('has plain colors as a file, and dark colors for dark pages', () => {
      const file = standaloneSvg(drawFigure(figure))
      expect(file).not.toContain('var(')
      expect(file).toMatch(
        /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*><style>.*<\/svg>\n$/s,
      )
      expect(file).toContain(
        `@media (prefers-color-scheme: dark) { :root { background: ${palette.ground.dark}`,
      )
    })

    test('is read back from a file unchanged', () => {
      expect(parseFigures(formatFigures([figure]), 'sweep.json')).toEqual([figure])
    })
  },
)

test('uses a different light color for each dark color, so that a file can map them', () => {
  const light = Object.values(palette).map((color) => color.light)
  expect(new Set(light).size).toBe(light.length)
})

test('draws narrow plots with letters of the same size', () => {
  const { figure } = figures[0]!
  const root = (svg: string) => parse(svg).querySelector('svg')!
  const [wide, narrow] = [root(drawFigure(figure)), root(drawFigure(figure, { width: 358 }))]
  expect(narrow.getAttribute('viewBox')).toMatch(/^0 0 358 /)
  expect(narrow.getAttribute('font-size')).toBe(wide.getAttribute('font-size'))
})

test('labels all ticks of logarithmic axes', () => {
  const ticks = [...parse(timePlot(figures[1]!.figure as never)).querySelectorAll('text')].map(
    ({ textContent }) => textContent,
  )
  expect(ticks).toEqual(
    expect.arrayContaining(['5', '10', '20', '50', '100', '200', '500', '1000', '0.1', '1', '10']),
  )
})

test('keeps the order of names', () => {
  const svg = settingPlot(figures[3]!.figure as never)
  const places = ['linear', 'exp', 'binary'].map((name) => svg.indexOf(`>${name}</text>`))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places[0]).toBeGreaterThan(0)
})

test('merges many gains into as many bars as a screen shows, with the same mean', () => {
  const gains = Array.from({ length: 5000 }, (_, i) => Math.sin(i))
  const bars = parse(gainsPlot({ kind: 'gains', measure: 'AP', gains })).querySelectorAll('rect')
  expect(bars.length).toBe(360)
  const falls = [...bars].filter((bar) => bar.getAttribute('fill') === 'var(--loss)').length
  expect(falls / 360).toBeCloseTo(gains.filter((gain) => gain < 0).length / 5000, 1)
})

test('interpolates quantiles in proportion, over lists of different length', () => {
  const lists = [[5, 1], [4], [3, 2], [2], [1]]
  expect(quantilesPerRank(lists)).toEqual([
    { rank: 1, low: 1.2, lower: 2, median: 3, upper: 4, high: 4.8 },
  ])
  expect(quantilesPerRank(lists, { missing: 0 })[1]).toEqual({
    rank: 2,
    low: 0,
    lower: 0,
    median: 0,
    upper: 1,
    high: expect.closeTo(1.8, 9),
  })
  expect(quantilesPerRank([[3, 2, 1]], { ranks: 2 }).length).toBe(2)
})

test('labels round ticks for a constant measure, and no tick between two steps', () => {
  const points = [0, 1, 2].map((step) => ({ step, loss: 3 - step, value: 0.33502712 }))
  const runs = [{ name: 'flat', points }]
  const svg = parse(trainingCurves({ kind: 'training', measure: 'nDCG@10', runs }))
  const labels = [...svg.querySelectorAll('text')].map((text) => text.textContent.trim())
  expect(labels).toContain('0.335')
  expect(labels).toContain('1')
  for (const wrong of ['0.33502712', '0.5']) expect(labels).not.toContain(wrong)
})

test('escapes hostile names, and keeps the file valid XML', () => {
  const name = '</text><script>alert(1)</script>"\'&\u0000\u2028\ud800'
  const points = [{ step: 0, loss: 1, value: 0.5 }]
  const svg = standaloneSvg(
    trainingCurves({ kind: 'training', measure: name, runs: [{ name, points }] }),
  )
  expect(svg).not.toContain('<script')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what XML must not have
  expect(svg).not.toMatch(/[\u0000-\u0008\ud800-\udfff]/)
  expect(parse(svg).querySelectorAll('script').length).toBe(0)
})

describe('refuses figures that cannot be drawn, with the position', () => {
  const base: Figure = figures[0]!.figure
  const refused: readonly [string, object, RegExp][] = [
    [
      'no points',
      { ...base, points: [] },
      /figure\.points must be a list with at least one entry, got \[\]/,
    ],
    [
      'a number that is none',
      { ...base, points: [{ size: 5, mean: Number.NaN }] },
      /figure\.points\[0\]\.mean must be a finite number, got NaN/,
    ],
    [
      'a size of 0',
      { ...base, points: [{ size: 0, mean: 1 }] },
      /points\[0\]\.size must be .*, got 0/,
    ],
    ['no measure', { ...base, measure: undefined }, /figure\.measure must be a text, got nothing/],
    ['an endless name', { ...base, measure: 'x'.repeat(2000) }, /has 2000 characters, the limit/],
  ]
  test.each(refused)('%s', (_, figure, message) => {
    expect(() => contextSizePlot(figure as never)).toThrow(message)
  })

  test.each([
    ['{', /sweep\.json: not JSON/],
    ['{}', /sweep\.json: contains no figures/],
    ['null', /sweep\.json: contains no figures/],
    ['{"kith":"figures","version":2,"figures":[]}', /expected version 1, got 2/],
    [
      '{"kith":"figures","version":1,"figures":[null]}',
      /figure 1: kind must be one of .*, got undefined/,
    ],
    [
      '{"kith":"figures","version":1,"figures":[{"kind":"toString"}]}',
      /kind must be one of context-size/,
    ],
    [
      '{"kith":"figures","version":1,"figures":[{"kind":"gains","measure":"AP","gains":[1,null]}]}',
      /sweep\.json: figure 1\.gains\[1\] must be a finite number, got null/,
    ],
  ])('in the file %s', (text, message) => {
    expect(() => parseFigures(text, 'sweep.json')).toThrow(message)
  })
})

test.each(['light', 'dark'] as const)(
  'draws letters and curves with enough contrast on the %s background',
  (side) => {
    const luminance = (hex: string) =>
      [1, 3, 5]
        .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i]!, 0)
    const { ground, raised, line: _, ...inks } = palette
    for (const [name, ink] of Object.entries(inks)) {
      for (const under of [ground, raised]) {
        const [a, b] = [luminance(ink[side]), luminance(under[side])].toSorted((x, y) => y - x)
        // WCAG asks for 4.5 for letters.
        expect([name, (a! + 0.05) / (b! + 0.05) >= 4.5]).toEqual([name, true])
      }
    }
  },
)
