import { readFileSync } from 'node:fs'
import type { GroundTruth, PartialLabelSettings, PartialSettings } from '../src/index.ts'

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
  groundTruth: GroundTruth
  settings: PartialLabelSettings
  expected: { evidence: number[]; kept: number[]; target: number[] }
}

export const ownContexts: Record<string, OwnContext> = read('contexts')
export const rankingCases: RankingCase[] = read('rankings')
export const labelCases: LabelCase[] = read('labels')

/** The query and the candidates of a context. */
export function splitOwn({ vectors, texts, views = {} }: OwnContext) {
  const rows = Object.entries(views)
  return {
    query: {
      vector: vectors[0]!,
      text: texts?.[0],
      views: Object.fromEntries(rows.map(([name, all]) => [name, all[0]!])),
    },
    candidates: {
      vectors: vectors.slice(1),
      texts: texts?.slice(1),
      views: Object.fromEntries(rows.map(([name, all]) => [name, all.slice(1)])),
    },
  }
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`golden/${name}.json`, import.meta.url), 'utf8'))
}
