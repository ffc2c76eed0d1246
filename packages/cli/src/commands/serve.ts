import { readTermStatistics } from '@kith/ir'
import { readCalibration } from '@kith/pipelines/relevance'
import { openTextModel, startServer } from '@kith/server'
import { openSearchStore, readBackground } from '@kith/stores/internal'
import { defineCommand, rare } from '../options/command.ts'
import {
  readAccess,
  readServedModel,
  readServedSettings,
  readServedStore,
  readServedTerms,
  serveOptions,
} from '../options/serve-options.ts'
import { optionalText } from '../options/values.ts'
import { aborted } from '../terminal/stop.ts'

/** `kith serve`: reranking over HTTP, for clients of Cohere, Jina, OpenAI and others. */
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
