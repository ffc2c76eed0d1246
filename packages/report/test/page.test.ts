import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { browser, browserOfFile } from '../../../test/browser.ts'
import { temporaryFolder } from '../../../test/files.ts'
import { type ReportData, renderReport, standaloneSvg } from '../src/index.ts'
import { drawFigure } from '../src/plots/figure.ts'
import { Collection, figures, ids } from './support.ts'

const withBrowser = browserOfFile()

const folder = temporaryFolder()

/** Opens a report and hands it to a function; errors and requests of the page fail the test. */
async function withReport(data: ReportData, use: (page: Page) => Promise<void>): Promise<void> {
  await withBrowser((context) => openReport(context, data, use))
}

async function openReport(
  context: BrowserContext,
  data: ReportData,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const file = join(folder, 'report.html')
  writeFileSync(file, renderReport(data))
  const page = await context.newPage()
  const [problems, requests]: [string[], string[]] = [[], []]
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => problems.push(message.text()))
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(pathToFileURL(file).href)
  await use(page)
  expect(problems).toEqual([])
  expect(requests).toEqual([pathToFileURL(file).href])
  await page.close()
}

const column = (page: Page, name: string) =>
  page.locator(`.queries tbody td.${name}`).allInnerTexts()
const numbers = async (page: Page, name: string) =>
  (await column(page, name)).map((text) => Number(text.replace('−', '-').replace('+', '')))
const head = (page: Page, name: string) => page.locator(`.queries th.${name} button`)
const falling = (values: number[]) => values.toSorted((a, b) => b - a)

