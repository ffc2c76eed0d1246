import { type CandidateViews, contextOf, type QueryViews } from '../context.ts'
import type { Engine, Square } from '../kernel/engine.ts'
import { POSTING, Postings } from '../text/postings.ts'
import type { Tokenizer } from '../text/tokenizer.ts'

/** Candidates without those that repeat an earlier one. */
export interface Folded {
  /** The candidates that are left, by their index. */
  kept: number[]
  /** The candidates that each of them stands for, by the kept one's index. */
  duplicates: ReadonlyMap<number, number[]>
}

/**
 * Folds candidates into the first one that they repeat: by the cosine of their vectors, or where their
 * texts have the same terms in the same order. Of the first candidates, until `enough` are left; the
 * others are kept.
 */
export function foldDuplicates(
  engine: Engine,
  query: QueryViews,
  candidates: CandidateViews,
  threshold: number,
  enough: number,
  tokenizer: Tokenizer,
): Folded {
  const { vectors, texts } = candidates
  const own = contextOf(query, { vectors, texts }, 2 * enough, new Postings(), tokenizer)
  const rows = own.views.get('vectors')
  return engine.scoped(() => {
    let s: Square | undefined
    if (rows) {
      s = engine.gram(rows)
      s.toCosines()
    }
    const lacks = new Set(own.missing)
    const kept: number[] = []
    const duplicates = new Map<number, number[]>()
    const byText = new Map<string, number>()
    for (let index = 0; index < own.candidates; index++) {
      const row = index + 1
      const looked = row < own.rows && kept.length < enough
      const key = looked && own.texts ? termsKey(own.texts, row) : ''
      const line = looked && s && !lacks.has(row) ? s.row(row) : undefined
      const first =
        byText.get(key) ??
        (line && kept.find((other) => !lacks.has(other + 1) && line[other + 1]! >= threshold))
      if (first !== undefined) {
        duplicates.set(first, [...(duplicates.get(first) ?? []), index])
        continue
      }
      kept.push(index)
      if (key !== '') byText.set(key, index)
    }
    return { kept, duplicates }
  })
}

/** A key that texts with the same terms in the same order share; empty for a text without terms. */
function termsKey(postings: Postings, row: number): string {
  const from = postings.starts[row]! * POSTING
  const to = postings.starts[row + 1]! * POSTING
  if (from === to) return ''
  let [a, b] = [to - from, postings.titles[row]!]
  for (let at = from; at < to; at++) {
    a = Math.imul(a ^ postings.words[at]!, 0x85ebca6b)
    b = Math.imul(b + a, 0xc2b2ae35) ^ (b >>> 13)
  }
  for (const position of postings.positionsOf(row)) a = Math.imul(a ^ position, 0x85ebca6b)
  return `${a} ${b}`
}
