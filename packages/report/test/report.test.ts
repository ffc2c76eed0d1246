import { evaluate } from '@kith/ir'
import { describe, expect, test } from 'vitest'
import { type ReportRun, renderReport } from '../src/index.ts'
import { verdictOf } from '../src/sections/measures-section.ts'
import { queryRows } from '../src/sections/query-rows.ts'
import { parseTables } from '../src/sections/sections.ts'
import { Collection, ids } from './support.ts'

const collection = new Collection(ids(30))

describe('queryRows', () => {
  const measures = ['nDCG@10', 'MRR@10']
  const evaluations = collection.runs.map((run) => evaluate(collection.qrels, run, measures))
  const [a, b] = evaluations as [(typeof evaluations)[0], (typeof evaluations)[0]]
  const make = (options = {}) =>
    queryRows([a, b], collection.runs, collection.qrels, collection, 'MRR@10', options)

  test('returns the values of each query, and its rankings as in the runs', () => {
    const { rows, documents, measure, level } = make()
    expect([measure, level, rows.length]).toEqual(['MRR@10', 1, 30])
    for (const row of rows) {
      const at = a.queries.indexOf(row.id)
      expect([row.before, row.after]).toEqual([
        a.perQuery['MRR@10']![at],
        b.perQuery['MRR@10']![at],
      ])
      row.rankings.forEach((ranking, side) => {
        const full = collection.runs[side]!.get(row.id)!.ids
        const other = collection.runs[1 - side]!.get(row.id)!.ids
        expect(ranking.map(({ document }) => documents[document]!.id)).toEqual(full.slice(0, 10))
        for (const [i, entry] of ranking.entries()) {
          expect(other[entry.other! - 1]).toBe(full[i])
          expect(entry.grade).toBe(collection.qrels.get(row.id)!.get(full[i]!))
        }
      })
    }
    expect(new Set(documents.map(({ id }) => id)).size).toBe(documents.length)
  })

  test('counts relevant documents by the level, and keeps the requested number of documents', () => {
    const relevant = (query: string, level: number) =>
      [...collection.qrels.get(query)!.values()].filter((grade) => grade >= level).length
    for (const { id, relevant: counted, rankings } of make({ level: 2, top: 3 }).rows) {
      expect(counted).toBe(relevant(id, 2))
      expect(rankings.map(({ length }) => length)).toEqual([3, 3])
    }
  })

  test('works without texts, and names the available measures', () => {
    const rows = queryRows([a, b], collection.runs, collection.qrels, undefined, 'MRR@10')
    expect(rows.documents[0]).toEqual({ id: rows.documents[0]!.id })
    expect(rows.rows[0]!.text).toBeUndefined()
    expect(() => queryRows([a, b], collection.runs, collection.qrels, undefined, 'AP')).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('AP') }),
    )
  })

  test('truncates long texts between characters', () => {
    const long = new Collection(['q'], undefined, () => '😀'.repeat(5000))
    const [first, second] = long.runs.map((run) => evaluate(long.qrels, run, ['AP']))
    const rows = queryRows([first!, second!], long.runs, long.qrels, long, 'AP')
    expect(rows.documents[0]!.text).toMatch(/^(?:😀)+…$/u)
    expect(rows.documents[0]!.text!.length).toBeLessThanOrEqual(300)
    expect(rows.rows[0]!.text!.length).toBeLessThanOrEqual(2000)
  })
})

describe('verdictOf', () => {
  const first: ReportRun = { name: 'plain', queries: 100, measures: { AP: 0.4 } }
  const of = (difference: number, p: number, further: ReportRun['comparison'] = {}) => {
    const AP = { difference, p, tTest: p, wins: 50, ties: 20, losses: 30 }
    const run = { ...first, name: 'new', measures: { AP: 0.4 + difference } }
    return verdictOf(first, { ...run, comparison: { AP, ...further } }, 'AP')!
  }

  test.each([
    [0.02, 0.01, 'better', 'Significantly better'],
    [0.02, 0.2, 'unsure', 'Better, but not significantly'],
    [-0.02, 0.01, 'worse', 'Significantly WORSE'],
    [-0.02, 0.2, 'worse', 'Worse, but not significantly'],
    [0, 1, 'equal', 'No difference'],
    [0.02, Number.NaN, 'unsure', 'Better, but not significantly'],
  ])('judges a difference of %d with p %d', (difference, p, kind, headline) => {
    expect(of(difference, p)).toMatchObject({ kind, headline })
  })

  test('returns the figures, and the measures that disagree', () => {
    const MRR = { difference: -0.1, p: 0.001, tTest: 0.001, wins: 1, ties: 2, losses: 97 }
    expect(of(0.02, 0.2, { MRR }).detail).toBe(
      'new against plain: AP rises from 0.4000 to 0.4200 (+0.0200; not significant, p = 0.20). ' +
        '50 queries are better, 30 worse, 20 equal. Significantly worse in MRR.',
    )
    expect(verdictOf(first, first, 'AP')).toBeUndefined()
  })
})

