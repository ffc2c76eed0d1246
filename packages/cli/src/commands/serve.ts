import type { Settings } from '@kith/core'
import { similaritySettings } from '@kith/core/internal'
import { readTermStatistics } from '@kith/ir'
import { readCalibration } from '@kith/pipelines/relevance'
import { type Limits, openTextModel, startServer } from '@kith/server'
import { defaultAddress, defaultLimits } from '@kith/server/internal'
import { openSearchStore, readBackground } from '@kith/stores/internal'
import { defineCommand, type Options, rare, type Values } from '../options/command.ts'
import { encoderOptions, readEncoderOptions } from '../options/encoder-options.ts'
import {
  readRanking,
  readStatisticsSource,
  settingOptions,
  statisticsOption,
} from '../options/setting-options.ts'
import {
  isSet,
  optionalBytes,
  optionalNumber,
  optionalText,
  optionalWhole,
  sizeText,
  texts,
  UsageError,
} from '../options/values.ts'
import { aborted } from '../terminal/stop.ts'

/** The options of `kith serve`. */
const serveOptions = {
  port: {
    value: 'N',
    help: 'port to listen on; 0 picks a free port',
    default: String(defaultAddress.port),
  },
  host: {
    value: 'ADDRESS',
    help: 'address to listen on; 0.0.0.0 accepts other machines',
    default: defaultAddress.host,
  },
  'api-key': {
    value: 'KEY',
    help: 'key that requests must send as a Bearer token',
    multiple: true,
  },
  'no-auth': { help: 'disable authentication' },
  workers: {
    value: 'N',
    help: 'number of server processes, which share the encoder and the store',
    default: '1',
  },
  store: {
    value: 'ADDRESS',
    file: 'input',
    help: 'documents for /v1/search: a file of embeddings, a LanceDB folder, or postgres://…',
  },
  corpus: {
    value: 'FILE',
    file: 'input',
    help: 'document texts, if the store has none',
  },
  background: {
    value: 'FILE',
    file: 'input',
    help: 'file of kith background (default: the file beside --store)',
  },
  calibration: {
    value: 'FILE',
    file: 'input',
    help: 'file of kith calibrate, which makes relevance_score a calibrated probability',
  },
  adapter: {
    value: 'FOLDER',
    file: 'input',
    help: 'query adapter of kith train --adapter, applied to query texts',
  },
  ...encoderOptions,
  model: {
    ...encoderOptions.model,
    help: 'model: minilm, a folder, or a name on the hub; none accepts documents with embeddings only',
  },
  'max-body': {
    value: 'SIZE',
    help: 'maximum size of a request',
    default: sizeText(defaultLimits.body),
  },
  'max-documents': {
    value: 'N',
    help: 'maximum number of documents per request',
    default: String(defaultLimits.documents),
  },
  'max-characters': {
    value: 'N',
    help: 'maximum length of a text in characters; longer texts are truncated, and the response counts them',
    default: String(defaultLimits.characters),
  },
  strict: { help: 'refuse texts longer than --max-characters or the model’s limit (status 413)' },
  queue: {
    value: 'N',
    help: 'maximum number of texts waiting for the encoder',
    default: String(defaultLimits.queue),
  },
  timeout: {
    value: 'SECONDS',
    help: 'request timeout in seconds',
    default: String(defaultLimits.seconds),
  },
  cache: {
    value: 'SIZE',
    help: 'memory for cached text embeddings',
    default: sizeText(defaultLimits.cache),
  },
  force: { help: 'serve even if kith tune found the original ranking better' },
  ...statisticsOption,
  'term-statistics': {
    ...statisticsOption['term-statistics'],
    help: 'file of kith term-statistics (default: statistics of --store or --corpus); none counts terms among each request’s documents only',
  },
  ...settingOptions,
} satisfies Options

type ServeValues = Values<typeof serveOptions>

/**
 * Reads the settings to serve, from `kith tune` or from the options. Throws if tuning advises
 * against reranking, unless --force is set.
 */
