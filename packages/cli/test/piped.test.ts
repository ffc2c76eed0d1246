import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { kith, program, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const evaluate = ['eval', '--json', '--per-query', '--qrels']

beforeAll(() => {
  const queries = Array.from({ length: 60 }, (_, q) => `query-${q}`)
  const documents = Array.from({ length: 80 }, (_, d) => `document-${d}`)
  const lines = queries.flatMap((query) =>
    documents.map((document, d) => `${query} Q0 ${document} ${d + 1} ${1 / (d + 1)} t\n`),
  )
  writeFileSync(path('run.trec'), lines.join(''))
  writeFileSync(path('run.trec.packed'), gzipSync(lines.join('')))
  const judged = queries.map((query, q) => `${query} 0 document-${q % 9} 1\n`)
  writeFileSync(path('qrels.trec'), judged.join(''))
  const vectors = (ids: string[]): string =>
    ids.map((id, i) => `${JSON.stringify({ id, vector: [1, i % 7, (i * i) % 5] })}\n`).join('')
  writeFileSync(path('queries.jsonl'), vectors(queries))
  writeFileSync(path('docs.jsonl'), vectors(documents))
  // A query that comes back after others.
  writeFileSync(path('scattered.trec'), [...lines.slice(1), lines[0]].join(''))
  writeFileSync(path('texts.jsonl'), '{"_id": "1", "text": "a"}\n'.repeat(2))
})

/** Figures without the names of the runs. */
const figures = (json: string): unknown =>
  JSON.parse(json, (key, value) => (/^(name|file)$/.test(key) ? '' : value))

/** Runs a line of bash in the folder, with `kith` as the built command. */
const bash = (line: string): string =>
  execFileSync('bash', ['-c', `kith() { "$NODE" "$KITH" "$@"; }; ${line}`], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NODE: process.execPath, KITH: program },
  })

/** Runs `kith` with an open file as its standard input. */
function withInput(file: string, ...args: string[]) {
  const descriptor = openSync(path(file), 'r')
  const child = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    stdio: [descriptor, 'pipe', 'pipe'],
  })
  closeSync(descriptor)
  return child
}

describe('kith rerank', () => {
  const line = 'kith rerank --queries queries.jsonl --docs docs.jsonl --out'
  beforeAll(() => {
    bash(`${line} whole.trec --run run.trec`)
  })

  test.for([
    ['piped', 'better.trec --run <(cat run.trec)'],
    ['packed', 'better.trec --run run.trec.packed'],
    ['as standard input', 'better.trec --run - < run.trec'],
    ['as standard input by its name', 'better.trec --run /dev/stdin < run.trec'],
  ])('writes the same run for a run %s', ([, rest]) => {
    bash(`${line} ${rest}`)
    expect(readFileSync(path('better.trec'), 'utf8')).toBe(readFileSync(path('whole.trec'), 'utf8'))
  })

  test('accepts a run whose queries are scattered, as a file and as standard input', () => {
    bash(`${line} other.trec --run scattered.trec`)
    bash(`${line} better.trec --run /dev/stdin < scattered.trec`)
    const whole = readFileSync(path('other.trec'), 'utf8')
    expect(readFileSync(path('better.trec'), 'utf8')).toBe(whole)
    expect(whole.split('\n')).toHaveLength(60 * 80 + 1)
    const figuresOf = (run: string): unknown =>
      figures(bash(`kith ${evaluate.join(' ')} qrels.trec --run ${run}`))
    expect(figuresOf('scattered.trec')).toEqual(figuresOf('run.trec'))
    expect(figuresOf('/dev/stdin < scattered.trec')).toEqual(figuresOf('run.trec'))
  })
})

