import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readQrels, writeEmbeddings } from '@kith/ir'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { browser, browserOfFile } from '../../../test/browser.ts'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import { thorough } from '../../../test/thorough.ts'
import {
  type AuditFiles,
  type AuditInputs,
  auditAccept,
  auditEvaluate,
  auditRun,
  type JobProgress,
  searchRun,
} from '../src/index.ts'

const withBrowser = browserOfFile()

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

/** Six topics of ten documents each; of every query's topic only two documents are judged. */
beforeAll(async () => {
  const vector = (i: number, sway: number) =>
    Float32Array.from(
      { length: 8 },
      (_, j) => (j === i % 6 ? 1 : 0) + Math.sin(i * 5 + j * 3 + sway) * 0.2,
    )
  const list = (count: number, sway: number) =>
    Array.from({ length: count }, (_, i) => vector(i, sway))
  const ids = (count: number, letter: string) =>
    Array.from({ length: count }, (_, i) => `${letter}${i}`)
  await writeEmbeddings(path('docs.npy'), { dimensions: 8, ids: ids(60, 'd') }, list(60, 0))
  await writeEmbeddings(path('queries.npy'), { dimensions: 8, ids: ids(6, 'q') }, list(6, 1))
  const text = (letter: string, count: number) =>
    ids(count, letter)
      .map((id, i) => `${JSON.stringify({ _id: id, text: `<b>topic ${i % 6}</b> ${id}` })}\n`)
      .join('')
  writeFileSync(path('corpus.jsonl'), text('d', 60))
  writeFileSync(path('queries.jsonl'), text('q', 6))
  const judged = Array.from(
    { length: 6 },
    (_, q) => `q${q} 0 d${q} 1\nq${q} 0 d${q + 6} 1\nq${q} 0 d${q + 12} 0\n`,
  )
  writeFileSync(path('qrels.trec'), judged.join(''))
  const [queries, docs] = [path('queries.npy'), path('docs.npy')]
  await searchRun({ queries, docs, top: 60, out: path('run.trec') })
})

const files = (): AuditFiles => ({
  run: path('run.trec'),
  queries: path('queries.npy'),
  docs: path('docs.npy'),
  qrels: path('qrels.trec'),
})
const texts = () => ({ corpus: path('corpus.jsonl'), queryText: path('queries.jsonl') })
const audit = (out: string, more: Partial<AuditInputs> = {}) =>
  auditRun({ ...files(), out: path(out), ...more })

describe('auditRun', () => {
  test('lists unjudged documents, the query’s topic first, with supporting documents', async () => {
    const result = await audit('audit.tsv', { perQuery: 7 })
    expect(result).toEqual({
      ...{ out: path('audit.tsv'), page: path('audit.html') },
      ...{ queries: 6, documents: 42, leftOut: {} },
    })
    const [head, ...rows] = read('audit.tsv').trimEnd().split('\n')
    expect(head).toBe('query\tdocument\tevidence\trelevantNeighbors')
    expect(rows.length).toBe(42)
    const cells = rows.map((row) => row.split('\t') as [string, string, string, string])
    for (const [query, document, , relevantNeighbors] of cells) {
      const topic = Number(query.slice(1))
      // Ten documents of the topic less three judged ones: exactly those seven.
      expect(Number(document.slice(1)) % 6).toBe(topic)
      expect([`d${topic}`, `d${topic + 6}`, `d${topic + 12}`]).not.toContain(document)
      expect(
        relevantNeighbors
          .split(' ')
          .map((neighbor) => neighbor.split(':')[0])
          .toSorted(),
      ).toEqual([`d${topic}`, `d${topic + 6}`].toSorted())
    }
    const evidence = cells.map((row) => Number(row[2]))
    expect(evidence).toEqual(evidence.toSorted((a, b) => b - a))
    await audit('audit.jsonl', { limit: 5, workers: 2 })
    const first = JSON.parse(read('audit.jsonl').split('\n')[0]!)
    expect(first).toMatchObject({ query: cells[0]![0], document: cells[0]![1] })
    expect(first.relevantNeighbors[0].jaccard).toBeGreaterThan(0)
    expect(read('audit.jsonl').trimEnd().split('\n').length).toBe(5)
  })

  test('records the settings and all inputs in the sidecar', async () => {
    await audit('made.tsv', { ...texts(), settings: { k: 7 }, level: 1, perQuery: 3 })
    const { command, settings, inputs } = JSON.parse(read('made.tsv.meta.json'))
    expect(command).toBe('audit')
    expect(settings).toMatchObject({ k: 7, contextSize: 200, target: 'joint', top: 3, level: 1 })
    expect(inputs.map(({ file }: { file: string }) => file)).toEqual([
      ...Object.values(files()),
      ...Object.values(texts()),
    ])
  })

  test('treats a negative grade as unjudged, and applies the weights of words', async () => {
    writeFileSync(path('negative.trec'), read('qrels.trec').replace('q0 0 d12 0', 'q0 0 d12 -1'))
    const weights = { score: 0.5, graph: 0.5 }
    await audit('negative.tsv', {
      ...texts(),
      qrels: path('negative.trec'),
      settings: { views: { vectors: weights, texts: weights } },
    })
    expect(read('negative.tsv')).toContain('q0\td12\t')
  })

  test('treats documents from the level on as relevant, and lists no other judged documents', async () => {
    writeFileSync(path('graded.trec'), 'q0 0 d0 2\nq0 0 d6 1\nq1 0 d1 1\n')
    const result = await audit('graded.jsonl', { qrels: path('graded.trec'), level: 2 })
    expect(result).toMatchObject({ queries: 1, leftOut: { 'no ground truth': 5 } })
    const entries = read('graded.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    for (const { document, relevantNeighbors } of entries) {
      expect(['d0', 'd6']).not.toContain(document)
      expect(relevantNeighbors.map((neighbor: { document: string }) => neighbor.document)).toEqual([
        'd0',
      ])
    }
  })

  test('refuses a document without an embedding, or leaves it out', async () => {
    writeFileSync(path('more.trec'), `${read('qrels.trec')}q0 0 elsewhere 1\n`)
    const inputs = { qrels: path('more.trec'), perQuery: 7 }
    await expect(audit('more.tsv', inputs)).rejects.toThrow(/elsewhere/)
    await audit('more.tsv', { ...inputs, missing: 'skip' })
    expect(read('more.tsv')).toBe(read('audit.tsv'))
  })

  test('refuses one file of texts without the other', async () => {
    await expect(audit('x.tsv', { corpus: path('corpus.jsonl') })).rejects.toMatchObject({
      code: 'BAD_INPUT',
    })
  })

  test('reports progress and stops on a signal', async () => {
    const told: JobProgress[] = []
    const stop = new AbortController()
    const onProgress = (progress: JobProgress): void => {
      told.push(progress)
      if (progress.done === 3) stop.abort(new Error('enough'))
    }
    const inputs = { ...files(), out: path('stopped.tsv') }
    const stopped = auditRun(inputs, { onProgress, signal: stop.signal })
    await expect(stopped).rejects.toThrow('enough')
    expect(told.map(({ stage, done, total }) => [stage, done, total])).toEqual([
      ...[0, 1, 2, 3].map((done) => ['auditing', done, 6]),
    ])
    expect(() => read('stopped.tsv')).toThrow()
  })
})

