import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { asFileError, FileError } from '@kith/base'
import { QueryAdapter } from '@kith/base/query-adapter'
import { KithError, type Matrix, type PartialSettings, type Settings } from '@kith/core'
import { refuseUnknown, resolveSettings, throwIfAborted } from '@kith/core/internal'
import type { EncoderOptions } from '@kith/encoder'
import { readTexts, type TextEntry } from '@kith/ir'
import {
  fittingBackground,
  modelOf,
  openSearchStore,
  readBackground,
  type SearchStore,
  wholeText,
  withStatistics,
  withWords,
} from '@kith/stores/internal'
import { type AnyEncoder, type NamedEncoder, openEncoder } from '../encode/encode-texts.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import { readStatistics, type StatisticsSource } from '../join/statistics.ts'
import { readCalibration } from '../relevance/calibration-file.ts'
import { type RelevanceScale, searchMetric } from './candidates.ts'
import { Collection, type CollectionDocument, type WholeDocuments } from './collection.ts'
import { cutDocuments, type MemoryDocument } from './memory-documents.ts'
import { passageStore, passageVectors } from './passage-vectors.ts'
import { readFolder, readMarkdown } from './read-folder.ts'
import { wordsPlace } from './words-place.ts'

/** The documents of a collection, from one of four sources, and the encoder of the queries. */
export interface CollectionInputs extends Omit<EncoderOptions, 'onDownload' | 'cache'> {
  /** A folder with Markdown files, also in subfolders; `model` encodes them. */
  folder?: string | undefined
  /** Documents in memory, split into passages; `model` encodes them at each call. */
  documents?: readonly MemoryDocument[] | undefined
  /**
   * The folder that caches a folder's embeddings and the full-text index; default: `KITH_CACHE`, or
   * `~/.cache/kith`.
   */
  cache?: string | undefined
  /** A file of embeddings made with `model`. */
  docs?: string | undefined
  /** A store loaded with embeddings of `model`: `postgres://…`, or a LanceDB folder or URL. */
  store?: string | undefined
  /** The texts of the documents, for `docs` or for a store without texts. */
  corpus?: string | undefined
  /** `minilm`, a folder, or a name on the hub; default minilm. */
  model?: string | undefined
  /**
   * An OpenAI-compatible embeddings endpoint to use instead of the built-in encoder; `model` names
   * its model.
   */
  embedUrl?: string | undefined
  settings?: PartialSettings | undefined
  /** The source of term statistics for the BM25 score; default: all documents. */
  statistics?: StatisticsSource | undefined
  /**
   * A file made by `kith background`; default: the file beside `docs`, or a background of the
   * folder’s passages.
   */
  background?: string | undefined
  /** A file made by `kith calibrate`, which calibrates relevance on judged queries. */
  calibration?: string | undefined
  /** The folder of a query adapter made by `kith train --adapter` for this model and corpus. */
  adapter?: string | undefined
}

/**
 * Opens documents for search by text. Results include their texts and explain their ranks.
 *
 * ```ts
 * await using collection = await openCollection({ folder: 'notes', model: 'minilm' })
 * for (const { id, text } of await collection.search('how do bees find flowers', { topN: 5 })) {
 *   console.log(id, text)
 * }
 * ```
 */
export function openCollection(inputs: CollectionInputs, hooks: Hooks = {}): Promise<Collection> {
  return openCollectionWith(openEncoder, inputs, hooks)
}

/** Opens a collection with any encoder, for tests and benchmarks. */
export async function openCollectionWith(
  encoderOf: typeof openEncoder,
  inputs: CollectionInputs,
  hooks: Hooks,
): Promise<Collection> {
  refuseUnknown(inputs, { part: 'option', known: OPTIONS, code: 'BAD_SETTING' })
  const open = placeOf(inputs)
  const { statistics: source = 'corpus' } = inputs
  const asked = await settingsOf(inputs, hooks)
  const file = await readStatistics(source, asked)
  const settings = file ? { ...asked, statistics: file } : asked
  throwIfAborted(hooks.signal)
  const named = await encoderOf(inputs, hooks)
  let store: SearchStore | undefined
  try {
    const opened = await open(settings, named, hooks)
    store = opened.store
    checkDimensions(store, named)
    if ((inputs.folder ?? inputs.documents ?? inputs.corpus) !== undefined && !store.searchWords) {
      hooks.onRemark?.(
        'too many texts for a keyword index in memory, searching by vectors only; load the documents into a store to search by keywords, too',
      )
    }
    const problem = await store.wordsProblem?.()
    if (problem !== undefined) hooks.onRemark?.(problem)
    const counted = source === 'context' ? 'context' : 'store'
    const complete = await withStatistics(settings, store, counted)
    const encoder = await adaptedEncoder(inputs.adapter, named, store)
    const scale = await scaleOf(inputs, store, named)
    return new Collection(store, encoder, complete, hooks, scale, opened.wholes)
  } catch (error) {
    await named.encoder.close()
    await store?.close()
    throw error
  }
}