describe.skipIf(!browser)('the report in a browser', () => {
  test('sorts by any column, by mouse and by keyboard', async () => {
    await withReport(new Collection(ids(30)).report(), async (page) => {
      const gains = await numbers(page, 'gain')
      expect(gains.length).toBe(30)
      expect(new Set(gains).size).toBeGreaterThan(5)
      // Bars stand below each other, however many characters the figures beside them have.
      const lefts = (bars: Element[]) => [
        ...new Set(bars.map((bar) => Math.round(bar.getBoundingClientRect().left))),
      ]
      await page.setViewportSize({ width: 1280, height: 900 })
      expect(await page.locator('.track').evaluateAll(lefts)).toHaveLength(1)
      expect(await page.locator('.measures .bar').evaluateAll(lefts)).toHaveLength(1)
      expect(gains).toEqual(falling(gains))
      await head(page, 'gain').click()
      expect(await numbers(page, 'gain')).toEqual(falling(gains).reverse())
      expect(await page.locator('.queries th.gain').getAttribute('aria-sort')).toBe('ascending')
      await head(page, 'before').focus()
      await page.keyboard.press('Enter')
      const before = await numbers(page, 'before')
      expect(before).toEqual(falling(before))
      expect(before[0]).toBeGreaterThan(before.at(-1)!)
      await head(page, 'query').click()
      const named = await page.locator('.queries td.query .id').allInnerTexts()
      expect(named).toEqual(ids(30))
    })
  })

  test('filters queries by their words and by their outcome', async () => {
    const data = new Collection(ids(30)).report()
    const worse = data.queries!.rows.filter((row) => row.after < row.before).length
    expect(worse).toBeGreaterThan(3)
    await withReport(data, async (page) => {
      await page.getByRole('button', { name: /^worse/ }).click()
      const gains = await numbers(page, 'gain')
      expect(gains.length).toBe(worse)
      expect(Math.max(...gains)).toBeLessThan(0)
      await page.getByRole('button', { name: /^all/ }).click()
      await page.getByRole('searchbox').fill('Q1')
      expect((await column(page, 'query')).length).toBe(11)
      expect(await page.getByRole('status').innerText()).toBe('11 of 11 queries')
      await page.getByRole('searchbox').fill('nothing like it')
      expect(await page.getByRole('status').innerText()).toBe('No query matches.')
    })
  })

  test('opens a query with its text and both rankings, judgments and moves', async () => {
    const data = new Collection(ids(30)).report()
    const { rows, documents } = data.queries!
    await withReport(data, async (page) => {
      const toggle = page.locator('.queries td.query button').first()
      const id = await toggle.locator('.id').innerText()
      const row = rows.find((row) => row.id === id)!
      await toggle.focus()
      await page.keyboard.press('Enter')
      expect(await toggle.getAttribute('aria-expanded')).toBe('true')
      const detail = page.locator('tr.detail')
      expect(await detail.locator('.full').innerText()).toBe(`the text of ${id}`)
      for (const side of [0, 1] as const) {
        const list = detail.locator('ol').nth(side)
        const expected = row.rankings[side].map(({ document }) => documents[document]!.id)
        expect(await list.locator('.id').allInnerTexts()).toEqual(expected)
        expect(await list.locator('li.relevant').count()).toBe(
          row.rankings[side].filter(({ grade }) => (grade ?? 0) >= 1).length,
        )
      }
      const moves = row.rankings[1].map(({ other }, i) => other! - (i + 1))
      expect(await detail.locator('ol').nth(1).locator('.move').allInnerTexts()).toEqual(
        moves.map((up) => (up > 0 ? `↑${up}` : up < 0 ? `↓${-up}` : '')),
      )
      await page.keyboard.press('Enter')
      expect(await detail.count()).toBe(0)
    })
  })

  test('shows a few of 5,000 queries at first, and more on demand', async () => {
    await withReport(new Collection(ids(5000)).report(), async (page) => {
      const rows = page.locator('.queries tbody tr')
      expect(await rows.count()).toBe(50)
      await page.locator('.queries td.query button').first().click()
      await page.getByRole('button', { name: 'Show 200 more' }).click()
      // What was open stays open.
      expect(await rows.count()).toBe(251)
      await page.getByRole('searchbox').fill('q4999')
      expect(await rows.count()).toBe(1)
    })
  })

  test('shows hostile ids, texts and names as text, and runs nothing of them', async () => {
    const evil = `</script><script>window.hacked=1</script>"'><img src=x onerror=window.hacked=1>\u2028\u202e`
    const collection = new Collection(
      [`q${evil}`, 'q2'],
      (document) => `${evil}${document}`,
      (id) => `${id} \ud800 ${evil}`,
    )
    const data = collection.report([evil, `after${evil}`])
    const bad: ReportData = {
      ...data,
      title: evil,
      collection: evil,
      about: evil,
      inputs: [{ what: evil, file: evil, size: evil }],
      settings: { [evil]: evil, list: [evil] },
      versions: { [evil]: evil },
      commands: [evil],
      generatedAt: evil,
      figures: [{ kind: 'gains', measure: evil, gains: [1] }],
    }
    await withReport(bad, async (page) => {
      await page.getByRole('searchbox').fill('q<')
      await page.getByRole('searchbox').fill('')
      for (const toggle of await page.locator('.queries td.query button').all())
        await toggle.click()
      expect(await page.locator('tr.detail').count()).toBe(2)
      expect(await page.evaluate('window.hacked')).toBeUndefined()
      expect(await page.locator('img').count()).toBe(0)
      expect(await page.locator('script').count()).toBe(2)
      expect(await page.title()).toContain('</script><script>window.hacked=1</script>')
      const shown = await page.locator('.rankings .id').first().textContent()
      expect(shown!.startsWith(evil)).toBe(true)
      expect(await page.evaluate(widths)).toBeLessThanOrEqual(0)
    })
  })

  test('draws a single figure as wide as the page', async () => {
    await withReport({ title: 'Curves', figures: [figures[0]!.figure] }, async (page) => {
      await page.setViewportSize({ width: 1280, height: 900 })
      const main = (await page.locator('main').boundingBox())!
      const plot = (await page.locator('figure svg:visible').boundingBox())!
      expect(plot.width).toBeGreaterThan(0.8 * main.width)
      expect(await page.locator('h2').allInnerTexts()).toHaveLength(1)
    })
  })

  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [800, 'light'],
    [400, 'light'],
    [400, 'dark'],
  ] as const)('fits a page of %d pixels, %s', async (width, colorScheme) => {
    const data = new Collection(ids(60)).report([
      'as-retrieved-by-a-long-name.trec',
      'reranked.trec',
    ])
    await withReport(data, async (page) => {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await page.locator('.queries td.query button').first().click()
      expect(await page.evaluate(widths)).toBeLessThanOrEqual(0)
      expect(await page.locator('figure svg:visible').count()).toBe(figures.length + 1)
      expect(await page.evaluate(labelTroubles)).toEqual([])
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      expect(ground).toBe(colorScheme === 'light' ? 'rgb(253, 253, 251)' : 'rgb(20, 23, 26)')
    })
  })

  test('prints in light colors, with plots, without controls, and expands nothing', async () => {
    await withReport(new Collection(ids(60)).report(), async (page) => {
      await page.setViewportSize({ width: 690, height: 900 })
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      expect(await page.locator('.controls:visible, #query-table > button:visible').count()).toBe(0)
      expect(await page.locator('tr.detail').count()).toBe(0)
      expect(await page.locator('figure svg:visible').count()).toBe(figures.length + 1)
      expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe(
        'rgb(29, 33, 37)',
      )
      expect(await page.evaluate(widths)).toBeLessThanOrEqual(0)
    })
  })

  test('contains plots that a strict XML parser reads', async () => {
    await withBrowser(async (context) => {
      const page = await context.newPage()
      const files = figures.map(({ figure }) => standaloneSvg(drawFigure(figure)))
      const hostile = standaloneSvg(
        drawFigure({ kind: 'gains', measure: '<&"\'\u0000\ud800', gains: [1] }),
      )
      const broken = await page.evaluate(
        (sources) =>
          sources.map((source) => {
            const made = new DOMParser().parseFromString(source, 'image/svg+xml')
            return made.querySelector('parsererror') !== null
          }),
        [...files, hostile, '<svg><a></svg>'],
      )
      // The last one shows that the parser does see mistakes.
      expect(broken).toEqual([...files.map(() => false), false, true])
    })
  })
})

/** By how much the page is wider than the window. */
function widths(): number {
  return document.documentElement.scrollWidth - window.innerWidth
}

/** Labels of visible plots that are cut off, too small to read, or run into each other. */
function labelTroubles(): string[] {
  return [...document.querySelectorAll('figure svg')].flatMap((svg) => {
    const around = svg.getBoundingClientRect()
    if (around.width === 0) return []
    const labels = [...svg.querySelectorAll('text')]
      .map((text) => ({ name: text.textContent, box: text.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0)
    const troubles = labels.flatMap(({ name, box }, i) => {
      const cut = box.left < around.left - 1 || box.right > around.right + 1
      const small = box.height < 11
      const hit = labels
        .slice(i + 1)
        .find(
          ({ box: other }) =>
            box.left < other.right - 1 &&
            other.left < box.right - 1 &&
            box.top < other.bottom - 3 &&
            other.top < box.bottom - 3,
        )
      return [
        ...(cut ? [`${name} is cut off`] : []),
        ...(small ? [`${name} is small`] : []),
        ...(hit ? [`${name} runs into ${hit.name}`] : []),
      ]
    })
    return troubles.map((trouble) => `${svg.getAttribute('aria-label')!.slice(0, 40)}: ${trouble}`)
  })
}