describe.skipIf(!browser)('the judging page', () => {
  /** Opens a page that an audit has written, and demands that nothing goes wrong in it. */
  async function withPage(name: string, use: (page: Page) => Promise<void>): Promise<void> {
    await withBrowser(async (context) => {
      const page = await context.newPage()
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      // Chromium says on the console what the page's policy has refused.
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text())
      })
      await page.goto(pathToFileURL(path(name)).href)
      await use(page)
      expect(errors).toEqual([])
    })
  }

  // Chromium with a fresh profile sometimes forgets the storage of a file's page when it is
  // reloaded (one of forty times, with nothing of ours in between): hence the second try.
  test('judges by keys and buttons, undoes, restores the state later, exports and accepts', {
    retry: 1,
  }, async () => {
    await audit('judge.tsv', { ...texts(), perQuery: 2 })
    await withPage('judge.html', async (page) => {
      const status = () => page.getByRole('status').innerText()
      expect(await status()).toContain('1 of 12')
      expect(await page.locator('h1').innerText()).toMatch(/^<b>topic \d<\/b> q\d$/)
      expect(await page.locator('.candidate p').first().innerText()).toMatch(/^<b>topic \d<\/b> d/)
      const candidates: string[] = []
      for (const key of ['a', 'r', 's', 'a']) {
        candidates.push(await page.locator('.candidate .id').innerText())
        await page.keyboard.press(key)
      }
      expect(await status()).toContain('2 accepted, 1 rejected, 1 skipped')
      await page.keyboard.press('u')
      expect(await status()).toContain('1 accepted, 1 rejected, 1 skipped')
      expect(await page.locator('.candidate .id').innerText()).toBe(candidates[3])
      await page.reload()
      expect(await status()).toContain('1 accepted, 1 rejected, 1 skipped')
      expect(await status()).toContain('4 of 12')
      // A button keeps the focus, so that it can be pressed again.
      await page.getByRole('button', { name: 'Back' }).focus()
      await page.keyboard.press('Enter')
      expect(await status()).toContain('3 of 12')
      expect(await page.locator('.decision').first().innerText()).toBe('skipped')
      await page.keyboard.press('Enter')
      expect(await status()).toContain('2 of 12')
      const waiting = page.waitForEvent('download')
      await page.keyboard.press('e')
      await (await waiting).saveAs(path('decisions.qrels'))
    })
    const rows = read('judge.tsv').split('\n').slice(1)
    const pair = (i: number) => rows[i]!.split('\t').slice(0, 2) as [string, string]
    expect(read('decisions.qrels')).toBe(`${pair(0).join(' 0 ')} 1\n${pair(1).join(' 0 ')} 0\n`)
    const merged = { qrels: path('qrels.trec'), decisions: path('decisions.qrels') }
    expect(await auditAccept({ ...merged, out: path('merged.trec') })).toEqual({
      ...{ out: path('merged.trec'), accepted: 1, rejected: 1 },
    })
    const [before, after] = [
      await readQrels(path('qrels.trec')),
      await readQrels(path('merged.trec')),
    ]
    const size = (qrels: typeof before) => [...qrels.values()].reduce((sum, of) => sum + of.size, 0)
    expect(size(after)).toBe(size(before) + 2)
    expect(after.get(pair(0)[0])!.get(pair(0)[1])).toBe(1)
    // Judged now, they are not listed again.
    await audit('again.tsv', { qrels: path('merged.trec') })
    expect(read('again.tsv')).not.toContain(`\n${pair(0).join('\t')}\t`)
  })

  test('refuses scripts and connections that a text contains', async () => {
    await audit('policy.tsv', { limit: 3 })
    expect(read('policy.html').split(`..${folder}`).join('')).not.toContain(folder)
    await withBrowser(async (context) => {
      const page = await context.newPage()
      await page.goto(pathToFileURL(path('policy.html')).href)
      expect(await page.locator('.candidate').count()).toBe(1)
      const ran = await page.evaluate(async () => {
        const script = document.createElement('script')
        script.textContent = 'window.evil = true'
        document.body.append(script)
        const sent = await fetch('data:text/plain,x').then(
          () => true,
          () => false,
        )
        return { evil: 'evil' in window, sent }
      })
      expect(ran).toEqual({ evil: false, sent: false })
    })
  })

  test('ignores keys when everything is judged', async () => {
    await audit('few.tsv', { limit: 3 })
    await withPage('few.html', async (page) => {
      expect(await page.locator('.candidate').innerText()).toContain('No text available.')
      for (const key of ['a', 'a', 'a', 'r', 'r']) await page.keyboard.press(key)
      const status = await page.getByRole('status').innerText()
      expect(status).toContain('All judged')
      expect(status).toContain('3 accepted, 0 rejected')
    })
  })

  test('says so if the list has no documents', async () => {
    const all = Array.from({ length: 60 }, (_, i) => `q0 0 d${i} 1\n`)
    writeFileSync(path('all.trec'), all.join(''))
    await audit('none.tsv', { qrels: path('all.trec') })
    await withPage('none.html', async (page) => {
      await page.keyboard.press('a')
      expect(await page.locator('main').innerText()).toBe('No documents to judge.')
    })
  })
})

