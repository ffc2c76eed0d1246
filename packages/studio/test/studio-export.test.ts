import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rerank, termStatistics, termStatisticsFromBytes } from '@kith/core'
import { readRun } from '@kith/ir'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browser, browserOfFile } from '../../../test/browser.ts'
import { temporaryFolder } from '../../../test/files.ts'
import { kith, succeed } from '../../cli/test/support.ts'
import { analyze } from '../page/model/analysis.ts'
import { defaultSettings } from '../page/model/page-settings.ts'
import { QueryContext } from '../page/model/query-context.ts'
import { heldSource, readCollection } from '../page/model/source.ts'
import { example, limits, readPasted } from '../page/paste/read-pasted.ts'
import { exportStudio, StudioCollection } from '../src/index.ts'
import type { HeldCollection } from '../src/studio-wire.ts'
import { type CollectionFiles, writeCollection } from './studio-files.ts'

const withBrowser = browserOfFile()
const folder = temporaryFolder()
const made = join(folder, 'made')
let files: CollectionFiles
let collection: StudioCollection
let held: HeldCollection

beforeAll(async () => {
  files = await writeCollection(folder)
  collection = await StudioCollection.open(files)
  await exportStudio(collection, made)
  held = collectionIn(join(made, 'index.html'))
})
afterAll(() => collection.close())

/** The collection that an exported page has within itself. */
function collectionIn(file: string): HeldCollection {
  const found = /<script type="application\/json" id="collection">(.*?)<\/script>/s.exec(
    readFileSync(file, 'utf8'),
  )
  return readCollection(found![1]!)
}

/** Opens a page from the disk, and demands that it asks for nothing else and that nothing goes wrong. */
async function withFile(address: string, use: (page: Page) => Promise<void>): Promise<void> {
  await withBrowser(async (context) => {
    const page = await context.newPage()
    const [problems, requests]: [string[], string[]] = [[], []]
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => problems.push(message.text()))
    page.on('request', (request) => {
      if (!request.url().startsWith('blob:')) requests.push(request.url())
    })
    const url = pathToFileURL(made).href
    await page.goto(`${url}/${address}`)
    await use(page)
    expect(problems).toEqual([])
    expect(new Set(requests.map((one) => one.replace(/\?.*/, '')))).toEqual(
      new Set([`${url}/${address.replace(/\?.*/, '')}`]),
    )
  })
}

