/**
 * A worker process of the server: answers requests, and asks the first process for embeddings and
 * documents.
 */

import { partsOf } from '@kith/base/pool'
import { termStatisticsFromBytes } from '@kith/core'
import { loadLanguages } from '@kith/stores/internal'
import type { ServerState } from './app.ts'
import { Channel, type Message, type ToFirst, type ToWorkers, type WorkerPlan } from './channel.ts'
import type { TextEmbedder } from './embedder.ts'
import { type HttpServer, openHttpServer } from './http-server.ts'
import { Metrics } from './metrics.ts'
import { Ranker } from './ranker.ts'
import type { DocumentSearcher } from './searcher.ts'

const state: ServerState = { inProgress: 0, stopping: false }
const metrics = new Metrics({ inProgress: () => state.inProgress })
let server: Promise<HttpServer> | undefined

const answers: ToWorkers = {
  async start(plan) {
    server = open(plan)
    return (await server).url
  },
  figures: () => metrics.figures(),
  async stop() {
    await (await server)?.close()
  },
}
// The callback ignores the error if the first process has exited: this process ends with it.
const channel = new Channel<ToFirst>(
  (message) => void process.send?.(message, undefined, undefined, () => {}),
  answers,
)
process.on('message', (message: Message) => channel.receive(message))
void channel.ask('ready', undefined)
// The first process decides how all processes react to a signal.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})

async function open({
  port,
  statistics,
  settings,
  scale,
  ...plan
}: WorkerPlan): Promise<HttpServer> {
  const embedder: TextEmbedder | undefined = plan.embedder && {
    ...plan.embedder,
    embed: (texts, role, signal) => channel.ask('embed', { texts, role }, signal),
  }
  const searcher: DocumentSearcher | undefined = plan.searcher && {
    ...plan.searcher,
    search: (search, signal) => channel.ask('search', search, signal),
    vectors: (ids) => channel.ask('vectors', ids),
    textVectors: (texts) => channel.ask('textVectors', texts),
  }
  const known = statistics && termStatisticsFromBytes(statistics)
  await loadLanguages(settings.tokenizer)
  await loadLanguages(known?.tokenizer)
  return openHttpServer(
    {
      ...plan,
      state,
      metrics,
      metricsText: () => channel.ask('metrics', undefined),
      embedder,
      searcher,
      ranker: new Ranker({ ...settings, statistics: known }, embedder, searcher, scale),
      onError: (error) => void channel.ask('report', partsOf(error)),
    },
    port,
  )
}
