import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Explanation,
  explain,
  type Member,
  neighbors,
  rerank,
  termStatistics,
} from '@kith/core'
import { evaluate, openEmbeddings, type Run, readLabels, readQrels, readRun } from '@kith/ir'
import { TextStore } from '@kith/ir/internal'
import type { TextModel } from '@kith/server'
import { searchExact } from '@kith/stores'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browser, browserOfFile } from '../../../test/browser.ts'
import { temporaryFolder } from '../../../test/files.ts'
import { succeed } from '../../cli/test/support.ts'
import { QueryContext } from '../page/model/query-context.ts'
import { type Studio, StudioCollection, startStudio } from '../src/index.ts'
import { type CollectionFiles, writeCollection } from './studio-files.ts'

const withBrowser = browserOfFile()

const folder = temporaryFolder()
const at = (name: string): string => join(folder, name)
let files: CollectionFiles
let collection: StudioCollection
let studio: Studio

beforeAll(async () => {
  files = await writeCollection(folder)
  collection = await StudioCollection.open(files)
  studio = await startStudio(collection)
})
afterAll(async () => {
  await studio.close()
  collection.close()
})

const inputs = (): string[] => [
  ...['--run', files.run, '--queries', files.queries, '--docs', files.docs],
  ...['--corpus', files.corpus, '--query-text', files.queryText],
]

/** Opens the page, and demands that nothing goes wrong in it. */
async function withPage(address: string, use: (page: Page) => Promise<void>): Promise<void> {
  await withBrowser(async (context) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text())
    })
    await page.goto(new URL(address, studio.url).href)
    await use(page)
    expect(problems).toEqual([])
  })
}

/** A query with its candidates and their texts as they are in the files. */
function wholeQuery(id: string) {
  const source = collection.context(id, 1000, false)
  const context = new QueryContext(source)
  const { vectors } = context.candidates(undefined)
  return {
    ids: source.documents.map((document) => document.id),
    query: { ...context.query(undefined), text: source.query.text! },
    candidates: { vectors, texts: source.documents.map(({ text }) => text!) },
  }
}

/** The statistics of the corpus, counted here. */
async function countTerms() {
  await using texts = await TextStore.open(files.corpus)
  return termStatistics([...texts].map(({ text }) => text))
}

/** The run that `kith rerank` makes with some options. */
async function reranked(name: string, ...options: string[]): Promise<Run> {
  succeed('rerank', ...inputs(), ...options, '--out', at(name))
  return readRun(at(name))
}

const numberOf = (text: string): number => Number(text.replace('−', '-'))

/** The ids of the ranking after, and the scores; each text begins with its id. */
async function rankingAfter(page: Page): Promise<{ ids: string[]; scores: number[] }> {
  const rows = page.locator('.ranking.after li')
  await rows.first().waitFor()
  const texts = await rows.locator('.text').allInnerTexts()
  const scores = await rows.locator('.number').allInnerTexts()
  return { ids: texts.map((text) => text.split(':')[0]!), scores: scores.map(numberOf) }
}

/** What a measure was before and is after. */
async function measured(page: Page, where: string): Promise<number[]> {
  const figures = page.locator(`${where} .before, ${where} .after`)
  return (await figures.allInnerTexts()).map(Number)
}

const slide = (page: Page, label: string, value: number): Promise<void> =>
  page.getByRole('slider', { name: new RegExp(`^${label}`) }).fill(String(value))

const set = (...settings: string[]) => settings.flatMap((one) => ['--set', one])

