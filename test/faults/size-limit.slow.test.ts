import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeEmbeddings } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { program, succeed } from '../../packages/cli/test/support.ts'
import { writeTurned } from '../../packages/pipelines/test/turned.ts'
import { temporaryFolder } from '../files.ts'
import { writeSmallModel } from './small-model.mjs'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

beforeAll(async () => {
  await writeTurned(folder)
  writeSmallModel(path('model'))
  const rows = Array.from({ length: 800 }, (_, i) =>
    Float32Array.from({ length: 16 }, (_, j) => Math.sin(i * 16 + j)),
  )
  await writeEmbeddings(path('large.npy'), { dimensions: 16 }, rows)
  const corpus = rows.map((_, i) => JSON.stringify({ _id: `d${i}`, text: `text ${i} ${i * i}` }))
  writeFileSync(path('corpus.jsonl'), `${corpus.join('\n')}\n`)
})

/** Runs `kith` where no file may be larger than some KiB. */
function kithWithin(
  limit: number,
  args: readonly string[],
): { status: number | null; err: string } {
  const command = [process.execPath, program, ...args]
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', `ulimit -f ${limit}; exec "$@"`, 'bash', ...command],
    { encoding: 'utf8' },
  )
  return { status, err: stderr }
}

const queries = (): string[] => ['--queries', path('queries.npy'), '--docs', path('docs.npy')]
const ranked = (): string[] => ['--run', path('run.trec'), ...queries()]
const labels = (): string[] => [
  ...[
    'labels',
    ...ranked(),
    '--qrels',
    path('train.trec'),
    '--set',
    'contextSize=60',
    '--set',
    'labelDepth=60',
  ],
]
const convert = (kind: string, from: string): string[] => [
  ...['convert', '--kind', kind, '--in', path(from)],
]

/** The outputs of the commands, the limit in KiB that none of them fits, and all but `--out`. */
const cases: [string, number, () => string[]][] = [
  ['labels.jsonl', 4, () => labels()],
  ['labels.jsonl.gz', 2, () => labels()],
  ['labels.tsv', 4, () => labels()],
  ['labels.parquet', 4, () => labels()],
  ['rerank.trec', 4, () => ['rerank', ...ranked()]],
  ['rerank.json', 4, () => ['rerank', ...ranked()]],
  ['search.trec', 4, () => ['search', ...queries()]],
  ['search.trec.gz', 2, () => ['search', ...queries()]],
  ['run.json', 4, () => convert('run', 'run.trec')],
  ['texts.tsv', 4, () => convert('texts', 'corpus.jsonl')],
  ['docs.npy', 16, () => convert('embeddings', 'large.npy')],
  ['docs.safetensors', 16, () => convert('embeddings', 'large.npy')],
  ['docs.fvecs', 16, () => convert('embeddings', 'large.npy')],
  ['docs.parquet', 16, () => convert('embeddings', 'large.npy')],
  ['docs.jsonl', 16, () => convert('embeddings', 'large.npy')],
  // Within the limit for what is unpacked, too.
  ['docs.npy.gz', 16, () => convert('embeddings', 'large.npy')],
  ['encoded.npy', 16, () => ['encode', '--model', path('model'), '--input', path('corpus.jsonl')]],
  ['report.html', 4, () => ['report', '--qrels', path('dev.trec'), '--run', path('run.trec')]],
]

describe('commands with a limit on the size of files', () => {
  test.each(cases)(
    '%s: print the file and the reason, and keep the earlier file',
    (out, limit, args) => {
      const where = path(`limit-${out}`)
      mkdirSync(where)
      const companions = /\.(npy|safetensors|fvecs)/.test(out)
        ? [out.replace(/\..*/, '.ids.txt')]
        : []
      const earlier = [out, ...companions]
      for (const name of earlier) writeFileSync(join(where, name), `earlier ${name}`)
      const { status, err } = kithWithin(limit, [...args(), '--out', join(where, out)])
      expect(err).toMatch(/^kith: .*: the file is too large/m)
      expect(err).toContain(join(where, out.replace(/\..*/, '')))
      expect(status).toBe(1)
      for (const name of earlier) {
        expect(readFileSync(join(where, name), 'utf8')).toBe(`earlier ${name}`)
      }
      // What can go on is kept; nothing else is.
      const kept = readdirSync(where).filter((name) => !/\.partial(\.json)?$/.test(name))
      expect(kept.sort()).toEqual(earlier.sort())
    },
  )

  test('print all of their output into a file, or fail', () => {
    const printed = path('printed.txt')
    const args = ['eval', '--qrels', path('train.trec'), '--run', path('run.trec'), '--per-query']
    const print = (line: string, words: string[]) =>
      spawnSync('bash', ['-c', line, 'bash', process.execPath, program, ...words], {
        encoding: 'utf8',
      })
    const run = (limit: string) =>
      print(`ulimit -f ${limit}; exec "$@" --json > '${printed}'`, args)
    expect(run('1')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('standard output: the file is too large'),
    })
    for (const line of [`ulimit -f 1; exec "$@" > '${printed}'`, 'exec "$@" > /dev/full']) {
      const help = print(line, ['rerank', '--help'])
      expect(help.stderr).toMatch(/^kith: standard output: /)
      expect(help.status).toBe(1)
    }
    expect(run('unlimited').status).toBe(0)
    expect(readFileSync(printed, 'utf8')).toBe(succeed(...args, '--json'))
  })

  test('leave no temporary file beside the partial one if the journal does not fit', () => {
    const where = path('journal')
    mkdirSync(where)
    const script = `import { writeResumably } from '@kith/base'
      await writeResumably(process.argv[1], {
        key: 'k',
        isState: () => false,
        write: (append) => append('a part', 'x'.repeat(5000)),
      })`
    const args = ['--input-type=module', '-e', script, join(where, 'out.npy')]
    const { stderr } = spawnSync(
      'bash',
      ['-c', 'ulimit -f 2; exec "$@"', 'bash', process.execPath, ...args],
      { encoding: 'utf8', cwd: fileURLToPath(new URL('../..', import.meta.url)) },
    )
    expect(stderr).toContain('out.npy.partial.json.tmp: the file is too large')
    expect(readdirSync(where)).toEqual(['out.npy.partial'])
  })

  test('resume labels without the limit, and end with the same bytes', () => {
    const [limited, whole] = [path('go-on.jsonl'), path('whole.jsonl')]
    expect(kithWithin(4, [...labels(), '--out', limited]).status).toBe(1)
    succeed(...labels(), '--out', limited)
    succeed(...labels(), '--out', whole)
    expect(readFileSync(limited).equals(readFileSync(whole))).toBe(true)
  })

  test.each([
    ['metrics.jsonl', 8, 400],
    ['latest.safetensors', 1, 3],
  ])('kith train names the file %s', (file, limit, steps) => {
    const out = path(`trained-${steps}`)
    const { status, err } = kithWithin(limit, [
      ...['train', '--docs', path('docs.npy'), '--qrels', path('train.trec')],
      ...['--train-queries', path('queries.npy'), '--train-run', path('run.trec')],
      ...['--adapter', 'mlp', '--set', `steps=${steps}`, '--out', out],
    ])
    expect(err).toMatch(new RegExp(`${file}: the file is too large`))
    expect(status).toBe(1)
    const all = readdirSync(out, { recursive: true, encoding: 'utf8' })
    expect(all.filter((name) => /\.tmp$|\.lock/.test(name))).toEqual([])
    // Whole lines only.
    expect(readFileSync(join(out, 'metrics.jsonl'), 'utf8')).toMatch(/^$|\n$/)
  })
})
