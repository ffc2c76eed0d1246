/**
 * Runs every command that writes files with two builds of Kith and compares what they write and
 * print, byte by byte: what a refactoring must leave as it is.
 *
 *   node scripts/compare-builds.mjs --before ../old-checkout [--after .] [--collections cranfield,cisi]
 *
 * Both checkouts must be built. Measured times do not count, nor does the name of the folder.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string', default: '.' },
    collections: { type: 'string', default: 'cranfield,cisi,scifact,trec-dl-2019-judged' },
    data: { type: 'string', default: '../shared/data' },
    only: { type: 'string' },
  },
})
if (!options.before) throw new Error('--before FOLDER is missing: a built checkout to compare with')

/** Options that have another name in the newer build, by command where only some have it. */
const renamed = {}

let [compared, failures] = [0, 0]
for (const collection of options.collections.split(',')) compareOn(collection)
console.log(`${compared} command lines compared, ${failures} with differences`)
process.exitCode = failures > 0 ? 1 : 0

/** Compares all command lines on one collection. */
function compareOn(collection) {
  const root = mkdtempSync(join(tmpdir(), 'kith-compare-'))
  const source = resolve(options.data, collection)
  for (const side of ['before', 'after']) mkdirSync(join(root, side))
  try {
    makeInputs(source, root)
    for (const [name, ...args] of commandLines(source, root)) {
      if (options.only && !name.includes(options.only)) continue
      const [before, after] = ['before', 'after'].map((side) => run(side, args, root))
      const found = differences(root, before, after)
      compared++
      if (found.length === 0) continue
      failures++
      console.log(`${collection}: ${name}\n${found.map((line) => `  ${line}`).join('\n')}`)
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** A hundred texts: encoding stays short. */
function makeInputs(source, root) {
  const lines = readFileSync(join(source, 'corpus.jsonl'), 'utf8').split('\n')
  writeFileSync(join(root, 'some.jsonl'), `${lines.slice(0, 100).join('\n')}\n`)
}

/** A name and the arguments of each command line; `{out}` is a folder of the build's own. */
function commandLines(source, root) {
  const at = (name) => join(source, name)
  const vectors = at('embeddings/all-MiniLM-L6-v2')
  const embeddings = ['--queries', `${vectors}/queries.npy`, '--docs', `${vectors}/docs.npy`]
  const run = ['--run', `${vectors}/top200.run.trec`, ...embeddings]
  const texts = ['--corpus', at('corpus.jsonl'), '--query-text', at('queries.jsonl')]
  const qrels = ['--qrels', at('qrels/test.trec')]
  const labels = ['labels', ...run, ...qrels, '--context', '200']
  const train = [
    ...['train', '--docs', `${vectors}/docs.npy`, '--train-run', `${vectors}/top200.run.trec`],
    ...[...qrels, '--list-size', '50', '--threads', '1', '--inverse-temperature', '20'],
  ]
  const dev = [
    ...['--dev-queries', `${vectors}/queries.npy`, '--dev-run', `${vectors}/top200.run.trec`],
    ...['--dev-qrels', at('qrels/test.trec')],
  ]
  const adapter = [...train, '--adapter', 'linear', '--train-queries', `${vectors}/queries.npy`]
  const encoder = [...train, '--train-queries', at('queries.jsonl'), '--top-layers', '1']
  return [
    ['search', 'search', ...embeddings, '--top', '100', '--out', '{out}/run.trec'],
    [
      'search by cosine, packed',
      'search',
      ...embeddings,
      '--metric',
      'cosine',
      '--out',
      '{out}/r.gz',
    ],
    ['rerank', 'rerank', ...run, '--out', '{out}/better.trec'],
    ['rerank, one worker', 'rerank', ...run, '--workers', '1', '--out', '{out}/one.trec'],
    ['rerank with texts', 'rerank', ...run, ...texts, ...qrels, '--out', '{out}/texts.trec'],
    ['rerank by a preset', 'rerank', ...run, '--preset', 'tas-b', '--out', '{out}/preset.json'],
    ...['fusion', 'average', 'rocchio', 'regularise', 'rank-fusion'].map((method) => [
      `rerank --method ${method}`,
      ...['rerank', ...run, ...texts, '--method', method, '--out', `{out}/${method}.trec`],
    ]),
    [
      'search again',
      'rerank',
      ...run,
      '--method',
      'rocchio',
      '--search-again',
      '--out',
      '{out}/again.trec',
    ],
    [
      'eval',
      'eval',
      ...qrels,
      '--run',
      '{out}/run.trec',
      '--run',
      '{out}/texts.trec',
      '--per-query',
    ],
    ['eval as JSON', 'eval', ...qrels, '--run', '{out}/better.trec', '--format', 'json'],
    ['labels', ...labels, '--out', '{out}/labels.jsonl'],
    ['labels by Parquet', ...labels, '--preset', 'coder-tas-b', '--out', '{out}/labels.parquet'],
    [
      'labels with words',
      ...labels,
      ...texts,
      '--words',
      '--target',
      'joint',
      '--out',
      '{out}/joint.tsv',
    ],
    [
      'labels for trainers',
      ...labels,
      ...texts,
      '--format',
      'listwise',
      '--out',
      '{out}/list.jsonl',
    ],
    ['a share', ...labels, '--shard', '1/2', '--out', '{out}/labels-1.jsonl'],
    ['another share', ...labels, '--shard', '2/2', '--out', '{out}/labels-2.jsonl'],
    [
      'labels merge',
      'labels merge',
      '{out}/labels-1.jsonl',
      '{out}/labels-2.jsonl',
      '--out',
      '{out}/merged.jsonl',
    ],
    ['audit', 'audit', ...run, ...qrels, ...texts, '--out', '{out}/audit.tsv'],
    ['audit --evaluate', 'audit', ...run, ...qrels, '--evaluate', '--repeats', '2'],
    ['tune', 'tune', ...run, ...qrels, ...texts, '--trials', '16', '--out', '{out}/tuned.json'],
    [
      'rerank by tuned settings',
      'rerank',
      ...run,
      ...texts,
      '--settings',
      '{out}/tuned.json',
      '--force',
      '--out',
      '{out}/tuned.trec',
    ],
    ['sweep', 'sweep', ...run, ...qrels, '--out', '{out}/sweep'],
    [
      'report',
      'report',
      ...qrels,
      '--run',
      '{out}/run.trec',
      '--run',
      '{out}/better.trec',
      ...texts,
      '--out',
      '{out}/report.html',
    ],
    ['encode', 'encode', '--input', join(root, 'some.jsonl'), '--out', '{out}/some.npy'],
    ['train an adapter', ...adapter, ...dev, '--epochs', '2', '--out', '{out}/adapter'],
    [
      'adapt',
      'adapt',
      '--adapter',
      '{out}/adapter',
      '--queries',
      `${vectors}/queries.npy`,
      '--out',
      '{out}/adapted.npy',
    ],
    ['train an encoder', ...encoder, '--steps', '3', '--out', '{out}/encoder'],
    ['train compare', 'train compare', '{out}/adapter', '--out', '{out}/curves.svg'],
    [
      'tune --train',
      'tune --train',
      ...adapter.slice(1),
      ...dev,
      '--epochs',
      '1',
      '--trials',
      '2',
      '--out',
      '{out}/tune-train',
    ],
    [
      'convert a run',
      'convert',
      '--kind',
      'run',
      '--in',
      '{out}/run.trec',
      '--out',
      '{out}/run.json',
    ],
    [
      'convert judgements',
      'convert',
      '--kind',
      'qrels',
      ...['--in', at('qrels/test.trec')],
      '--out',
      '{out}/qrels.tsv',
    ],
    [
      'convert texts',
      'convert',
      '--kind',
      'texts',
      '--in',
      at('queries.jsonl'),
      '--to',
      'documents',
      '--out',
      '{out}/docs.sgml',
    ],
    ...['npy', 'safetensors', 'parquet', 'fvecs', 'jsonl.gz'].map((ending) => [
      `convert embeddings to ${ending}`,
      ...[
        'convert',
        '--kind',
        'embeddings',
        '--in',
        `${vectors}/queries.npy`,
        '--out',
        `{out}/q.${ending}`,
      ],
    ]),
    [
      'load',
      'load',
      '--store',
      '{out}/lance',
      '--docs',
      `${vectors}/docs.npy`,
      '--corpus',
      at('corpus.jsonl'),
    ],
    [
      'search a store',
      'search',
      '--store',
      '{out}/lance',
      '--queries',
      `${vectors}/queries.npy`,
      '--exact',
      '--out',
      '{out}/store.trec',
    ],
    [
      'rerank from a store',
      'rerank',
      '--run',
      '{out}/run.trec',
      '--store',
      '{out}/lance',
      '--queries',
      `${vectors}/queries.npy`,
      '--out',
      '{out}/from-store.trec',
    ],
    [
      'labels from a store',
      'labels',
      '--run',
      '{out}/run.trec',
      '--store',
      '{out}/lance',
      '--queries',
      `${vectors}/queries.npy`,
      ...qrels,
      '--context',
      '200',
      '--out',
      '{out}/from-store.jsonl',
    ],
    ['no file', 'rerank', '--run', 'missing.trec', ...embeddings, '--out', '{out}/none.trec'],
    ['help', 'rerank', '--help'],
  ].map(([name, command, ...rest]) => [name, ...command.split(' '), ...rest])
}

/** Runs one command line with one build. */
function run(side, args, root) {
  const program = resolve(options[side], 'packages/cli/bin/kith.js')
  const words = args.map((word) => word.replaceAll('{out}', join(root, side)))
  const names = side === 'after' ? words.map((word) => renamed[word] ?? word) : words
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...names], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  return { status, stdout, stderr }
}

function differences(root, before, after) {
  const plain = (text) =>
    withoutTimes(text.replaceAll(join(root, 'before'), '').replaceAll(join(root, 'after'), ''))
  const found = []
  if (before.status !== after.status) {
    found.push(`exit code ${before.status}, now ${after.status}: ${after.stderr.trim()}`)
  }
  for (const stream of ['stdout', 'stderr']) {
    if (plain(before[stream]) !== plain(after[stream])) {
      found.push(
        `${stream} was ${short(plain(before[stream]))}, now ${short(plain(after[stream]))}`,
      )
    }
  }
  const [old, now] = ['before', 'after'].map((side) => filesOf(join(root, side)))
  for (const file of old) if (!now.includes(file)) found.push(`${file} is missing`)
  for (const file of now) if (!old.includes(file)) found.push(`${file} is new`)
  for (const file of old.filter((one) => now.includes(one))) {
    const [a, b] = ['before', 'after'].map((side) => readFileSync(join(root, side, file), 'latin1'))
    const text = /\.(jsonl?|html|svg)$/.test(file)
    if (text ? plain(a) === plain(b) : a === b) continue
    found.push(`${file} differs`)
    // Said once, not again behind every later command.
    writeFileSync(join(root, 'after', file), a, 'latin1')
  }
  return found
}

/** All files but those of a store, which have random names, and the sweep's with measured times. */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !/^(lance\/|sweep\/(time|index|figures)\.)/.test(file))
    .sort()
}

function withoutTimes(text) {
  return text
    .replace(
      /"(milliseconds|labelShare|seconds|rate|perSecond|mtimeMs|time)":\s*[-+.\de]+/g,
      '"$1":0',
    )
    .replace(/[\d.,]+ (µs|ms|s|min|queries\/s|texts\/s)\b/g, '0 $1')
    .replace(/\(\d+\/s\)/g, '(0/s)')
}

function short(text) {
  const flat = text.trim().replace(/\s+/g, ' ')
  return JSON.stringify(flat.length > 300 ? `${flat.slice(0, 300)}…` : flat)
}
