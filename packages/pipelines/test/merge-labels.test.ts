import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { FileError } from '@kith/base'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { type LabelInputs, labelRun } from '../src/labels/label-run.ts'
import { mergeLabels } from '../src/labels/merge-labels.ts'
import { judged, judgedInputs, queries, writeJudged } from './label-data.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
beforeAll(() => writeJudged(folder))

const read = (name: string): string => readFileSync(path(name), 'utf8')
const sha256 = (contents: string): string => createHash('sha256').update(contents).digest('hex')
const texts = { corpus: path('corpus.jsonl'), queryText: path('queries.jsonl') }
const labels = (out: string, more: Partial<LabelInputs> = {}) =>
  labelRun({ ...judgedInputs(folder), out: path(out), ...more })
/** Makes a share; its file. */
const share = async (
  out: string,
  index: number,
  count: number,
  more: Partial<LabelInputs> = {},
): Promise<string> => (await labels(out, { shard: { index, count }, ...more })).out
const merge = (out: string, ...shares: string[]) => mergeLabels({ shares, out: path(out) })
const narrow = { settings: { contextSize: 10 } }

describe('merging shards of labels', () => {
  test('restores the whole file, and refuses gaps, overlaps and other settings', async () => {
    await labels('whole.jsonl')
    const shards: string[] = []
    for (const i of [1, 2, 3]) shards.push(await share(`shard${i}.jsonl`, i, 3))
    const [first, second, third] = shards as [string, string, string]
    const merged = await merge('m.jsonl', third, first, second)
    expect(merged).toMatchObject({ shares: 3, summary: { queries: judged.once } })
    expect(merged.summary.position).toBe(400 + 800 + queries)
    // What was merged can be merged again.
    await merge('n.jsonl', path('m.jsonl'))
    expect(read('n.jsonl')).toBe(read('whole.jsonl'))
    expect(read('m.jsonl')).toBe(read('whole.jsonl'))
    const refused = (shares: string[], problem: RegExp) =>
      expect(merge('m.jsonl', ...shares)).rejects.toThrow(problem)
    await refused([first, third], /401 to 800/)
    await refused([first, second], /801 to 1200/)
    await refused([...shards, second], /401 to 800/)
    await share('shard2.jsonl', 2, 3, { settings: { boost: 2 } })
    await refused(shards, /shard2.jsonl has boost 2, .*shard1.jsonl has 1.222/)
    await refused([path('run.trec')], /run.trec.meta.json: is not the .meta.json of a shard/)
    await refused([], /no shards/)
    const views = { vectors: { score: 0.5, graph: 0.5 }, texts: { score: 0.5, graph: 0.5 } }
    const w1 = await share('w1.jsonl', 1, 2, { texts: true, ...texts, settings: { views } })
    const w2 = await share('w2.jsonl', 2, 2, { texts: true, ...texts })
    await refused([w1, w2], /w2.jsonl has views none/)
  })

  test('merges shards of Parquet', async () => {
    await labels('whole.parquet')
    const shares = [await share('p1.parquet', 1, 2), await share('p2.parquet', 2, 2)]
    await merge('joined.parquet', ...shares)
    expect(readFileSync(path('joined.parquet')).equals(readFileSync(path('whole.parquet')))).toBe(
      true,
    )
  })

  test('merges empty shards if there are more shards than queries', async () => {
    writeFileSync(path('three.trec'), read('run.trec').split('\n').slice(0, 90).join('\n'))
    const run = { run: path('three.trec') }
    for (const ending of ['jsonl', 'jsonl.gz']) {
      await labels(`small.${ending}`, run)
      const shares: string[] = []
      for (const i of [5, 1, 2, 3, 4]) {
        shares.push(await share(`small${i}.${ending}`, i, 5, run))
      }
      await merge(`joined.${ending}`, ...shares)
      const [empty] = shares
      await expect(merge('twice.jsonl', ...shares, empty!)).rejects.toMatchObject({
        code: 'BAD_INPUT',
      })
    }
    expect(read('joined.jsonl')).toBe(read('small.jsonl'))
    expect(gunzipSync(readFileSync(path('joined.jsonl.gz'))).toString()).toBe(read('small.jsonl'))
  })

  test('refuses shards that do not match their metadata', async () => {
    const shares: string[] = []
    for (const i of [1, 2, 3]) shares.push(await share(`checked${i}.jsonl`, i, 3))
    const second = shares[1]!
    const [whole, meta] = [read('checked2.jsonl'), read('checked2.jsonl.meta.json')]
    await merge('checked.jsonl', ...shares)
    const before = [read('checked.jsonl'), read('checked.jsonl.meta.json')]
    const refused = async (problem: RegExp): Promise<void> => {
      await expect(merge('checked.jsonl', ...shares)).rejects.toThrow(problem)
      // The earlier output stays, and so do its metadata.
      expect([read('checked.jsonl'), read('checked.jsonl.meta.json')]).toEqual(before)
    }
    writeFileSync(second, whole.split('\n').slice(0, -3).join('\n'))
    await refused(
      /checked2.jsonl has changed since .*\d+ bytes are recorded.*expected labels of 360 queries/,
    )
    writeFileSync(second, '')
    await refused(
      /\d+ bytes are recorded, the file has 0\).*make the shard of queries 401 to 800 ag/,
    )
    writeFileSync(second, whole.replace('"q500"', '"q501"'))
    await refused(/the contents of the file have changed/)
    rmSync(second)
    await refused(/checked2.jsonl: cannot be read \(ENOENT\)/)
    writeFileSync(second, whole)
    const { output, ...rest } = JSON.parse(meta)
    expect(output).toEqual({ bytes: Buffer.byteLength(whole), sha256: sha256(whole) })
    writeFileSync(`${second}.meta.json`, JSON.stringify(rest))
    await refused(/checked2.jsonl.meta.json: .*no digest of the labels/)
    rmSync(`${second}.meta.json`)
    await refused(/checked2.jsonl.meta.json: is not the .meta.json of a shard/)
    writeFileSync(`${second}.meta.json`, meta)
    await merge('checked.jsonl', ...shares)
  })

  test('refuses shards of other inputs of the same size, but not of copies', async () => {
    const copy = (name: string, from: string, change = (bytes: Buffer) => bytes): void =>
      writeFileSync(path(name), change(readFileSync(path(from))))
    const half = (i: number, more: Partial<LabelInputs> = {}) =>
      share(`of${i}.jsonl`, i, 2, { ...narrow, ...more })
    const first = await half(1)
    copy('copied.npy', 'docs.npy')
    copy('copied.ids.txt', 'docs.ids.txt')
    const copied = { docs: path('copied.npy') }
    const second = await half(2, copied)
    await merge('of.jsonl', first, second)
    await labels('at-once.jsonl', narrow)
    expect(read('of.jsonl')).toBe(read('at-once.jsonl'))

    const last = (bytes: Buffer): Buffer => {
      bytes.writeFloatLE(0.125, bytes.length - 4)
      return bytes
    }
    const swapped = (bytes: Buffer): Buffer =>
      Buffer.from(bytes.toString().replace('\nd10\nd11\n', '\nd11\nd10\n'))
    const others: [file: string, from: string, change: (bytes: Buffer) => Buffer][] = [
      ['copied.npy', 'docs.npy', last],
      ['copied.ids.txt', 'docs.ids.txt', swapped],
    ]
    for (const [file, from, change] of others) {
      copy(file, from, change)
      expect(readFileSync(path(file)).equals(readFileSync(path(from)))).toBe(false)
      await half(2, copied)
      await expect(merge('of.jsonl', first, second)).rejects.toThrow(
        `of2.jsonl was made from ${path(file)}, but ${first} from ${path(from)} with different contents`,
      )
      copy(file, from)
    }
    await half(2, texts)
    await expect(merge('of.jsonl', first, second)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('of1.jsonl'),
    })
  })
})

