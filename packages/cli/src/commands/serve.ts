import { KithError, type Settings, similaritySettings } from '@kith/core'
import type { Limits, SearchStore } from '@kith/studio'
import { defineCommand, type Values } from '../options/command.ts'
import { encoderOptions, readModelOptions } from '../options/encoder-options.ts'
import {
  readMethodSettings,
  readTunedFile,
  settingOptions,
  tunedOption,
} from '../options/setting-options.ts'
import { UsageError } from '../options/usage-error.ts'
import {
  isSet,
  optionalBytes,
  optionalNumber,
  optionalText,
  optionalWhole,
  texts,
} from '../options/values.ts'
import { aborted } from '../terminal/stop.ts'

/** `kith serve`: reranking over HTTP, for clients of Cohere, Jina, OpenAI and others. */
export const serveCommand = defineCommand({
  name: 'serve',
  summary: 'rerank, embed and search over HTTP, in the protocols that clients know',
  description:
    'POST /v1/rerank, /v2/rerank (Cohere, Jina), /rerank (text-embeddings-inference),\n' +
    '/v1/embeddings (OpenAI), /v1/search (over --store); GET /healthz, /metrics, /openapi.json.\n' +
    'Documents with texts are seen through their embeddings and their words; those that bring an\n' +
    'embedding need no encoder. Only this machine can reach it, unless --host says otherwise,\n' +
    'which takes an --api-key (or KITH_API_KEY in the environment). SIGTERM stops it when the\n' +
    'requests under way are answered.',
  example: 'kith serve --port 8080 --store docs.npy --corpus corpus.jsonl',
  options: {
    port: { value: 'N', help: 'where it listens; 0 takes any free port', default: '8080' },
    host: {
      value: 'ADDRESS',
      help: 'who can reach it: 0.0.0.0 is everybody',
      default: '127.0.0.1',
    },
    'api-key': { value: 'KEY', help: 'requests must bring it as a Bearer token', multiple: true },
    'no-auth': { help: 'let anybody ask who can reach it' },
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
      value: 'MODEL',
      file: 'input',
      help: 'minilm, a folder, a name on the hub; none serves embeddings only',
      default: 'minilm',
    },
    'max-body': { value: 'SIZE', help: 'of a request', default: '8M' },
    'max-documents': { value: 'N', help: 'of a request', default: '1000' },
    'max-characters': { value: 'N', help: 'of a text', default: '32768' },
    queue: { value: 'N', help: 'texts that may wait for the encoder', default: '4096' },
    timeout: { value: 'SECONDS', help: 'that a request may take', default: '30' },
    cache: { value: 'SIZE', help: 'embeddings of texts that come again', default: '256M' },
    ...tunedOption,
    force: { help: 'serve even where kith tune says that the old ranking is better' },
    ...settingOptions,
  },
  async run(values, output, stop) {
    const settings = await readServed(values)
    const { startServer, openTextModel } = await import('@kith/studio')
    const { name, ...model } = {
      ...readModelOptions(values),
      documentPrefix: optionalText(values, 'document-prefix'),
      threads: optionalWhole(values, 'threads'),
    }
    const server = await startServer({
      port: optionalWhole(values, 'port', { from: 0, to: 65_535 }),
      host: optionalText(values, 'host'),
      keys: keysOf(values),
      open: isSet(values, 'no-auth'),
      limits: limitsOf(values),
      settings,
      openModel: name === 'none' ? undefined : () => openTextModel(name, model),
      store: await openSearchStore(values, settings.metric),
    })
    output.result({ url: server.url }, `kith serves at ${server.url}`)
    await stop.heed(aborted, {
      onStop: () => output.remark('stopping: finishing the requests under way'),
    })
    await server.close()
  },
})

/** The settings that are served: those that were tuned, if they are any good, or the options'. */
async function readServed(values: Values): Promise<Settings> {
  const tuned = await readTunedFile(values)
  if (tuned?.verdict === 'keep-run' && !isSet(values, 'force')) {
    throw new UsageError(`kith tune says: ${tuned.reason} (--force serves all the same)`)
  }
  const settings = tuned?.settings ?? readMethodSettings(values)
  if (settings.method !== 'neighbours') {
    throw new UsageError(`the server reranks by neighbours, these settings by ${settings.method}`)
  }
  return similaritySettings(settings)
}

function keysOf(values: Values): string[] {
  const fromEnvironment = process.env['KITH_API_KEY']
  const given = texts(values, 'api-key')
  return given.length > 0 || !fromEnvironment ? given : [fromEnvironment]
}

function limitsOf(values: Values): Partial<Limits> {
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

async function openSearchStore(
  values: Values,
  metric: 'dot' | 'cosine',
): Promise<SearchStore | undefined> {
  const address = optionalText(values, 'store')
  const corpus = optionalText(values, 'corpus')
  if (address === undefined) {
    if (corpus !== undefined) throw new UsageError('--corpus has the texts of a --store: give both')
    return undefined
  }
  const { openStore } = await import('@kith/stores')
  const store = await openStore(address, { metric })
  if ((await store.count()) === 0) {
    await store.close()
    // What stands before the @ of an address is a password.
    const shown = address.replace(/\/\/[^/]*@/, '//')
    throw new KithError('BAD_INPUT', `the store ${shown} has no documents: kith load brings some`)
  }
  const { storeWithTexts } = await import('@kith/studio')
  return corpus === undefined ? store : storeWithTexts(store, corpus)
}
