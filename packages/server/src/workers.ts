import cluster, { type Worker } from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { errorFromParts, WorkerDied, workerEntry } from '@kith/base/pool'
import { KithError } from '@kith/core'
import { Channel, type Message, type ToFirst, type ToWorkers, type WorkerPlan } from './channel.ts'
import { freePort, type HttpServer } from './http-server.ts'
import { type Figures, type Metrics, mergedText, pastFigures, silentText } from './metrics.ts'
import type { Services } from './routes/route.ts'

/** Milliseconds before a worker that failed to start is started again. */
const RETRY_TIME = 1000
/**
 * Milliseconds within which a worker must report its metrics. Prometheus gives up after 10 seconds
 * by default; a busy worker reports between two requests.
 */
const METRICS_TIME = 2000
/** Milliseconds between two heartbeats; each heartbeat asks the workers for their metrics. */
const BEAT_TIME = 1000
/** The number of unanswered heartbeats after which a worker is replaced. */
const SILENT_BEATS = 10
/** Milliseconds within which a worker must exit once its requests are finished. */
const END_TIME = 5000

/** The services and metrics of this process that the workers share. */
export interface Shared extends Pick<Services, 'embedder' | 'searcher'> {
  metrics: Metrics
  onError(error: unknown): void
}

/** The first process's record of a worker. */
interface Member {
  worker: Worker
  channel: Channel<ToWorkers>
  /** Whether the worker accepts requests. */
  started: boolean
  /** The last reported metrics. */
  figures: Figures
  /** The request for metrics that the worker has not answered yet. */
  asked?: Promise<boolean> | undefined
  /**
   * Heartbeats since that request. They are counted, not timed, since all processes may have been
   * suspended in between.
   */
  missed: number
}

/**
 * Processes that answer requests on one port. A worker that dies or stops answering is replaced.
 */
export class Workers implements HttpServer {
  readonly #plan: WorkerPlan
  readonly #shared: Shared
  readonly #members = new Set<Member>()
  /** Counters of workers that have exited, so that no total ever decreases. */
  #past: Figures = []
  #url = ''
  #stopping = false
  #heart: NodeJS.Timeout | undefined

  private constructor(plan: WorkerPlan, shared: Shared) {
    this.#plan = plan
    this.#shared = shared
  }

  /** Starts some workers; the promise resolves when all accept requests. */
  static async start(count: number, plan: WorkerPlan, shared: Shared): Promise<Workers> {
    if (cluster.isWorker) {
      throw new KithError('BAD_SETTING', 'a worker of a cluster cannot start workers')
    }
    // The workers share a port by its number, so a free port must be found first if any port will
    // do.
    const port = await freePort(plan.port, plan.access.host)
    const workers = new Workers({ ...plan, port }, shared)
    try {
      await Promise.all(Array.from({ length: count }, () => workers.#start()))
      workers.#heart = setInterval(() => workers.#beat(), BEAT_TIME).unref()
      return workers
    } catch (error) {
      await workers.close()
      throw error
    }
  }

  get url(): string {
    return this.#url
  }

  async close(): Promise<void> {
    this.#stopping = true
    clearInterval(this.#heart)
    await Promise.all([...this.#members].map((member) => this.#end(member)))
  }

  async #start(): Promise<void> {
    const worker = fork()
    passOnConnections(worker)
    // Messages that are sent before the worker listens are lost.
    const ready = new Promise((resolve) => worker.once('message', resolve))
    const channel = new Channel<ToWorkers>(
      // The callback ignores the error if the worker has exited: its exit is reported separately.
      (message) => void ready.then(() => worker.send(message, () => {})),
      this.#answers(),
    )
    const member: Member = { worker, channel, started: false, figures: [], missed: 0 }
    this.#members.add(member)
    worker.on('message', (message: Message) => channel.receive(message))
    worker.once('exit', (code, signal) =>
      this.#gone(member, `ended ${signal ? `by ${signal}` : `with exit code ${code}`}`),
    )
    worker.on('error', ({ message }) => {
      // A process that could not be started emits no exit event.
      if (worker.process.pid === undefined) this.#gone(member, `could not be started: ${message}`)
    })
    try {
      this.#url = await channel.ask('start', this.#plan)
      member.started = true
    } catch (error) {
      worker.process.kill('SIGKILL')
      throw error
    }
  }

  /** Asks every worker for its metrics, and kills workers that have been silent for too long. */
  #beat(): void {
    for (const member of this.#members) {
      if (!member.started) continue
      if (member.asked === undefined) member.missed = 0
      else if (++member.missed === SILENT_BEATS) {
        const seconds = (SILENT_BEATS * BEAT_TIME) / 1000
        this.#shared.onError(new WorkerDied(`a server worker was silent for ${seconds} s`))
        member.worker.process.kill('SIGKILL')
      }
      void this.#askFigures(member)
    }
  }

  #gone(member: Member, how: string): void {
    this.#members.delete(member)
    this.#past = pastFigures([this.#past, member.figures])
    const death = `a server worker ${how}`
    member.channel.close(new WorkerDied(death))
    if (!member.started || this.#stopping) return
    this.#shared.onError(new WorkerDied(`${death}; a new worker replaces it`))
    void this.#replace()
  }

  async #replace(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#start()
        return
      } catch (error) {
        if (!this.#stopping) this.#shared.onError(error)
        await wait(RETRY_TIME)
      }
    }
  }

  /** Waits until a worker has finished its requests, and ends it. */
  async #end({ worker, channel }: Member): Promise<void> {
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    const time = this.#plan.limits.seconds * 1000 + END_TIME
    const deadline = setTimeout(() => worker.process.kill('SIGKILL'), time)
    // A worker that dies in the meantime has ended, too.
    await channel.ask('stop', undefined).catch(() => {})
    if (worker.isConnected()) worker.process.disconnect()
    await ended
    clearTimeout(deadline)
  }

