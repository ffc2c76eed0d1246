/**
 * What targets are worth in training, on the WordNet collection: every target, several draws of the
 * sparse labels, encoder or adapter; tested on complete labels. Settings are those given here;
 * stopping is by the sparse dev labels only. Finished runs are kept: the same command goes on.
 *
 *   npm run demo                                # makes the collection and its embeddings
 *   node experiments/training.mjs encoder [--targets one-hot,mixed] [--draws 3] [-- more options of kith train]
 *   node experiments/training.mjs adapter
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildWordnet, completeQrels, drawSparse, readNouns, writeSparse } from '@kith/collections'
import { readRun } from '@kith/ir'

const all = ['one-hot', 'uniform', 'geometric', 'rnn', 'mixed', 'joint', 'query-centric']
const separator = process.argv.indexOf('--', 2)
const own = process.argv.slice(2, separator < 0 ? undefined : separator)
const passed = separator < 0 ? [] : process.argv.slice(separator + 1)
const { values, positionals } = parseArgs({
  args: own,
  allowPositionals: true,
  options: {
    targets: { type: 'string', default: [...all, 'complete'].join(',') },
    draws: { type: 'string', default: '3' },
    folder: { type: 'string', default: 'demo-output/experiments' },
  },
})
const what = positionals[0]
if (what !== 'encoder' && what !== 'adapter') {
  console.error('node experiments/training.mjs encoder|adapter [--targets LIST] [--draws N]')
  process.exit(2)
}
const root = fileURLToPath(new URL('..', import.meta.url))
const collection = join(root, 'demo-output/wordnet')
if (!existsSync(join(collection, 'run.trec'))) {
  console.error('run `npm run demo` first: it makes the collection and its embeddings')
  process.exit(1)
}
const at = (name) => join(collection, name)
const usual = {
  encoder: ['--epochs', '6', '--rate', '3e-5', '--dropout', '0.1'],
  adapter: ['--epochs', '40', '--rate', '1e-3', '--weight-decay', '0'],
}
const queries = what === 'adapter' ? at('queries.npy') : at('queries.jsonl')
const results = new Map()
const wordnet = buildWordnet(await readNouns())
const run = await readRun(at('run.trec'))

for (let draw = 1; draw <= Number(values.draws); draw++) {
  const sparse = join(root, values.folder, `draw-${draw}`)
  mkdirSync(sparse, { recursive: true })
  await writeSparse(wordnet, drawSparse(completeQrels(wordnet), run, { seed: draw }).qrels, sparse)
  for (const target of values.targets.split(',')) {
    const out = join(sparse, [what, target, ...passed].join('_').replaceAll(/[^\w.-]/g, ''))
    const known = join(out, 'score.json')
    const figures = existsSync(known)
      ? JSON.parse(readFileSync(known, 'utf8'))
      : trained(out, target, sparse, draw)
    results.set(target, [...(results.get(target) ?? []), figures])
    console.log(`draw ${draw}, ${target}: nDCG@10 ${figures['nDCG@10'].toFixed(4)}`)
  }
}
const plain = evaluated(at('run.trec'))
console.log(`\n${what}, ${values.draws} draws, test nDCG@10 with complete labels`)
console.log(`plain            ${plain['nDCG@10'].toFixed(4)}`)
for (const [target, figures] of results) {
  const list = figures.map((figure) => figure['nDCG@10'])
  const mean = list.reduce((a, b) => a + b, 0) / list.length
  const deviation = Math.sqrt(list.reduce((a, b) => a + (b - mean) ** 2, 0) / list.length)
  console.log(`${target.padEnd(16)} ${mean.toFixed(4)} ± ${deviation.toFixed(4)}`)
}

/** Trains, searches with the trained queries, and measures on test. */
function trained(out, target, sparse, seed) {
  const folder = `${out}.running`
  kith(
    'train',
    ...['--docs', at('docs.npy'), '--train-queries', queries, '--train-run', at('run.trec')],
    ...[
      '--qrels',
      target === 'complete' ? at('qrels/train.tsv') : join(sparse, 'qrels-sparse/train.tsv'),
    ],
    ...['--dev-queries', queries, '--dev-run', at('run.trec')],
    ...['--dev-qrels', join(sparse, 'qrels-sparse/dev.tsv')],
    ...['--target', target === 'complete' ? 'one-hot' : target, '--seed', String(seed)],
    ...['--list-size', '200', '--inverse-temperature', '20', '--out', folder],
    ...(what === 'adapter' ? ['--adapter', 'linear', '--unit-length'] : []),
    ...usual[what],
    ...passed,
  )
  const embeddings = join(folder, 'queries.npy')
  if (what === 'adapter')
    kith('adapt', '--adapter', folder, '--queries', queries, '--out', embeddings)
  else {
    const input = ['--input', queries, '--role', 'query', '--out', embeddings]
    kith('encode', '--model', folder, ...input)
  }
  const ranked = join(folder, 'run.trec')
  kith('search', '--queries', embeddings, '--docs', at('docs.npy'), '--out', ranked)
  const figures = evaluated(ranked)
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'score.json'), JSON.stringify(figures))
  for (const name of ['metrics.jsonl', 'run.trec'])
    copyFileSync(join(folder, name), join(out, name))
  rmSync(folder, { recursive: true })
  return figures
}

function evaluated(file) {
  const printed = kith('eval', '--qrels', at('qrels/test.tsv'), '--run', file, '--json')
  return JSON.parse(printed).runs[0].measures
}

function kith(...args) {
  const program = join(root, 'packages/cli/bin/kith.js')
  return execFileSync(process.execPath, [program, ...args, '--quiet'], { encoding: 'utf8' })
}
