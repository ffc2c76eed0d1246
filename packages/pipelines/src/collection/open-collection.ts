import { KithError, type PartialSettings, type Settings } from '@kith/core'
import { resolveSettings, throwIfAborted } from '@kith/core/internal'
import type { EncoderOptions } from '@kith/encoder'
import { readTexts } from '@kith/ir'
import {
  openSearchStore,
  type SearchStore,
  wholeText,
  withStatistics,
  withWords,
} from '@kith/stores/internal'
import { type NamedEncoder, openEncoder } from '../encode/encode-texts.ts'
import type { Hooks } from '../job/hooks.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import { readStatistics, type StatisticsSource } from '../join/statistics.ts'
import { searchMetric } from './candidates.ts'
import { Collection } from './collection.ts'
import { passageStore, passageVectors } from './passage-vectors.ts'
import { readFolder } from './read-folder.ts'

/** Where the documents of a collection are, one of three, and which encoder reads the queries. */
export interface CollectionInputs extends Omit<EncoderOptions, 'onDownload' | 'cache'> {
  /** Markdown files in a folder and the folders in it; `model` encodes them. */
  folder?: string | undefined
  /** Where the embeddings of a folder are kept; default: `KITH_CACHE`, or `~/.cache/kith`. */
  cache?: string | undefined
  /** A file of embeddings that `model` made. */
  docs?: string | undefined
  /** A store that was loaded with embeddings of `model`: `postgres://…`, or a LanceDB folder or URL. */
  store?: string | undefined
  /** The texts of the documents, where they are in `docs`, or in a store without texts. */
  corpus?: string | undefined
  /** `minilm`, a folder, or a name on the hub; default minilm. */
  model?: string | undefined
  settings?: PartialSettings | undefined
  /** Where the statistics of the words score come from; default: all documents. */
  statistics?: StatisticsSource | undefined
}

/**
 * Opens documents for search: a text in, the documents that fit it out, with their texts and the
 * reasons for their places.
 *
 * ```ts
 * await using collection = await openCollection({ folder: 'notes', model: 'minilm' })
 * for (const { id, text } of await collection.search('how do bees find flowers', { top: 5 })) {
 *   console.log(id, text)
 * }
 * ```
 */
export function openCollection(inputs: CollectionInputs, hooks: Hooks = {}): Promise<Collection> {
  return openCollectionWith(openEncoder, inputs, hooks)
}

/** The same with any encoder: tests give one that is there at once. @internal */
export async function openCollectionWith(
  encoderOf: typeof openEncoder,
  inputs: CollectionInputs,
  hooks: Hooks,
): Promise<Collection> {
  const open = placeOf(inputs)
  const { statistics: source = 'corpus' } = inputs
  const asked = await settingsOf(inputs, hooks)
  const file = await readStatistics(source, asked)
  const settings = file ? { ...asked, statistics: file } : asked
  throwIfAborted(hooks.signal)
  const named = await encoderOf(inputs, hooks)
  let store: SearchStore | undefined
  try {
    store = await open(settings, named, hooks)
    checkDimensions(store, named)
    if ((inputs.folder ?? inputs.corpus) !== undefined && !store.searchWords) {
      hooks.onRemark?.('the texts are too many to find documents by their words: load a store')
    }
    const counted = source === 'context' ? 'context' : 'store'
    const complete = await withStatistics(settings, store, counted)
    return new Collection(store, named.encoder, complete, hooks)
  } catch (error) {
    await named.encoder.close()
    await store?.close()
    throw error
  }
}

/** The settings, with the tokenizer of a file of statistics or of a corpus; a store knows its own. */
async function settingsOf(
  { settings, statistics, corpus }: CollectionInputs,
  hooks: Hooks,
): Promise<Settings> {
  const asked = resolveSettings(settings)
  const known = typeof statistics === 'object' || corpus !== undefined
  if (typeof asked.tokenizer === 'function' || !known) return asked
  return nameTokenizer(asked, { statistics, texts: corpus }, hooks)
}

/** Opens the documents of one place. */
type OpenPlace = (settings: Settings, encoder: NamedEncoder, hooks: Hooks) => Promise<SearchStore>

/** The place that the inputs name. */
function placeOf({
  folder,
  docs,
  store,
  corpus,
  cache,
  settings: given,
}: CollectionInputs): OpenPlace {
  if ([folder, docs, store].filter((place) => place !== undefined).length !== 1) {
    const places = 'a folder of Markdown files, docs (a file of embeddings) or a store'
    throw new KithError('BAD_INPUT', `a collection is ${places}: give one of them`)
  }
  if (folder === undefined) {
    return async (settings) => {
      const opened = await openSearchStore((docs ?? store)!, { metric: given?.metric, corpus })
      return corpus === undefined ? opened : withWords(opened, readTexts(corpus), settings)
    }
  }
  if (corpus !== undefined) {
    throw new KithError('BAD_INPUT', 'a folder has its texts itself: leave out corpus')
  }
  return async (settings, encoder, hooks) => {
    const passages = await readFolder(folder, hooks)
    const texts = passages.map((passage) => wholeText(passage)!)
    const vectors = await passageVectors(texts, encoder, { folder, cache }, hooks)
    const named =
      settings.tokenizer === 'auto' ? await nameTokenizer(settings, { texts }, hooks) : settings
    return withWords(passageStore(passages, vectors, searchMetric({}, settings)), passages, named)
  }
}

function checkDimensions(store: SearchStore, { encoder }: NamedEncoder): void {
  const { dimensions } = store
  if (dimensions === undefined || dimensions === encoder.dimensions) return
  const problem = `the documents have ${dimensions} dimensions, ${encoder.name} gives ${encoder.dimensions}`
  throw new KithError('BAD_SHAPE', `${problem}: name the model that encoded them`)
}
