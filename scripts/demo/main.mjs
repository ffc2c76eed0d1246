/**
 * `npm run demo`: Kith's main jobs on real text: the WordNet collection, encoded by MiniLM, both
 * from the npm registry. `npm run demo -- --quick` takes a seeded part of it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeWordnet } from '@kith/collections'
import { compare, evaluate, readQrels, readRun } from '@kith/ir'
import { collectionOf, hideLabels } from './collection.mjs'
import { foundMissing, movedProbability } from './known-answer.mjs'
import { exampleOf, gainsOf, writeReport } from './report.mjs'
import { kith, say, table } from './steps.mjs'

const quick = process.argv.includes('--quick')
const unknown = process.argv.slice(2).filter((word) => word !== '--quick')
if (unknown.length > 0) {
  console.error(`npm run demo -- [--quick]; not ${unknown.join(' ')}`)
  process.exit(2)
}
const output = fileURLToPath(new URL('../../demo-output/', import.meta.url))
const folder = join(output, quick ? 'wordnet-part' : 'wordnet')
const at = (name) => join(folder, name)
const start = performance.now()

say(
  'Collection',
  'Documents are noun senses of WordNet, queries are categories, and all members of a category are relevant: the labels are nearly complete, so we can hide some and know the truth.',
)
const collection = await collectionOf(quick)
if (quick) {
  // Written anew, a file would be newer than what was made from it, and all would be made again.
  if (!existsSync(at('README.md'))) await writeWordnet(collection, folder)
  const { documents, queries } = collection
  console.log(
    `   --quick: a seeded part, ${documents.length} documents and ${queries.length} queries. Figures are higher than on the whole: there is less to confuse.`,
  )
} else kith('collection wordnet', { out: folder }, { once: at('README.md') })

say(
  'Encode',
  'MiniLM turns each text into 384 numbers, on all cores. Done once: the next demo finds them, and a demo that was stopped goes on.',
)
kith('encode', { input: at('corpus.jsonl'), out: at('docs.npy') }, { once: at('docs.npy') })
kith(
  'encode',
  { input: at('queries.jsonl'), role: 'query', out: at('queries.npy') },
  { once: at('queries.npy') },
)
const embeddings = { queries: at('queries.npy'), docs: at('docs.npy') }
const texts = { corpus: at('corpus.jsonl'), 'query-text': at('queries.jsonl') }

say('Search', 'The 200 documents nearest to each query, exactly. This is the ranking to improve.')
kith('search', { ...embeddings, top: 200, out: at('run.trec') })

say(
  'Rerank',
  'The first 50 are reordered by who is whose neighbour: once in the embeddings, once in embeddings and words together. Look at the queries per second.',
)
kith('rerank', { run: at('run.trec'), ...embeddings, out: at('embeddings.trec') })
kith('rerank', { run: at('run.trec'), ...embeddings, ...texts, out: at('both.trec') })

say(
  'Measure',
  'Test queries with complete labels. Stars: significantly different from plain search (paired t-test, Holm).',
)
const complete = { test: at('qrels/test.tsv'), train: at('qrels/train.tsv') }
kith('eval', {
  qrels: complete.test,
  run: [at('run.trec'), at('embeddings.trec'), at('both.trec')],
  measures: 'nDCG@10,MRR@10,Recall@10',
})

say(
  'Labels',
  'As if only one relevant document per training query were known: soft labels for a trainer. Look at what part of the probability that they move goes to documents that are in fact relevant.',
)
console.log(`   ${await hideLabels(collection, at('run.trec'), folder)}`)
const sparse = { train: at('qrels-sparse/train.tsv'), test: at('qrels-sparse/test.tsv') }
const moved = []
for (const target of ['uniform', 'mixed']) {
  const out = at(`labels-${target}.jsonl`)
  kith('labels', { run: at('run.trec'), ...embeddings, qrels: sparse.train, target, out })
  moved.push([target, await movedProbability(out, complete.train)])
}

say(
  'Audit',
  'Again one known relevant document per test query: which others are relevant, but not judged? Look at how many of those listed first are.',
)
kith('audit', {
  run: at('run.trec'),
  ...embeddings,
  ...texts,
  qrels: sparse.test,
  'per-query': 5,
  out: at('audit.tsv'),
})
const found = await foundMissing(at('audit.tsv'), complete.test, sparse.test)

const qrels = await readQrels(complete.test)
const runs = new Map()
for (const [name, file] of [
  ['plain search', 'run.trec'],
  ['reranked, embeddings', 'embeddings.trec'],
  ['reranked, embeddings and words', 'both.trec'],
]) {
  runs.set(name, await readRun(at(file)))
}
const measures = ['nDCG@10', 'MRR@10', 'Recall@10']
const evaluations = new Map([...runs].map(([name, run]) => [name, evaluate(qrels, run, measures)]))
const [plain, , both] = evaluations.values()
const rows = [['', ...measures, 'better / worse', 'p (nDCG@10)']]
for (const [name, evaluation] of evaluations) {
  const figures = measures.map((measure) => evaluation.mean[measure].toFixed(4))
  if (evaluation === plain) rows.push([name, ...figures, '', ''])
  else {
    const { wins, losses, tTest } = compare(plain, evaluation, 'nDCG@10')
    rows.push([
      name,
      ...figures,
      `${wins} / ${losses}`,
      tTest < 0.001 ? tTest.toExponential(0) : tTest.toFixed(3),
    ])
  }
}
const known = [
  ['of the probability that labels move, on relevant documents', ''],
  ...moved.map(([target, share]) => [`  ${target}`, percent(share)]),
  ['of documents that the audit lists, hidden relevant ones', ''],
  ...found.map(([what, share]) => [`  ${what}`, percent(share)]),
]
const gains = await gainsOf(plain, both, at('queries.jsonl'))
const report = join(output, quick ? 'report-quick.html' : 'report.html')
await writeReport(report, {
  quick,
  rows,
  known,
  gains,
  examples: await Promise.all(
    [gains[0], gains.at(-1)].map((query) =>
      exampleOf(query, [...runs.values()], qrels, at('corpus.jsonl')),
    ),
  ),
  auditPage: at('audit.html'),
})

console.log(`\n${table(rows)}\n\n${table(known)}`)
const seconds = Math.round((performance.now() - start) / 1000)
console.log(`\n${seconds} s in all.`)
console.log(`Judge missing labels yourself: ${at('audit.html')}`)
console.log(`Report: ${report}`)

function percent(share) {
  return `${(100 * share).toFixed(1)} %`
}
