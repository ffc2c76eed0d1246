import { type LabelSettings, labelPresets } from '@kith/core'
import {
  countRankings,
  openEmbeddings,
  type ResumableWork,
  readQrels,
  streamRankings,
  writeResumably,
} from '@kith/ir'
import type { LabelPlan } from '@kith/pipelines/internal'
import {
  emptySummary,
  entryOf,
  fingerprint,
  finishLabels,
  formatLabelsOrSkip,
  isSummary,
  type LabelFormat,
  type LabelLayout,
  type LabelSummary,
  labelAll,
  labelFormats,
  labelValues,
  missingPolicies,
  needsTexts,
  runTasks,
  type Shard,
  type Sidecar,
  shareOf,
  splitAddress,
  summaryLines,
  TextPair,
  vectorSource,
  workersFor,
  writeSidecarOf,
} from '@kith/pipelines/internal'
import { labelInputs } from '../old/label-inputs.ts'
import { labelFromStore } from '../old/label-store.ts'
import { defineCommand, type Values } from '../options/command.ts'
import { labelSettingOptions, readLabelSettings } from '../options/setting-options.ts'
import { readShard, shardOption } from '../options/shard.ts'
import {
  embeddingOptions,
  readEmbeddingOptions,
  textFiles,
  textOptions,
  workerOption,
} from '../options/shared-options.ts'
import { readSource, readSubmit, storeOption, submitOptions } from '../options/store-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { isSet, optionalChoice, optionalText, optionalWhole, text } from '../options/values.ts'
import { version } from '../version.ts'

