import { FileError } from '@kith/base'
import { throwIfAborted } from '@kith/core/internal'
import { type Embeddings, type OpenEmbeddingsOptions, openEmbeddings } from '@kith/ir'
import { TextStore } from '@kith/ir/internal'
import { type Metric, openStore, type Store, type StoreDocument } from '@kith/stores'
import { unstorable } from '@kith/stores/postgres'
import { type Hooks, stageOf } from '../job/hooks.ts'

/** Rows that are read at a time. */
const BLOCK = 1024

/** Documents to load, and the store that they go to. */
export interface LoadInputs extends Pick<OpenEmbeddingsOptions, 'dimensions' | 'memory'> {
  /** `postgres://…`, or a LanceDB folder or URL; `#name` names a collection. */
  store: string
  /** Embeddings of the documents. */
  docs: string
  /** Their texts. */
  corpus?: string | undefined
  /** Half precision takes half the space; default: that of `docs`. */
  type?: 'f16' | 'f32' | undefined
  /** The similarity that the index is built for; default: the inner product. */
  metric?: Metric | undefined
  /** Build an approximate index when all is loaded. */
  index?: boolean | undefined
}

/** The result of a load. */
export interface LoadResult {
  /** Documents that were loaded. */
  loaded: number
  /** Documents that the store has now. */
  documents: number
  seconds: number
}

/**
 * Loads documents into PostgreSQL or LanceDB. Documents that exist are replaced, so you can repeat
 * a load that was stopped.
 *
 * ```ts
 * await loadStore({ store: 'postgres://localhost/kith', docs: 'docs.npy', corpus: 'corpus.jsonl' })
 * ```
 */
export async function loadStore(inputs: LoadInputs, hooks: Hooks = {}): Promise<LoadResult> {
  const { dimensions, memory, corpus, metric } = inputs
  const docs = await openEmbeddings(inputs.docs, { dimensions, memory })
  let texts: TextStore | undefined
  let store: Store | undefined
  try {
    if (corpus !== undefined) texts = await TextStore.open(corpus)
    const type = inputs.type ?? docs.type
    store = await openStore(inputs.store, { type, metric, create: true })
    const start = performance.now()
    const isNew = (await store.count()) === 0
    const onDone = stageOf(hooks, 'loading', docs.rows)
    const documents = documentsOf(docs, texts, corpus, onDone)
    try {
      await (isNew ? store.add(documents) : store.replace(documents))
    } catch (error) {
      // A store wraps its caller's errors: an abort is thrown as ABORTED instead.
      throwIfAborted(hooks.signal)
      throw error
    }
    if (inputs.index) {
      hooks.onRemark?.('building the index …')
      await store.index?.()
    }
    const seconds = (performance.now() - start) / 1000
    return { loaded: docs.rows, documents: await store.count(), seconds }
  } finally {
    await store?.close()
    await docs.close()
    await texts?.close()
  }
}

function* documentsOf(
  docs: Embeddings,
  texts: TextStore | undefined,
  corpus: string | undefined,
  onDone: (done: number) => void,
): Generator<StoreDocument> {
  for (let from = 0; from < docs.rows; from += BLOCK) {
    const to = Math.min(from + BLOCK, docs.rows)
    const block = docs.read(from, to)
    for (let row = from; row < to; row++) {
      const id = docs.idOf(row)
      const at = (row - from) * docs.dimensions
      const { title, text: body } = texts?.get(id) ?? {}
      const flaw = unstorable(title ?? '') ?? unstorable(body ?? '')
      if (flaw) throw new FileError(corpus!, `document ${JSON.stringify(id)}`, `the text ${flaw}`)
      yield { id, vector: block.subarray(at, at + docs.dimensions), title, text: body }
    }
    onDone(to)
  }
}
