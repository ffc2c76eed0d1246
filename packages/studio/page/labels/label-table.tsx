import type { VNode } from 'preact'
import type { StudioContext } from '../../src/studio-wire.ts'
import { inOneLine } from '../parts/document-text.tsx'
import { Mark } from '../query/ranking-list.tsx'
import type { LabelTable, TargetColumn } from './targets.ts'

/** The target distributions side by side: a line per document, a column per target. */
export function LabelTableView(props: {
  value: LabelTable
  source: StudioContext
  level: number
}): VNode {
  const { value: table, source, level } = props
  const { documents } = source
  const known = new Set(table.truth)
  const isRelevant = (document: number): boolean => (documents[document]!.grade ?? -1) >= level
  const highest = Math.max(
    ...table.columns.flatMap(({ probability }) =>
      table.rows.map((row) => probability.get(row) ?? 0),
    ),
  )
  const sum = ({ probability }: TargetColumn, counts: (document: number) => boolean): number =>
    [...probability].reduce((total, [document, value]) => total + (counts(document) ? value : 0), 0)
  const sums: [string, (document: number) => boolean][] = [
    ['On the ground truth', (document) => known.has(document)],
    ['On other relevant ones', (document) => !known.has(document) && isRelevant(document)],
    ['On all others', (document) => !known.has(document) && !isRelevant(document)],
  ]
  return (
    <section class="scroll" aria-label="Target distributions">
      <table class="targets">
        <caption class="visually-hidden">
          The probability that each target gives to each of {table.candidates} candidates
        </caption>
        <thead>
          <tr>
            <th scope="col">Document</th>
            {table.columns.map(({ name, about }) => (
              <th key={name} scope="col" title={about}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr key={row} class={known.has(row) ? 'truth' : ''}>
              <th scope="row" title={inOneLine(documents[row]!)}>
                <span class="line">
                  <Mark grade={documents[row]!.grade} level={level} />
                  <span class="text">{inOneLine(documents[row]!)}</span>
                </span>
              </th>
              {table.columns.map(({ name, probability }) => (
                <Cell key={name} value={probability.get(row) ?? 0} highest={highest} />
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          {sums.map(([title, counts]) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              {table.columns.map((column) => (
                <td key={column.name} class="number">
                  {percent(sum(column, counts))}
                </td>
              ))}
            </tr>
          ))}
        </tfoot>
      </table>
    </section>
  )
}

function Cell({ value, highest }: { value: number; highest: number }): VNode {
  return (
    <td class="number">
      <span class="bar" style={{ width: `${(100 * value) / highest}%` }} />
      <span class="value">{percent(value)}</span>
    </td>
  )
}

function percent(value: number): string {
  if (value === 0) return '·'
  return `${(100 * value).toFixed(1)}%`
}
