import { writeFileSync } from 'node:fs'
import { type Background, background, explain, shortlist, termStatistics } from '@kith/core'
import { openEmbeddings } from '@kith/ir'
import { TextStore } from '@kith/ir/internal'
import { collectBackground } from '@kith/pipelines/relevance'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browser, browserOfFile } from '../../../test/browser.ts'
import { temporaryFolder } from '../../../test/files.ts'
import { QueryContext } from '../page/model/query-context.ts'
import { exportStudio } from '../src/export-studio.ts'
import { type Studio, StudioCollection, startStudio } from '../src/index.ts'
import { type CollectionFiles, writeCollection } from './studio-files.ts'

const withBrowser = browserOfFile()
let files: CollectionFiles
let collection: StudioCollection
let studio: Studio
let known: Background

beforeAll(async () => {
  files = await writeCollection(temporaryFolder())
  known = await collectBackground({ docs: files.docs })
  collection = await StudioCollection.open(files)
  studio = await startStudio(collection)
})
afterAll(async () => {
  await studio.close()
  await collection.close()
})

/** The inputs of a ranking of a query, with raw texts. */
async function wholeQuery(id: string) {
  const source = collection.context(id, 1000, false)
  const context = new QueryContext(source)
  const { vectors } = context.candidates(undefined)
  await using texts = await TextStore.open(files.corpus)
  return {
    query: { ...context.query(undefined), text: source.query.text! },
    candidates: { vectors, texts: source.documents.map(({ text }) => text!) },
    statistics: termStatistics([...texts].map(({ text }) => text)),
    documents: source.documents,
  }
}

async function withPage(address: string, use: (page: Page) => Promise<void>): Promise<void> {
  await withBrowser(async (context) => {
    const page = await context.newPage()
    await page.goto(address)
    await page.locator('.ranking.after li').first().waitFor()
    await use(page)
  })
}

const gauge = (page: Page): Promise<number> =>
  page.getByLabel('On topic').evaluate((meter) => (meter as HTMLMeterElement).value)

test('finds the background beside the embeddings, unless it belongs to other documents', async () => {
  expect(collection.info.background).toBe(true)
  expect(collection.background?.sample).toBe(known.sample)
  const other = await writeCollection(temporaryFolder())
  await using without = await StudioCollection.open(other)
  expect(without.info.background).toBe(false)
  await using docs = await openEmbeddings(files.docs)
  const few = background(Array.from({ length: 9 }, (_, row) => docs.gather([row])))
  writeFileSync(`${other.docs}.background.json`, JSON.stringify(few))
  await using stale = await StudioCollection.open(other)
  expect(stale.info.background).toBe(false)
})

describe.skipIf(!browser)('relevance on the page', () => {
  test('shows how on topic a query is, and grays the hits below the automatic cutoff', async () => {
    const { query, candidates, statistics, documents } = await wholeQuery('q1')
    const list = shortlist(query, candidates, { statistics, background: known, cutoff: 'auto' })
    expect(list.hits.length).toBeLessThan(20)
    await withPage(`${studio.url}?query=q1`, async (page) => {
      expect(await gauge(page)).toBeCloseTo(list.onTopic!, 5)
      const kept = page.locator('.ranking.after li:not(.below-cutoff) .text')
      const ids = (await kept.allInnerTexts()).map((text) => text.split(':')[0])
      expect(ids).toEqual(list.hits.map(({ index }) => documents[index]!.id))
      const first = page.locator('.ranking.after li.below-cutoff.first')
      expect(await first.locator('.rank').innerText()).toBe(String(list.hits.length + 1))
      await page.locator('.ranking.after button').first().click()
      const relevance = page.locator('.explanation dd').first()
      const percent = Math.round(list.hits[0]!.relevance! * 100)
      expect(await relevance.innerText()).toBe(`${percent}%`)
    })
  })

  test('underlines the best window, and shows the parts of window and title', async () => {
    const { query, candidates, statistics } = await wholeQuery('q2')
    await withPage(`${studio.url}?query=q2`, async (page) => {
      const button = page.locator('.ranking.after button').first()
      const document = Number(await button.getAttribute('data-document'))
      const { window, parts } = explain(query, candidates, document, { statistics })
      const { start, end } = window!.text!
      await button.click()
      const underlined = page.locator('.explanation .full-text .best-window')
      expect(await underlined.innerText()).toBe(candidates.texts[document]!.slice(start, end))
      expect(await underlined.locator('mark').count()).toBeGreaterThan(0)
      const facts = await page.locator('.explanation .facts').innerText()
      const shown = (value: number): string => value.toFixed(3).replace('-', '−')
      expect(facts).toContain(`Window\n${shown(parts.window)}`)
      expect(facts).toContain(`Title\n${shown(parts.title)}`)
    })
  })

  test('names the command that makes a missing background', async () => {
    await using without = await StudioCollection.open(await writeCollection(temporaryFolder()))
    await using server = await startStudio(without)
    await withPage(server.url, async (page) => {
      expect(await page.locator('.note.background').innerText()).toContain('kith background --docs')
      expect(await page.getByLabel('On topic').count()).toBe(0)
      expect(await page.locator('.below-cutoff').count()).toBe(0)
    })
  })

  test('uses the estimates of the whole corpus in an export', async () => {
    const folder = temporaryFolder()
    await exportStudio(collection, folder)
    let live = 0
    await withPage(`${studio.url}?query=q2`, async (page) => {
      live = await gauge(page)
    })
    await withPage(`file://${folder}/index.html?query=q2`, async (page) => {
      expect(await gauge(page)).toBeCloseTo(live, 2)
    })
  })

  test('uses the stems of other languages in the mean over all queries', async () => {
    await withPage(`${studio.url}?tokenizer=german`, async (page) => {
      const caption = page.locator('.mean figcaption')
      await expect.poll(() => caption.innerText()).toContain('all 7 judged')
      expect(await page.getByRole('alert').count()).toBe(0)
    })
  })
})
