import { beforeEach } from 'vitest'
import { openStore, type Store, type StoreDocument } from '../src/index.ts'
import { rowOf, wholeNumbers } from './support.ts'

/** What the suite must know about a store. */
export interface StoreUnderTest {
  name: string
  /** The address of a new, empty store. */
  fresh(): string
  /** Whether it keeps texts. */
  texts: boolean
  /** A condition that holds for the documents `d0` and `d1` only; undefined if it has no filters. */
  filter: string | undefined
  /** Whether it has an approximate index. */
  approximate: boolean
}

export const dimensions = 12
// Whole numbers: every order of summation gives the same score, in half precision too.
export const matrix = wholeNumbers(400, dimensions, 1, 40)
export const queries = wholeNumbers(7, dimensions, 2, 40)
export const documents: StoreDocument[] = Array.from({ length: matrix.rows }, (_, row) => ({
  id: `d${row}`,
  vector: rowOf(matrix, row),
}))

/** A store that is new and empty in every test. */
export interface StoreInUse {
  store: StoreUnderTest
  /** Where it is. */
  at: { readonly address: string }
  /** Opens it, lets a function use it, and closes it. */
  use<T>(body: (opened: Store) => Promise<T>, options?: object): Promise<T>
}

/** The store at a fresh address before each test. */
export function inUse(store: StoreUnderTest): StoreInUse {
  const at = { address: '' }
  beforeEach(() => {
    at.address = store.fresh()
  })
  return {
    store,
    at,
    async use(body, options = {}) {
      const opened = await openStore(at.address, { create: true, ...options })
      try {
        return await body(opened)
      } finally {
        await opened.close()
      }
    },
  }
}