/** Every option of `openCollection`. */
const OPTIONS: readonly (keyof CollectionInputs)[] = [
  ...([
    'folder',
    'documents',
    'docs',
    'store',
    'corpus',
    'cache',
    'settings',
    'statistics',
    'background',
    'calibration',
    'adapter',
  ] as const),
  ...(['model', 'embedUrl', 'pooling', 'normalize', 'maxTokens', 'queryPrefix'] as const),
  ...(['documentPrefix', 'revision', 'quantize', 'threads'] as const),
]

/**
 * Returns the background and calibration of estimated relevance; no background if none matches the
 * vectors.
 */
async function scaleOf(
  { background: file, calibration: judged, docs, store: address }: CollectionInputs,
  store: SearchStore,
  { model }: NamedEncoder,
): Promise<RelevanceScale> {
  // A folder's vectors come from this encoder; a file records the model of its vectors.
  const own = docs === undefined ? model['model'] : await modelOf(docs)
  const vectors = {
    name: 'the collection',
    dimensions: store.dimensions,
    model: address === undefined && typeof own === 'string' ? own : undefined,
  }
  const found = file === undefined ? await store.background?.() : await readBackground(file)
  const advice = 'make it from these documents with kith background'
  const background = fittingBackground(found, vectors, { whose: file ?? 'the background', advice })
  const calibration = judged === undefined ? undefined : await readCalibration(judged)
  return { background, calibration }
}

/**
 * Completes the settings with the tokenizer of a statistics file or a corpus; a store knows its
 * own.
 */
async function settingsOf(
  { settings, statistics, corpus }: CollectionInputs,
  hooks: Hooks,
): Promise<Settings> {
  const asked = resolveSettings(settings)
  const known = typeof statistics === 'object' || corpus !== undefined
  if (typeof asked.tokenizer === 'function' || !known) return asked
  return nameTokenizer(asked, { statistics, texts: corpus }, hooks)
}

/** Opens the documents of one source. */
type OpenPlace = (
  settings: Settings,
  encoder: NamedEncoder,
  hooks: Hooks,
) => Promise<{ store: SearchStore; wholes?: WholeDocuments }>

/** Returns the function that opens the source in the inputs. */
function placeOf({
  folder,
  documents,
  docs,
  store,
  corpus,
  cache,
  settings: given,
}: CollectionInputs): OpenPlace {
  if ([folder, documents, docs, store].filter((place) => place !== undefined).length !== 1) {
    const places =
      'a folder of Markdown files, documents in memory, docs (a file of embeddings) or a store'
    throw new KithError('BAD_INPUT', `exactly one of these is required: ${places}`)
  }
  if (folder === undefined && documents === undefined) {
    return async (settings) => {
      const opened = await openSearchStore((docs ?? store)!, { metric: given?.metric, corpus })
      if (corpus === undefined) return { store: opened }
      const place = await wordsPlace({ corpus }, settings, cache)
      return { store: await withWords(opened, readTexts(corpus), settings, place) }
    }
  }
  if (corpus !== undefined) {
    const what =
      folder === undefined
        ? 'corpus cannot be combined with documents, which have texts'
        : 'corpus cannot be combined with folder, which has texts'
    throw new KithError('BAD_INPUT', `${what}; leave out corpus`)
  }
  if (folder === undefined && cache !== undefined) {
    throw new KithError(
      'BAD_SETTING',
      'cache has no effect with documents in memory; leave out cache',
    )
  }
  return async (settings, encoder, hooks) => {
    const { passages, ...wholes } = documents
      ? cutDocuments(documents, hooks)
      : await openFolder(folder!, hooks)
    const texts = passages.map((passage) => wholeText(passage)!)
    const vectors =
      folder === undefined
        ? await encodeAll(texts, encoder, hooks)
        : await passageVectors(texts, encoder, { folder, cache }, hooks)
    const named =
      settings.tokenizer === 'auto' ? await nameTokenizer(settings, { texts }, hooks) : settings
    const place =
      folder === undefined ? undefined : await wordsPlace({ folder, passages }, named, cache)
    const store = passageStore(passages, vectors, searchMetric({}, settings))
    return { store: await withWords(store, passages, named, place), wholes }
  }
}

