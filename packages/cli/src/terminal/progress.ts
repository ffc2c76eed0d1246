/** Minimum time in milliseconds between two redraws. */
const PAUSE = 100

/** Removes the line that the cursor is on. */
const CLEAR = '\r\u001b[K'

/** A terminal, or any stream that a bar is drawn on. */
export type ProgressStream = NodeJS.WritableStream & { readonly columns?: number | undefined }

/** A line with a progress bar, the rate and the time left. */
export class Progress {
  readonly #label: string
  readonly #total: number
  readonly #stream: ProgressStream | undefined
  readonly #start = performance.now()
  /**
   * The count at the first update: work that was done before the bar started does not count for the
   * rate.
   */
  #before: number | undefined
  #last = 0
  #shown = ''

  constructor(label: string, total: number, stream: ProgressStream | undefined) {
    this.#label = label
    this.#total = total
    this.#stream = stream
  }

  /** Shows how much is done, and a note; the first call sets how much was done before. */
  update(done: number, note = ''): void {
    this.#before ??= done
    const now = performance.now()
    if (!this.#stream || (now - this.#last < PAUSE && done < this.#total)) return
    this.#last = now
    const line = `${this.line(done, (now - this.#start) / 1000)}${note && `  ${note}`}`
    // A line that wraps could not be removed.
    this.#shown = line.slice(0, (this.#stream.columns || Number.POSITIVE_INFINITY) - 1)
    this.#stream.write(CLEAR + this.#shown)
  }

  /** Removes the bar while something else is written, and draws the bar again below it. */
  below(write: () => void): void {
    this.#stream?.write(CLEAR)
    write()
    this.#stream?.write(this.#shown)
  }

  /** Removes the bar. */
  end(): void {
    this.#shown = ''
    this.#stream?.write(CLEAR)
  }

  /** Formats the bar for the work done after some seconds. */
  line(done: number, seconds: number): string {
    const part = this.#total > 0 ? Math.min(1, done / this.#total) : 1
    const filled = Math.round(part * 24)
    const bar = '█'.repeat(filled) + '░'.repeat(24 - filled)
    const own = done - (this.#before ?? 0)
    const rate = seconds > 0 ? own / seconds : 0
    const speed =
      rate > 0 ? `, ${short(rate)}/s, ${duration((this.#total - done) / rate)} left` : ''
    const percent = `${Math.floor(part * 100)}%`.padStart(4)
    return `${this.#label} ${bar} ${percent}  ${done.toLocaleString('en')} of ${this.#total.toLocaleString('en')}${speed}`
  }
}

/** Formats a rate in a few characters. */
export function short(rate: number): string {
  return rate >= 100 ? Math.round(rate).toLocaleString('en') : rate.toPrecision(2)
}

/** Formats a time in a few characters. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
