import { presets } from '@kith/core'
import { openEmbeddings, readRun, writeRun } from '@kith/ir'
import {
  missingPolicies,
  newRankings,
  readShelves,
  rerankTasks,
  runTasks,
  searchAgain,
  vectorSource,
  workersFor,
  writeSidecar,
} from '@kith/pipelines/internal'
import type { Tuned } from '@kith/tune'
import { judge, tellReranked } from '../old/rerank-judge.ts'
import { rerankFromStore } from '../old/rerank-store.ts'
import { defineCommand } from '../options/command.ts'
import {
  methodOptions,
  readMethodSettings,
  readTunedSettings,
  tunedOption,
} from '../options/setting-options.ts'
import {
  embeddingOptions,
  evaluationOptions,
  readEmbeddingOptions,
  textFiles,
  textOptions,
  workerOption,
} from '../options/shared-options.ts'
import { readSource, readSubmit, storeOption, submitOptions } from '../options/store-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { isSet, optionalChoice, optionalWhole, text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** `kith rerank`: a run in, a better run out. */
export const rerankCommand = defineCommand({
  name: 'rerank',
  summary: 'reorder each query’s candidates by their reciprocal neighbours',
  description:
    'Takes a run and the embeddings it came from. With the texts of documents and queries\n' +
    '(--corpus, --query-text), their words are a second view, which helps most. With judgements\n' +
    '(--qrels), it prints figures before and after, and says plainly when reranking made them worse.\n' +
    'Other methods (--method) are there to compare with; average and rocchio can also search the\n' +
    'whole collection again with the vector that they make (--search-again).\n' +
    'Documents may also be in a store (--store), their texts with them; --submit leaves the work\n' +
    'to kith work on any number of machines.\n' +
    `Presets: ${Object.keys(presets).join(', ')}.`,
  example:
    'kith rerank --run run.trec --queries queries.npy --docs docs.npy --corpus corpus.jsonl --query-text queries.jsonl --out better.trec --qrels qrels.trec',
  options: {
    run: { value: 'FILE', file: 'input', help: 'the run to reorder', required: true },
    queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries', required: true },
    docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents' },
    ...storeOption,
    out: { value: 'FILE', file: 'output', help: 'the run to write' },
    ...submitOptions,
    ...textOptions,
    qrels: { value: 'FILE', file: 'input', help: 'judgements: print figures before and after' },
    missing: {
      value: 'WHAT',
      help: 'queries or candidates without an embedding or text: error, or skip (they stay behind the reranked ones)',
      default: 'error',
    },
    ...tunedOption,
    force: { help: 'rerank even where kith tune says that the old ranking is better' },
    'search-again': { help: 'search all documents with the vector of average or rocchio' },
    ...methodOptions,
    ...evaluationOptions,
    ...embeddingOptions,
    ...workerOption,
  },
  async run(values, output) {
    const tuned = await readTunedSettings(values)
    const settings = tuned?.settings ?? readMethodSettings(values)
    const again = isSet(values, 'search-again')
    if (again && settings.method !== 'average' && settings.method !== 'rocchio') {
      throw new UsageError('--search-again goes with --method average or rocchio')
    }
    const missing = optionalChoice(values, 'missing', missingPolicies) ?? 'error'
    const workers = optionalWhole(values, 'workers')
    const source = readSource(values)
    const submit = readSubmit(values)
    const [runFile, out] = [text(values, 'run'), text(values, 'out')]
    if (tuned?.verdict === 'keep-run' && !isSet(values, 'force')) {
      if (submit === undefined) return keepRun(runFile, out, tuned, output)
      throw new UsageError('kith tune says that the old ranking is better: --force submits it')
    }
    if ('store' in source) {
      if (again) throw new UsageError('--search-again needs --docs')
      return rerankFromStore(values, source.store, settings, output)
    }
    const [corpus, queryText] = textFiles(values)
    const embeddings = readEmbeddingOptions(values)
    const [queriesFile, docsFile] = [text(values, 'queries'), source.docs]
    const queries = await openEmbeddings(queriesFile, embeddings)
    const docs = await openEmbeddings(docsFile, embeddings)
    try {
      const run = await readRun(runFile)
      const plan = { run, queries, docs, missing, contextSize: settings.contextSize }
      const shelves = corpus && queryText ? await readShelves(plan, corpus, queryText) : undefined
      const tasks = rerankTasks({ ...plan, shelves })
      for (const remark of tasks.remarks) output.remark(remark)
      const inputs = {
        queries: vectorSource(queriesFile, queries),
        docs: vectorSource(docsFile, docs),
        queryTexts: shelves?.queries.share(),
        docTexts: shelves?.documents.share(),
        settings,
      }
      const start = performance.now()
      const progress = output.progress('reranking', tasks.list.length)
      const onDone = (done: number): void => progress.update(done)
      const reranked = again
        ? searchAgain({ tasks: tasks.list, run, queries, docs, settings, workers, onDone })
        : newRankings(
            run,
            tasks.list,
            runTasks('rerank', inputs, tasks.list, workers ?? workersFor(tasks.list.length)),
            onDone,
          )
      await writeRun(out, reranked).finally(() => progress.end())
      const seconds = (performance.now() - start) / 1000
      const files = [runFile, queriesFile, docsFile, corpus, queryText]
      await writeSidecar(
        out,
        'rerank',
        { ...settings, missing, texts: shelves !== undefined, again },
        files.filter((file) => file !== undefined),
      )
      const figures = await judge(values, run, out)
      tellReranked(output, { out, queries: tasks.list.length, seconds }, figures)
    } finally {
      queries.close()
      docs.close()
    }
  },
})

/** Where tuning found that reranking does not help, the run stays what it is. */
async function keepRun(runFile: string, out: string, tuned: Tuned, output: Output): Promise<void> {
  await writeRun(out, await readRun(runFile))
  const { verdict, reason } = tuned
  await writeSidecar(out, 'rerank', { verdict }, [runFile])
  output.result(
    { out, verdict, reason },
    `${out}: the old ranking, unchanged. ${reason} (--force reranks all the same)`,
  )
}
