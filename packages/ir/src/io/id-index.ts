import { IdList, type SharedIds } from './id-list.ts'

/** An index in memory that worker threads can share. */
export interface SharedIndex {
  ids: SharedIds
  slots: Uint32Array
}

/** Finds ids of a list by their bytes, with an open-addressing hash table of the list's indices. */
export class IdIndex {
  #size = 0
  #mask: number
  /** Index + 1 of the id in each slot; 0 for a free slot. */
  #slots: Uint32Array

  /** @param expected The number of ids to add, if known; avoids resizing. */
  constructor(
    readonly list: IdList,
    expected = 0,
  ) {
    this.#mask = slotsFor(expected) - 1
    this.#slots = new Uint32Array(this.#mask + 1)
  }

  /** Creates a read-only index over memory that another thread shares. */
  static over({ ids, slots }: SharedIndex): IdIndex {
    const index = new IdIndex(IdList.over(ids))
    index.#slots = slots
    index.#mask = slots.length - 1
    return index
  }

  /** Copies the index to memory that worker threads can share. */
  share(): SharedIndex {
    const slots = new Uint32Array(new SharedArrayBuffer(this.#slots.length * 4))
    slots.set(this.#slots)
    return { ids: this.list.share(), slots }
  }

  /**
   * Adds an id of the list. Returns its index, or the index of an equal id that was added before.
   */
  add(index: number): number {
    if (this.#size * 2 > this.#mask) this.#resize()
    const slot = this.#slot(this.list, index)
    const found = this.#slots[slot]!
    if (found > 0) return found - 1
    this.#slots[slot] = index + 1
    this.#size++
    return index
  }

  /** Returns the index of the added id that equals an id of any list; -1 if there is none. */
  find(list: IdList, index: number): number {
    return this.#slots[this.#slot(list, index)]! - 1
  }

  /** Removes all ids but keeps the memory. */
  clear(): void {
    this.#slots.fill(0)
    this.#size = 0
  }

  #slot(list: IdList, index: number): number {
    let slot = list.hash(index) & this.#mask
    for (;;) {
      const found = this.#slots[slot]!
      if (found === 0 || this.list.equals(found - 1, list, index)) return slot
      slot = (slot + 1) & this.#mask
    }
  }

  #resize(): void {
    const old = this.#slots
    this.#mask = this.#mask * 2 + 1
    this.#slots = new Uint32Array(this.#mask + 1)
    for (const found of old) {
      if (found > 0) this.#slots[this.#slot(this.list, found - 1)] = found
    }
  }
}

function slotsFor(ids: number): number {
  let slots = 16
  while (slots < ids * 2 + 2) slots *= 2
  return slots
}