describe.skipIf(!browser)('the page of the studio', () => {
  test('ranks as kith rerank does with the first generation, also after sliders have moved', async () => {
    succeed('rerank', ...inputs(), '--set', 'mix=standard', '--out', at('default.trec'))
    succeed(
      ...[
        'rerank',
        ...inputs(),
        ...set('mix=standard', 'contextSize=30', 'k=14', 'lambda=0.45', 'trust=0.2'),
      ],
      ...[...set('views.texts.score=0.35', 'views.texts.graph=0.3'), '--out', at('chosen.trec')],
    )
    const qrels = await readQrels(files.qrels)
    const [before, after] = [await readRun(files.run), await readRun(at('chosen.trec'))].map(
      (run) => evaluate(qrels, run, ['nDCG@10']),
    )
    const expected = (await readRun(at('chosen.trec'))).get('q2')!
    await withPage('/?mix=standard&query=q0', async (page) => {
      const first = (await readRun(at('default.trec'))).get('q0')!
      expect((await rankingAfter(page)).ids).toEqual(first.ids.slice(0, 20))

      await page.getByLabel('Search for a query').fill('cedar delta')
      await page.getByRole('option', { name: 'cedar and delta' }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'cedar and delta' }).waitFor()
      await slide(page, 'Context', 30)
      await slide(page, 'Neighbors', 14)
      await slide(page, 'Similarity share', 0.45)
      await slide(page, 'Trust', 0.2)
      await slide(page, 'Text weight in the score', 0.35)
      await page.getByRole('button', { name: 'Show all 30' }).click()
      await expect
        .poll(async () => (await rankingAfter(page)).ids)
        .toEqual(expected.ids.slice(0, 30))
      ;(await rankingAfter(page)).scores.forEach((score, i) => {
        expect(Math.abs(score - expected.scores[i]!)).toBeLessThan(0.0051)
      })
      expect(await page.locator('.links path').count()).toBe(30)
      expect(await page.locator('.ranking.before .mark.relevant').count()).toBeGreaterThan(0)

      const place = before!.queries.indexOf('q2')
      const own = [before, after].map((run) => run!.perQuery['nDCG@10']![place]!)
      const figures = await measured(page, '.query-head .measure')
      figures.forEach((figure, i) => {
        expect(figure).toBeCloseTo(own[i]!, 3)
      })
      // The mean over all judged queries, from the worker.
      await page.locator('.mean[aria-busy=false]').waitFor()
      const means = await measured(page, '.mean .measure')
      expect(means[0]).toBeCloseTo(before!.mean['nDCG@10']!, 3)
      expect(means[1]).toBeCloseTo(after!.mean['nDCG@10']!, 3)
      expect(means[0]).not.toBe(means[1])
      expect(await page.locator('.mean .stop').count()).toBeGreaterThan(9)

      // All of it is in the address; the back button goes to the query before.
      await expect
        .poll(() => new URL(page.url()).search)
        .toContain('views.texts.score=0.35&views.texts.graph=0.3')
      await page.reload()
      await page.getByRole('button', { name: 'Show all 30' }).click()
      expect((await rankingAfter(page)).ids).toEqual(expected.ids.slice(0, 30))
      await page.goBack()
      await page.getByRole('heading', { name: 'amber and birch' }).waitFor()
    })
  })

  test('ranks by words and support with texts, and explains each setting', async () => {
    const runs = {
      usual: await reranked('usual.trec'),
      alone: await reranked('alone.trec', '--term-statistics', 'none'),
      chosen: await reranked(
        'chosen-words.trec',
        ...set('bm25Weight=0.6', 'neighborWeight=0.1', 'supportWeight=0.35'),
        ...set('supportDocs=3', 'preselect=120', 'k1=1.5', 'b=0.8'),
      ),
      first: await reranked('first.trec', '--preset', 'balanced-1'),
    }
    const qrels = await readQrels(files.qrels)
    const isRanked = async (page: Page, run: Run): Promise<void> => {
      const { ids, scores } = run.get('q2')!
      await expect.poll(async () => (await rankingAfter(page)).ids).toEqual(ids.slice(0, 20))
      ;(await rankingAfter(page)).scores.forEach((score, i) => {
        expect(Math.abs(score - scores[i]!)).toBeLessThan(0.0051)
      })
      const mean = evaluate(qrels, run, ['nDCG@10']).mean['nDCG@10']!
      await expect
        .poll(async () => (await measured(page, '.mean .measure'))[1])
        .toBeCloseTo(mean, 3)
    }
    await withPage('/?query=q2', async (page) => {
      await isRanked(page, runs.usual)
      expect(await page.locator('.score-bar').first().locator('.part').count()).toBe(6)
      // λ and the words of the geometric term do nothing here.
      const slider = (name: string) => page.getByRole('slider', { name: new RegExp(`^${name}`) })
      expect(await slider('Similarity share').count()).toBe(0)
      expect(await slider('Text weight in the score').count()).toBe(0)
      expect(await slider('Preselect').inputValue()).toBe('200')

      await page.getByRole('radio', { name: 'candidates' }).check()
      await isRanked(page, runs.alone)
      expect(await slider('Preselect').inputValue()).toBe('0')

      await page.getByRole('radio', { name: 'corpus' }).check()
      await slide(page, 'BM25 weight', 0.6)
      await slide(page, 'Neighbor weight', 0.1)
      await slide(page, 'Support weight', 0.35)
      await slide(page, 'Support documents', 3)
      await slide(page, 'Preselect', 120)
      await page.getByText('More settings', { exact: true }).click()
      await slide(page, 'Term saturation', 1.5)
      await slide(page, 'Length normalization', 0.8)
      await isRanked(page, runs.chosen)
      await expect.poll(() => new URL(page.url()).search).toContain('k1=1.5&b=0.8')
      await page.reload()
      await isRanked(page, runs.chosen)

      await page.getByLabel('Preset').selectOption('balanced-1')
      await expect.poll(() => page.locator('.score-bar').first().locator('.part').count()).toBe(2)
      expect(await slider('Similarity share').count()).toBe(1)
      expect(await slider('BM25 weight').count()).toBe(0)
      expect(await page.getByLabel('Tokenizer').inputValue()).toBe('none')
      await isRanked(page, runs.first)
      // Labels have no words score.
      await page.getByLabel('Preset').selectOption('balanced')
      await page.getByRole('link', { name: 'Labels' }).click()
      await expect.poll(() => slider('Similarity share').count()).toBe(1)
      expect(await slider('BM25 weight').count()).toBe(0)
    })
  })

  test('finds and reranks the nearest documents of free text like the documents of a query', async () => {
    await using docs = await openEmbeddings(files.docs)
    const vector = docs.gather([docs.rowOf('d5')!])
    const asked: string[] = []
    const model: TextModel = {
      name: 'own-encoder',
      dimensions: docs.dimensions,
      maxTokens: 256,
      async embed(texts, role) {
        asked.push(`${role}: ${texts}`)
        return texts.map(() => ({ vector, tokens: 1, cut: false }))
      },
      async close() {},
    }
    await using encoded = await StudioCollection.open(files, { model })
    await using server = await startStudio(encoded)
    const { rows } = await searchExact(
      { data: vector, rows: 1, dimensions: docs.dimensions },
      docs,
      {
        top: 1000,
      },
    )
    const ids = Array.from(rows, (row) => docs.idOf(row))
    await using texts = await TextStore.open(files.corpus)
    const { order } = rerank(
      { vector, text: 'fjords in winter' },
      {
        vectors: ids.map((id) => docs.gather([docs.rowOf(id)!])),
        texts: ids.map((id) => texts.get(id)!.text),
      },
      { statistics: await countTerms() },
    )
    await withPage(server.url, async (page) => {
      await page.getByLabel('Search for a query').fill(' fjords in winter ')
      await expect
        .poll(() => page.locator('#query-list [role=option]').allInnerTexts())
        .toEqual([expect.stringContaining('“fjords in winter”')])
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'fjords in winter' }).waitFor()
      expect((await rankingAfter(page)).ids).toEqual(
        Array.from(order.subarray(0, 20), (i) => ids[i]),
      )
      expect(asked).toEqual(['query: fjords in winter'])
      await page.getByText('your text, encoded with own-encoder').waitFor()
      // The link leads back to it.
      await expect.poll(() => new URL(page.url()).searchParams.get('text')).toBe('fjords in winter')
      await page.reload()
      await page.getByRole('heading', { name: 'fjords in winter' }).waitFor()
    })
    // Enter before the list of the words has come: the list is waited for.
    await withPage(server.url, async (page) => {
      const box = page.getByLabel('Search for a query')
      await box.focus()
      await page.getByRole('option').first().waitFor()
      let release = (): void => {}
      const late = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route('**/api/queries?search=fjords*', async (route) => {
        await late
        await route.continue()
      })
      await box.fill('fjords in winter')
      await page.keyboard.press('Enter')
      release()
      await page.getByRole('heading', { name: 'fjords in winter' }).waitFor()
    })
    const answer = async (path: string): Promise<unknown> =>
      (await fetch(new URL(path, server.url))).json()
    const long = await answer(`/api/text?top=5&text=${'x'.repeat(2001)}`)
    expect(long).toEqual({ error: 'free text must have 1 to 2000 characters, got 2001' })
    await expect(collection.contextOfText('fjord', 5)).rejects.toThrow('kith studio --model')
    const other = { ...model, dimensions: 3 }
    await expect(StudioCollection.open(files, { model: other })).rejects.toThrow('own-encoder')
  })

  test('does not mention words if there are no texts', async () => {
    const { corpus, queryText, ...bare } = files
    await using wordless = await StudioCollection.open(bare)
    await using server = await startStudio(wordless)
    await withPage(server.url, async (page) => {
      await page.locator('.ranking.after li').first().waitFor()
      expect(await page.getByRole('radio', { name: 'words' }).count()).toBe(0)
      expect(await page.getByRole('radio', { name: 'standard' }).isChecked()).toBe(true)
      expect(await page.getByText('Tokenizer', { exact: true }).count()).toBe(0)
      expect(
        await page.getByRole('slider', { name: /BM25|Text weight|Support|Preselect/ }).count(),
      ).toBe(0)
      await page.locator('.ranking.after button').first().click()
      await page.locator('.explanation').waitFor()
      expect(await page.locator('.explanation .key-bar').evaluateAll((bars) => bars.length)).toBe(3)
    })
  })

  test.each([
    [
      '/?query=q4&k=7&bm25Weight=0.7&supportDocs=2&tokenizer=plural&no-term-statistics=',
      "bm25Weight: 0.7,\n  supportDocs: 2,\n  tokenizer: 'plural',",
    ],
    ['/?query=q4&k=7&mix=raw', "mix: 'raw'"],
  ])(
    'copies a command that gives the shown ranking, and a link that opens it again: %s',
    async (address, changed) => {
      await withPage(address, async (page) => {
        const copied = async (name: string): Promise<string> => {
          await page.getByRole('button', { name }).click()
          await page.getByText('Copied the').waitFor()
          return page.evaluate(() => navigator.clipboard.readText())
        }
        const command = await copied('Copy command')
        const [, ...args] = command.replace('better.trec', at('copied.trec')).split(' ')
        succeed(...args)
        const shown = await rankingAfter(page)
        expect(shown.ids).toEqual((await readRun(at('copied.trec'))).get('q4')!.ids.slice(0, 20))
        expect(await copied('Copy code')).toContain(changed)
        await page.goto(await copied('Copy link'))
        expect(await rankingAfter(page)).toEqual(shown)
        await page.getByLabel('Preset').selectOption('msmarco-coder-cocondenser')
        await expect.poll(() => new URL(page.url()).search).toContain('kExp=8')
        expect(await page.getByRole('slider', { name: 'Trust' }).inputValue()).toBe('0.5')
      })
    },
  )

  test('explains why a document moved, and links to its neighborhood', async () => {
    const { ids: all, query, candidates } = wholeQuery('q3')
    const statistics = await countTerms()
    const why = (id: string): Explanation =>
      explain(query, candidates, all.indexOf(id), { statistics })
    const three = (values: readonly number[]): string[] => values.map((value) => value.toFixed(3))
    await withPage('/?query=q3', async (page) => {
      await page.locator('.ranking.after button').nth(2).focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      const card = page.getByLabel('Explanation')
      await card.waitFor()
      const { ids, scores } = await rankingAfter(page)
      expect(await card.locator('.full-text .id').innerText()).toBe(ids[3])
      const { parts, matched, shared, supporters } = why(ids[3]!)
      const shown = (await card.locator('dd').allInnerTexts()).slice(0, 4).map(numberOf)
      const { similarity, words, neighbors: near, support } = parts
      expect(three(shown)).toEqual(three([similarity, words, near, support]))
      expect(shown.reduce((sum, part) => sum + part, 0)).toBeCloseTo(scores[3]!, 1)
      const weights = async (kind: string): Promise<string[]> =>
        three((await card.locator(`.reasons.${kind} .number`).allInnerTexts()).map(numberOf))
      expect(matched.length).toBeGreaterThan(0)
      expect(await weights('words')).toEqual(three(matched.map(({ weight }) => weight)))
      expect(await weights('neighbors')).toEqual(
        three(shared.slice(0, 6).map((one) => Math.min(one.queryWeight, one.candidateWeight))),
      )
      expect(supporters.length).toBeGreaterThan(3)
      expect(await weights('support')).toEqual(three(supporters.map((one) => one.similarity)))
      await card.getByRole('button', { name: 'Show neighborhood' }).click()
      await expect.poll(() => page.locator('.panel .id').last().innerText()).toBe(ids[3])
    })
  })

  test('marks the matching words in a text with any other contents', async () => {
    const { ids, query, candidates } = wholeQuery('q1')
    const statistics = await countTerms()
    // Of a document whose word differs from the query's by its ending, and that has markup in it.
    const { order } = rerank(query, candidates, { statistics })
    const place = order.findIndex((i) => candidates.texts[i]!.includes('birchs'))
    expect(place).toBeGreaterThanOrEqual(0)
    expect(place).toBeLessThan(50)
    const document = order[place]!
    const text = candidates.texts[document]!
    expect(text).toContain('<b>')
    await withPage('/?query=q1', async (page) => {
      const more = page.getByRole('button', { name: 'Show all 50' })
      await more.click()
      await page.locator('.ranking.after button').nth(place).click()
      const full = page.locator('.explanation .full-text')
      await full.waitFor()
      expect(await full.locator('p').first().innerText()).toBe(text)
      expect(await full.locator('b').count()).toBe(0)
      const marked = await full.locator('mark').allInnerTexts()
      expect(marked).toEqual(text.match(/birchs|birch|cedars|cedar/g))
      expect(ids[document]).toBe(await full.locator('.id').innerText())
      expect(await page.locator('.reasons.words mark').first().innerText()).toBe('birch')
    })
  })

  test('shows the neighborhood R* of a probe, by keys and by pointer', async () => {
    const settings = { k: 12, trust: 0.3, contextSize: 40 }
    const { query, candidates } = wholeQuery('q2')
    const { order } = rerank(query, candidates, { ...settings, statistics: await countTerms() })
    const source = collection.context('q2', 1000, false)
    const members = Array.from(order.subarray(0, 40)).sort((a, b) => a - b)
    const context = new QueryContext(source).of(members, 'english')
    // The context has documents that were far behind: the view shows those, not the run's first.
    expect(members.at(-1)).toBeGreaterThan(40)
    const found = neighbors(query, context, settings)
    const others = (probe: Member): string[] =>
      (probe === 'query' ? found.query : found.candidates[probe]!).reciprocal.flatMap((other) => {
        if (other === probe) return []
        return other === 'query' ? 'The query' : source.documents[members[other]!]!.id
      })
    await withPage('/?view=neighborhood&query=q2&k=12&trust=0.3&contextSize=40', async (page) => {
      const listed = async (): Promise<string[]> =>
        (await page.locator('.members .text').allInnerTexts()).map((text) => text.split(':')[0]!)
      await page.locator('.members li').first().waitFor()
      expect((await listed()).toSorted()).toEqual(others('query').toSorted())
      const graph = page.locator('.graph')
      await graph.focus()
      await page.keyboard.press('ArrowRight')
      expect(await page.locator('.panel .kind').innerText()).toContain('Under the pointer')
      await page.keyboard.press('Enter')
      await expect.poll(() => new URL(page.url()).searchParams.has('probe')).toBe(true)
      expect(await page.locator('.panel .kind').innerText()).toContain('Selected')
      const probe = new URL(page.url()).searchParams.get('probe')!
      const member = members.findIndex((document) => source.documents[document]!.id === probe)
      expect((await listed()).toSorted()).toEqual(others(member).toSorted())
      await page.locator('.members button').first().click()
      await expect.poll(() => new URL(page.url()).searchParams.get('probe')).not.toBe(probe)
      await graph.focus()
      await page.keyboard.press('Escape')
      await expect.poll(() => new URL(page.url()).searchParams.get('probe')).toBeNull()

      const box = (await graph.boundingBox())!
      const look = async (): Promise<boolean> =>
        (await page.locator('.panel .kind').innerText()).startsWith('Under the pointer · rank')
      for (let i = 0; i < 60 && !(await look()); i++) {
        await page.mouse.move(box.x + 30 + ((i * 37) % 300), box.y + 30 + ((i * 23) % 300))
      }
      const found = await page.locator('.panel .full-text .id').innerText()
      await page.mouse.down()
      await page.mouse.up()
      await expect.poll(() => new URL(page.url()).searchParams.get('probe')).toBe(found)
    })
  })

  test('shows the labels of kith labels', async () => {
    const address =
      '/?view=labels&query=q1&truth=all&labelDepth=6&boost=1.5&normalize=std&aggregate=max'
    await withPage(address, async (page) => {
      await page.locator('.targets tbody tr').first().waitFor()
      const cells = await page
        .locator('.targets tr')
        .evaluateAll((rows) =>
          rows.map((row) =>
            [...row.children].map((cell) =>
              (cell.querySelector('.text, .value') ?? cell).textContent!.trim(),
            ),
          ),
        )
      const [head, ...rows] = cells
      expect(head!.length).toBe(1 + 7)
      for (const target of ['mixed', 'joint', 'uniform']) {
        const out = at(`labels-${target}.jsonl`)
        succeed(
          ...['labels', ...inputs(), '--qrels', files.qrels, '--texts', '--target', target],
          ...[
            '--set',
            'labelDepth=6',
            '--set',
            'boost=1.5',
            '--set',
            'normalize=std',
            '--set',
            'aggregate=max',
          ],
          ...['--out', out],
        )
        for await (const { query, docs, labels: values } of readLabels(out)) {
          if (query !== 'q1') continue
          const column = head!.indexOf(target)
          const shown = new Map(rows.map((row) => [row[0]!.split(':')[0]!, row[column]!]))
          docs.forEach((id, i) => {
            // What is spread evenly has no line of its own.
            if (target === 'uniform' && !shown.has(id)) return
            expect([id, target, shown.get(id)]).toEqual([
              id,
              target,
              `${(100 * values[i]!).toFixed(1)}%`,
            ])
          })
        }
      }
      await page.getByLabel('Ground truth').selectOption({ index: 2 })
      await expect.poll(() => page.locator('.targets tr.truth').count()).toBe(1)
      await slide(page, 'Documents kept', 1)
      await expect
        .poll(() => page.locator('.targets tr.truth .value').first().innerText())
        .toBe('100.0%')
    })
  })

  test('shows the list of kith audit, judged by keys, with undo, export and stored decisions', async () => {
    succeed('audit', ...inputs(), '--qrels', files.qrels, '--out', at('audit.tsv'))
    const list = readFileSync(at('audit.tsv'), 'utf8').trimEnd().split('\n').slice(1)
    const pair = (i: number): [string, string] =>
      list[i]!.split('\t').slice(0, 2) as [string, string]
    await withPage('/?view=audit', async (page) => {
      const status = page.locator('.progress-line')
      await status.waitFor()
      expect(await status.innerText()).toContain(`1 of ${list.length}`)
      const candidate = page.locator('.candidate .id')
      for (const [i, key] of ['a', 'r', 's', 'a'].entries()) {
        await expect.poll(() => candidate.innerText()).toBe(pair(i)[1])
        await page.keyboard.press(key)
      }
      expect(await status.innerText()).toContain('2 accepted, 1 rejected, 1 skipped')
      await page.keyboard.press('u')
      expect(await status.innerText()).toContain('1 accepted, 1 rejected, 1 skipped')
      await page.reload()
      await status.waitFor()
      expect(await status.innerText()).toContain(`4 of ${list.length}`)
      const waiting = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export' }).click()
      await (await waiting).saveAs(at('decisions.qrels'))
    })
    expect(readFileSync(at('decisions.qrels'), 'utf8')).toBe(
      `${pair(0).join(' 0 ')} 1\n${pair(1).join(' 0 ')} 0\n`,
    )
    const printed = succeed(
      ...['audit', '--qrels', files.qrels, '--accept', at('decisions.qrels')],
      ...['--out', at('merged.trec')],
    )
    expect(printed).toContain('1 documents accepted, 1 rejected')
  })
})
