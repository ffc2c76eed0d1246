import type { Connection } from '@lancedb/lancedb'

/** Stores the background of a collection as JSON, in a table beside the documents. */
export class LanceBackground {
  readonly #connection: Connection
  readonly #table: string

  constructor(connection: Connection, collection: string) {
    this.#connection = connection
    this.#table = `${collection}.background`
  }

  /** Reads the background; undefined if none was saved. */
  async read(): Promise<string | undefined> {
    if (!(await this.#exists())) return undefined
    const table = await this.#connection.openTable(this.#table)
    try {
      const [row] = await table.query().select(['json']).toArray()
      return row?.json
    } finally {
      table.close()
    }
  }

  async keep(json: string): Promise<void> {
    const mode = (await this.#exists()) ? 'overwrite' : 'create'
    await this.#connection.createTable(this.#table, [{ json }], { mode })
  }

  async #exists(): Promise<boolean> {
    return (await this.#connection.tableNames()).includes(this.#table)
  }
}