describe('inputs that are not regular files', () => {
  const line = `kith ${evaluate.join(' ')}`
  test.for([
    ['both piped', `${line} <(cat qrels.trec) --run <(cat run.trec)`],
    ['slowly', `${line} qrels.trec --run <(head -c 5 run.trec; sleep 0.3; tail -c +6 run.trec)`],
    ['packed', `${line} <(gzip -c qrels.trec) --run <(cat run.trec.packed)`],
    ['as standard input', `cat run.trec | ${line} qrels.trec --run -`],
    ['packed as standard input', `cat run.trec.packed | ${line} qrels.trec --run /dev/stdin`],
    ['judgments as standard input', `${line} - --run run.trec < qrels.trec`],
  ])('kith eval prints the figures of the file: %s', ([, command]) => {
    const whole = figures(succeed(...evaluate, path('qrels.trec'), '--run', path('run.trec')))
    expect(figures(bash(command!))).toEqual(whole)
  })

  test('kith eval reads a socket as standard input, which cannot be opened by name', () => {
    const child = spawnSync(
      process.execPath,
      [program, ...evaluate, path('qrels.trec'), '--run', '/dev/stdin'],
      { encoding: 'utf8', input: readFileSync(path('run.trec')) },
    )
    expect(child.stderr).toBe('')
    expect(JSON.stringify(figures(child.stdout))).toContain('query-59')
  })

  test('kith eval reads clusters from a pipe, and refuses a query in two clusters', () => {
    const clusters = (list: string) =>
      bash(
        `${line} qrels.trec --run run.trec --run run.trec --clusters <(printf '${list}') 2>&1 || true`,
      )
    expect(clusters('query-0\\ta\\nquery-0\\tb\\n')).toMatch(/:2: query query-0 occurs twice/)
    expect(clusters('query-0\\n')).toMatch(/:1: expected two/)
  })

  test('kith convert reads a pipe', () => {
    bash('cat run.trec | kith convert --kind run --in - --out piped.json')
    succeed('convert', '--kind', 'run', '--in', path('run.trec'), '--out', path('whole.json'))
    expect(readFileSync(path('piped.json'), 'utf8')).toBe(readFileSync(path('whole.json'), 'utf8'))
  })

  test('kith eval refuses standard input for two options', () => {
    const { status, stderr } = withInput('run.trec', ...evaluate, '-', '--run', '/dev/stdin')
    expect(stderr).toMatch(/--qrels - and --run \/dev\/stdin both read standard input/)
    expect(status).toBe(2)
  })

  test('commands that read a file twice or by position refuse a pipe, by its name', () => {
    execFileSync('mkfifo', [path('pipe.npy'), path('pipe.jsonl')])
    const search = kith('search', '--queries', path('pipe.npy'), '--docs', 'x', '--out', path('o'))
    expect(search.err).toMatch(/pipe\.npy: is a pipe, but this format is read by position/)
    const encode = kith('encode', '--input', path('pipe.jsonl'), '--out', path('o.npy'))
    expect(encode.err).toMatch(/pipe\.jsonl: is a pipe, but .*; pass a file/)
    const vectors = path('vectors.jsonl')
    writeFileSync(vectors, '{"id": "query-0", "vector": [1]}\n')
    const labels = kith(
      ...['labels', '--run', path('pipe.jsonl'), '--queries', vectors, '--docs', vectors],
      ...['--qrels', path('qrels.trec'), '--out', path('o.jsonl')],
    )
    expect(labels.err).toMatch(/pipe\.jsonl: is a pipe, but the command must be able to resume/)
    const stdin = withInput(
      'run.trec',
      'search',
      '--queries',
      '-',
      '--docs',
      'x',
      '--out',
      path('o'),
    )
    expect(stdin.stderr).toMatch(/standard input/)
    expect(stdin.status).toBe(1)
  })

  test.for(['SIGTERM', 'SIGINT'] as const)(
    'a command that waits for a FIFO ends on %s',
    async (signal) => {
      const fifo = path(`fifo-${signal}`)
      execFileSync('mkfifo', [fifo])
      const child = spawn(
        process.execPath,
        [program, ...evaluate, fifo, '--run', path('run.trec')],
        {
          stdio: 'ignore',
        },
      )
      const ended = once(child, 'exit')
      await expect.poll(() => hasReader(fifo)).toBe(true)
      child.kill(signal)
      expect(await ended).toEqual([signal === 'SIGTERM' ? 143 : 130, null])
    },
  )
})

/** Whether a process has a FIFO open. */
function hasReader(fifo: string): boolean {
  const lines = execFileSync('bash', ['-c', 'ls -l /proc/[0-9]*/fd 2>/dev/null || true'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  return lines.includes(`-> ${fifo}\n`)
}
