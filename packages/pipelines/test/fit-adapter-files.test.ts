import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockFile } from '@kith/base'
import { openEmbeddings } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { adaptQueries } from '../src/train/adapt-queries.ts'
import { fitAdapterFiles } from '../src/train/fit-adapter-files.ts'
import type { FitInputs } from '../src/train/open-fit.ts'
import { trainFromFiles } from '../src/train/train-from-files.ts'
import { writeTurned } from './turned.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

beforeAll(() => writeTurned(folder))

const inputs = (more: Partial<FitInputs> = {}): FitInputs => ({
  docs: path('docs.npy'),
  training: { queries: path('queries.npy'), run: path('run.trec'), qrels: path('train.trec') },
  settings: { shrinkage: 0.1 },
  threads: 1,
  ...more,
})

/** The rows of embeddings. */
async function rowsOf(file: string): Promise<number[]> {
  const embeddings = await openEmbeddings(file)
  return Array.from(embeddings.read(0, embeddings.rows))
}

describe('fitAdapterFiles', () => {
  test('learns from one label per query, and tests on a fifth of the queries', async () => {
    const remarks: string[] = []
    const hooks = { onRemark: (remark: string) => void remarks.push(remark) }
    const result = await fitAdapterFiles({ ...inputs(), out: path('labels') }, hooks)
    expect(result).toMatchObject({ recipe: 'labels', queries: 32, keepsOld: false, shrinkage: 0.1 })
    const { queries, measures, by } = result.heldOut!
    expect([queries, by]).toEqual([6, 'judgments'])
    expect(measures['nDCG@10']!.after).toBeGreaterThan(measures['nDCG@10']!.before + 0.3)
    expect(remarks).toContain(
      '6 of 32 judged queries are held out (seed 0) to test the adapter; the saved adapter learns from all queries',
    )
    const made = { adapter: path('labels'), queries: path('queries.npy'), out: path('adapted.npy') }
    await adaptQueries(made)
    expect(await rowsOf(path('adapted.npy'))).not.toEqual(await rowsOf(path('queries.npy')))
    const sidecar = JSON.parse(readFileSync(path('labels.meta.json'), 'utf8'))
    expect(sidecar.settings).toMatchObject({ adapter: 'linear', recipe: 'labels', keepsOld: false })
    expect(sidecar.learnedFrom).toHaveLength(1)
  })

  test('computes the same bits for any number of threads', async () => {
    const bits = []
    for (const threads of [1, 2]) {
      const out = path(`threads-${threads}`)
      await fitAdapterFiles({ ...inputs({ threads }), out })
      bits.push(readFileSync(join(out, 'adapter.safetensors')).toString('base64'))
    }
    expect(bits[1]).toBe(bits[0])
  })

  test('records the encoder of its queries', async () => {
    const made = (model: string) => JSON.stringify({ command: 'encode', settings: { model } })
    for (const name of ['own', 'other']) {
      for (const end of ['npy', 'ids.txt']) cpSync(path(`queries.${end}`), path(`${name}.${end}`))
    }
    writeFileSync(path('own.npy.meta.json'), made('folder/encoder-a'))
    writeFileSync(path('other.npy.meta.json'), made('encoder-b'))
    const training = { ...inputs().training, queries: path('own.npy') }
    await fitAdapterFiles({ ...inputs({ training }), out: path('owned') })
    const adapted = (name: string) =>
      adaptQueries({ adapter: path('owned'), queries: path(name), out: path('owned.npy') })
    await expect(adapted('other.npy')).rejects.toThrow('was fitted to embeddings of encoder-a, but')
    await adapted('own.npy')
    // Embeddings of an API have no sidecar.
    await adapted('queries.npy')
  })

  test('resumes a stopped fit with the same result', async () => {
    const whole = path('whole')
    await fitAdapterFiles({ ...inputs(), out: whole })
    // Within the first fit, and within the last.
    for (const [name, at] of [
      ['early', 5],
      ['late', 45],
    ] as const) {
      const out = path(name)
      const controller = new AbortController()
      let done = 0
      const stopped = fitAdapterFiles(
        { ...inputs(), out },
        {
          signal: controller.signal,
          onProgress: () => void (++done === at && controller.abort(new Error('enough'))),
        },
      )
      await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' })
      expect(existsSync(join(out, 'checkpoints'))).toBe(true)
      const first: number[] = []
      await fitAdapterFiles(
        { ...inputs(), out },
        { onProgress: ({ done }) => void first.push(done) },
      )
      expect(first[0]).toBeGreaterThan(0)
      expect(existsSync(join(out, 'checkpoints'))).toBe(false)
      const bytes = (folder: string) => readFileSync(join(folder, 'adapter.safetensors'))
      expect(bytes(out).equals(bytes(whole))).toBe(true)
    }
  })

  test('keeps the old embeddings if held-out queries do not gain', async () => {
    // Labels that have nothing to do with the queries.
    const wrong = Array.from({ length: 48 }, (_, i) => `q${i} 0 d${(i * 37 + 11) % 80} 1\n`)
    writeFileSync(path('wrong.trec'), wrong.join(''))
    // Held-out queries whose first document is relevant: no change can gain.
    const lines = readFileSync(path('run.trec'), 'utf8').split('\n')
    const first = lines.map((line) => line.split(' ')).filter(([, , , rank]) => rank === '1')
    writeFileSync(path('best.trec'), first.map(([q, , d]) => `${q} 0 ${d} 1\n`).join(''))
    const validation = { ...inputs().training, qrels: path('best.trec') }
    const training = { ...inputs().training, qrels: path('wrong.trec') }
    const out = path('kept')
    const result = await fitAdapterFiles({ ...inputs({ training, validation }), out })
    expect(result.keepsOld).toBe(true)
    await adaptQueries({ adapter: out, queries: path('queries.npy'), out: path('same.npy') })
    const [before, after] = [await rowsOf(path('queries.npy')), await rowsOf(path('same.npy'))]
    // The same directions, with length 1.
    for (let q = 0; q < 48; q++) {
      const old = before.slice(8 * q, 8 * q + 8)
      const length = Math.hypot(...old)
      old.forEach((value, i) => {
        expect(after[8 * q + i]).toBeCloseTo(value / length, 5)
      })
    }
  })

  test('learns a ranking without judgments, and reports how far it agrees', async () => {
    const training = { queries: path('queries.npy'), run: path('run.trec') }
    const teacher = { run: path('run.trec'), depth: 5 }
    const result = await fitAdapterFiles({ ...inputs({ training, teacher }), out: path('taught') })
    expect(result).toMatchObject({ recipe: 'ranking', queries: 48 })
    expect(result.heldOut).toMatchObject({ queries: 9, by: 'teacher' })
  })

  test('learns labels and a ranking, evidence, and several judgments', async () => {
    const teacher = { run: path('run.trec'), depth: 5 }
    const both = await fitAdapterFiles({ ...inputs({ teacher }), out: path('both') })
    expect(both.recipe).toBe('ranking+labels')
    const settings = { target: { target: 'mixed' as const, contextSize: 20 } }
    const evidence = await fitAdapterFiles({ ...inputs({ settings }), out: path('evidence') })
    // T is 5 here: Λ of the recipe is 200 at T = 20.
    expect(evidence).toMatchObject({ recipe: 'labels', inverseTemperature: 5, shrinkage: 12.5 })
    const lines = readFileSync(path('train.trec'), 'utf8').trim().split('\n')
    const more = lines.map((line) => line.replace(/ d(\d+) /, (_, d) => ` d${Number(d) + 8} `))
    writeFileSync(path('several.trec'), [...lines, ...more, ''].join('\n'))
    const training = { ...inputs().training, qrels: path('several.trec') }
    const several = await fitAdapterFiles({ ...inputs({ training }), out: path('several') })
    expect(several.recipe).toBe('judgments')
  })

  test('refuses contradictory inputs', async () => {
    const refused = (more: Partial<FitInputs>, message: string) =>
      expect(fitAdapterFiles({ ...inputs(more), out: path('x') })).rejects.toThrow(message)
    const training = { queries: path('queries.npy'), run: path('run.trec') }
    await refused({ training }, 'the training queries have no judgments')
    await refused({ recipe: 'ranking' }, 'the recipe ranking learns a ranking; pass a teacher')
    await refused({ holdOut: 2 }, 'holdOut must be a number from 0 to below 1, got 2')
    await refused({ holdOut: 0.1, validation: inputs().training }, 'leave out holdOut')
    const steps = trainFromFiles({ ...inputs(), adapter: 'linear', settings: {}, out: path('x') })
    await expect(steps).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: expect.stringContaining('fitAdapterFiles'),
    })
    expect(existsSync(path('x/adapter.safetensors'))).toBe(false)
    const lock = lockFile(join(path('labels'), 'training'))
    await expect(fitAdapterFiles({ ...inputs(), out: path('labels') })).rejects.toThrow()
    await lock.close()
  })
})