describe('renderReport', () => {
  const data = collection.report()
  /** Without the script, in which such words have a meaning. */
  const markup = (page: string) => page.slice(0, page.indexOf('</main>'))

  test('renders the same page each time', () => {
    expect(renderReport(structuredClone(data))).toBe(renderReport(data))
  })

  test('renders all parts of its data', () => {
    const page = renderReport(data)
    for (const part of [
      'plain.trec',
      'nDCG@10',
      'Fisher',
      'textsWeights',
      '[0.2,0.3]',
      'kith rerank',
    ]) {
      expect(page).toContain(part)
    }
    expect(page.match(/<figure>/g)!.length).toBe(data.figures!.length + 1)
    expect(markup(page)).not.toMatch(/NaN|undefined|\[object/)
  })

  test.each([
    ['title', '<h1>A report</h1>'],
    ['about', 'What reranking does.'],
    ['collection', '<p class="collection">cranfield</p>'],
    ['inputs', '<section id="compared">'],
    ['runs', '<section id="measures">'],
    ['queries', '<section id="queries">'],
    ['figures', '<section id="figures">'],
    ['settings', '<section id="settings">'],
    ['versions', '<section id="versions">'],
    ['commands', '<section id="reproduce">'],
  ] as const)('leaves out %s if that is missing', (part, mark) => {
    const { [part]: _, ...rest } = data
    expect(markup(renderReport(data))).toContain(mark)
    expect(markup(renderReport(rest))).not.toContain(mark)
    expect(markup(renderReport(rest))).not.toMatch(/NaN|undefined/)
  })

  test('rounds settings, and prefixes nested settings with the name of the outer one', () => {
    const settings = {
      share: 0.48219999999999996,
      documents: 29_981,
      views: { texts: { graph: 2 / 3 } },
    }
    const page = renderReport({ settings })
    expect(page).toContain('<dt>share</dt><dd>0.4822</dd>')
    expect(page).toContain('<dt>documents</dt><dd>29981</dd>')
    expect(page).toContain('<dt>views.texts.graph</dt><dd>0.6667</dd>')
  })

  test('renders a page without any data', () => {
    const page = renderReport({})
    expect(page).toContain('<h1>Retrieval report</h1>')
    expect(page).not.toContain('<section')
    expect(page).not.toContain('<script')
    expect(page).toContain('script-src &#39;none&#39;')
  })

  test('refuses a figure that it cannot draw', () => {
    const figure = { kind: 'time', points: [{ size: 5 }] }
    expect(() => renderReport({ figures: [figure as never] })).toThrow(
      'figure.points[0].milliseconds',
    )
    expect(() => renderReport({ figures: [{ kind: 'pie' } as never] })).toThrow('context-size')
  })

  test('prints the date only if it is given', () => {
    expect(renderReport({ generatedAt: '2026-01-01' })).toContain('2026-01-01')
  })

  test('compares several runs with the first, and says that p is corrected for them', () => {
    const [first, second] = data.runs!
    const page = renderReport({ runs: [first!, second!, { ...second!, name: 'third' }] })
    expect(page.match(/<table/g)!.length).toBe(2)
    expect(page.match(/class="headline"/g)!.length).toBe(2)
    expect(page).toContain('Holm’s method for 2 compared runs')
    expect(renderReport({ runs: [first!] }).match(/<table/g)!.length).toBe(1)
  })
})

describe('renderReport with several runs and tables', () => {
  const run = (name: string, value: number, p?: number) => ({
    name,
    queries: 10,
    measures: { 'nDCG@10': value },
    ...(p === undefined
      ? {}
      : {
          comparison: {
            'nDCG@10': { difference: value - 0.3, wins: 6, ties: 2, losses: 2, tTest: p, p },
          },
        }),
  })

  test('compares many runs in one table, with the verdict on the last', () => {
    const page = renderReport({
      runs: [run('plain', 0.3), run('a', 0.2, 0.001), run('b', 0.31, 0.4), run('c', 0.4, 0.02)],
    })
    expect(page.match(/class="headline"/g)).toHaveLength(1)
    expect(page).toContain('c against plain')
    expect(page).toMatch(/<td class="loss">0\.2000<span class="mark">\*\*<\/span>/)
    expect(page).toMatch(/<td class="">0\.3100/)
    expect(page).toContain('<details>')
  })

  test('reads tables from a file, and escapes their contents', () => {
    const rows = [
      ['what', 'figure'],
      ['<script>alert(1)</script>', '1'],
    ]
    const tables = parseTables(JSON.stringify([{ title: 'Found', note: 'a & b', rows }]), 'x.json')
    const page = renderReport({ tables })
    expect(page).toContain('<h2>Found</h2>')
    expect(page).not.toContain('<script>alert(1)')
    expect(page).toContain('&#60;script')
    expect(() => parseTables('[{"title":1,"rows":[["a"]]}]', 'x.json')).toThrow(/x\.json.*title/)
    expect(() => parseTables('{', 'x.json')).toThrow(/x\.json.*not JSON/)
  })
})
