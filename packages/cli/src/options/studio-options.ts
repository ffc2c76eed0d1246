import type { StudioFiles } from '@kith/studio'
import { demoFiles, exportBytes } from '@kith/studio/internal'
import { type Options, rare, type Values } from './command.ts'
import { splitOption } from './dataset-options.ts'
import { modelOptions, readModelOptions } from './encoder-options.ts'
import { levelOption, textFiles, textOptions } from './shared-options.ts'
import { UsageError } from './usage-error.ts'
import { isSet, optionalBytes, optionalText, optionalWhole, sizeText } from './values.ts'

/** The options of `kith studio`. */
export const studioOptions = {
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

/** The files in the options, or the files of the demo if the options name none. */
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

/** The values of `studioOptions`. */
export function readStudio(values: Values<typeof studioOptions>) {
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
