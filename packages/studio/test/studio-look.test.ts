import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browser, browserOfFile } from '../../../test/browser.ts'
import { temporaryFolder } from '../../../test/files.ts'
import { type Studio, StudioCollection, startStudio } from '../src/index.ts'
import { writeCollection } from './studio-files.ts'

const withBrowser = browserOfFile()

let collection: StudioCollection
let studio: Studio

beforeAll(async () => {
  collection = await StudioCollection.open(await writeCollection(temporaryFolder()))
  studio = await startStudio(collection)
})
afterAll(async () => {
  await studio.close()
  collection.close()
})

/** Each view, and what tells that it is there. */
const views: Record<string, string> = {
  query: '.ranking.after li',
  neighborhood: '.members li',
  labels: '.targets tbody tr',
  audit: '.candidate',
}

async function open(page: Page, view: string): Promise<void> {
  await page.goto(new URL(`/?view=${view}&query=q1&trust=0.2`, studio.url).href)
  await page.locator(views[view]!).first().waitFor()
}

/** Opens what is closed at first: more settings, and why a document stands where it stands. */
async function unfold(page: Page, view: string): Promise<void> {
  if (view === 'audit') return
  const sheet = page.getByRole('button', { name: 'Settings' })
  const isPhone = await sheet.isVisible()
  if (isPhone) await sheet.click()
  await page.getByText('More settings', { exact: true }).click()
  if (isPhone) await page.keyboard.press('Escape')
  if (view !== 'query') return
  await page.locator('.ranking.after button').first().click()
  await page.locator('.explanation mark').first().waitFor()
}

/** Texts whose color is too near to what lies behind them: their words and their contrast. */
function faintTexts(): string[] {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!
  const rgba = (color: string): number[] => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = color
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const luminance = ([r, g, b]: number[]): number => {
    const linear = [r!, g!, b!].map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!
  }
  const behind = (element: Element | null): number[] => {
    if (!element) return rgba('white')
    const own = rgba(getComputedStyle(element).backgroundColor)
    return own[3] === 255 ? own : behind(element.parentElement)
  }
  const faint: string[] = []
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some(
      (node) => node.nodeType === 3 && node.nodeValue!.trim(),
    )
    // What cannot be chosen may be fainter; what is only read aloud has no color.
    if (!own || element.closest(':disabled, .visually-hidden')) continue
    if (!element.checkVisibility()) continue
    const pair = [rgba(getComputedStyle(element).color), behind(element)].map(luminance)
    const contrast = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05)
    if (contrast < 4.5) faint.push(`${element.textContent} ${contrast.toFixed(2)}`)
  }
  return faint
}

/** Frames in which the pointer moves over the picture. */
const FRAMES = 120