describe('a studio export', () => {
  test('contains the contexts of the dataset, in half precision', async () => {
    expect(held.info).toMatchObject({ queries: 8, judged: 7, depth: 200, texts: true, level: 1 })
    expect(held.info.first).toBe(collection.info.first)
    // Whoever gets the page learns no folder of this machine.
    expect(held.info.files).toMatchObject({ run: 'run.trec', qrels: 'qrels.trec' })
    expect(readFileSync(join(made, 'index.html'), 'utf8')).not.toContain(folder)
    const source = heldSource(held)
    expect(await source.judged()).toEqual(expect.arrayContaining(collection.judged()))
    for (const id of ['q2', 'q6', 'q7']) {
      const { vectors, documents, ...rest } = await source.context(id, 200, { truth: true })
      const own = collection.context(id, 200, true)
      expect(rest).toMatchObject({ query: own.query, truth: own.truth, ideal: own.ideal })
      expect([rest.retrieved, rest.missing]).toEqual([own.retrieved, own.missing])
      documents.forEach(({ score, ...document }, i) => {
        const { score: before, ...expected } = own.documents[i]!
        expect(document).toEqual(expected)
        if (before === undefined) expect(score).toBeUndefined()
        else expect(score).toBeCloseTo(before, 4)
      })
      expect(vectors.rows).toBe(own.vectors.rows)
      vectors.data.forEach((value, i) => {
        expect(Math.abs(value - own.vectors.data[i]!)).toBeLessThan(5e-4)
      })
    }
    // Rare words are counted in the whole collection.
    const { documents, frequencies } = termStatisticsFromBytes(await source.statistics('english'))
    const all = collection.statistics('english')
    expect(documents).toBe(all.documents)
    expect(Math.max(...frequencies)).toBe(Math.max(...all.frequencies))
  })

  test('stays below the size limit, and always contains the query that it opens on', async () => {
    const small = join(folder, 'small')
    const { bytes, queries } = await exportStudio(collection, small, { bytes: 1 })
    expect(queries).toBe(1)
    const part = collectionIn(join(small, 'index.html'))
    expect(part.queries[0]!.query.id).toBe(collection.info.first)
    const more = await exportStudio(collection, small, { bytes: 100_000 })
    expect(more.queries).toBeGreaterThan(1)
    expect(more.queries).toBeLessThan(8)
    expect(more.bytes).toBeGreaterThan(bytes)
  })

  test('replaces an earlier export, and no other files', async () => {
    const other = join(folder, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'index.html'), '<h1>Mine</h1>')
    const { run, queries, docs } = files
    const inputs = ['--run', run, '--queries', queries, '--docs', docs]
    const refused = kith('studio', ...inputs, '--export', other)
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${other} has files that are no export`),
    })
    expect(readFileSync(join(other, 'index.html'), 'utf8')).toBe('<h1>Mine</h1>')
    const bare = join(folder, 'bare')
    for (let times = 0; times < 2; times++) {
      expect(succeed('studio', ...inputs, '--export', bare, '--export-size', '1M')).toMatch(
        /index\.html: 8 queries, \d+ documents, \d\.\d MB\n/,
      )
    }
    expect(collectionIn(join(bare, 'index.html'))).toMatchObject({
      info: { texts: false, judged: 0 },
      documents: expect.arrayContaining([{ id: expect.any(String) }]),
    })
    const model = kith('studio', ...inputs, '--export', bare, '--model', 'minilm')
    expect(model).toMatchObject({ code: 2, err: expect.stringContaining('leave out --model') })
  })

  test.skipIf(!browser)(
    'opens from the disk with ranking, means, explanations and audit',
    async () => {
      const source = heldSource(held)
      const context = new QueryContext(
        await source.context('q2', 200),
        termStatisticsFromBytes(await source.statistics('english')),
      )
      const { order } = analyze(context, defaultSettings)
      const expected = Array.from(order.subarray(0, 20), (i) => context.source.documents[i]!.id)
      // Half precision changes hardly anything.
      const exact = (await readRun(files.run)).get('q2')!.ids
      expect(exact.slice(0, 200)).toEqual(
        context.source.documents.slice(0, 200).map(({ id }) => id),
      )
      await withFile('index.html?query=q2', async (page) => {
        const texts = page.locator('.ranking.after .text')
        await texts.first().waitFor()
        expect((await texts.allInnerTexts()).map((text) => text.split(':')[0])).toEqual(expected)
        await page.locator('.mean[aria-busy=false]').waitFor()
        expect(await page.locator('.mean figcaption').innerText()).toContain('all 7 judged queries')
        await page.locator('.ranking.after button').first().click()
        await page.locator('.explanation mark').first().waitFor()
        await page.getByLabel('Search for a query').fill('grove heath')
        await page.getByRole('option', { name: 'grove and heath' }).click()
        await page.getByRole('heading', { name: 'grove and heath' }).waitFor()
        // The address has the state, also of a file.
        await expect.poll(() => new URL(page.url()).searchParams.get('query')).toBe('q6')
        await page.getByRole('link', { name: 'Audit' }).click()
        await page.locator('.candidate .full-text p').first().waitFor()
        await page.getByRole('link', { name: 'Your own data' }).waitFor()
      })
    },
  )
})

describe('pasted data', () => {
  const query = { text: 'red kite', vector: [1, 0] }
  const documents = [
    { id: 'a', text: 'a kite', vector: [0.5, 0], relevant: true },
    { id: 7, text: 'a red kite', embedding: [0.75, 1], relevant: 2 },
    { text: 'a train', vector: [0.25, 0], relevant: false },
  ]

  test('becomes a dataset of one query, nearest first unless scores say otherwise', async () => {
    const pasted = readPasted(JSON.stringify({ query, documents }), 'mine')
    expect(pasted.info).toMatchObject({ name: 'mine', documents: 3, judged: 1, texts: true })
    const context = await heldSource(pasted).context(pasted.info.first, 3)
    expect(context.documents.map(({ id, score, grade }) => [id, score, grade])).toEqual([
      ['a', 1, 1],
      ['document 3', 1, 0],
      ['7', expect.closeTo(0.6), 2],
    ])
    expect(context).toMatchObject({ truth: [0, 2], ideal: [2, 1], retrieved: 3 })
    expect(Array.from(context.vectors.data)).toEqual([1, 0, 0.5, 0, 0.25, 0, 0.75, 1])
    const scored = documents.map((document, i) => ({ ...document, score: i }))
    const other = readPasted(JSON.stringify({ query, documents: scored }), 'mine')
    expect(other.documents.map(({ id }) => id)).toEqual(['document 3', '7', 'a'])
  })

  const wrong = (change: object): string =>
    JSON.stringify({ query, documents: [documents[0], { ...documents[1], ...change }] })
  test.each([
    ['{"query":', /^This is not JSON: .+$/],
    ['[1]', /^The JSON must be an object/],
    ['{}', /^query must be an object/],
    [JSON.stringify({ query }), /"documents" must be a list/],
    [JSON.stringify({ query, documents: Array(1001).fill({}) }), /1001 documents, allowed: 1000/],
    [wrong({ embedding: [1] }), /documents\[1\]\.vector has 1 numbers, the query’s has 2/],
    [wrong({ embedding: [1, 'x'] }), /documents\[1\]\.vector\[1\] is not a number/],
    [wrong({ embedding: [1, 1e300] }), /documents\[1\]\.vector\[1\] is not a number/],
    [wrong({ embedding: [] }), /documents\[1\]\.vector must be a list of 1 to 8192 numbers/],
    [wrong({ text: {} }), /documents\[1\]\.text must be a string/],
    [wrong({ text: undefined }), /documents\[1\] has no text, but others have/],
    [wrong({ text: 'x'.repeat(100_001) }), /100001 characters, allowed: 100000/],
    [wrong({ score: 'high' }), /documents\[1\]\.score must be a number/],
    [wrong({ id: 'a' }), /Two documents have the id "a"/],
    [' '.repeat(limits.characters + 1), /characters, allowed: 33,554,432/],
  ])('is refused with the reason: %.40s', (json, message) => {
    expect(() => readPasted(json, 'mine')).toThrow(message)
  })

  test.skipIf(!browser)('is ranked on a page that may not open connections', async () => {
    const { query: asked, documents: given } = JSON.parse(example)
    const texts: string[] = given.map(({ text }: { text: string }) => text)
    const { order } = rerank(
      asked,
      { texts, vectors: given.map(({ vector }: { vector: number[] }) => vector) },
      { statistics: termStatistics(texts) },
    )
    await withFile('paste.html', async (page) => {
      await page.getByRole('textbox').fill('{ "query": ')
      await page.getByRole('button', { name: 'Rerank' }).click()
      expect(await page.getByRole('alert').innerText()).toContain('This is not JSON')
      await page.getByRole('button', { name: 'Insert an example' }).click()
      await page.getByRole('button', { name: 'Rerank' }).click()
      const after = page.locator('.ranking.after .text')
      await after.first().waitFor()
      expect(await after.allInnerTexts()).toEqual(Array.from(order, (i) => texts[i]))
      await page.locator('.ranking.after button').first().click()
      await page.locator('.explanation mark').first().waitFor()
      const policy = page.locator('meta[http-equiv=Content-Security-Policy]')
      expect(await policy.getAttribute('content')).toContain("connect-src 'none'")
    })
    await withBrowser(async (context) => {
      const page = await context.newPage()
      await page.goto(pathToFileURL(join(made, 'paste.html')).href)
      const sent = await page.evaluate(async () => {
        const refused = new Promise((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) =>
            resolve(event.effectiveDirective),
          )
        })
        fetch('http://127.0.0.1:9/').catch(() => {})
        return refused
      })
      expect(sent).toBe('connect-src')
      // A file that is dropped is read where it is.
      const file = { name: 'mine.json', mimeType: 'application/json', buffer: Buffer.from(example) }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.locator('.ranking.after .text').first().waitFor()
      expect(await page.locator('.collection strong').innerText()).toBe('mine.json')
    })
  })
})
