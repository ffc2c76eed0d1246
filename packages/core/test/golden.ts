import { existsSync, readFileSync } from 'node:fs'
import type { Aggregate, Matrix, Normalization, PartialSettings } from '../src/index.ts'

/** A context with what the program behind the paper computes for it: ../shared/golden/README.md. */
export interface GoldenCase {
  id: string
  context: Matrix
  settings: PartialSettings
  groundTruth: { rows: number[]; grades: number[] }
  expected: {
    similarityToQuery: number[]
    rank: number[][]
    reciprocal: number[][]
    jaccardToQuery: number[]
    mixedToQuery: number[]
    ranking: number[]
    jaccardToGroundTruth: number[][]
    mixedToGroundTruth: number[][]
    labels: { aggregate: Aggregate; normalize: Normalization; boost: number; relevance: number[] }[]
  }
}

/** A case as the file has it, with the settings' older names `scale` and `normalise`. */
interface SharedCase {
  embeddings: string
  candidates: number
  dimensions: number
  settings: PartialSettings & { scale: PartialSettings['rowScaling'] }
  expected: Omit<GoldenCase['expected'], 'labels'> & {
    labels: { aggregate: Aggregate; normalise: Normalization; boost: number; relevance: number[] }[]
  }
}

const shared = new URL('../../../../shared/golden/cases.json', import.meta.url)

/** The golden cases, none if the machine does not have them. */
export function goldenCases(): GoldenCase[] {
  if (!existsSync(shared)) {
    console.warn(`skipped: no golden cases at ${shared.pathname}`)
    return []
  }
  const { cases } = JSON.parse(readFileSync(shared, 'utf8'))
  return cases.map(
    ({ embeddings, candidates, dimensions, settings, expected, ...rest }: SharedCase) => {
      const bytes = Buffer.from(embeddings, 'base64')
      const data = new Float32Array(
        bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
      )
      const { scale: rowScaling, ...others } = settings
      return {
        ...rest,
        // The paper compares by inner product.
        settings: { metric: 'dot', ...others, rowScaling },
        context: { data, rows: candidates + 1, dimensions },
        expected: {
          ...expected,
          labels: expected.labels.map(({ normalise: normalize, ...label }) => ({
            ...label,
            normalize,
          })),
        },
      }
    },
  )
}