describe.skipIf(!browser)('every view of the studio', () => {
  test('fits screens from 390 pixels to 4K', async () => {
    await withBrowser(async (context) => {
      const page = await context.newPage()
      for (const view of Object.keys(views)) {
        for (const width of [390, 1280, 3840]) {
          await page.setViewportSize({ width, height: width > 2000 ? 2160 : 800 })
          await open(page, view)
          await unfold(page, view)
          const wide = await page.evaluate(() => document.documentElement.scrollWidth)
          expect([view, width, wide]).toEqual([view, width, width])
          if (view !== 'audit') continue
          // The buttons of judging stand in one row, on a phone too.
          const tops = await page
            .locator('.judging .bar button')
            .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top))
          expect([width, tops.length, new Set(tops).size]).toEqual([width, 7, 1])
        }
      }
    })
  })

  test('shows the legend above the lists that it explains', async () => {
    await withBrowser(async (context) => {
      const page = await context.newPage()
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 900 })
        await open(page, 'query')
        const legend = (await page.locator('.legend').boundingBox())!
        const lists = (await page.locator('.rankings').boundingBox())!
        expect(legend.y + legend.height).toBeLessThan(lists.y)
      }
    })
  })

  test('shows the settings as a sheet over the lower half on a phone', async () => {
    await withBrowser(async (context) => {
      const page = await context.newPage()
      await page.setViewportSize({ width: 390, height: 844 })
      await open(page, 'query')
      const settings = page.locator('#settings')
      expect(await settings.isVisible()).toBe(false)
      await page.getByRole('button', { name: 'Settings' }).click()
      const sheet = (await settings.boundingBox())!
      expect([sheet.x, sheet.width, sheet.y + sheet.height]).toEqual([0, 390, 844])
      expect(sheet.y).toBeGreaterThan(844 / 3)
      // The ranking is seen above it, and follows.
      const ids = (): Promise<string[]> => page.locator('.ranking.after .text').allInnerTexts()
      const before = await ids()
      await page.getByRole('slider', { name: /^BM25 weight/ }).fill('1')
      await expect.poll(ids).not.toEqual(before)
      const first = (await page.locator('.ranking.after li').first().boundingBox())!
      expect(first.y + first.height).toBeLessThan(sheet.y)
      await page.getByRole('button', { name: 'Done' }).click()
      expect(await settings.isVisible()).toBe(false)
    })
  })

  test('has readable contrast in light and dark', async () => {
    await withBrowser(async (context) => {
      const page = await context.newPage()
      for (const view of Object.keys(views)) {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await open(page, view)
          await unfold(page, view)
          expect([view, colorScheme, await page.evaluate(faintTexts)]).toEqual([
            view,
            colorScheme,
            [],
          ])
        }
      }
      // The switch goes against the system, and is remembered.
      const ground = (): Promise<string> =>
        page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      const dark = await ground()
      await page.getByRole('button', { name: 'Theme: auto. Switch to light' }).click()
      const light = await ground()
      expect(light).not.toBe(dark)
      await page.reload()
      expect(await ground()).toBe(light)
    })
  })

  test('has a name for every control, and a visible focus', async () => {
    await withBrowser(async (context) => {
      const page = await context.newPage()
      for (const view of Object.keys(views)) {
        await open(page, view)
        const nameless = await page.evaluate(() =>
          [...document.querySelectorAll<HTMLInputElement>('input, select, button, a')]
            .filter((control) => {
              const labels = [...(control.labels ?? [])].map((label) => label.textContent)
              const name = control.getAttribute('aria-label') ?? labels.join('')
              return !(name || control.textContent!.trim())
            })
            .map((control) => control.outerHTML),
        )
        expect(nameless).toEqual([])
        for (let i = 0; i < 12; i++) {
          await page.keyboard.press('Tab')
          const outline = await page.evaluate(() => {
            const { activeElement } = document
            const shown = activeElement!.matches('.segments input')
              ? activeElement!.nextElementSibling!
              : activeElement!
            return getComputedStyle(shown).outlineStyle
          })
          expect(outline).not.toBe('none')
        }
      }
    })
  })

  test('draws a thousand candidates fast enough to follow the pointer', async () => {
    await withBrowser(async (context) => {
      const page = await context.newPage()
      await page.goto(new URL('/?view=neighborhood&contextSize=1000', studio.url).href)
      const graph = page.locator('.graph')
      await graph.waitFor()
      await page.locator('.mean[aria-busy=false]').waitFor()
      const box = (await graph.boundingBox())!
      const busy = await threadSeconds(page)
      const before = await busy()
      let measuring = true
      const frames = page.evaluate(async (count) => {
        for (let i = 0; i < count; i++) await new Promise(requestAnimationFrame)
      }, FRAMES)
      const end = frames.finally(() => {
        measuring = false
      })
      let looked = 0
      for (let i = 0; measuring; i++) {
        const [x, y] = [30 + ((i * 13) % (box.width - 60)), 30 + ((i * 7) % (box.height - 60))]
        await page.mouse.move(box.x + x, box.y + y)
        if ((await page.locator('.panel .kind').innerText()).startsWith('Under')) looked++
      }
      expect(looked).toBeGreaterThan(10)
      await end
      // A frame is 16.7 ms; other work on the machine takes no CPU time of the page.
      const each = (await busy()) - before
      console.log(
        `1,000 candidates: ${((1000 * each) / FRAMES).toFixed(1)} ms of CPU time per frame`,
      )
      expect(each / FRAMES).toBeLessThan(1 / 60)
    })
  })
})

/** Measures the CPU time of the thread that draws a page. */
async function threadSeconds(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value
  }
}
