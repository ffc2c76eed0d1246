/** Milliseconds between two drawings. */
const PAUSE = 100

/** A line with a bar, the rate and the time left. */
export class Progress {
  readonly #label: string
  readonly #total: number
  readonly #stream: NodeJS.WritableStream | undefined
  readonly #start = performance.now()
  #last = 0

  constructor(label: string, total: number, stream: NodeJS.WritableStream | undefined) {
    this.#label = label
    this.#total = total
    this.#stream = stream
  }

  /** Shows how much is done, and a note. */
  update(done: number, note = ''): void {
    const now = performance.now()
    if (!this.#stream || (now - this.#last < PAUSE && done < this.#total)) return
    this.#last = now
    this.#stream.write(
      `\r\u001b[K${this.line(done, (now - this.#start) / 1000)}${note && `  ${note}`}`,
    )
  }

  /** Removes the line. */
  end(): void {
    this.#stream?.write('\r\u001b[K')
  }

  /** The line that is drawn after some seconds. */
  line(done: number, seconds: number): string {
    const part = this.#total > 0 ? Math.min(1, done / this.#total) : 1
    const filled = Math.round(part * 24)
    const bar = '█'.repeat(filled) + '░'.repeat(24 - filled)
    const rate = seconds > 0 ? done / seconds : 0
    const left = rate > 0 ? `, ${duration((this.#total - done) / rate)} left` : ''
    const percent = `${Math.floor(part * 100)}%`.padStart(4)
    return `${this.#label} ${bar} ${percent}  ${done.toLocaleString('en')} of ${this.#total.toLocaleString('en')}, ${short(rate)}/s${left}`
  }
}

/** A rate in a few characters. */
export function short(rate: number): string {
  return rate >= 100 ? Math.round(rate).toLocaleString('en') : rate.toPrecision(2)
}

/** A time in a few characters. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
