import { join } from 'node:path'
import { openTextModel } from '@kith/server'
import {
  exportStudio,
  StudioCollection,
  type StudioExport,
  type StudioFiles,
  startStudio,
} from '@kith/studio'
import { demoFiles, exportBytes, exportedFiles } from '@kith/studio/internal'
import { defineCommand, type Options, rare, type Values } from '../options/command.ts'
import { splitOption } from '../options/dataset-options.ts'
import { modelOptions, readModelOptions } from '../options/encoder-options.ts'
import { judgedFiles } from '../options/judged-options.ts'
import { levelOption, textFiles, textOptions } from '../options/shared-options.ts'
import {
  isSet,
  optionalBytes,
  optionalText,
  optionalWhole,
  sizeText,
  UsageError,
} from '../options/values.ts'
import { openBrowser } from '../terminal/output.ts'
import { aborted } from '../terminal/stop.ts'

/** The options of `kith studio`. */
const studioOptions = {
  run: { value: 'FILE', file: 'input', help: 'run to show' },
  queries: { value: 'FILE', file: 'input', help: 'query embeddings' },
  docs: { value: 'FILE', file: 'input', help: 'document embeddings' },
  ...textOptions,
  qrels: { value: 'FILE', file: 'input', help: 'relevance judgments' },
  ...splitOption,
  ...levelOption,
  port: { value: 'N', help: 'port of the page', default: '4810, or a free port' },
  open: { help: 'open the page in the browser' },
  export: {
    value: 'FOLDER',
    file: 'output',
    help: 'write the page to this folder instead of serving it',
  },
  'export-size': {
    value: 'SIZE',
    help: 'approximate size of the exported data',
    default: sizeText(exportBytes),
  },
  ...rare(modelOptions),
  model: { ...modelOptions.model, default: 'none, which disables free-text queries' },
} satisfies Options

/** Returns the files in the options, or the files of the demo dataset if the options name none. */
function readStudioFiles(values: Values<typeof studioOptions>): StudioFiles {
  const [run, queries, docs] = (['run', 'queries', 'docs'] as const).map((name) =>
    optionalText(values, name),
  )
  const [corpus, queryText] = textFiles(values)
  const qrels = optionalText(values, 'qrels')
  if ([run, queries, docs, corpus, qrels].every((file) => file === undefined)) return demoFiles()
  if (run === undefined || queries === undefined || docs === undefined) {
    throw new UsageError(
      '--run, --queries and --docs must be given together; leave out all of them to open the demo',
    )
  }
  return { run, queries, docs, corpus, queryText, qrels }
}

/** Reads the values of `studioOptions`. */
function readStudio(values: Values<typeof studioOptions>) {
  const folder = optionalText(values, 'export')
  const model = optionalText(values, 'model')
  if (folder !== undefined && model !== undefined) {
    throw new UsageError(
      '--model cannot be combined with --export: an exported page has no encoder; leave out --model',
    )
  }
  const { name, ...options } = readModelOptions(values)
  return {
    level: optionalWhole(values, 'level'),
    model: model === undefined ? undefined : { name, options },
    port: optionalWhole(values, 'port', { to: 65_535 }),
    open: isSet(values, 'open'),
    folder,
    bytes: optionalBytes(values, 'export-size'),
    files: readStudioFiles(values),
  }
}

/** `kith studio`: opens the page that shows why a ranking changes. */
export const studioCommand = defineCommand({
  name: 'studio',
  description:
    'Serves a page on this machine until you stop it (Ctrl-C; exit code 0). Reranking runs in the page,\n' +
    'so every slider responds at once. With texts (--corpus, --query-text) the page shows documents and\n' +
    'includes BM25 scores; with judgments (--qrels) it shows measures, labels and missing judgments.\n' +
    'With the --model that encoded the documents, the page accepts free-text queries.\n' +
    'Without any file, opens the demo dataset that npm run demo writes to demo-output.\n' +
    '--export writes the page with part of the dataset to a folder, for any web server or for opening\n' +
    'from disk.',
  example:
    'kith studio --run run.trec --queries queries.npy --docs docs.npy --corpus corpus.jsonl --query-text queries.jsonl --qrels qrels.trec',
  dataset: { purpose: 'measure', files: judgedFiles },
  options: studioOptions,
  writes(values) {
    const folder = optionalText(values, 'export')
    return folder === undefined ? [] : exportedFiles.map((name) => join(folder, name))
  },
  read: readStudio,
  async run({ files, level, model, port, open, folder, bytes }, output, stop) {
    output.remark('opening the dataset …')
    const collection = await StudioCollection.open(files, {
      level,
      model: model && (await openTextModel(model.name, model.options)),
    })
    try {
      if (folder !== undefined) {
        const made = await exportStudio(collection, folder, { bytes })
        return output.result(made, contentsOf(made))
      }
      const studio = await startStudio(collection, port)
      output.result({ url: studio.url }, `Kith Studio: ${studio.url}`)
      if (open) openBrowser(studio.url)
      await stop.untilStopped(aborted)
      await studio.close()
    } finally {
      await collection.close()
    }
  },
})

/** Describes the contents of an exported studio. */
function contentsOf({ folder, queries, documents, bytes }: StudioExport): string {
  const contents = `${queries} queries, ${documents} documents, ${(bytes / 1e6).toFixed(1)} MB`
  return `${join(folder, 'index.html')}: ${contents}`
}