  #answers(): ToFirst {
    const { embedder, searcher, onError } = this.#shared
    return {
      embed: ({ texts, role }, signal) => embedder!.embed(texts, role, signal),
      search: (search, signal) => searcher!.search(search, signal),
      vectors: (ids) => searcher!.vectors(ids),
      textVectors: (texts) => searcher!.textVectors(texts),
      ready() {},
      metrics: () => this.#metrics(),
      report: (error) => onError(errorFromParts(error)),
    }
  }

  /** Returns the combined metrics of all processes. */
  async #metrics(): Promise<string> {
    const started = [...this.#members].filter((member) => member.started)
    const late = new AbortController()
    const deadline = wait(METRICS_TIME, false, { signal: late.signal }).catch(() => false)
    const told = await Promise.all(
      started.map((member) => Promise.race([this.#askFigures(member), deadline])),
    )
    late.abort()
    const silent = told.filter((answered) => !answered).length
    const own = await this.#shared.metrics.figures()
    const parts = [own, this.#past, ...Array.from(this.#members, ({ figures }) => figures)]
    return `${await mergedText(parts)}${silentText(silent, started.length, METRICS_TIME / 1000)}`
  }

  /** Asks a worker for its metrics, unless an earlier request is still unanswered. */
  #askFigures(member: Member): Promise<boolean> {
    const ask = async (): Promise<boolean> => {
      try {
        member.figures = await member.channel.ask('figures', undefined)
      } catch {
        // The last metrics of a worker that dies in the meantime still count.
      }
      member.asked = undefined
      return true
    }
    member.asked ??= ask()
    return member.asked
  }
}

/** Starts a process, which gets its options over the channel. */
function fork(): Worker {
  cluster.setupPrimary({
    exec: fileURLToPath(workerEntry(import.meta.url, 'worker-process.js')),
    args: [],
    // Flags on this process's command line, such as --import, do not apply to workers.
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return cluster.fork()
}

/** A message of Node's cluster module. */
interface ClusterMessage {
  cmd?: string
  act?: string
  seq?: number
  ack?: number
}

/**
 * Passes on a connection that a worker had been given and not accepted when it died. Node keeps
 * such a connection open and gives it to no other worker, so that the client waits forever. If a
 * worker refuses a connection, Node gives it to another worker, so the dead worker refuses.
 */
function passOnConnections(worker: Worker): void {
  const { process } = worker
  const given = new Set<number>()
  const send = process.send.bind(process) as (...args: unknown[]) => boolean
  process.send = (...args: unknown[]): boolean => {
    const { cmd, act, seq } = args[0] as ClusterMessage
    if (cmd === 'NODE_CLUSTER' && act === 'newconn' && seq !== undefined) given.add(seq)
    return send(...args)
  }
  process.on('internalMessage', ({ ack }: ClusterMessage) => void given.delete(ack ?? -1))
  worker.once('exit', () => {
    for (const ack of given) {
      const refusal = { cmd: 'NODE_CLUSTER', ack, accepted: false }
      process.emit('internalMessage' as 'message', refusal, undefined as never)
    }
    // Node forgets a worker that is not connected.
    if (worker.isConnected()) process.disconnect()
  })
}
