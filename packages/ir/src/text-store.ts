import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IdIndex } from './id-index.ts'
import { IdList } from './id-list.ts'
import { readTexts, type TextEntry } from './texts.ts'
import { writeWhole } from './write-whole.ts'

/**
 * Texts by id, for files larger than memory: they are copied once, unpacked, into a temporary
 * file and read from there by position; only ids and positions stay in memory.
 */
export class TextStore {
  readonly #ids: IdList
  readonly #index: IdIndex
  readonly #ends: readonly number[]
  readonly #file: number
  readonly #name: string
  readonly #wanted = new IdList()

  private constructor(ids: IdList, index: IdIndex, ends: readonly number[], name: string) {
    this.#ids = ids
    this.#index = index
    this.#ends = ends
    this.#name = name
    this.#file = openSync(name, 'r')
    try {
      // Without a name it disappears with the process, whatever ends that. Windows keeps it.
      rmSync(name)
    } catch {}
  }

  /** Reads a corpus or queries; of two entries with the same id the first counts. */
  static async open(file: string): Promise<TextStore> {
    const ids = new IdList()
    const index = new IdIndex(ids)
    const ends: number[] = []
    const name = join(tmpdir(), `kith-texts-${randomBytes(6).toString('hex')}`)
    await writeWhole(name, async (write) => {
      let end = 0
      for await (const { id, title, text } of readTexts(file)) {
        const bytes = Buffer.from(JSON.stringify(title === undefined ? [text] : [text, title]))
        await write(bytes)
        ids.pushText(id)
        index.add(ids.length - 1)
        end += bytes.length
        ends.push(end)
      }
    })
    return new TextStore(ids, index, ends, name)
  }

  /** How many texts there are. */
  get size(): number {
    return this.#ids.length
  }

  /** The text with an id, undefined where there is none. */
  get(id: string): TextEntry | undefined {
    this.#wanted.clear()
    this.#wanted.pushText(id)
    const found = this.#index.find(this.#wanted, 0)
    if (found < 0) return undefined
    const from = found === 0 ? 0 : this.#ends[found - 1]!
    const bytes = Buffer.allocUnsafe(this.#ends[found]! - from)
    readSync(this.#file, bytes, 0, bytes.length, from)
    const [text, title] = JSON.parse(bytes.toString('utf8')) as [string, string?]
    return title === undefined ? { id, text } : { id, title, text }
  }

  close(): void {
    closeSync(this.#file)
    rmSync(this.#name, { force: true })
  }
}
