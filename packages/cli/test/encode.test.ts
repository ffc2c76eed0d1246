import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbeddings, readQrels, readRun } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { writeSmallModel } from '../../../test/faults/small-model.mjs'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import { runKilled } from './killed.ts'
import { kith, program, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
/** Gives a command a terminal. */
const terminal = existsSync('/usr/bin/script')
if (!terminal) {
  const advice = 'no script: install it (Debian: apt-get install bsdutils)'
  if (process.env['CI']) throw new Error(advice)
  console.warn(`skipped: ${advice}`)
}
/** Many windows of the encoder: progress is kept after each. */
const texts = 4000
/** More than one window. */
const few = 300
/** What a command does is the same with a model of two small layers, and takes less. */
const model = ['--model', path('model')]

beforeAll(() => {
  writeSmallModel(path('model'))
  const words = ['dense', 'retrieval', 'kith', 'kiths']
  const lines = Array.from({ length: texts }, (_, i) =>
    JSON.stringify({
      _id: `t${i}`,
      title: i % 3 ? '' : 'Title',
      // No two are the same: the number in digits that are words the model knows.
      text: Array.from({ length: 6 }, (_, place) => words[(i >> (2 * place)) % 4]).join(' '),
    }),
  )
  writeFileSync(path('corpus.jsonl'), `${lines.join('\n')}\n`)
  writeFileSync(path('few.jsonl'), `${lines.slice(0, few).join('\n')}\n`)
  encode('whole.npy')
})

const encode = (out: string, ...more: string[]): string =>
  succeed('encode', ...model, '--input', path('few.jsonl'), '--out', path(out), ...more)

describe('kith encode', () => {
  test('reproduces the embeddings of the shared dataset with the real encoder', async () => {
    const cranfield = sharedCollection('cranfield')
    if (!cranfield) return
    const input = join(cranfield, 'queries.jsonl')
    const printed = succeed('encode', '--input', input, '--role', 'query', '--out', path('q.npy'))
    expect(printed).toMatch(/225 texts × 384 in [\d.]+ s \(\d+ texts\/s\)/)
    const made = await openEmbeddings(path('q.npy'))
    const given = await openEmbeddings(join(cranfield, 'embeddings/all-MiniLM-L6-v2/queries.npy'))
    for (let row = 0; row < given.rows; row++) {
      expect(made.idOf(row)).toBe(given.idOf(row))
      const [a, b] = [made.read(row, row + 1), given.read(row, row + 1)]
      expect(a.reduce((sum, value, j) => sum + value * b[j]!, 0)).toBeGreaterThan(0.99999)
    }
    made.close()
    given.close()
  })

  test('resumes after being killed at any moment, and writes the same bytes', async () => {
    const corpus = ['encode', ...model, '--input', path('corpus.jsonl')]
    succeed(...corpus, '--out', path('undisturbed.npy'))
    const out = path('killed.npy')
    const kills = await runKilled(out, [...corpus, '--out', out])
    expect(kills).toBeGreaterThan(1)
    expect(readFileSync(out).equals(readFileSync(path('undisturbed.npy')))).toBe(true)
    expect(readFileSync(path('killed.ids.txt'), 'utf8')).toBe(
      readFileSync(path('undisturbed.ids.txt'), 'utf8'),
    )
    expect(existsSync(`${out}.partial`)).toBe(false)
  })

  test('gives the same embeddings in half precision, in other formats and with one thread', async () => {
    encode('half.npy', '--f16')
    encode('one.safetensors', '--threads', '1')
    const [whole, half, one] = await Promise.all(
      ['whole.npy', 'half.npy', 'one.safetensors'].map((name) => openEmbeddings(path(name))),
    )
    const expected = whole!.read(0, few)
    expect(Buffer.from(one!.read(0, few).buffer).equals(Buffer.from(expected.buffer))).toBe(true)
    expect(one!.idOf(17)).toBe('t17')
    const differences = half!.read(0, few).map((value, i) => Math.abs(value - expected[i]!))
    expect(differences.reduce((most, value) => Math.max(most, value), 0)).toBeLessThan(1e-3)
    for (const opened of [whole, half, one]) opened!.close()
  })

  test('applies the prefixes and the maximum length in the options', async () => {
    const input = ['encode', ...model, '--input', path('few.jsonl'), '--max-tokens', '4', '--json']
    const { err, out } = kith(...input, '--out', path('cut.npy'))
    const cut = '300 of 300 texts were truncated to 4 tokens (--max-tokens)'
    expect(err).toContain(
      `${cut}; split long documents with kith convert --passages to search the rest\n`,
    )
    const queries = kith(...input, '--out', path('cut-queries.npy'), '--role', 'query')
    expect(queries.err).toContain(`${cut}\n`)
    expect(JSON.parse(out)).toMatchObject({ cut: few, maxTokens: 4 })
    encode('prefix.npy', '--document-prefix', 'passage: ')
    expect(readFileSync(path('prefix.npy')).equals(readFileSync(path('whole.npy')))).toBe(false)
    const meta = JSON.parse(readFileSync(path('prefix.npy.meta.json'), 'utf8'))
    expect(meta.settings).toMatchObject({ model: path('model'), documentPrefix: 'passage: ' })
  })

  test.runIf(terminal)('prints remarks above the progress bar on a terminal', () => {
    const words = [...model, '--input', path('few.jsonl'), '--max-tokens', '4']
    const line = [process.execPath, program, 'encode', ...words, '--out', path('terminal.npy')]
    const { stdout } = spawnSync('/usr/bin/script', ['-qec', line.join(' '), '/dev/null'], {
      encoding: 'utf8',
    })
    // The bar is drawn, its line removed, and the remark has the line to itself.
    expect(stdout).toMatch(/encoding █+ 100% {2}300 of 300/)
    expect(stdout).toContain('\r\u001b[K300 of 300 texts were truncated to 4 tokens (--max-tokens)')
  })

  test('records 8-bit embeddings in the sidecar, and kith train refuses them', () => {
    encode('eight.npy', '--quantize', 'int8')
    expect(readFileSync(path('eight.npy')).equals(readFileSync(path('whole.npy')))).toBe(false)
    const settings = (name: string) =>
      JSON.parse(readFileSync(path(`${name}.meta.json`), 'utf8')).settings
    expect(settings('eight.npy')).toMatchObject({ quantize: 'int8' })
    expect(settings('whole.npy')).not.toHaveProperty('quantize')
    expect(kith('train', '--quantize', 'int8')).toMatchObject({
      code: 2,
      err: expect.stringContaining("unknown option '--quantize'"),
    })
  })

  test('names wrong inputs', () => {
    const fails = (...more: string[]) =>
      kith('encode', '--input', path('corpus.jsonl'), '--out', path('x.npy'), ...more)
    expect(fails('--model', path('nowhere'))).toMatchObject({ code: 1 })
    expect(fails('--model', folder).err).toMatch(/kith: /)
    expect(fails('--pooling', 'last')).toMatchObject({ code: 2 })
    expect(fails('--input', path('missing.jsonl')).err).toMatch(/there is no such file/)
  })
})

describe('kith dataset wordnet', () => {
  test('builds the dataset, and draws sparse labels from a run', async () => {
    const out = path('wordnet')
    expect(succeed('dataset', 'wordnet', '--out', out)).toMatch(
      /59704 documents; queries: test 1087, dev 255, train 525/,
    )
    const test = await readQrels(join(out, 'qrels/test.tsv'))
    expect(test.size).toBe(1087)
    expect(readFileSync(join(out, 'LICENSE'), 'utf8')).toContain('Princeton University')
    const lines = [...test].map(([query, judged]) => {
      const [first] = judged.keys()
      return `${query} Q0 ${first} 1 1 t\n`
    })
    writeFileSync(path('wordnet.trec'), lines.join(''))
    const printed = succeed('dataset', 'wordnet', '--out', out, '--run', path('wordnet.trec'))
    expect(printed).toMatch(/one relevant document for each of 1087 queries; 780 queries have none/)
    const sparse = await readQrels(join(out, 'qrels-sparse/test.tsv'))
    const run = await readRun(path('wordnet.trec'))
    for (const [query, judged] of sparse) {
      expect([...judged.keys()]).toEqual(run.get(query)!.ids)
    }
    expect(kith('dataset', 'wordnet', '--out', out, '--dict', path('nowhere')).code).toBe(1)
    expect(kith('dataset', 'wordnet', '--out', out, '--encode', '--run', 'x').code).toBe(2)
  })
})
