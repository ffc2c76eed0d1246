import { FileError } from '@kith/base'
import { notFinite, toHalves } from '@kith/base/half'
import { KithError } from '@kith/core'

/** Rows on their way to a file, with their ids. */
export interface RowBlock {
  values: Float32Array
  ids: string[]
}

/**
 * Pairs rows with ids and checks both: whole rows of finite numbers, and exactly one
 * id for each. Without ids, rows are numbered.
 */
export async function* rowBlocks(
  file: string,
  dimensions: number,
  rows: Iterable<Float32Array> | AsyncIterable<Float32Array>,
  ids: Iterable<string> | AsyncIterable<string> | undefined,
  type: 'f16' | 'f32',
): AsyncGenerator<RowBlock> {
  const names = iterator(ids ?? numbers())
  let row = 0
  for await (const values of rows) {
    if (values.length % dimensions !== 0) {
      const problem = `row ${row}: ${values.length} numbers are no whole rows of ${dimensions}`
      throw new KithError('BAD_SHAPE', problem)
    }
    const bad = notFinite(type === 'f16' ? toHalves(values) : values)
    if (bad >= 0) {
      const place = `row ${row + Math.floor(bad / dimensions)} column ${bad % dimensions}`
      throw new FileError(file, place, `${values[bad]} is not finite in ${type}`)
    }
    const block: RowBlock = { values, ids: [] }
    for (let i = 0; i < values.length / dimensions; i++, row++) {
      const next = names.next()
      // Waiting for each of millions of ids that are there already would take longer than all else.
      const { done, value } = next instanceof Promise ? await next : next
      if (done) throw new FileError(file, '', `there are only ${row} ids for the rows`)
      block.ids.push(value)
    }
    yield block
  }
  if (ids && !(await names.next()).done)
    throw new FileError(file, '', `there are more ids than ${row} rows`)
}

function iterator<T>(values: Iterable<T> | AsyncIterable<T>): Iterator<T> | AsyncIterator<T> {
  return Symbol.asyncIterator in values ? values[Symbol.asyncIterator]() : values[Symbol.iterator]()
}

function* numbers(): Generator<string> {
  for (let row = 0; ; row++) yield String(row)
}
