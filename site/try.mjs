import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeWordnet } from '@kith/datasets'
import { completeQrels } from '@kith/datasets/internal'
import { writeQrels } from '@kith/ir'
import { encodeTexts } from '@kith/pipelines/encode'
import { searchRun } from '@kith/pipelines/search'
import { exportStudio, StudioCollection } from '@kith/studio'
import { collectionOf } from '../scripts/demo/collection.mjs'
import { generated } from './place.mjs'

/** A part of the demo's dataset that is encoded in seconds. */
const SIZE = { queries: 0.02, documents: 900 }

/**
 * Writes Kith Studio with a part of the demo's dataset as pages of the site, and the page for one's
 * own data.
 */
export async function writeTry() {
  const folder = mkdtempSync(join(tmpdir(), 'kith-site-'))
  const at = (name) => join(folder, name)
  try {
    const wordnet = await collectionOf(SIZE)
    await writeWordnet(wordnet, folder)
    await writeQrels(at('qrels.trec'), completeQrels(wordnet))
    const files = { corpus: at('corpus.jsonl'), queryText: at('queries.jsonl') }
    const embeddings = { queries: at('queries.npy'), docs: at('docs.npy') }
    const model = 'minilm'
    await encodeTexts({ model, input: files.corpus, out: embeddings.docs, role: 'document' })
    await encodeTexts({ model, input: files.queryText, out: embeddings.queries, role: 'query' })
    await searchRun({ ...embeddings, top: 200, out: at('run.trec') })
    const collection = await StudioCollection.open({
      ...{ ...files, ...embeddings, run: at('run.trec'), qrels: at('qrels.trec') },
    })
    try {
      const name = 'WordNet: categories and what belongs to them'
      await exportStudio(collection, join(generated, 'public/try'), { name })
    } finally {
      await collection.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
