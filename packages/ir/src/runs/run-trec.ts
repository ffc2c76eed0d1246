import { eachLine, type InputFile, type LineVisitor, lineError } from '@kith/base'
import { Fields } from '../io/fields.ts'
import type { RankedQuery, Run } from './run.ts'
import { type RowSink, RunBuilder } from './run-builder.ts'

const COMMENT = 0x23

/**
 * Reads a TREC run: `query Q0 document rank score tag` per line. Like trec_eval it
 * ignores the rank, whatever follows the tag, blank lines and lines that start with `#`.
 */
export async function readTrecRun(input: InputFile): Promise<Run> {
  const builder = new RunBuilder(input.name)
  await eachLine(input, trecRows(input.name, builder))
  return builder.finish()
}

/** Passes each line of a TREC run on as a row. */
export function trecRows(file: string, sink: RowSink): LineVisitor {
  const fields = new Fields(6)
  const { starts, ends } = fields
  return (bytes, from, to, line) => {
    const count = fields.split(bytes, from, to)
    if (count === 0 || bytes[starts[0]!] === COMMENT) return
    if (count < 6) throw lineError(file, line, `expected 6 fields, got ${count}`)
    const score = fields.number(bytes, 4)
    if (!Number.isFinite(score)) {
      throw lineError(file, line, `the score is not a number: ${fields.text(bytes, 4)}`)
    }
    sink.query(bytes, starts[0]!, ends[0]!, line)
    sink.row(bytes, starts[2]!, ends[2]!, score, line)
  }
}

/** One query's lines of a TREC run. */
export function trecRanking({ query, ids, scores }: RankedQuery, tag: string): string {
  // Nine digits tell any two float32 apart; a double needs all that it has.
  const digits = scores instanceof Float32Array ? 9 : undefined
  let lines = ''
  for (let i = 0; i < ids.length; i++) {
    const score = digits ? scores[i]!.toPrecision(digits) : scores[i]!
    lines += `${query} Q0 ${ids[i]} ${i + 1} ${score} ${tag}\n`
  }
  return lines
}
