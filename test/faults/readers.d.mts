/** A reader of Kith with a small valid file for it. */
export interface Reader {
  name: string
  file: string
  bytes: Uint8Array
  /** Makes a hostile file from random numbers below a limit; without it, `bytes` are damaged. */
  make?(random: (limit: number) => number): Uint8Array
  read(): Promise<unknown>
}

/** The readers; `folder` holds their files. */
export function makeReaders(folder: string): Promise<Reader[]>
