import type { StudioFiles } from '@kith/studio'
import { demoFiles } from '@kith/studio/internal'
import type { Values } from './command.ts'
import { textFiles } from './shared-options.ts'
import { UsageError } from './usage-error.ts'
import { optionalText } from './values.ts'

/** The files that the options name, or those of the demo where they name none. */
export function readStudioFiles(values: Values): StudioFiles {
  const [run, queries, docs] = ['run', 'queries', 'docs'].map((name) => optionalText(values, name))
  const [corpus, queryText] = textFiles(values)
  const qrels = optionalText(values, 'qrels')
  if ([run, queries, docs, corpus, qrels].every((file) => file === undefined)) return demoFiles()
  if (run === undefined || queries === undefined || docs === undefined) {
    throw new UsageError('--run, --queries and --docs go together; without any file, the demo')
  }
  return { run, queries, docs, corpus, queryText, qrels }
}
