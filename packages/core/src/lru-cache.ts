/** Values by key, of which only the most recently used are kept. */
export class LruCache<T> {
  readonly #values = new Map<string, T>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): T | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    // A map lists its keys in the order in which they were set.
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  set(key: string, value: T): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size > this.#most) this.#values.delete(this.#values.keys().next().value!)
  }

  values(): Iterable<T> {
    return this.#values.values()
  }
}
