import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { labelPresets, smoothLabels } from '@kith/core'
import {
  FileError,
  openEmbeddings,
  readLabelsParquet,
  readQrels,
  readRun,
  writeEmbeddings,
} from '@kith/ir'
import { lockFile } from '@kith/ir/internal'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import { mergeCommand } from '../src/commands/labels-merge.ts'
import { parseOptions } from '../src/options/command.ts'
import { Output } from '../src/terminal/output.ts'
import { Stop } from '../src/terminal/stop.ts'
import { runKilled } from './killed.ts'
import { kith, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

const sha256 = (contents: string): string => createHash('sha256').update(contents).digest('hex')

const documents = 300
const queries = 3000

/** 3,000 queries over 300 documents; every tenth has no judgement, every seventh two. */
beforeAll(async () => {
  const vector = (i: number, sway: number) =>
    Float32Array.from(
      { length: 12 },
      (_, j) => (j === i % 12 ? 1 : 0) + Math.sin(i * 7 + j * 3 + sway) * 0.4,
    )
  const rows = (count: number, sway: number) =>
    Array.from({ length: count }, (_, i) => vector(i, sway))
  const ids = (count: number, letter: string) =>
    Array.from({ length: count }, (_, i) => `${letter}${i}`)
  await writeEmbeddings(
    path('docs.npy'),
    { dimensions: 12, ids: ids(documents, 'd') },
    rows(documents, 0),
  )
  await writeEmbeddings(
    path('queries.npy'),
    { dimensions: 12, ids: ids(queries, 'q') },
    rows(queries, 1),
  )
  const text = (letter: string, count: number) =>
    ids(count, letter)
      .map((id, i) => `${JSON.stringify({ _id: id, text: `topic ${i % 12} text of ${id}` })}\n`)
      .join('')
  writeFileSync(path('corpus.jsonl'), text('d', documents))
  writeFileSync(path('queries.jsonl'), text('q', queries))
  const judged: string[] = []
  for (let q = 0; q < queries; q++) {
    if (q % 10 === 3) continue
    judged.push(`q${q} 0 d${q % 12} 1`)
    if (q % 7 === 0) judged.push(`q${q} 0 d${12 + (q % 12)} 2`)
    judged.push(`q${q} 0 d${(q + 5) % 12} 0`)
  }
  writeFileSync(path('qrels.trec'), `${judged.join('\n')}\n`)
  succeed(
    ...['search', '--queries', path('queries.npy'), '--docs', path('docs.npy')],
    ...['--top', '30', '--out', path('run.trec')],
  )
})

const inputs = (): string[] => [
  ...['--run', path('run.trec'), '--queries', path('queries.npy')],
  ...['--docs', path('docs.npy'), '--qrels', path('qrels.trec')],
]
const texts = (): string[] => [
  ...['--corpus', path('corpus.jsonl'), '--query-text', path('queries.jsonl')],
]
const labels = (out: string, ...more: string[]): string =>
  succeed('labels', ...inputs(), '--out', path(out), ...more)
const read = (name: string): string => readFileSync(path(name), 'utf8')
const lines = (name: string): Record<string, unknown>[] =>
  read(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('kith labels', () => {
  test('writes what the core computes, and a summary a person can judge', async () => {
    const printed = labels('labels.jsonl', '--context', '20', '--max-labelled', '5')
    expect(printed).toMatch(/queries with labels +2700/)
    expect(printed).toMatch(/left out: no ground truth +300/)
    expect(printed).toMatch(/mean probability on ground truth +0\.\d{4}/)
    expect(printed).toMatch(/documents that carry 90 % of it +\d\.\d\d on average/)
    expect(printed).toMatch(/ground truth not the highest +\d+ \(\d+\.\d %\)/)

    const written = lines('labels.jsonl')
    expect(written.length).toBe(2700)
    const [run, qrels] = [await readRun(path('run.trec')), await readQrels(path('qrels.trec'))]
    const docs = await openEmbeddings(path('docs.npy'))
    const asked = await openEmbeddings(path('queries.npy'))
    const vectorOf = (id: string) => docs.read(docs.rowOf(id)!, docs.rowOf(id)! + 1)
    for (const entry of written.filter((_, i) => i % 90 === 0)) {
      const query = entry['query'] as string
      const truth = [...qrels.get(query)!].filter(([, grade]) => grade >= 1)
      const known = truth.map(([id]) => id)
      const context = [...known, ...run.get(query)!.ids.filter((id) => !known.includes(id))].slice(
        0,
        20,
      )
      const row = asked.rowOf(query)!
      const { kept, target, evidence } = smoothLabels(
        asked.read(row, row + 1),
        context.map(vectorOf),
        { candidates: [...known.keys()], grades: truth.map(([, grade]) => grade) },
        { ...labelPresets.balanced, contextSize: 20, maxLabelled: 5 },
      )
      const seven = (values: Iterable<number>) =>
        Array.from(values, (value) => Number(value.toPrecision(7)))
      expect(entry).toEqual({
        query,
        docs: Array.from(kept, (candidate) => context[candidate]),
        labels: seven(target),
        evidence: seven(Array.from(kept, (candidate) => evidence[candidate]!)),
        groundTruth: known,
      })
    }
    docs.close()
    asked.close()
    const meta = JSON.parse(read('labels.jsonl.meta.json'))
    expect(meta).toMatchObject({ command: 'labels', queries: { from: 0, to: 3000, total: 3000 } })
    expect(meta.settings).toMatchObject({ maxLabelled: 5, contextSize: 20, target: 'mixed' })
    expect(existsSync(path('labels.jsonl.partial'))).toBe(false)
    expect(existsSync(path('labels.jsonl.partial.json'))).toBe(false)
  })

  test('any number of workers writes the same bytes', () => {
    labels('one.jsonl', '--workers', '1')
    labels('three.jsonl', '--workers', '3')
    expect(read('three.jsonl')).toBe(read('one.jsonl'))
  })

  test('killed at any moment, it goes on and ends with the same bytes', async () => {
    for (const out of ['killed.jsonl', 'killed.jsonl.gz']) {
      labels(`whole-${out}`)
      const kills = await runKilled(path(out), ['labels', ...inputs(), '--out', path(out)])
      expect(kills).toBeGreaterThan(1)
      expect(readFileSync(path(out)).equals(readFileSync(path(`whole-${out}`)))).toBe(true)
      expect(existsSync(path(`${out}.partial`))).toBe(false)
    }
    expect(gunzipSync(readFileSync(path('killed.jsonl.gz'))).toString()).toBe(read('killed.jsonl'))
  })

  test('goes on only with what it has begun itself', () => {
    labels('other.jsonl', '--max-labelled', '3')
    const whole = read('other.jsonl')
    rmSync(path('other.jsonl'))
    writeFileSync(path('other.jsonl.partial'), 'rubbish from another command\n')
    for (const journal of [
      '{"key":"another","bytes":5,"state":{"position":9}}',
      'not a journal',
      '{"key":"another"',
    ]) {
      writeFileSync(path('other.jsonl.partial.json'), journal)
      labels('other.jsonl', '--max-labelled', '3')
      expect(read('other.jsonl')).toBe(whole)
    }
  })

  test('shards join to the whole; gaps, overlaps and other settings are refused', () => {
    labels('whole.jsonl')
    const shards = [1, 2, 3].map((i) => {
      labels(`shard${i}.jsonl`, '--shard', `${i}/3`)
      return path(`shard${i}.jsonl`)
    })
    const merge = (...files: string[]) =>
      kith('labels', 'merge', ...files, '--out', path('m.jsonl'))
    const merged = merge(shards[2]!, shards[0]!, shards[1]!)
    expect(merged.out).toMatch(/3 shares\nqueries with labels +2700/)
    // What was merged can be merged again.
    expect(kith('labels', 'merge', path('m.jsonl'), '--out', path('n.jsonl')).code).toBe(0)
    expect(read('n.jsonl')).toBe(read('whole.jsonl'))
    expect(read('m.jsonl')).toBe(read('whole.jsonl'))
    expect(merge(shards[0]!, shards[2]!).err).toMatch(/queries 1001 to 2000 are in no share/)
    expect(merge(shards[0]!, shards[1]!).err).toMatch(/queries 2001 to 3000 are in no share/)
    expect(merge(...shards, shards[1]!).err).toMatch(/queries 1001 to 2000 are in .* another share/)
    labels('shard2.jsonl', '--shard', '2/3', '--boost', '2')
    expect(merge(...shards).err).toMatch(/shard2.jsonl has boost 2, .*shard1.jsonl has 1.222/)
    expect(merge(path('run.trec')).err).toMatch(/run.trec.meta.json: not what kith labels writes/)
    const words = ['--words', ...texts()]
    labels('w1.jsonl', '--shard', '1/2', ...words, '--text-weights', '0.5,0.5')
    labels('w2.jsonl', '--shard', '2/2', ...words)
    expect(merge(path('w1.jsonl'), path('w2.jsonl')).err).toMatch(/w2.jsonl has views none/)
    expect(kith('labels', 'merge', '--out', path('m.jsonl'))).toMatchObject({ code: 2 })
  })

  test('a share that is not what its metadata tell of is refused', () => {
    const shares = [1, 2, 3].map((i) => {
      labels(`checked${i}.jsonl`, '--shard', `${i}/3`)
      return path(`checked${i}.jsonl`)
    })
    const second = shares[1]!
    const [whole, meta] = [read('checked2.jsonl'), read('checked2.jsonl.meta.json')]
    const out = path('checked.jsonl')
    const merge = () => kith('labels', 'merge', ...shares, '--out', out)
    expect(merge().code).toBe(0)
    const before = [read('checked.jsonl'), read('checked.jsonl.meta.json')]
    const refused = (problem: RegExp): void => {
      const { code, err } = merge()
      expect(err).toMatch(problem)
      expect(code).toBe(1)
      // The earlier output stays, and so do its metadata.
      expect([read('checked.jsonl'), read('checked.jsonl.meta.json')]).toEqual(before)
    }
    const lines = whole.split('\n')
    writeFileSync(second, lines.slice(0, -3).join('\n'))
    refused(/checked2.jsonl, which should hold the labels of 900 queries: it tells of \d+ bytes/)
    writeFileSync(second, '')
    refused(/it tells of \d+ bytes, the file has 0; make the share of queries 1001 to 2000 again/)
    writeFileSync(second, whole.replace('"q1500"', '"q1501"'))
    refused(/the \d+ bytes of the file are other ones/)
    rmSync(second)
    refused(/checked2.jsonl: cannot be read \(ENOENT\)/)
    writeFileSync(second, whole)
    const { output, ...rest } = JSON.parse(meta)
    expect(output).toEqual({ bytes: Buffer.byteLength(whole), sha256: sha256(whole) })
    writeFileSync(`${second}.meta.json`, JSON.stringify(rest))
    refused(/^kith: .*checked2.jsonl.meta.json: .*no digest of the labels/)
    rmSync(`${second}.meta.json`)
    refused(/checked2.jsonl.meta.json: not what kith labels writes .* no such file/)
    writeFileSync(`${second}.meta.json`, meta)
    expect(merge().code).toBe(0)
  })

  test('shares of other inputs of the same size are refused, those of copies are not', () => {
    const copy = (name: string, from: string, change = (bytes: Buffer) => bytes): void =>
      writeFileSync(path(name), change(readFileSync(path(from))))
    const share = (i: number, ...more: string[]): string => {
      labels(`of${i}.jsonl`, '--shard', `${i}/2`, '--context', '10', ...more)
      return path(`of${i}.jsonl`)
    }
    const merge = (...shares: string[]) =>
      kith('labels', 'merge', ...shares, '--out', path('of.jsonl'))
    const shares = [share(1), '']
    copy('copied.npy', 'docs.npy')
    copy('copied.ids.txt', 'docs.ids.txt')
    shares[1] = share(2, '--docs', path('copied.npy'))
    expect(merge(...shares)).toMatchObject({ code: 0 })
    labels('at-once.jsonl', '--context', '10')
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
      share(2, '--docs', path('copied.npy'))
      const { code, err } = merge(...shares)
      expect(err).toMatch(/^kith: these shares do not join: .*of2.jsonl was made from /)
      expect(err).toContain(
        `from ${path(file)}, whose contents are not those of ${path(from)}, from which ${path('of1.jsonl')}`,
      )
      expect(code).toBe(1)
      copy(file, from)
    }
    share(2, ...texts())
    expect(merge(...shares).err).toMatch(/of2.jsonl was made from 8 files, .*of1.jsonl from 6/)
  })

  test('metadata that were damaged are an error with their name', async () => {
    const shares = [1, 2].map((i) => {
      labels(`damaged${i}.jsonl`, '--shard', `${i}/2`, '--context', '10')
      return path(`damaged${i}.jsonl`)
    })
    const meta = `${shares[1]}.meta.json`
    const whole = read('damaged2.jsonl.meta.json')
    const args = [...shares, '--out', path('damaged.jsonl')]
    const stop = new Stop()
    onTestFinished(() => stop.close())
    const merge = (): Promise<unknown> =>
      mergeCommand
        .run(parseOptions(mergeCommand, args), new Output({ json: false, quiet: true }), stop)
        .then(
          () => 'joined',
          (error: unknown) => error,
        )
    const refused = async (contents: string, what: string): Promise<void> => {
      writeFileSync(meta, contents)
      const error = await merge()
      expect(error, what).toBeInstanceOf(FileError)
      expect((error as FileError).code, what).toBe('BAD_FILE')
      expect((error as FileError).message.startsWith(`${meta}: not `), what).toBe(true)
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
      'queries.from': [...count, 3001],
      'queries.to': [...count, 3001],
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
    expect(await merge()).toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining(`${meta} has no digest of ${path('run.trec')}: make the`),
    })
    for (const change of [{ settings: null }, { inputs: [null] }, { queries: undefined }]) {
      writeFileSync(meta, JSON.stringify({ ...JSON.parse(whole), ...change }))
      const { code, err } = kith('labels', 'merge', ...args)
      expect(err).toMatch(/^kith: .*damaged2.jsonl.meta.json: not what kith labels writes .*\n$/)
      expect(code).toBe(1)
    }
    expect(existsSync(path('damaged.jsonl'))).toBe(false)
    writeFileSync(meta, whole)
    succeed('labels', 'merge', ...args)
  })

  test('a command that fails leaves the metadata of the output that was there', () => {
    labels('kept.jsonl')
    const before = [read('kept.jsonl'), read('kept.jsonl.meta.json')]
    writeFileSync(path('unknown.trec'), 'q0 Q0 nowhere 1 5 t\n')
    const failed = kith(
      ...['labels', ...inputs(), '--run', path('unknown.trec')],
      '--out',
      path('kept.jsonl'),
    )
    expect(failed.code).toBe(1)
    expect([read('kept.jsonl'), read('kept.jsonl.meta.json')]).toEqual(before)
  })

  test('a query with more ground truth than a context is counted, and ends nothing', () => {
    const counted = JSON.parse(labels('narrow.jsonl', '--context', '1', '--k', '1', '--json'))
    // Every seventh query has two relevant documents; 2,700 of the 3,000 are judged.
    expect(counted.leftOut).toEqual({
      'no ground truth': 300,
      'more ground truth than --context': 387,
    })
    expect(counted.queries).toBe(2700 - 387)
    const meta = JSON.parse(read('narrow.jsonl.meta.json'))
    expect(meta.summary.leftOut).toEqual(counted.leftOut)
    expect(read('narrow.jsonl')).not.toContain('"q0"')
    expect(labels('narrow.jsonl', '--context', '1', '--k', '1')).toMatch(
      /left out: more ground truth than --context 387\n/,
    )
    const audited = succeed(
      'audit',
      ...inputs(),
      '--context',
      '1',
      '--k',
      '1',
      '--out',
      path('narrow.tsv'),
    )
    expect(audited).toContain('387 queries left out: more ground truth than --context')
  })

  test('more shares than queries: the empty ones join too', () => {
    writeFileSync(path('three.trec'), read('run.trec').split('\n').slice(0, 90).join('\n'))
    for (const ending of ['jsonl', 'jsonl.gz']) {
      const run = ['--run', path('three.trec')]
      labels(`small.${ending}`, ...run)
      const shares = [5, 1, 2, 3, 4].map((i) => {
        labels(`small${i}.${ending}`, ...run, '--shard', `${i}/5`)
        return path(`small${i}.${ending}`)
      })
      succeed('labels', 'merge', ...shares, '--out', path(`joined.${ending}`))
    }
    expect(read('joined.jsonl')).toBe(read('small.jsonl'))
    expect(gunzipSync(readFileSync(path('joined.jsonl.gz'))).toString()).toBe(read('small.jsonl'))
  })

  test('what another process is writing, or was made from other files, is left alone', () => {
    labels('busy.jsonl')
    const whole = read('busy.jsonl')
    const lock = lockFile(path('busy.jsonl.partial'))
    const busy = kith('labels', ...inputs(), '--out', path('busy.jsonl'))
    expect(busy).toMatchObject({ code: 1, err: expect.stringContaining('is writing this already') })
    lock.release()
    expect(read('busy.jsonl')).toBe(whole)
  })

  test('documents without a text are left out where that is allowed', () => {
    const lines = read('corpus.jsonl').trimEnd().split('\n')
    writeFileSync(path('half.jsonl'), `${lines.slice(0, 150).join('\n')}\n`)
    const args = ['--corpus', path('half.jsonl'), '--query-text', path('queries.jsonl')]
    const run = (...more: string[]) =>
      kith('labels', ...inputs(), '--out', path('h'), ...args, ...more)
    expect(run('--format', 'listwise').err).toMatch(/query q\d+: document d\d+ has no text/)
    const skipped = run('--format', 'listwise', '--missing', 'skip')
    expect(skipped.out).toMatch(/left out: a document has no text +\d+\n/)
    expect(run('--words').err).toMatch(/query q\d+: candidate d\d+ has no text/)
    // Candidates without words drop out, queries stay.
    expect(run('--words', '--missing', 'skip').out).toMatch(/queries with labels +2700/)
  })

  test('tsv and parquet hold the same labels, parquet shards join too', async () => {
    labels('same.jsonl')
    labels('same.tsv', '--format', 'tsv')
    const flat = lines('same.jsonl').flatMap(({ query, docs, labels }) =>
      (docs as string[]).map((id, i) => `${query}\tQ0\t${id}\t${(labels as number[])[i]}\n`),
    )
    expect(read('same.tsv')).toBe(flat.join(''))
    labels('same.parquet', '--format', 'parquet')
    const rows = []
    for await (const row of readLabelsParquet(path('same.parquet'))) rows.push(row)
    expect(rows).toEqual(lines('same.jsonl'))
    const shards = ['1/2', '2/2'].map((shard, i) => {
      labels(`p${i}.parquet`, '--format', 'parquet', '--shard', shard)
      return path(`p${i}.parquet`)
    })
    succeed('labels', 'merge', ...shards, '--out', path('joined.parquet'))
    expect(readFileSync(path('joined.parquet')).equals(readFileSync(path('same.parquet')))).toBe(
      true,
    )
  })

  test('sentence-transformers: logits whose softmax is the label, short lists left out', () => {
    labels('plain.jsonl', '--max-labelled', '3')
    const printed = labels(
      ...([
        'st.jsonl',
        '--format',
        'sentence-transformers',
        '--max-labelled',
        '3',
        ...texts(),
      ] as const),
    )
    expect(printed).not.toContain('too short')
    const plain = lines('plain.jsonl')
    lines('st.jsonl').forEach((row, i) => {
      const { docs, labels: target, query, groundTruth } = plain[i] as unknown as Entry
      expect(Object.keys(row)).toEqual(['query', 'positive', 'negative_1', 'negative_2', 'label'])
      expect(row['query']).toMatch(new RegExp(`text of ${query}$`))
      const positive = docs.findIndex((id) => groundTruth.includes(id))
      const order = [positive, ...docs.keys()].filter((at, j, all) => all.indexOf(at) === j)
      const columns = [row['positive'], row['negative_1'], row['negative_2']]
      order.slice(0, 3).forEach((at, j) => {
        expect(columns[j]).toMatch(new RegExp(`text of ${docs[at]}$`))
      })
      const powers = (row['label'] as number[]).map(Math.exp)
      order.slice(0, 3).forEach((at, j) => {
        expect(powers[j]! / powers.reduce((a, b) => a + b, 0)).toBeCloseTo(target[at]!, 5)
      })
    })
    const few = ['--format', 'sentence-transformers', ...texts(), '--negatives']
    // Two ground-truth documents and nothing else kept: one besides the positive.
    expect(labels('st.jsonl', ...few, '1', '--max-labelled', '1')).toMatch(
      /too few for the format +23\d\d/,
    )
    const none = kith('labels', ...inputs(), '--out', path('none.jsonl'), ...few, '5')
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('lower --negatives') })
    expect(
      kith('labels', ...inputs(), '--out', path('x'), ...few, '1', '--target', 'one-hot').code,
    ).toBe(2)
  })

  test('listwise and tevatron hold the texts', () => {
    labels('plain.jsonl')
    const plain = lines('plain.jsonl') as unknown as Entry[]
    labels('list.jsonl', '--format', 'listwise', ...texts())
    lines('list.jsonl').forEach((row, i) => {
      expect(row['labels']).toEqual(plain[i]!.labels)
      expect((row['docs'] as string[]).length).toBe(plain[i]!.docs.length)
      expect((row['docs'] as string[])[0]).toMatch(new RegExp(`text of ${plain[i]!.docs[0]}$`))
    })
    labels('tevatron.jsonl', '--format', 'tevatron', ...texts())
    lines('tevatron.jsonl').forEach((row, i) => {
      expect(row['query_id']).toBe(plain[i]!.query)
      const [positive, negative] = [
        row['positive_passages'],
        row['negative_passages'],
      ] as Passage[][]
      expect(positive!.map(({ docid }) => docid).toSorted()).toEqual(
        plain[i]!.groundTruth.toSorted(),
      )
      expect([...positive!, ...negative!].reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(1)
      expect(positive![0]).toMatchObject({ title: '', text: expect.stringContaining('topic') })
    })
  })

  test('the words can join the comparison', () => {
    labels('no-words.jsonl')
    labels('words.jsonl', '--words', ...texts())
    expect(read('words.jsonl')).not.toBe(read('no-words.jsonl'))
  })

  test('says what is wrong', () => {
    const fails = (...more: string[]) => kith('labels', ...inputs(), '--out', path('x'), ...more)
    expect(fails('--format', 'listwise')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--format listwise needs --corpus and --query-text'),
    })
    expect(fails('--shard', '4/3')).toMatchObject({ code: 2 })
    expect(fails('--boost', '-1')).toMatchObject({ code: 2 })
    expect(fails('--target', 'cosy').err).toMatch(/setting target is "cosy", allowed: mixed/)
    writeFileSync(path('foreign.trec'), 'q0 Q0 nowhere 1 5 t\nq1 Q0 d1 1 5 t\n')
    const foreign = (...more: string[]) => fails('--run', path('foreign.trec'), ...more)
    expect(foreign().err).toMatch(/query q0: candidate nowhere has no embedding .*--missing skip/)
    expect(foreign('--missing', 'skip').out).toMatch(/queries with labels +2/)
    writeFileSync(path('mixed.trec'), 'q0 Q0 d1 1 5 t\nq1 Q0 d1 1 5 t\nq0 Q0 d2 1 5 t\n')
    expect(fails('--run', path('mixed.trec')).err).toMatch(
      /mixed.trec line 3: query q0 comes back after others/,
    )
    expect(existsSync(path('x.meta.json'))).toBe(true)
  })
})

test('labels of a real collection sum to 1 and keep the ground truth', () => {
  const scifact = sharedCollection('scifact')
  if (!scifact) return
  const at = (name: string) => join(scifact, name)
  const model = 'embeddings/all-MiniLM-L6-v2'
  succeed(
    ...['labels', '--run', at(`${model}/top200.run.trec`), '--qrels', at('qrels/test.tsv')],
    ...['--queries', at(`${model}/queries.npy`), '--docs', at(`${model}/docs.npy`)],
    ...['--out', path('scifact.jsonl'), '--context', '60'],
  )
  const written = lines('scifact.jsonl') as unknown as Entry[]
  expect(written.length).toBe(300)
  for (const { docs, labels: target, groundTruth } of written) {
    expect(target.reduce((sum, label) => sum + label, 0)).toBeCloseTo(1, 5)
    for (const id of groundTruth) expect(docs).toContain(id)
  }
})

interface Entry {
  query: string
  docs: string[]
  labels: number[]
  groundTruth: string[]
}

interface Passage {
  docid: string
  score: number
}