test('refuses damaged metadata with the name of the file', async () => {
  const shares = [
    await share('damaged1.jsonl', 1, 2, narrow),
    await share('damaged2.jsonl', 2, 2, narrow),
  ]
  const meta = `${shares[1]}.meta.json`
  const whole = read('damaged2.jsonl.meta.json')
  const failure = (): Promise<unknown> =>
    merge('damaged.jsonl', ...shares).then(
      () => 'joined',
      (error: unknown) => error,
    )
  const refused = async (contents: string, what: string): Promise<void> => {
    writeFileSync(meta, contents)
    const error = await failure()
    expect(error, what).toBeInstanceOf(FileError)
    expect((error as FileError).message, what).toContain(`${meta}: is not `)
  }
  for (const contents of ['', '{', 'null', '3', '"x"', 'true', '[]', '[null]', '{}']) {
    await refused(contents, contents)
  }
  const none = [undefined, null, true]
  const text = [...none, 3, [], {}]
  const figure = [...none, 'x', [], [3], {}]
  const count = [...figure, 3.5, -1]
  const counts = [...none, 'x', 3, [], [null]]
  const object = [...counts, {}]
  const list = [...none, 'x', 3, {}, [null], [3], ['x'], [[]], [{}], [{ file: 'x' }]]
  const wrong: Record<string, unknown[]> = {
    command: [...text, 'rerank'],
    version: text,
    settings: object,
    'settings.format': [...text, 'x'],
    inputs: list,
    'inputs.1': object.slice(1),
    'inputs.1.file': text,
    'inputs.1.bytes': count,
    'inputs.1.sha256': text.slice(1),
    queries: object,
    'queries.from': [...count, queries + 1],
    'queries.to': [...count, queries + 1],
    'queries.total': [...count, 1],
    summary: object,
    'summary.leftOut': counts,
    'summary.leftOut.no ground truth': figure.slice(1),
    output: object,
    'output.bytes': count,
    'output.sha256': text,
  }
  for (const name of Object.keys(JSON.parse(whole).summary)) {
    if (name !== 'leftOut') wrong[`summary.${name}`] = figure
  }
  for (const [place, values] of Object.entries(wrong)) {
    for (const value of values) {
      const damaged = JSON.parse(whole)
      const names = place.split('.')
      const last = names.pop()!
      const owner = names.reduce((within, name) => within[name], damaged)
      expect(owner, place).toHaveProperty([last])
      owner[last] = value
      await refused(JSON.stringify(damaged), `${place} ${JSON.stringify(value)}`)
    }
  }
  const old = JSON.parse(whole)
  for (const input of old.inputs) delete input.sha256
  writeFileSync(meta, JSON.stringify(old))
  expect(await failure()).toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining(`${meta} has no digest of ${path('run.trec')}; make the`),
  })
  expect(existsSync(path('damaged.jsonl'))).toBe(false)
  writeFileSync(meta, whole)
  await merge('damaged.jsonl', ...shares)
})
