import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { AdapterModel, openAdapter } from '../src/models/adapter-model.ts'
import { QueryEncoder } from '../src/models/query-encoder.ts'

const folder = temporaryFolder()

test.each(['linear', 'mlp'] as const)(
  'applies a %s adapter to one query as to many',
  async (kind) => {
    const model = new AdapterModel({ kind, dimensions: 5, inner: 7, normalize: kind === 'linear' })
    for (const weights of model.weights.values()) {
      weights.forEach((_, i) => {
        weights[i] = Math.sin(3 * i + 1)
      })
    }
    await model.save(join(folder, kind))
    const opened = await openAdapter(join(folder, kind))
    const queries = Array.from({ length: 4 }, (_, q) => ({
      id: `q${q}`,
      vector: Float32Array.from({ length: 5 }, (_, i) => Math.cos(q * 7 + i)),
    }))
    const encoder = await QueryEncoder.open(opened)
    const { data } = await encoder.encode(queries)
    await encoder.close()
    const single = queries.flatMap(({ vector }) => Array.from(opened.apply(vector)))
    single.forEach((value, i) => {
      expect(value).toBeCloseTo(data[i]!, 5)
    })
  },
)