/** Reads the passages of a folder, and creates a reader of its files. */
async function openFolder(folder: string, hooks: Hooks) {
  const passages = await readFolder(folder, hooks)
  return { passages, note: noteReader(folder, passages) }
}

async function encodeAll(
  texts: readonly string[],
  { encoder }: NamedEncoder,
  hooks: Hooks,
): Promise<Matrix> {
  const { dimensions } = encoder
  const onProgress = stageOf(hooks, 'encoding', texts.length)
  const data = new Float32Array(texts.length * dimensions)
  let rows = 0
  const options = { role: 'document', onProgress, signal: hooks.signal } as const
  for await (const window of encoder.encodeStream(texts, options)) {
    data.set(window.data, rows * dimensions)
    rows += window.rows
  }
  return { data, rows, dimensions }
}

function checkDimensions(store: SearchStore, { encoder }: NamedEncoder): void {
  const { dimensions } = store
  if (dimensions === undefined || dimensions === encoder.dimensions) return
  const problem = `document embeddings have ${dimensions} dimensions, but the model ${encoder.name} has ${encoder.dimensions}`
  throw new KithError('BAD_SHAPE', `${problem}; pass the model that encoded the documents`)
}

/**
 * Wraps the encoder of a collection so that an adapter maps its queries. Throws if the adapter was
 * fitted to another model or another corpus.
 *
 * @param folder The folder of the adapter; undefined leaves queries unchanged.
 */
export async function adaptedEncoder(
  folder: string | undefined,
  { encoder, model }: NamedEncoder,
  store: SearchStore,
): Promise<Pick<AnyEncoder, 'encode' | 'close'>> {
  if (folder === undefined) return encoder
  const adapter = await QueryAdapter.open(folder)
  const name = model['model'] as string | undefined
  adapter.checkModel({ name, dimensions: encoder.dimensions })
  await adapter.checkDocuments(async (ids) => {
    const found = await store.fetch(ids, { vectors: true, texts: false })
    return found.map((document) => document?.vector)
  })
  return {
    async encode(texts, options) {
      const made = await encoder.encode(texts, options)
      const { data, dimensions } = made
      for (let at = 0; at < data.length; at += dimensions) {
        data.set(adapter.apply(data.subarray(at, at + dimensions)), at)
      }
      return made
    },
    close: () => encoder.close(),
  }
}

/** The line, and the column if there is one, at the end of a passage's id. */
const PLACE = /(:\d+){1,2}$/

/**
 * Creates a reader of the files with passages, by their path in the folder. It returns undefined
 * for any other path, even of a file in the folder, so nothing outside the folder can be read.
 *
 * @throws (the reader) A `FileError` if the file has been removed since, or is a link.
 */
export function noteReader(folder: string, passages: readonly TextEntry[]) {
  const paths = new Set(passages.map(({ id }) => id.replace(PLACE, '')))
  return async (path: string): Promise<CollectionDocument | undefined> => {
    if (!paths.has(path)) return undefined
    const advice = 'open the collection again'
    try {
      const root = await realpath(folder)
      const file = join(root, ...path.split('/'))
      if ((await realpath(file)) !== file) {
        throw new FileError(path, '', `has become a symbolic link, or its folder has; ${advice}`)
      }
      const found = await readMarkdown(file)
      if (typeof found === 'string') throw new FileError(path, '', `${found}; ${advice}`)
      return { id: path, text: found.text }
    } catch (error) {
      throw asFileError(path, error)
    }
  }
}
