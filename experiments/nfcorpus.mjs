/**
 * Compares training targets on NFCorpus, where all relevant documents are known: trained on one
 * label drawn for each training query, stopped by one label of each dev query, reported on the dev
 * queries with all their judgments; several draws. Then each trained model is followed by the
 * ranking of words and neighbors. p values are corrected for the number of recipes (Holm).
 *
 *   node experiments/nfcorpus.mjs FOLDER encoder [--recipes one-hot,distil] [--repeats 3]
 *     [--labels even|bm25-10|bm25-3] [--model MODEL] [--query-prefix TEXT] [-- options of kith train]
 *
 * FOLDER is BEIR's nfcorpus with train and dev judgments (../shared/data/nfcorpus). Labels are
 * drawn evenly from a query's relevant documents; or from its relevant documents in BM25's top 10 or 3, as
 * annotators who see what one engine shows would draw them.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { writeAtomic } from '@kith/base'
import { seededFraction } from '@kith/base/random'
import { labelPresets } from '@kith/core'
import { distilTarget } from '@kith/core/internal'
import { drawSparse } from '@kith/datasets/internal'
import { readQrels, readRun, readTexts, writeQrels, writeRun, writeTexts } from '@kith/ir'
import { encodeTexts } from '@kith/pipelines/encode'
import { labelRun } from '@kith/pipelines/labels'
import { rerankRun } from '@kith/pipelines/rerank'
import { searchRun } from '@kith/pipelines/search'
import { searchBm25 } from './bm25.mjs'
import { figuresOf, printStudy, readArguments, trainedRun } from './trial.mjs'

const [collection] = process.argv.splice(2, 1)
if (!collection || !existsSync(join(collection, 'qrels/train.tsv'))) {
  console.error(
    'usage: node experiments/nfcorpus.mjs NFCORPUS encoder; the dataset needs train judgments',
  )
  process.exit(2)
}

/** The evidence that was found to be best: settings of `labelRun`. */
const joint = { target: 'joint', labelDepth: 4, boost: 3, contextSize: 200 }
/** The settings of each recipe that differ from one-hot labels. */
const recipes = {
  'one-hot': {},
  complete: { complete: true },
  'joint-words': { evidence: joint, texts: true },
  joint: { evidence: joint },
  mixed: { evidence: { ...joint, target: 'mixed' } },
  'joint-words-32': { evidence: { ...joint, labelDepth: 32, boost: 1.2 }, texts: true },
  'coder-tas-b': { evidence: labelPresets['paper-tas-b'] },
  'coder-cocondenser': { evidence: labelPresets['paper-cocondenser'] },
  distil: { distil: 1 },
  'one-hot+distil': { distil: 0.5 },
  'skip-30': { settings: { skip: 30 } },
  'below-0.95': { settings: { negativesBelow: 0.95 } },
}
const given = readArguments([], {
  recipes: { type: 'string', default: Object.keys(recipes).join(',') },
  labels: { type: 'string', default: 'even' },
  model: { type: 'string' },
  'query-prefix': { type: 'string' },
})
const { what, repeats, passed, model, 'query-prefix': queryPrefix } = given
const names = given.recipes.split(',')
const unknown = names.find((name) => !(name in recipes))
const depth = Number(/^bm25-(\d+)$/.exec(given.labels)?.[1] ?? 0)
if (unknown !== undefined || (depth === 0 && given.labels !== 'even')) {
  console.error(
    `--recipes must be from ${Object.keys(recipes).join(', ')}, and --labels even, bm25-10 or bm25-3`,
  )
  process.exit(2)
}

const own = join(given.folder, 'nfcorpus', basename(model ?? 'all-MiniLM-L6-v2'))
mkdirSync(own, { recursive: true })
const at = (name) => join(own, name)
const corpus = join(collection, 'corpus.jsonl')
const train = await readQrels(join(collection, 'qrels/train.tsv'))
const dev = await readQrels(join(collection, 'qrels/dev.tsv'))
const queryTexts = []
for await (const { id, text } of readTexts(join(collection, 'queries.jsonl'))) {
  if (train.has(id) || dev.has(id)) queryTexts.push({ id, text })
}
const queryText = at('queries.jsonl')
await writeTexts(queryText, queryTexts)
const ready = join(collection, 'embeddings/all-MiniLM-L6-v2/docs.npy')
const docs = model === undefined && existsSync(ready) ? ready : at('docs.npy')
const [queries, run, reranked, bm25] = [
  'queries.npy',
  'run.trec',
  'reranked.trec',
  'bm25.trec',
].map(at)
if (!existsSync(docs)) await encodeTexts({ model, maxTokens: 256, input: corpus, out: docs })
if (!existsSync(queries)) {
  await encodeTexts({
    model,
    maxTokens: 256,
    input: queryText,
    role: 'query',
    queryPrefix,
    out: queries,
  })
}
// The dev queries alone are ranked by what was learned.
const test = { queries: at('dev.jsonl'), embeddings: at('dev.npy') }
await writeTexts(
  test.queries,
  queryTexts.filter(({ id }) => dev.has(id)),
)
if (!existsSync(test.embeddings)) {
  await encodeTexts({
    model,
    maxTokens: 256,
    input: test.queries,
    queryPrefix,
    role: 'query',
    out: test.embeddings,
  })
}
if (!existsSync(run)) await searchRun({ queries, docs, top: 200, out: run })
if (!existsSync(reranked)) {
  await rerankRun({ run, queries, docs, corpus, queryText, out: reranked })
}
if (depth > 0 && !existsSync(bm25)) {
  const documents = []
  for await (const entry of readTexts(corpus)) documents.push(entry)
  await writeRun(bm25, searchBm25(documents, queryTexts, 10, true))
}