test('auditAccept refuses contradictory decisions, and decisions of another dataset', async () => {
  const accept = (decisions: string) => {
    writeFileSync(path('bad.qrels'), decisions)
    const merged = { qrels: path('qrels.trec'), decisions: path('bad.qrels') }
    return auditAccept({ ...merged, out: path('never.trec') })
  }
  await expect(accept('q0 0 d0 0\n')).rejects.toThrow(
    /d0 of query q0 has grade 0, but .* has grade 1/,
  )
  await expect(accept('other 0 d0 1\n')).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('other'),
  })
  expect(() => read('never.trec')).toThrow()
})

describe('auditEvaluate', () => {
  test('finds the hidden documents', async () => {
    const found = await auditEvaluate(files())
    expect(found).toMatchObject({ queries: 6, repeats: 5, texts: false })
    const names = found.evidence.map(({ target }) => target)
    expect(names).toEqual(['joint', 'mixed', 'geometric', 'rnn', 'query-centric'])
    // One of two is hidden among ten documents of its topic, so a tenth at most is found in ten.
    expect(found.evidence[0]!.measures['P@10']!.mean).toBeCloseTo(0.1, 6)
  })

  test('refuses qrels without queries that have several relevant documents', async () => {
    writeFileSync(path('one-each.trec'), 'q0 0 d0 1\nq1 0 d1 1\n')
    await expect(auditEvaluate({ ...files(), qrels: path('one-each.trec') })).rejects.toMatchObject(
      { code: 'BAD_INPUT' },
    )
  })

  const figures: [string, number, number, number][] = [
    ['cisi', 1, 0.405, 0.401],
    ['cranfield', 1, 0.243, 0.211],
    ['trec-dl-2019-judged', 2, 0.653, 0.587],
  ]
  test.each(thorough ? figures : figures.slice(0, 1))(
    'reproduces the figures of docs/results.md on %s',
    async (name, level, joint, query) => {
      const at = sharedCollection(name)
      if (!at) return
      const model = join(at, 'embeddings/all-MiniLM-L6-v2')
      const { evidence } = await auditEvaluate({
        run: join(model, 'top200.run.trec'),
        queries: join(model, 'queries.npy'),
        docs: join(model, 'docs.npy'),
        qrels: join(at, 'qrels/test.trec'),
        level,
      })
      expect(evidence[0]!.measures['P@10']!.mean).toBeCloseTo(joint, 2)
      expect(evidence[4]!.measures['P@10']!.mean).toBeCloseTo(query, 2)
    },
  )
})