/** `kith labels`: sparse judgements in, training labels out. */
export const labelsCommand = defineCommand({
  name: 'labels',
  summary: 'make soft training labels from sparse judgements',
  description:
    'For each query of a run that has judged relevant documents (--qrels), gives a part of their\n' +
    'probability to the candidates that are most similar to them within the query’s own context.\n' +
    'Can be stopped at any moment: the same command goes on where it was, and the file is the\n' +
    'same in the end. --shard 3/16 does one share; kith labels merge joins shares. Documents may\n' +
    'also be in a store (--store); --submit leaves the work to kith work on any number of machines.\n' +
    `Formats: ${labelFormats.join(', ')} (docs/labels.md shows how each is loaded).\n` +
    `Presets: ${Object.keys(labelPresets).join(', ')}.`,
  example:
    'kith labels --run run.trec --queries queries.npy --docs docs.npy --qrels qrels.trec --out labels.jsonl',
  options: {
    run: {
      value: 'FILE',
      file: 'input',
      help: 'candidates of the training queries',
      required: true,
    },
    queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries', required: true },
    docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents' },
    ...storeOption,
    qrels: { value: 'FILE', file: 'input', help: 'judgements', required: true },
    out: { value: 'FILE', file: 'output', help: 'the labels to write' },
    ...submitOptions,
    level: { value: 'GRADE', help: 'from which grade on a document is relevant', default: '1' },
    format: {
      value: 'NAME',
      help: 'how labels are written',
      default: 'by the ending of --out, else jsonl',
    },
    'label-values': {
      value: 'KIND',
      help: 'probability, or logit (whose softmax it is), in formats with texts',
      default: 'logit for sentence-transformers, else probability',
    },
    negatives: {
      value: 'N',
      help: 'documents besides the positive one in a row for sentence-transformers; queries with fewer are left out',
      default: 'max-labelled − 1',
    },
    ...textOptions,
    words: { help: 'look at the words too when comparing documents (needs the texts)' },
    missing: {
      value: 'WHAT',
      help: 'queries or documents without an embedding or text: error, or skip',
      default: 'error',
    },
    ...shardOption,
    ...labelSettingOptions,
    ...embeddingOptions,
    ...workerOption,
  },
  async run(values, output) {
    const settings = readLabelSettings(values)
    const layout = readLayout(values, settings)
    const missing = optionalChoice(values, 'missing', missingPolicies) ?? 'error'
    const level = optionalWhole(values, 'level') ?? 1
    const shard = readShard(values)
    const workers = optionalWhole(values, 'workers')
    const words = isSet(values, 'words')
    const source = readSource(values)
    if ('store' in source) {
      const study = { settings, layout, level, missing, words }
      return labelFromStore(values, splitAddress(source.store), study, output)
    }
    readSubmit(values)
    const [runFile, qrelsFile, out] = [
      text(values, 'run'),
      text(values, 'qrels'),
      text(values, 'out'),
    ]
    const [queriesFile, docsFile] = [text(values, 'queries'), source.docs]
    const [corpus, queryText] = textFiles(values)
    if ((words || needsTexts(layout.format)) && !(corpus && queryText)) {
      throw new UsageError(
        `${words ? '--words' : `--format ${layout.format}`} needs --corpus and --query-text`,
      )
    }
    const files = [runFile, queriesFile, docsFile, qrelsFile, corpus, queryText].filter(
      (file) => file !== undefined,
    )
    const chosen = { ...settings, ...layout, level, missing, words }
    const embeddings = readEmbeddingOptions(values)
    const queries = await openEmbeddings(queriesFile, embeddings)
    const docs = await openEmbeddings(docsFile, embeddings)
    let texts: TextPair | undefined
    try {
      const qrels = await readQrels(qrelsFile)
      output.remark(`counting the queries of ${runFile} …`)
      const total = await countRankings(runFile)
      const share = shareOf(shard, total)
      if (corpus && queryText) texts = await TextPair.open(corpus, queryText)
      const key = await fingerprint({ ...chosen, ...share }, files)
      const inputs = await labelInputs(files, [queriesFile, docsFile], shard, output)
      const start = performance.now()
      let summary = emptySummary
      const write: ResumableWork<LabelSummary>['write'] = async (append, before) => {
        const from = before?.position ?? share.from
        if (before)
          output.remark(`going on: ${from - share.from} of ${share.to - share.from} are done`)
        const progress = output.progress('labelling', share.to - share.from)
        const plan: LabelPlan = {
          rankings: streamRankings(runFile),
          qrels,
          level,
          queries,
          docs,
          texts: words ? texts : undefined,
          contextSize: settings.contextSize,
          missing,
          from,
          to: share.to,
        }
        const data = {
          queries: vectorSource(queriesFile, queries),
          docs: vectorSource(docsFile, docs),
          settings,
        }
        summary = await labelAll(
          plan,
          (tasks) => runTasks('label', data, tasks, workers ?? workersFor(share.to - from)),
          (task, labels) => formatLabelsOrSkip(entryOf(docs, task, labels), layout, texts, missing),
          async (part, now) => {
            await append(part, now)
            progress.update(now.position - share.from)
          },
          before ?? { ...emptySummary, position: from },
        ).finally(() => progress.end())
      }
      const finish = async (partial: string): Promise<void> => {
        await finishLabels(partial, out, layout, summary)
        const made: Sidecar & { shard: Shard; queries: object; summary: LabelSummary } = {
          ...{ command: 'labels', version, settings: chosen, inputs },
          ...{ shard, queries: { ...share, total }, summary },
        }
        await writeSidecarOf(out, made)
      }
      await writeResumably(out, { key, isState: isSummary, write, finish })
      const seconds = (performance.now() - start) / 1000
      output.result({ out, seconds, ...summary }, [`${out}:`, ...summaryLines(summary)].join('\n'))
    } finally {
      await queries.close()
      await docs.close()
      await texts?.close()
    }
  },
})

function readLayout(values: Values, settings: LabelSettings): LabelLayout {
  const { target, maxLabelled, contextSize } = settings
  const format =
    optionalChoice(values, 'format', labelFormats) ?? formatOf(optionalText(values, 'out') ?? '')
  const usual = format === 'sentence-transformers' ? 'logit' : 'probability'
  if (format === 'sentence-transformers' && target === 'one-hot') {
    throw new UsageError(
      '--target one-hot labels the positive documents only: --format sentence-transformers needs others',
    )
  }
  const longest = target === 'uniform' ? contextSize : Math.min(maxLabelled, contextSize)
  return {
    format,
    values: optionalChoice(values, 'label-values', labelValues) ?? usual,
    negatives: optionalWhole(values, 'negatives') ?? Math.max(1, longest - 1),
  }
}

function formatOf(out: string): LabelFormat {
  if (/\.parquet$/i.test(out)) return 'parquet'
  return /\.tsv(\.gz)?$/i.test(out) ? 'tsv' : 'jsonl'
}
