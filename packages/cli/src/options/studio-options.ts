import type { StudioFiles } from '@kith/studio'
import { demoFiles, exportBytes } from '@kith/studio/internal'
import { type Options, rare, type Values } from './command.ts'
import { splitOption } from './dataset-options.ts'
import { modelOptions } from './encoder-options.ts'
import { embeddingOptions, levelOption, textFiles, textOptions } from './shared-options.ts'
import { UsageError } from './usage-error.ts'
import { optionalText, sizeText } from './values.ts'

/** The options of `kith studio`. */
export const studioOptions = {
  run: { value: 'FILE', file: 'input', help: 'the run to look at' },
  queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries' },
  docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents' },
  ...textOptions,
  qrels: { value: 'FILE', file: 'input', help: 'judgments' },
  ...splitOption,
  ...levelOption,
  port: { value: 'N', help: 'where the page is served', default: '4810, or any that is free' },
  open: { help: 'open the page in the browser' },
  export: { value: 'FOLDER', file: 'output', help: 'write the page there, and serve nothing' },
  'export-size': {
    value: 'SIZE',
    help: 'roughly, of the part of the collection in it',
    default: sizeText(exportBytes),
  },
  ...rare(modelOptions),
  model: { ...modelOptions.model, default: 'none: no free text' },
  ...rare(embeddingOptions),
} satisfies Options

/** The files that the options name, or those of the demo where they name none. */
export function readStudioFiles(values: Values<typeof studioOptions>): StudioFiles {
  const [run, queries, docs] = (['run', 'queries', 'docs'] as const).map((name) =>
    optionalText(values, name),
  )
  const [corpus, queryText] = textFiles(values)
  const qrels = optionalText(values, 'qrels')
  if ([run, queries, docs, corpus, qrels].every((file) => file === undefined)) return demoFiles()
  if (run === undefined || queries === undefined || docs === undefined) {
    throw new UsageError('--run, --queries and --docs go together; without any file, the demo')
  }
  return { run, queries, docs, corpus, queryText, qrels }
}
