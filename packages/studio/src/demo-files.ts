import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { KithError } from '@kith/core'
import type { StudioFiles } from './studio-wire.ts'

const folders = ['demo-output/wordnet', 'demo-output/wordnet-half', 'demo-output/wordnet-part']

/** The files of the demo collection that `npm run demo` has made in the current folder. */
export function demoFiles(): StudioFiles {
  const folder = folders.find((name) => existsSync(join(name, 'run.trec')))
  if (folder === undefined) {
    throw new KithError(
      'BAD_INPUT',
      'no demo collection in demo-output: make it with npm run demo (or npm run demo -- --quick, about a minute), or name the files of a run, its queries and its documents',
    )
  }
  const at = (name: string): string => join(folder, name)
  return {
    run: at('run.trec'),
    queries: at('queries.npy'),
    docs: at('docs.npy'),
    corpus: at('corpus.jsonl'),
    queryText: at('queries.jsonl'),
    qrels: at('qrels/test.tsv'),
  }
}
