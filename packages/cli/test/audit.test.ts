import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readQrels, writeEmbeddings } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { browser, withBrowser } from '../../../test/browser.ts'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import { kith, succeed } from './support.ts'

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
  succeed(
    ...['search', '--queries', path('queries.npy'), '--docs', path('docs.npy')],
    ...['--top', '60', '--out', path('run.trec')],
  )
})

const inputs = (): string[] => [
  ...['--run', path('run.trec'), '--queries', path('queries.npy')],
  ...['--docs', path('docs.npy'), '--qrels', path('qrels.trec')],
]
const texts = (): string[] => [
  ...['--corpus', path('corpus.jsonl'), '--query-text', path('queries.jsonl')],
]

describe('kith audit', () => {
  test('lists unjudged documents, those of the query’s topic first, with who vouches', () => {
    const printed = succeed('audit', ...inputs(), '--out', path('audit.tsv'), '--per-query', '7')
    expect(printed).toContain('42 unjudged documents of 6 queries')
    const [head, ...rows] = read('audit.tsv').trimEnd().split('\n')
    expect(head).toBe('query\tdocument\tevidence\tvouchers')
    expect(rows.length).toBe(42)
    const cells = rows.map((row) => row.split('\t') as [string, string, string, string])
    for (const [query, document, , vouchers] of cells) {
      const topic = Number(query.slice(1))
      // Ten documents of the topic less three judged ones: exactly those seven.
      expect(Number(document.slice(1)) % 6).toBe(topic)
      expect([`d${topic}`, `d${topic + 6}`, `d${topic + 12}`]).not.toContain(document)
      expect(
        vouchers
          .split(' ')
          .map((voucher) => voucher.split(':')[0])
          .toSorted(),
      ).toEqual([`d${topic}`, `d${topic + 6}`].toSorted())
    }
    const evidence = cells.map((row) => Number(row[2]))
    expect(evidence).toEqual(evidence.toSorted((a, b) => b - a))
    succeed('audit', ...inputs(), '--out', path('audit.jsonl'), '--limit', '5', '--workers', '2')
    const first = JSON.parse(read('audit.jsonl').split('\n')[0]!)
    expect(first).toMatchObject({ query: cells[0]![0], document: cells[0]![1] })
    expect(first.vouchers[0].jaccard).toBeGreaterThan(0)
    expect(read('audit.jsonl').trimEnd().split('\n').length).toBe(5)
  })

  test.skipIf(!browser)(
    'the page: judge by keys, undo, come back later, export, accept',
    async () => {
      succeed('audit', ...inputs(), ...texts(), '--out', path('judge.tsv'), '--per-query', '2')
      await withBrowser(async (context) => {
        const page = await context.newPage()
        const errors: string[] = []
        page.on('pageerror', (error) => errors.push(error.message))
        await page.goto(pathToFileURL(path('judge.html')).href)
        const header = () => page.locator('header').innerText()
        expect(await header()).toContain('1 of 12')
        expect(await page.locator('h1').innerText()).toMatch(/^<b>topic \d<\/b> q\d$/)
        const candidates: string[] = []
        for (const key of ['a', 'r', 's', 'a']) {
          candidates.push(await page.locator('article.candidate h2').innerText())
          await page.keyboard.press(key)
        }
        expect(await header()).toContain('2 accepted, 1 rejected, 1 skipped')
        await page.keyboard.press('u')
        expect(await header()).toContain('1 accepted, 1 rejected, 1 skipped')
        expect(await page.locator('article.candidate h2').innerText()).toBe(candidates[3])
        await page.reload()
        expect(await header()).toContain('1 accepted, 1 rejected, 1 skipped')
        expect(await header()).toContain('4 of 12')
        await page.keyboard.press('ArrowLeft')
        expect(await header()).toContain('3 of 12')
        const waiting = page.waitForEvent('download')
        await page.keyboard.press('e')
        await (await waiting).saveAs(path('decisions.qrels'))
        expect(errors).toEqual([])
      })
      const rows = read('judge.tsv').split('\n').slice(1)
      const pair = (i: number) => rows[i]!.split('\t').slice(0, 2) as [string, string]
      expect(read('decisions.qrels')).toBe(`${pair(0).join(' 0 ')} 1\n${pair(1).join(' 0 ')} 0\n`)
      const printed = succeed(
        ...['audit', '--qrels', path('qrels.trec'), '--accept', path('decisions.qrels')],
        ...['--out', path('merged.trec')],
      )
      expect(printed).toContain('1 documents accepted, 1 rejected')
      const [before, after] = [
        await readQrels(path('qrels.trec')),
        await readQrels(path('merged.trec')),
      ]
      const size = (qrels: typeof before) =>
        [...qrels.values()].reduce((sum, of) => sum + of.size, 0)
      expect(size(after)).toBe(size(before) + 2)
      expect(after.get(pair(0)[0])!.get(pair(0)[1])).toBe(1)
      // Judged now, they are not listed again.
      succeed('audit', ...inputs(), '--qrels', path('merged.trec'), '--out', path('again.tsv'))
      expect(read('again.tsv')).not.toContain(`\n${pair(0).join('\t')}\t`)
    },
  )

  test.skipIf(!browser)('when all is judged, keys decide nothing more', async () => {
    succeed('audit', ...inputs(), '--out', path('few.tsv'), '--limit', '3')
    await withBrowser(async (context) => {
      const page = await context.newPage()
      await page.goto(pathToFileURL(path('few.html')).href)
      for (const key of ['a', 'a', 'a', 'r', 'r']) await page.keyboard.press(key)
      const header = await page.locator('header').innerText()
      expect(header).toContain('All judged')
      expect(header).toContain('3 accepted, 0 rejected')
    })
  })

  test('a negative grade is no judgement; words may have weights', () => {
    writeFileSync(path('negative.trec'), read('qrels.trec').replace('q0 0 d12 0', 'q0 0 d12 -1'))
    succeed(
      ...['audit', ...inputs(), '--qrels', path('negative.trec'), '--out', path('negative.tsv')],
      ...[...texts(), '--text-weights', '0.5,0.5'],
    )
    expect(read('negative.tsv')).toContain('q0\td12\t')
  })

  test('decisions that contradict, or of another collection, are refused', () => {
    const accept = (decisions: string) => {
      writeFileSync(path('bad.qrels'), decisions)
      return kith(
        ...['audit', '--qrels', path('qrels.trec'), '--accept', path('bad.qrels')],
        ...['--out', path('never.trec')],
      )
    }
    expect(accept('q0 0 d0 0\n').err).toMatch(/d0 of query q0 gets grade 0, .* has 1/)
    expect(accept('other 0 d0 1\n').err).toMatch(/query other is not in/)
    writeFileSync(path('one-each.trec'), 'q0 0 d0 1\nq1 0 d1 1\n')
    expect(kith('audit', ...inputs(), '--qrels', path('one-each.trec'), '--evaluate').err).toMatch(
      /no query has several relevant documents/,
    )
    expect(kith('audit', ...inputs()).err).toMatch(/--out FILE is missing/)
    expect(kith('audit', '--qrels', path('qrels.trec'), '--out', path('x')).err).toMatch(
      /--run FILE is missing/,
    )
  })

  test('--evaluate finds what it has hidden', () => {
    const printed = JSON.parse(succeed('audit', ...inputs(), '--evaluate', '--json'))
    expect(printed).toMatchObject({ queries: 6, repeats: 5, texts: false })
    const names = printed.evidence.map(({ target }: { target: string }) => target)
    expect(names).toEqual(['joint', 'mixed', 'geometric', 'rnn', 'query-centric'])
    // One of two is hidden among ten documents of its topic, so a tenth at most is found in ten.
    expect(printed.evidence[0].measures['P@10'].mean).toBeCloseTo(0.1, 6)
    expect(succeed('audit', ...inputs(), '--evaluate', '--repeats', '2')).toMatch(
      /joint +\d\.\d{3} ± \d\.\d{3}/,
    )
  })
})

test.each([
  ['cranfield', '1', 0.243, 0.211],
  ['cisi', '1', 0.405, 0.401],
  ['trec-dl-2019-judged', '2', 0.653, 0.587],
] as const)('%s: the figures of docs/audit.md', (name, level, joint, query) => {
  const at = sharedCollection(name)
  if (!at) return
  const model = join(at, 'embeddings/all-MiniLM-L6-v2')
  const { evidence } = JSON.parse(
    succeed(
      ...[
        'audit',
        '--evaluate',
        '--json',
        '--level',
        level,
        '--qrels',
        join(at, 'qrels/test.trec'),
      ],
      ...['--run', join(model, 'top200.run.trec')],
      ...['--queries', join(model, 'queries.npy'), '--docs', join(model, 'docs.npy')],
    ),
  )
  expect(evidence[0].measures['P@10'].mean).toBeCloseTo(joint, 2)
  expect(evidence[4].measures['P@10'].mean).toBeCloseTo(query, 2)
})
