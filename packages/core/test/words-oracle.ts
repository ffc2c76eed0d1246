/**
 * The ranking with words, word for word from docs/method.md section 4 and with nothing of
 * the library's: strings for terms, doubles for numbers, a table for the stems.
 */
import { blend, jaccardsToQuery, textCosines, zScores } from './text-oracle.ts'

/** The words that the tests' texts are made of, and their stems by Porter's rules; '' is a stop word. */
export const stems: Readonly<Record<string, string>> = {
  flow: 'flow',
  flows: 'flow',
  flowing: 'flow',
  layer: 'layer',
  layers: 'layer',
  layered: 'layer',
  boundary: 'boundari',
  boundaries: 'boundari',
  relational: 'relat',
  relate: 'relat',
  heat: 'heat',
  heated: 'heat',
  wing: 'wing',
  wings: 'wing',
  pressure: 'pressur',
  pressures: 'pressur',
  shock: 'shock',
  supersonic: 'superson',
  stability: 'stabil',
  stable: 'stabl',
  mach: 'mach',
  the: '',
  of: '',
  with: '',
}

/** The terms of a text of those words. */
export function stemsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
    .map((word) => stems[word]!)
    .filter((term) => term !== '')
}

/** What is known of a collection's terms. */
export interface OracleStatistics {
  documents: number
  meanLength: number
  frequencies: ReadonlyMap<string, number>
}