// The measures that the study reports, all on the dev queries.
const table = new Map()
const add = async (name, file, sparseDev) => {
  const after = file === run ? reranked : file.replace(/trec$/, 'reranked.trec')
  const row = table.get(name) ?? { sparse: [], full: [], after: [] }
  row.sparse.push(await figuresOf(file, sparseDev))
  row.full.push(await figuresOf(file, dev, ['nDCG@10', 'Recall@100']))
  row.after.push(await figuresOf(after, dev))
  table.set(name, row)
  const shown = [row.sparse, row.full, row.after].map((list) => list.at(-1).mean['nDCG@10'])
  console.log(`${name}: ${shown.map((value) => value.toFixed(4)).join(', ')}`)
}
for (let seed = 1; seed <= repeats; seed++) {
  const folder = at(`${given.labels}-${seed}`)
  mkdirSync(folder, { recursive: true })
  const files = {
    ...{ docs, queries: queryText, embeddings: queries, run, corpus, test },
    trainQrels: join(folder, 'train.tsv'),
    devQrels: join(folder, 'dev.tsv'),
  }
  const sparse = await drawn(train, seed)
  const sparseDev = await drawn(dev, seed)
  await writeQrels(files.trainQrels, sparse, { format: 'beir' })
  await writeQrels(files.devQrels, sparseDev, { format: 'beir' })
  for (const name of names) {
    const recipe = recipes[name]
    const { settings } = recipe
    const inputs = { ...files }
    let teacher
    if (recipe.complete) inputs.trainQrels = join(collection, 'qrels/train.tsv')
    if (recipe.evidence) inputs.labels = await evidenceLabels(folder, name, files.trainQrels)
    if (recipe.distil === 1) {
      inputs.trainQrels = undefined
      inputs.trainRun = await trainingRun()
      teacher = { corpus }
    } else if (recipe.distil) {
      inputs.labels = await mixedLabels(join(folder, 'one-hot-distil.jsonl'), sparse, recipe.distil)
    }
    const trial = { what, name, seed, passed, settings, teacher }
    await add(name, await trainedRun(folder, trial, inputs), sparseDev)
  }
  await add('plain', run, sparseDev)
}
printStudy(
  `NFCorpus, ${basename(model ?? 'all-MiniLM-L6-v2')}, ${what} ${passed.join(' ')}, labels ${given.labels}, ${repeats} draws, ${names.length} recipes`,
  table,
)

/** One label of each query. */
async function drawn(qrels, seed) {
  if (depth > 0) return drawSparse(qrels, await readRun(bm25), { seed, depth }).qrels
  return new Map(
    [...qrels].map(([query, judged]) => {
      const relevant = [...judged].filter(([, grade]) => grade > 0).sort()
      const one = relevant[Math.floor(seededFraction(seed, query) * relevant.length)]
      return [query, new Map([one])]
    }),
  )
}

/** The run of the training queries alone: a teacher takes all queries that a run has. */
async function trainingRun() {
  const file = at('train.trec')
  if (!existsSync(file)) {
    const all = await readRun(run)
    await writeRun(
      file,
      [...all].filter(({ query }) => train.has(query)),
    )
  }
  return file
}

/** Evidence-based labels by `labelRun`. */
async function evidenceLabels(folder, name, qrels) {
  const { evidence: settings, texts = false } = recipes[name]
  const out = join(folder, `${name}.jsonl`)
  const textFiles = texts ? { corpus, queryText, texts } : {}
  if (!existsSync(out)) await labelRun({ run, queries, docs, qrels, ...textFiles, settings, out })
  return out
}

/** One-hot labels mixed with the labels of the ranking, by a share for each query. */
async function mixedLabels(out, sparse, share) {
  const taught = await readRun(reranked)
  const lines = [...sparse].map(([query, judged]) => {
    const { ids, scores } = taught.get(query)
    const labels = new Map()
    for (const [i, value] of distilTarget(scores).entries()) labels.set(ids[i], share * value)
    for (const id of judged.keys()) labels.set(id, (labels.get(id) ?? 0) + 1 - share)
    const sorted = [...labels].sort(([, a], [, b]) => b - a)
    return JSON.stringify({
      query,
      docs: sorted.map(([id]) => id),
      labels: sorted.map(([, value]) => value),
      evidence: sorted.map(([, value]) => value),
      groundTruth: [...judged.keys()],
    })
  })
  await writeAtomic(out, (write) => write(`${lines.join('\n')}\n`))
  return out
}
