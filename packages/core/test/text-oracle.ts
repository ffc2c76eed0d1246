/**
 * The text view and the views' mix, word for word from docs/method.md section 4 and
 * with nothing of the library's: strings for terms, doubles for numbers.
 */

const RUN = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u

/** Lower-cased runs of letters and digits; in scripts without spaces, character bigrams. */
export function termsOf(text: string): string[] {
  return [...text.matchAll(RUN)].flatMap(([run]) => segments(run).flatMap(termsOfSegment))
}

/** A run in parts of characters (letters with their marks) of one kind of script. */
function segments(run: string): string[][] {
  const characters = run.match(/[\p{L}\p{N}]\p{M}*/gu) ?? []
  const parts: string[][] = []
  let previous: boolean | undefined
  for (const character of characters) {
    const kind = UNSPACED.test([...character][0]!)
    if (kind !== previous) parts.push([])
    parts.at(-1)!.push(character)
    previous = kind
  }
  return parts
}

function termsOfSegment(characters: string[]): string[] {
  if (!UNSPACED.test([...characters[0]!][0]!)) return [characters.join('').toLowerCase()]
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, i) => characters[i]! + character)
}

/** S_text of a context's texts, the query's first; `terms` gives those of a text. */
export function textCosines(texts: readonly string[], terms = termsOf): number[][] {
  const candidates = texts.length - 1
  const counts = texts.map((text) => {
    const tf = new Map<string, number>()
    for (const term of terms(text)) tf.set(term, (tf.get(term) ?? 0) + 1)
    return tf
  })
  const df = (term: string): number => counts.slice(1).filter((tf) => tf.has(term)).length
  const vectors = counts.map((tf) => {
    const weights = new Map<string, number>()
    for (const [term, count] of tf) {
      const n = df(term)
      if (n > 0) weights.set(term, (1 + Math.log(count)) * Math.log((candidates + 1) / (n + 0.5)))
    }
    return weights
  })
  const dot = (a: Map<string, number>, b: Map<string, number>): number =>
    [...a].reduce((sum, [term, weight]) => sum + weight * (b.get(term) ?? 0), 0)
  return vectors.map((a, i) =>
    vectors.map((b, j) => {
      const length = Math.sqrt(dot(a, a) * dot(b, b))
      return length > 0 ? dot(a, b) / length : Number(i === j)
    }),
  )
}

export interface OracleSettings {
  k: number
  kExp: number
  lambda: number
}

/** The mixed similarity of probe 0 to the candidates, from the views' similarities and weights. */
export function viewsMix(
  views: readonly { s: number[][]; graph: number; score: number }[],
  { k, kExp, lambda }: OracleSettings,
): number[] {
  const jaccard = jaccardsToQuery(blend(views), k, kExp)
  const geometric = views
    .map(({ s, score }) => zScores(s[0]!.slice(1)).map((z) => score * z))
    .reduce((a, b) => a.map((value, i) => value + b[i]!))
  const near = zScores(geometric)
  const shared = zScores(jaccard)
  return near.map((z, i) => lambda * z + (1 - lambda) * shared[i]!)
}

/** G = Σ b_v · S_v. */
export function blend(views: readonly { s: number[][]; graph: number }[]): number[][] {
  return views[0]!.s.map((row, i) =>
    row.map((_, j) => sum(views.map(({ s, graph }) => graph * s[i]![j]!))),
  )
}

/** s_J(0, c) of every candidate in a graph: linear weights, no trust. */
export function jaccardsToQuery(g: readonly number[][], k: number, kExp: number): number[] {
  const m = g.length
  const all = Array.from({ length: m }, (_, i) => i)
  const rank = g.map((row) =>
    all.toSorted((a, b) => row[b]! - row[a]! || a - b).slice(0, Math.min(k, m - 1) + 1),
  )
  const reciprocal = rank.map((row, i) => row.filter((j) => rank[j]!.includes(i)))
  const v = all.map((i) => {
    const members = reciprocal[i]!
    const weights = members.map((j) => Math.max(0, g[i]![j]!))
    const whole = sum(weights)
    return all.map((j) => {
      const at = members.indexOf(j)
      if (at < 0) return 0
      return whole > 0 ? weights[at]! / whole : 1 / members.length
    })
  })
  const expanded =
    kExp > 1
      ? rank.map((row) => {
          const nearest = row.slice(0, kExp)
          return all.map((j) => sum(nearest.map((r) => v[r]![j]!)) / nearest.length)
        })
      : v
  return all.slice(1).map((c) => {
    const smaller = sum(all.map((j) => Math.min(expanded[0]![j]!, expanded[c]![j]!)))
    const larger = sum(all.map((j) => Math.max(expanded[0]![j]!, expanded[c]![j]!)))
    return larger > 0 ? smaller / larger : 0
  })
}

/** Mean 0 and population deviation 1; constant values become 0. */
export function zScores(values: number[]): number[] {
  const mean = sum(values) / values.length
  const deviation = Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / values.length)
  return values.map((value) =>
    Math.max(...values) - Math.min(...values) > 1e-6 ? (value - mean) / deviation : 0,
  )
}

function sum(values: number[]): number {
  return values.reduce((a, b) => a + b, 0)
}
