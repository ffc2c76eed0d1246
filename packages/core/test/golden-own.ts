import { readFileSync } from 'node:fs'
import type { PartialLabelSettings, PartialSettings } from '../src/index.ts'
import type { RowTruth } from './row-forms.ts'

/** A context of golden/contexts.json; row 0 of everything is the query's. */
export interface OwnContext {
  about: string
  vectors: number[][]
  texts?: string[]
  views?: Record<string, number[][]>
}

/** A case of golden/rankings.json: golden/README.md explains the fields. */
export interface RankingCase {
  id: string
  context: string
  settings: PartialSettings
  expected: {
    rank: string[]
    reciprocal: string[]
    probes: number[]
    geometric: number[][]
    jaccard: number[][]
    mixed: number[][]
    order: number[]
    scores?: number[]
  }
}

/** A case of golden/labels.json. */
export interface LabelCase {
  id: string
  context: string
  groundTruth: RowTruth
  settings: PartialLabelSettings
  expected: { evidence: number[]; kept: number[]; target: number[] }
}

export const ownContexts: Record<string, OwnContext> = read('contexts')
export const rankingCases = withMetric(read<RankingCase[]>('rankings'))
export const labelCases = withMetric(read<LabelCase[]>('labels'))

/** Cases without a metric are of inner products: their candidates stand in no order that could tell. */
function withMetric<T extends { settings: PartialSettings | PartialLabelSettings }>(
  cases: readonly T[],
): T[] {
  return cases.map((one) => ({ ...one, settings: { metric: 'dot', ...one.settings } }))
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`golden/${name}.json`, import.meta.url), 'utf8'))
}
