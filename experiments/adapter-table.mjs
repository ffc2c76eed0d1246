/** Tables of studies of query adapters (adapter.mjs): gains over draws, with tests over queries. */
import { compare } from '@kith/ir'
import { holm } from '@kith/ir/internal'

/**
 * Prints gains over a base, averaged over draws; p values compare the queries' means over draws, corrected
 * over rows.
 *
 * @param plain The figures without an adapter, by split.
 * @param rows Named lists of figures, one per draw.
 * @param against The row that the others are compared with as well, by its place.
 */
export function printRows(plain, rows, { against } = {}) {
  const columns = [
    ['dev', 'nDCG@10', 'dev nDCG@10'],
    ['test', 'nDCG@10', 'test nDCG@10'],
    ['test', 'Recall@100', 'test Recall@100'],
    ['reranked', 'nDCG@10', 'test nDCG@10, reranked'],
  ].filter(([split]) => plain[split] && rows.every(({ found }) => found[0][split]))
  const cells = columns.map(([split, measure]) => gainsOf(plain[split], rows, split, measure))
  const heads = columns.map(
    ([split, measure, head]) => `${head} (${plain[split].mean[measure].toFixed(4)})`,
  )
  if (against !== undefined) {
    const base = averaged(plain.test, rows[against].found, 'test', 'nDCG@10')
    const others = rows.filter((_, i) => i !== against)
    const gains = gainsOf(base, others, 'test', 'nDCG@10')
    gains.splice(against, 0, '')
    cells.push(gains)
    heads.push(`test nDCG@10 against ${rows[against].name}`)
  }
  console.log(`\n| | ${heads.join(' | ')} |`)
  console.log(`|---|${heads.map(() => '---|').join('')}`)
  rows.forEach(({ name }, i) => {
    console.log(`| ${name} | ${cells.map((column) => column[i]).join(' | ')} |`)
  })
  for (const { name, found } of rows) {
    const { test } = plain
    const now = averaged(test, found, 'test', 'nDCG@10').perQuery['nDCG@10']
    const gains = Array.from(now, (value, q) => value - test.perQuery['nDCG@10'][q])
    const error = deviation(gains) / Math.sqrt(gains.length)
    console.log(
      `${name}: ${gains.length} test queries show a gain of ${(2.8 * error).toFixed(4)} with 80 % power (p < 0.05)`,
    )
    if (found.length < 2) continue
    const each = found.map((one) => mean(one.test['nDCG@10']) - test.mean['nDCG@10'])
    const range = `${signed(Math.min(...each))} to ${signed(Math.max(...each))}`
    console.log(
      `${name}: ${found.length} draws ${range}, mean ${signed(mean(each))}, standard deviation ${deviation(each).toFixed(4)}`,
    )
  }
}

/** Prints the gains of some of the test queries. */
export function printPart(title, plain, rows, isPart) {
  const base = partOf(plain.test, plain.test.perQuery['nDCG@10'], isPart)
  console.log(
    `\n${title}: ${base.queries.length} queries, plain ${base.mean['nDCG@10'].toFixed(4)}`,
  )
  const part = rows.map(({ name, found }) => ({
    name,
    found: found.map(({ test }) => {
      return { test: { 'nDCG@10': Array.from(test['nDCG@10']).filter((_, i) => isPart[i]) } }
    }),
  }))
  const gains = gainsOf(base, part, 'test', 'nDCG@10')
  part.forEach(({ name }, i) => {
    console.log(`${name}: ${gains[i]}`)
  })
}

function partOf(figures, values, isPart) {
  const own = values.filter((_, i) => isPart[i])
  return {
    queries: figures.queries.filter((_, i) => isPart[i]),
    measures: ['nDCG@10'],
    perQuery: { 'nDCG@10': own },
    mean: { 'nDCG@10': mean(Array.from(own)) },
  }
}

/** The gain of each row over a base, with its p value and the gains of its draws. */
function gainsOf(base, rows, split, measure) {
  const found = rows.map((row) => {
    const now = averaged(base, row.found, split, measure)
    const { difference, randomization } = compare(base, now, measure)
    const each = row.found.map((one) => mean(one[split][measure]) - base.mean[measure])
    return { difference, p: randomization, each }
  })
  const p = holm(found.map((one) => one.p))
  return found.map(({ difference, each }, i) => {
    const draws = each.length > 1 ? ` (${each.map(signed).join(' ')})` : ''
    return `${signed(difference)}, p ${p[i].toFixed(4)}${draws}`
  })
}

/** Figures whose queries have their means over draws. */
function averaged(base, found, split, measure) {
  const lists = found.map((one) => one[split][measure])
  const values = Float64Array.from(lists[0], (_, i) => mean(lists.map((list) => list[i])))
  const own = { perQuery: { [measure]: values }, mean: { [measure]: mean(Array.from(values)) } }
  return { ...base, ...own }
}

export function mean(list) {
  return list.reduce((a, b) => a + b, 0) / list.length
}

export function signed(value) {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`
}

function deviation(list) {
  const center = mean(list)
  return Math.sqrt(list.reduce((sum, value) => sum + (value - center) ** 2, 0) / (list.length - 1))
}
