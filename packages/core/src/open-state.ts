import { KithError } from './error.ts'

/** Whether something that is closed after its use is still open. */
export class OpenState {
  readonly #name: string
  #open = true

  /** @param name The thing in messages, such as `the store docs.npy`. */
  constructor(name: string) {
    this.#name = name
  }

  /** Throws `CLOSED` after the end. */
  check(): void {
    if (!this.#open) throw new KithError('CLOSED', `${this.#name} is used after it was closed`)
  }

  /** Marks the end. True the first time: so that a second `close()` releases nothing twice. */
  end(): boolean {
    const first = this.#open
    this.#open = false
    return first
  }
}