async function readServedSettings(values: ServeValues): Promise<Settings> {
  // Requests may bring texts.
  const { settings, tuned } = await readRanking(values, { texts: true })
  if (tuned?.verdict === 'keep-run' && !isSet(values, 'force')) {
    throw new UsageError(
      `kith tune advises against these settings: ${tuned.reason}; add --force to serve them anyway`,
    )
  }
  if (settings.method !== 'neighbors') {
    throw new UsageError(
      `kith serve supports only the method 'neighbors', got '${settings.method}'; change the setting method`,
    )
  }
  return similaritySettings(settings)
}

/** Reads the source of term statistics for the BM25 score; `file` has stored statistics. */
function readServedTerms(values: ServeValues): {
  file: string | undefined
  statistics: 'store' | 'context'
} {
  const source = readStatisticsSource(values)
  return {
    file: typeof source === 'object' ? source.file : undefined,
    statistics: source === 'context' ? 'context' : 'store',
  }
}

/** Reads the model that embeds texts; returns undefined if requests must include embeddings. */
function readServedModel(values: ServeValues) {
  const { model, ...options } = readEncoderOptions(values)
  const adapter = optionalText(values, 'adapter')
  if (model !== 'none') return { name: model, options: { ...options, adapter } }
  if (adapter === undefined) return undefined
  throw new UsageError(
    '--adapter changes embeddings of query texts, but --model none embeds no texts; name the model',
  )
}

/** Reads the store for /v1/search, and the source of its texts. */
function readServedStore(
  values: ServeValues,
): { address: string; corpus: string | undefined } | undefined {
  const address = optionalText(values, 'store')
  const corpus = optionalText(values, 'corpus')
  if (address !== undefined) return { address, corpus }
  if (corpus !== undefined)
    throw new UsageError(
      '--corpus works only with --store; add --store ADDRESS or leave out --corpus',
    )
  return undefined
}

/** Reads the server's address, API keys, number of processes, and request limits. */
function readAccess(values: ServeValues) {
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

/** `kith serve`: reranks over HTTP, for clients of Cohere, Jina, OpenAI and others. */
export const serveCommand = defineCommand({
  name: 'serve',
  description:
    'POST /v1/rerank, /v2/rerank (Cohere, Jina, Voyage), /rerank, /embed (text-embeddings-inference),\n' +
    '/v1/embeddings (OpenAI), /v1/search (over --store); GET /info, /v1/models, /healthz, /metrics,\n' +
    '/openapi.json.\n' +
    'Reranks documents with texts by their embeddings and BM25 scores; term statistics come from\n' +
    '--store or --term-statistics. Documents that come with an embedding skip the encoder. The server\n' +
    'accepts connections from this machine only; another --host needs an --api-key (or KITH_API_KEY in\n' +
    'the environment). --workers uses more than one core. SIGTERM and Ctrl-C stop the server after the\n' +
    'current requests (exit code 0).',
  example: 'kith serve --port 8080 --store docs.npy --corpus corpus.jsonl',
  options: rare(
    serveOptions,
    ...[
      'port',
      'host',
      'api-key',
      'store',
      'corpus',
      'model',
      'embed-url',
      'set',
      'settings',
      'workers',
    ],
    'term-statistics',
  ),
  async run(values, output, stop) {
    const settings = await readServedSettings(values)
    const model = readServedModel(values)
    const access = readAccess(values)
    const documents = readServedStore(values)
    const { file, statistics } = readServedTerms(values)
    const background = optionalText(values, 'background')
    const calibration = optionalText(values, 'calibration')
    const terms = file === undefined ? undefined : await readTermStatistics(file)
    const server = await startServer({
      ...access,
      settings: { ...settings, statistics: terms },
      statistics,
      background: background === undefined ? undefined : await readBackground(background),
      calibration: calibration === undefined ? undefined : await readCalibration(calibration),
      openModel: model && (() => openTextModel(model.name, model.options)),
      store:
        documents &&
        (await openSearchStore(documents.address, {
          metric: settings.metric,
          corpus: documents.corpus,
          tokenizer: settings.tokenizer,
        })),
    })
    output.result({ url: server.url }, `kith serve is listening on ${server.url}`)
    await stop.untilStopped(aborted, {
      onStop: () => output.remark('stopping: finishing the current requests'),
    })
    await server.close()
  },
})
