import { readTermStatistics } from '@kith/ir'
import { openTextModel, startServer } from '@kith/server'
import { openSearchStore } from '@kith/stores/internal'
import { defineCommand, rare } from '../options/command.ts'
import {
  readAccess,
  readServedModel,
  readServedSettings,
  readServedStore,
  readServedTerms,
  serveOptions,
} from '../options/serve-options.ts'
import { aborted } from '../terminal/stop.ts'

/** `kith serve`: reranking over HTTP, for clients of Cohere, Jina, OpenAI and others. */
export const serveCommand = defineCommand({
  name: 'serve',
  description:
    'POST /v1/rerank, /v2/rerank (Cohere, Jina, Voyage), /rerank, /embed (text-embeddings-inference),\n' +
    '/v1/embeddings (OpenAI), /v1/search (over --store); GET /info, /v1/models, /healthz, /metrics,\n' +
    '/openapi.json.\n' +
    'Documents with texts are seen through their embeddings and their words, whose terms are counted\n' +
    'in all documents of --store (--term-statistics); those that bring an embedding need no\n' +
    'encoder. Only this machine can reach it, unless --host says otherwise,\n' +
    'which takes an --api-key (or KITH_API_KEY in the environment). --workers answers on more than\n' +
    'one core. SIGTERM and Ctrl-C stop it when the requests under way are answered (exit code 0).',
  example: 'kith serve --port 8080 --store docs.npy --corpus corpus.jsonl',
  options: rare(
    serveOptions,
    ...['port', 'host', 'api-key', 'store', 'corpus', 'model', 'set', 'settings', 'workers'],
    'term-statistics',
  ),
  async run(values, output, stop) {
    const settings = await readServedSettings(values)
    const model = readServedModel(values)
    const access = readAccess(values)
    const documents = readServedStore(values)
    const { file, statistics } = readServedTerms(values)
    const terms = file === undefined ? undefined : await readTermStatistics(file)
    const server = await startServer({
      ...access,
      settings: { ...settings, statistics: terms },
      statistics,
      openModel: model && (() => openTextModel(model.name, model.options)),
      store:
        documents &&
        (await openSearchStore(documents.address, {
          metric: settings.metric,
          corpus: documents.corpus,
          tokenizer: settings.tokenizer,
        })),
    })
    output.result({ url: server.url }, `kith serves at ${server.url}`)
    await stop.heed(aborted, {
      onStop: () => output.remark('stopping: finishing the requests under way'),
    })
    await server.close()
  },
})
