import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { EmbedderEvents } from './embedder.ts'
import type { Cuts } from './limits.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const TEXTS = [1, 2, 4, 8, 16]

/** Functions that measure the current state whenever the metrics are requested. */
export interface Gauges {
  /** Returns the number of requests in progress. */
  inProgress(): number
  /** Returns the number of texts that wait for the encoder of this process. */
  waiting?(): number
  /** Returns the number of embeddings in the cache of this process. */
  cached?(): number
}

/** Metrics as data that processes can exchange. */
export type Figures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The metrics of a server for Prometheus. Each server has its own registry. */
export class Metrics implements EmbedderEvents {
  readonly #registry = new Registry()
  readonly #requests: Counter<'route' | 'status'>
  readonly #seconds: Histogram<'route'>
  readonly #batches: Histogram
  readonly #lookups: Counter<'result'>
  readonly #cuts: Counter<'limit'>

  constructor({ inProgress, waiting = () => 0, cached = () => 0 }: Gauges) {
    const registers = [this.#registry]
    this.#requests = new Counter({
      name: 'kith_requests_total',
      help: 'Requests answered.',
      labelNames: ['route', 'status'],
      registers,
    })
    this.#seconds = new Histogram({
      name: 'kith_request_seconds',
      help: 'Response time in seconds.',
      labelNames: ['route'],
      buckets: SECONDS,
      registers,
    })
    this.#batches = new Histogram({
      name: 'kith_encoder_batch_texts',
      help: 'Texts per encoder batch.',
      buckets: TEXTS,
      registers,
    })
    this.#lookups = new Counter({
      name: 'kith_embedding_cache_lookups_total',
      help: 'Lookups in the embedding cache, by result (hit or miss).',
      labelNames: ['result'],
      registers,
    })
    this.#cuts = new Counter({
      name: 'kith_texts_truncated_total',
      help: 'Texts truncated, by limit (characters or tokens).',
      labelNames: ['limit'],
      registers,
    })
    const gauge = (name: string, help: string, measure: () => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(measure())
        },
      })
    }
    gauge('kith_requests_in_progress', 'Requests in progress.', inProgress)
    gauge('kith_encoder_queue_texts', 'Texts waiting for the encoder.', waiting)
    gauge('kith_embedding_cache_entries', 'Entries in the embedding cache.', cached)
  }

  onRequest(route: string, status: number, seconds: number): void {
    this.#requests.inc({ route, status })
    this.#seconds.observe({ route }, seconds)
  }

  onBatch(texts: number): void {
    this.#batches.observe(texts)
  }

  onLookup(hits: number, misses: number): void {
    this.#lookups.inc({ result: 'hit' }, hits)
    this.#lookups.inc({ result: 'miss' }, misses)
  }

  onCuts(cuts: Cuts): void {
    for (const limit of ['characters', 'tokens'] as const) {
      if (cuts[limit] > 0) this.#cuts.inc({ limit }, cuts[limit])
    }
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Returns the metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  figures(): Promise<Figures> {
    return this.#registry.getMetricsAsJSON()
  }
}

/** Sums the counters of processes that have exited; their gauges are dropped. */
export function pastFigures(parts: readonly Figures[]): Figures {
  const counts = parts.map((figures) => figures.filter(({ type }) => String(type) !== 'gauge'))
  return AggregatorRegistry.aggregate(counts).getMetricsAsArray() as Figures
}

/** Sums the metrics of several processes, and formats them as Prometheus text. */
export function mergedText(parts: readonly Figures[]): Promise<string> {
  return AggregatorRegistry.aggregate([...parts]).metrics()
}

/** Formats the number of workers that do not answer, so that their metrics are out of date. */
export function silentText(silent: number, workers: number, seconds: number): string {
  const name = 'kith_workers_silent'
  const note = `# PARTIAL: ${silent} of ${workers} workers did not answer within ${seconds} s; their last known counts are used.\n`
  return `
# HELP ${name} Workers that did not report their metrics in time.
# TYPE ${name} gauge
${name} ${silent}
${silent > 0 ? note : ''}`
}