export function statisticsOf(texts: readonly string[]): OracleStatistics {
  const all = texts.map(stemsOf)
  const frequencies = new Map<string, number>()
  for (const terms of all) {
    for (const term of new Set(terms)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  }
  const length = all.reduce((sum, terms) => sum + terms.length, 0)
  return { documents: texts.length, meanLength: length / texts.length || 1, frequencies }
}

export interface WordsOracleSettings {
  contextSize: number
  k: number
  kExp: number
  metric: 'dot' | 'cosine'
  bm25Weight: number
  k1: number
  b: number
  neighborWeight: number
  supportDocs: number
  supportWeight: number
  windowWeight: number
  windowTerms: number
  titleWeight: number
  /** M; 0 if nothing is preselected. */
  preselect: number
  statistics?: OracleStatistics | undefined
}

/** A query or a candidate. */
export interface OracleMember {
  vector?: ArrayLike<number> | undefined
  text: string
  title?: string | undefined
  /** Whether the order of its terms is known. */
  positions?: boolean | undefined
  /** A retriever's score, which stands for the similarity of a candidate without a vector. */
  score?: number | undefined
}

export interface OracleRanking {
  /** All candidates, best first. */
  order: number[]
  /** The scores of the context's candidates, by their index. */
  scores: Map<number, number>
  /** Whether rounding decides something: two that are not twins are equal but for it, where a list is cut. */
  ambiguous: boolean
}

/** Values that float32 may tell apart or not. */
const NEAR = 2e-6

/** The title and the text of a member in a row. */
export function wholeOf({ title, text }: Pick<OracleMember, 'title' | 'text'>): string {
  return title === undefined ? text : `${title} ${text}`
}

/** Step 6: the parts of the query's terms, by their weight, in the best window and in the title of every candidate. */
export function matchesOf(
  query: string,
  candidates: readonly OracleMember[],
  { windowTerms, statistics }: Pick<WordsOracleSettings, 'windowTerms' | 'statistics'>,
): { window: number[]; title: number[] } {
  const { documents, frequencies } = statistics ?? statisticsOf(candidates.map(wholeOf))
  const asked = stemsOf(query)
  const weights = new Map<string, number>()
  for (const term of asked) {
    const n = frequencies.get(term) ?? 0
    const idf = (statistics ? 0 : 1) + Math.log(1 + (documents - n + 0.5) / (n + 0.5))
    weights.set(term, (weights.get(term) ?? 0) + idf)
  }
  const part = (terms: readonly string[]): number => {
    const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
    return [...new Set(terms)].reduce((sum, term) => sum + (weights.get(term) ?? 0), 0) / all || 0
  }
  return {
    window: candidates.map((candidate) => {
      const terms = candidate.positions === false ? [] : stemsOf(wholeOf(candidate))
      return Math.max(0, ...terms.map((_, at) => part(terms.slice(at, at + windowTerms))))
    }),
    title: candidates.map(({ title = '' }) => part(stemsOf(title))),
  }
}

/** Step 1: W of every candidate. */
export function wordsScoresOf(
  query: string,
  texts: readonly string[],
  { k1, b, statistics }: Pick<WordsOracleSettings, 'k1' | 'b' | 'statistics'>,
): number[] {
  const { documents, meanLength, frequencies } = statistics ?? statisticsOf(texts)
  const asked = stemsOf(query)
  return texts.map((text) => {
    const terms = stemsOf(text)
    let score = 0
    for (const term of new Set(asked)) {
      const qtf = asked.filter((other) => other === term).length
      const tf = terms.filter((other) => other === term).length
      const n = frequencies.get(term) ?? 0
      const idf = (statistics ? 0 : 1) + Math.log(1 + (documents - n + 0.5) / (n + 0.5))
      const norm = k1 * (1 - b + (b * terms.length) / meanLength)
      if (tf > 0) score += (qtf * idf * tf * (k1 + 1)) / (tf + norm)
    }
    return score
  })
}

/** Steps 0 to 6. */
export function rankByWords(
  query: OracleMember,
  candidates: readonly OracleMember[],
  settings: WordsOracleSettings,
): OracleRanking {
  const { contextSize, bm25Weight: a, k, kExp, neighborWeight, supportWeight } = settings
  const looked = candidates.slice(0, Math.max(contextSize, settings.preselect))
  const texts = looked.map(wholeOf)
  const words = zScores(wordsScoresOf(query.text, texts, settings))
  const near = similarities(query, looked, settings.metric)
  const g0 = near.map((z, c) => (1 - a) * z + a * words[c]!)
  const all = looked.map((_, c) => c)
  const before = looked.length > contextSize ? sorted(all, g0) : all
  const chosen = before.slice(0, contextSize)
  const context = chosen.map((c) => looked[c]!)
  const g = zScores(chosen.map((c) => g0[c]!))
  const members = [query, ...context]
  const someVectors = context.some(({ vector }) => vector !== undefined)
  const textView = {
    s: textCosines(members.map(wholeOf), stemsOf),
    graph: 0.3,
  }
  const graph = someVectors
    ? blend([{ s: filledCosines(members), graph: 0.7 }, textView])
    : textView.s
  const j = zScores(jaccardsToQuery(graph, k, kExp))
  const p = supportOf(graph, g, settings.supportDocs)
  const ambiguous =
    (before !== all && isCutAtTie(looked, g0)) ||
    isCutAtTie(context, g, settings.supportDocs) ||
    graph.some((row) => isCutAtTie(members, row, k + 1) || isCutAtTie(members, row, kExp))
  const own = 1 - neighborWeight - supportWeight
  const matches = matchesOf(query.text, context, settings)
  const w = zScores(matches.window)
  const t = zScores(matches.title)
  const scores = g.map(
    (z, c) =>
      own * z +
      neighborWeight * j[c]! +
      supportWeight * p[c]! +
      settings.windowWeight * w[c]! +
      settings.titleWeight * t[c]!,
  )
  const order = sorted(
    chosen.map((_, i) => i),
    scores,
  ).map((i) => chosen[i]!)
  const rest = candidates.map((_, c) => c).slice(looked.length)
  return {
    order: [...order, ...before.slice(contextSize), ...rest],
    scores: new Map(chosen.map((c, i) => [c, scores[i]!])),
    ambiguous,
  }
}

/** Whether members next to each other by their values, at one cut or at any, are nearly equal but not the same. */
function isCutAtTie(
  members: readonly OracleMember[],
  values: readonly number[],
  cut?: number,
): boolean {
  const order = sorted(
    values.map((_, i) => i),
    values,
  )
  return order.some((second, place) => {
    if (place === 0 || (cut !== undefined && cut !== place)) return false
    const first = order[place - 1]!
    const [a, b] = [members[first]!, members[second]!]
    const twins = a.vector === b.vector && wholeOf(a) === wholeOf(b) && a.score === b.score
    const zeros = values[first] === 0 && values[second] === 0
    return !twins && !zeros && Math.abs(values[first]! - values[second]!) < NEAR
  })
}

/** Indices by their value, the highest first, ties by the earlier one. */
function sorted(indices: readonly number[], values: readonly number[]): number[] {
  return indices.toSorted((a, b) => values[b]! - values[a]! || a - b)
}

/** Step 4: the mean of G[d, c] over the best candidates d but c itself. */
function supportOf(graph: readonly number[][], g: readonly number[], count: number): number[] {
  const best = sorted(
    g.map((_, c) => c),
    g,
  ).slice(0, count)
  const means = g.map((_, c) => {
    const others = best.filter((d) => d !== c)
    return others.reduce((sum, d) => sum + graph[d + 1]![c + 1]!, 0) / others.length
  })
  // The only supporter has nobody to support it, and counts as the mean.
  const known = means.filter((mean) => !Number.isNaN(mean))
  const z = zScores(known)
  return means.map((mean) => (Number.isNaN(mean) ? 0 : z.shift()!))
}

/** z of the similarities to the query; 0 if there is no vector, or z of the score that is given. */
function similarities(
  query: OracleMember,
  candidates: readonly OracleMember[],
  metric: 'dot' | 'cosine',
): number[] {
  const measure = metric === 'dot' ? dot : cosineOf
  const present = candidates.filter(({ vector }) => vector !== undefined)
  const near = zScores(present.map(({ vector }) => measure(query.vector!, vector!)))
  const scored = candidates.filter(({ score }) => score !== undefined)
  const byScore = zScores(scored.map(({ score }) => score!))
  return zScores(
    candidates.map((candidate) => {
      if (candidate.vector !== undefined) return near[present.indexOf(candidate)]!
      return byScore[scored.indexOf(candidate)] ?? 0
    }),
  )
}

/**
 * The cosines of all members. One without a vector is as similar to another as the candidates with
 * vectors are on the average, and to another one without as those averages are on the average.
 */
function filledCosines(members: readonly OracleMember[]): number[][] {
  const has = (i: number): boolean => members[i]!.vector !== undefined
  const present = members.map((_, i) => i).filter((i) => i > 0 && has(i))
  const cosine = (i: number, j: number): number =>
    i === j ? 1 : cosineOf(members[i]!.vector!, members[j]!.vector!)
  const meanTo = (j: number): number =>
    mean(present.filter((i) => i !== j).map((i) => cosine(i, j)))
  const overall = mean(present.map(meanTo))
  return members.map((_, i) =>
    members.map((_, j) => {
      if (i === j) return 1
      if (has(i) && has(j)) return cosine(i, j)
      if (has(i)) return meanTo(i)
      return has(j) ? meanTo(j) : overall
    }),
  )
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((sum, value, i) => sum + value * b[i]!, 0)
}

/** 0 if one of them is zero. */
function cosineOf(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)) || 0
}
