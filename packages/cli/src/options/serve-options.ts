import type { Settings } from '@kith/core'
import { similaritySettings } from '@kith/core/internal'
import type { Limits } from '@kith/server'
import { defaultAddress, defaultLimits } from '@kith/server/internal'
import type { Options, Values } from './command.ts'
import { encoderOptions, readEncoderOptions } from './encoder-options.ts'
import {
  readRanking,
  readStatisticsSource,
  settingOptions,
  statisticsOption,
} from './setting-options.ts'
import { UsageError } from './usage-error.ts'
import {
  isSet,
  optionalBytes,
  optionalNumber,
  optionalText,
  optionalWhole,
  sizeText,
  texts,
} from './values.ts'

/** The options of `kith serve`. */
export const serveOptions = {
  port: {
    value: 'N',
    help: 'where it listens; 0 takes any free port',
    default: String(defaultAddress.port),
  },
  host: {
    value: 'ADDRESS',
    help: 'who can reach it: 0.0.0.0 is everybody',
    default: defaultAddress.host,
  },
  'api-key': { value: 'KEY', help: 'requests must bring it as a Bearer token', multiple: true },
  'no-auth': { help: 'disable authentication' },
  workers: {
    value: 'N',
    help: 'processes that answer requests; they share the encoder and the store',
    default: '1',
  },
  store: {
    value: 'ADDRESS',
    file: 'input',
    help: 'documents for /v1/search: a file of embeddings, a LanceDB folder, postgres://…',
  },
  corpus: {
    value: 'FILE',
    file: 'input',
    help: 'texts of the documents, where the store has none',
  },
  ...encoderOptions,
  model: {
    ...encoderOptions.model,
    help: 'minilm, a folder, a name on the hub; none serves embeddings only',
  },
  'max-body': { value: 'SIZE', help: 'of a request', default: sizeText(defaultLimits.body) },
  'max-documents': { value: 'N', help: 'of a request', default: String(defaultLimits.documents) },
  'max-characters': {
    value: 'N',
    help: 'of a text; the rest is cut off, and counted in the answer',
    default: String(defaultLimits.characters),
  },
  strict: { help: 'refuse texts that are too long for this limit or for the model (413)' },
  queue: {
    value: 'N',
    help: 'texts that may wait for the encoder',
    default: String(defaultLimits.queue),
  },
  timeout: {
    value: 'SECONDS',
    help: 'request timeout in seconds',
    default: String(defaultLimits.seconds),
  },
  cache: {
    value: 'SIZE',
    help: 'embeddings of texts that come again',
    default: sizeText(defaultLimits.cache),
  },
  force: { help: 'serve even where kith tune says that the old ranking is better' },
  ...statisticsOption,
  'term-statistics': {
    ...statisticsOption['term-statistics'],
    help: 'what kith term-statistics counted, instead of the store’s own or counting --corpus; none: count terms among each request’s documents only',
  },
  ...settingOptions,
} satisfies Options

type ServeValues = Values<typeof serveOptions>

/** The settings that are served, tuned or the options'; an error where tuning advises against reranking, without --force. */
export async function readServedSettings(values: ServeValues): Promise<Settings> {
  // Requests may bring texts.
  const { settings, tuned } = await readRanking(values, { texts: true })
  if (tuned?.verdict === 'keep-run' && !isSet(values, 'force')) {
    throw new UsageError(`kith tune says: ${tuned.reason} (--force serves all the same)`)
  }
  if (settings.method !== 'neighbors') {
    throw new UsageError(`the server reranks by neighbors, these settings by ${settings.method}`)
  }
  return similaritySettings(settings)
}

/** Whose terms are counted for the words score; `file` has statistics that were kept. */
export function readServedTerms(values: ServeValues): {
  file: string | undefined
  statistics: 'store' | 'context'
} {
  const source = readStatisticsSource(values)
  return {
    file: typeof source === 'object' ? source.file : undefined,
    statistics: source === 'context' ? 'context' : 'store',
  }
}

/** The model that embeds texts; undefined where requests must bring embeddings. */
export function readServedModel(values: ServeValues) {
  const { model, ...options } = readEncoderOptions(values)
  return model === 'none' ? undefined : { name: model, options }
}

/** Where the documents for /v1/search and their texts are. */
export function readServedStore(
  values: ServeValues,
): { address: string; corpus: string | undefined } | undefined {
  const address = optionalText(values, 'store')
  const corpus = optionalText(values, 'corpus')
  if (address !== undefined) return { address, corpus }
  if (corpus !== undefined) throw new UsageError('--corpus has the texts of a --store: give both')
  return undefined
}

/** The address of the server, its keys and processes, and the limits of requests. */
export function readAccess(values: ServeValues) {
  return {
    port: optionalWhole(values, 'port', { from: 0, to: 65_535 }),
    host: optionalText(values, 'host'),
    keys: readKeys(values),
    open: isSet(values, 'no-auth'),
    workers: optionalWhole(values, 'workers', { from: 1, to: 64 }),
    limits: readLimits(values),
    strict: isSet(values, 'strict'),
  }
}

function readKeys(values: ServeValues): string[] {
  const fromEnvironment = process.env['KITH_API_KEY']
  const given = texts(values, 'api-key')
  return given.length > 0 || !fromEnvironment ? given : [fromEnvironment]
}

function readLimits(values: ServeValues): Partial<Limits> {
  const given: { [Name in keyof Limits]?: Limits[Name] | undefined } = {
    body: optionalBytes(values, 'max-body'),
    documents: optionalWhole(values, 'max-documents'),
    characters: optionalWhole(values, 'max-characters'),
    queue: optionalWhole(values, 'queue'),
    seconds: optionalNumber(values, 'timeout'),
    cache: optionalBytes(values, 'cache'),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
