import { eachLine, type InputFile, type LineVisitor, lineError } from '@kith/base'
import { Fields } from '../io/fields.ts'
import type { RankedQuery, Run } from './run.ts'
import { type RowSink, RunBuilder } from './run-builder.ts'

/** Reads an MS MARCO run: `query document rank` per line. The score is the rank's negative. */
export async function readMsmarcoRun(input: InputFile): Promise<Run> {
  const builder = new RunBuilder(input.name)
  await eachLine(input, msmarcoRows(input.name, builder))
  return builder.finish()
}

/** Passes each line of an MS MARCO run on as a row. */
export function msmarcoRows(file: string, sink: RowSink): LineVisitor {
  const fields = new Fields(3)
  const { starts, ends } = fields
  return (bytes, from, to, line) => {
    const count = fields.split(bytes, from, to)
    if (count === 0) return
    if (count !== 3) throw lineError(file, line, `expected 3 fields, got ${count}`)
    const rank = fields.number(bytes, 2)
    if (!Number.isInteger(rank) || rank < 0) {
      throw lineError(file, line, `the rank is not a whole number: ${fields.text(bytes, 2)}`)
    }
    sink.query(bytes, starts[0]!, ends[0]!, line)
    sink.row(bytes, starts[1]!, ends[1]!, -rank, line)
  }
}

/** One query's lines of an MS MARCO run. */
export function msmarcoRanking({ query, ids }: RankedQuery): string {
  return ids.map((id, i) => `${query}\t${id}\t${i + 1}\n`).join('')
}
