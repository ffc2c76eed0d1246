import { FileError } from '@kith/base'
import { KithError, type Tokenizer, type TokenizerName } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import { type Embeddings, type OpenEmbeddingsOptions, openEmbeddings } from '@kith/ir'
import { TextStore } from '@kith/ir/internal'
import { type Metric, openStore, type Store, type StoreDocument } from '@kith/stores'
import { modelOf } from '@kith/stores/internal'
import { unstorable } from '@kith/stores/postgres'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import { collectBackground } from '../relevance/collect-background.ts'

/** Number of rows to read at a time. */
const BLOCK = 1024

/** The documents to load, and the store to load them into. */
export interface LoadInputs extends Pick<OpenEmbeddingsOptions, 'dimensions' | 'memory'> {
  /** `postgres://…`, or a LanceDB folder or URL; `#name` names a collection. */
  store: string
  /** The embeddings of the documents. */
  docs: string
  /** The texts of the documents. */
  corpus?: string | undefined
  /** The number type of stored vectors; f16 takes half the space. Default: the type of `docs`. */
  type?: 'f16' | 'f32' | undefined
  /** The metric of the index; default: the inner product. */
  metric?: Metric | undefined
  /**
   * The tokenizer for counting terms; `auto` detects the tokenizer that fits the texts. The store
   * records it. Default: the store's own tokenizer, `english` for a new store.
   */
  tokenizer?: TokenizerName | 'auto' | undefined
  /** Whether to build an approximate index after loading. */
  index?: boolean | undefined
}

/** The result of a load. */
export interface LoadResult {
  /** Number of loaded documents. */
  loaded: number
  /** Number of documents in the store afterwards. */
  documents: number
  seconds: number
}

/**
 * Loads documents into PostgreSQL or LanceDB. It replaces existing documents, so you can repeat an
 * interrupted load.
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
    const tokenizer = await tokenizerFor(inputs, hooks)
    store = await openStore(inputs.store, { type, metric, tokenizer, create: true })
    const start = performance.now()
    const isNew = (await store.count()) === 0
    const onDone = stageOf(hooks, 'loading', docs.rows)
    const documents = documentsOf(docs, texts, corpus, onDone)
    try {
      await (isNew ? store.add(documents) : store.replace(documents))
    } catch (error) {
      // A store wraps the errors of its caller; an abort must be thrown as ABORTED.
      throwIfAborted(hooks.signal)
      throw error
    }
    if (inputs.index) {
      hooks.onRemark?.('building the index …')
      await store.index?.()
      const problem = await store.wordsProblem?.()
      if (problem !== undefined) hooks.onRemark?.(problem)
    }
    await makeBackground(store, inputs, hooks)
    const seconds = (performance.now() - start) / 1000
    return { loaded: docs.rows, documents: await store.count(), seconds }
  } finally {
    await store?.close()
    await docs.close()
    await texts?.close()
  }
}

/**
 * Saves the background of estimated relevance in the store, or beside the file, where searches look
 * for it.
 */
async function makeBackground(
  store: Store,
  { store: address, docs }: LoadInputs,
  hooks: Hooks,
): Promise<void> {
  if ((await store.count()) < 2) return
  throwIfAborted(hooks.signal)
  const model = await modelOf(docs)
  if (store.makeBackground) await store.makeBackground({ model })
  else await collectBackground({ docs: address, model })
}

/** Returns the tokenizer that a load requests, or undefined to keep the store's own. */
async function tokenizerFor(
  { store: address, corpus, tokenizer }: LoadInputs,
  hooks: Hooks,
): Promise<TokenizerName | undefined> {
  if (tokenizer === undefined) return undefined
  if (corpus === undefined) {
    const problem = `tokenizer '${tokenizer}' counts the terms of texts, and there is no corpus`
    throw new KithError('BAD_SETTING', `${problem}; pass corpus, or leave out tokenizer`)
  }
  if (tokenizer !== 'auto') return tokenizer
  await using store = await openStore(address, { create: true })
  const own = (await store.terms())?.tokenizer
  if (own !== undefined) hooks.onRemark?.(`tokenizer: ${own}, as the store was loaded before`)
  if (own !== undefined) return undefined
  const asked: { tokenizer?: Tokenizer } = { tokenizer }
  return (await nameTokenizer(asked, { texts: corpus }, hooks)).tokenizer
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
